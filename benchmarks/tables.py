"""How fast a large table comes in, and what it holds in memory, beside a hand-written baseline.

    python -m benchmarks.tables [--rows N] [--entities M] [--folder FOLDER]

Writes a Parquet file of N weightless rows `who, whom` (10 M by default, skewed like real data) and
loads it with `Session.load_table`. The baseline does by hand, with pyarrow, NumPy and SciPy, the
least that an answer needs: names to numbers, sorted CSR, duplicates out. Both then answer the same
three-hop question, and the answers are compared. The targets are those of the project's design. The
ratio is of processor time, so that what else runs on the machine matters less.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp

from benchmarks.measure import Table, resident
from neurallog_kernel import Session

RULE = "far(X, Z) :- likes(X, A), likes(A, B), likes(B, Z)."


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(options.folder or folder) / f"likes_{options.rows}_{options.entities}.parquet"
        if not path.exists():
            write(path, options.rows, options.entities)
        run(path, options.rows)


def write(path: Path, rows: int, entities: int) -> None:
    """Pairs of entities; some are in many rows, as in real data."""
    draw = np.random.default_rng(7)
    names = pa.array([f"e{number:07}" for number in range(entities)])
    skewed = (entities * draw.random(rows) ** 1.5).astype(np.int32)
    even = draw.integers(0, entities, rows, dtype=np.int32)
    columns = [names.take(pa.array(part)) for part in (skewed, even)]
    pq.write_table(pa.table(columns, names=["who", "whom"]), path)


def run(path: Path, rows: int) -> None:
    table = Table(f"{rows:,} rows of Parquet")
    pq.ParquetFile(path).close()
    gc.collect()

    started, worked = perf_counter(), process_time()
    baseline = Baseline(path)
    by_hand, hand_work = perf_counter() - started, process_time() - worked
    start = baseline.names[int(np.argmax(np.diff(baseline.matrix.indptr)))]
    expected = baseline.far(start)
    del baseline
    gc.collect()
    pa.default_memory_pool().release_unused()

    before = resident()
    session = Session()
    session.add(RULE, source="rule")
    started, worked = perf_counter(), process_time()
    loaded = session.load_table(path, "likes(who, whom)")
    taken, work = perf_counter() - started, process_time() - worked
    gc.collect()
    pa.default_memory_pool().release_unused()
    held = resident() - before
    status = next(one for one in session.predicates() if one.name == "likes/2")

    session.query(f"far({start}, Z)", top=10)
    started = perf_counter()
    answers = session.query(f"far({start}, Z)")
    asked = perf_counter() - started
    got = {name: weight for (name,), weight in answers}
    same = got.keys() == expected.keys() and all(abs(got[k] - expected[k]) < 1e-6 for k in got)

    table.row("load, seconds", taken, "s", 60)
    table.row("by hand (pyarrow, NumPy, SciPy), seconds", by_hand, "s")
    table.row("load / by hand, processor time", work / hand_work, "x")
    table.row("facts in arrays, bytes a fact", status.bytes / loaded.facts, "B", 24)
    table.row("all that grew in memory, names too, bytes a fact", held / loaded.facts, "B")
    table.row("a three-hop question from the busiest entity", asked * 1000, "ms")
    print(f"  {loaded}\n  answers equal: {same} ({len(got):,})")


class Baseline:
    """The same by hand."""

    def __init__(self, path: Path) -> None:
        columns = pq.read_table(path)
        both = pa.chunked_array([*columns["who"].chunks, *columns["whom"].chunks])
        coded = both.dictionary_encode().combine_chunks()
        self.names: list[str] = coded.dictionary.to_pylist()
        self.numbers = {name: number for number, name in enumerate(self.names)}
        codes = coded.indices.to_numpy()
        half, size = len(codes) // 2, len(self.names)
        keys = np.unique((codes[:half].astype(np.int64) << 32) | codes[half:])
        rows, places = (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)
        entries = (np.ones(len(keys)), (rows, places))
        self.matrix = sp.csr_array(sp.coo_array(entries, shape=(size, size)))

    def far(self, name: str) -> dict[str, float]:
        row = self.matrix[[self.numbers[name]]]
        for _ in range(2):
            row = row @ self.matrix
        return dict(zip((self.names[i] for i in row.indices), row.data.tolist(), strict=True))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--entities", type=int, default=1_000_000)
    parser.add_argument("--folder", help="keep the file here, and use it again")
    return parser.parse_args()


if __name__ == "__main__":
    main()
