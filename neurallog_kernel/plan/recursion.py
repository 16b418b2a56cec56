"""Predicates that call each other: only among them does it matter how often each is open."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import Signature

Group = frozenset[Signature]


class RecursiveGroups:
    """The groups of mutually recursive predicates, kept while what they rest on stays the same."""

    def __init__(self) -> None:
        self._kept: dict[Signature, tuple[int, Group | None]] = {}  # None: it calls none in turn

    def of(self, program: Program, signature: Signature) -> Group:
        """The predicates that it calls and that call it, itself included."""
        if not self._is_kept(program, signature):
            found = {
                one: (program.stamp(one), group if len(group) > 1 else None)
                for group in _groups(program, self._new(program, signature))
                for one in group
            }
            self._kept.update(found)  # at once: half of what one reaches would mislead `_new`
        return self._kept[signature][1] or frozenset([signature])

    def forget(self, changed: Iterable[Signature]) -> None:
        """Drop what was known of predicates that changed."""
        for signature in changed:
            self._kept.pop(signature, None)

    def _is_kept(self, program: Program, signature: Signature) -> bool:
        kept = self._kept.get(signature)
        return kept is not None and kept[0] == program.stamp(signature)

    def _new(self, program: Program, signature: Signature) -> list[Signature]:
        """What it reaches that is not kept whole: none of these is of a group that is."""
        found = {signature: None}
        queue = [signature]
        whole: dict[Group, bool] = {}  # kept groups that were met, and whether all of them is kept
        while queue:
            for callee in _callees(program, queue.pop()):
                if callee not in found and not self._is_kept_whole(program, callee, whole):
                    found[callee] = None
                    queue.append(callee)
        return list(found)

    def _is_kept_whole(
        self, program: Program, signature: Signature, whole: dict[Group, bool]
    ) -> bool:
        """Whether it is kept, and its group too. A part of a group may have been asked for in
        another version of the program, or forgotten when an interrupt came."""
        if not self._is_kept(program, signature):
            return False
        group = self._kept[signature][1]
        if group is None:
            return True
        if group not in whole:
            whole[group] = all(self._is_kept(program, one) for one in group)
        return whole[group]


def _callees(program: Program, signature: Signature) -> Iterable[Signature]:
    return (
        literal.signature for rule in program.definition(signature).rules for literal in rule.body
    )


def _groups(program: Program, signatures: list[Signature]) -> Iterable[Group]:
    places = {signature: place for place, signature in enumerate(signatures)}
    calls = [
        (place, places[callee])
        for signature, place in places.items()
        for callee in _callees(program, signature)
        if callee in places
    ]
    if not calls:  # most predicates: they call what is known already
        return [frozenset([signature]) for signature in signatures]
    rows, columns = np.array(calls, dtype=np.int64).reshape(-1, 2).T
    size = len(signatures)
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(size, size))
    count, labels = connected_components(graph, directed=True, connection="strong")
    groups: list[list[Signature]] = [[] for _ in range(count)]
    for signature, label in zip(signatures, labels.tolist(), strict=True):
        groups[label].append(signature)
    return map(frozenset, groups)
