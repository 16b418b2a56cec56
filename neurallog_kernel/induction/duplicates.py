"""Bodies that say the same: of equal columns the shortest is kept, almost equal ones stand by."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.induction.judging import Judged

ALIKE = 0.95


def without_equals(judged: Judged) -> np.ndarray:
    """The columns to keep: of bodies that hold for the same examples and pairs, the shortest.
    A rule with a weight for each entity keeps all of them: they differ for others."""
    whole: Any = sp.vstack([judged.right, judged.others], format="csc")
    whole.sort_indices()
    seen: dict[bytes, int] = {}
    every = [n for n, one in enumerate(judged.found) if one.body.each is not None]
    for place in sorted(set(range(whole.shape[1])) - set(every)):
        own = whole.indices[whole.indptr[place] : whole.indptr[place + 1]].tobytes()
        other = seen.get(own)
        if other is None or judged.found[place].body.key < judged.found[other].body.key:
            seen[own] = place
    return np.array(sorted([*seen.values(), *every]), dtype=np.int64)


def alike(judged: Judged) -> np.ndarray:
    """For each body the first one that it is almost equal to, which may be itself.

    Two are alike where both hold for at least 95 of 100 examples and pairs of either.
    """
    whole: Any = sp.vstack([judged.right, judged.others], format="csr")
    shared = (whole.T @ whole).toarray()
    sizes = np.diag(shared)
    together = sizes[:, None] + sizes[None, :] - shared
    near = shared >= ALIKE * np.maximum(together, 1.0)
    leader = np.arange(len(sizes))
    for place in range(len(sizes)):
        if leader[place] == place:
            free = (leader == np.arange(len(sizes))) & (np.arange(len(sizes)) > place)
            leader[near[place] & free] = place
    return leader
