"""A large Parquet table comes in, beside the least by hand that an answer from it needs.

By hand is pyarrow, NumPy and SciPy: names to numbers, sorted CSR, duplicates out. Both sides answer
the same three-hop question, and the answers are compared.
"""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.measuring import Turns, once, resident
from benchmarks.rows import Figure, Measured, Row, Settings, Skipped, Target, share, subject
from neurallog_kernel import Session

HAND = "pyarrow and SciPy by hand"
RULE = "far(X, Z) :- likes(X, A), likes(A, B), likes(B, Z)."
ROWS = (
    Row("table-load", "load 10 M rows of Parquet", HAND, Target(60, "s")),
    Row("table-limit", "load 10 M rows of Parquet", HAND),
    Row("table-bytes", "their facts in arrays", "", Target(24, "bytes a fact")),
    Row("table-process", "the whole process grown by them, names included", ""),
)


@subject("tables", ROWS, slow=True)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise Skipped("pyarrow is not installed: pip install 'neurallog[tables]'") from None
    scale = 10 if settings.quick else 1
    rows, entities = 10_000_000 // scale, 1_000_000 // scale
    note = f"a tenth of it: {rows:,} rows" if settings.quick else ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "likes.parquet"
        write(path, rows, entities)
        by_hand: list[ByHand] = []
        theirs = once(lambda: by_hand.append(ByHand(path)))
        start, expected = by_hand[0].busiest()
        by_hand.clear()
        _release()
        before = resident()
        session = Session()
        session.add(RULE, source="rule")
        ours = once(lambda: session.load_table(path, "likes(who, whom)"))
    _release()
    grown = resident() - before
    _check_same(session, start, expected)
    status = next(one for one in session.predicates() if one.name == "likes/2")
    yield "table-load", Figure(ours.wall, "s", ours.wall, theirs.wall, note=note)
    yield "table-limit", share(Turns((ours,), (theirs,)), note)
    yield "table-bytes", Figure(status.bytes / status.facts, "bytes a fact", note=note)
    yield "table-process", Figure(grown / status.facts, "bytes a fact", note=note)


def write(path: Path, rows: int, entities: int) -> None:
    """Pairs of entities; some are in many rows, as in real data."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw = np.random.default_rng(7)
    names = pa.array([f"e{number:07}" for number in range(entities)])
    skewed = (entities * draw.random(rows) ** 1.5).astype(np.int32)
    even = draw.integers(0, entities, rows, dtype=np.int32)
    columns = [names.take(pa.array(part)) for part in (skewed, even)]
    pq.write_table(pa.table(columns, names=["who", "whom"]), path)


class ByHand:
    """The same facts as a matrix, and the names of its rows."""

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = pq.read_table(path)
        both = pa.chunked_array([*columns["who"].chunks, *columns["whom"].chunks])
        coded: Any = both.dictionary_encode().combine_chunks()
        self.names: list[str] = coded.dictionary.to_pylist()
        self.numbers = {name: number for number, name in enumerate(self.names)}
        codes = coded.indices.to_numpy()
        half, size = len(codes) // 2, len(self.names)
        keys = np.unique((codes[:half].astype(np.int64) << 32) | codes[half:])
        rows, places = (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)
        entries = (np.ones(len(keys)), (rows, places))
        self.matrix = sp.csr_array(sp.coo_array(entries, shape=(size, size)))

    def busiest(self) -> tuple[str, dict[str, float]]:
        """The entity of most facts, and all within three hops of it."""
        number = int(np.argmax(np.diff(self.matrix.indptr)))
        row = self.matrix[[number]] @ self.matrix @ self.matrix
        return self.names[number], {
            self.names[i]: w for i, w in zip(row.indices, row.data, strict=True)
        }


def _check_same(session: Session, start: str, expected: dict[str, float]) -> None:
    found = {name: weight for (name,), weight in session.query(f"far({start}, Z)")}
    if found.keys() != expected.keys() or any(abs(found[k] - expected[k]) > 1e-6 for k in found):
        raise AssertionError("the two sides do not agree")


def _release() -> None:
    import pyarrow as pa

    gc.collect()
    pa.default_memory_pool().release_unused()
