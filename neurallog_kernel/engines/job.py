"""A score before it runs: how large it is, its SQL, and where its rows go."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurallog_kernel.arguments import whole
from neurallog_kernel.engines.best import Asked, BestAnswers, best
from neurallog_kernel.engines.estimates import BUDGET, Estimate, estimate, over_budget
from neurallog_kernel.engines.folders import ScoreFolder
from neurallog_kernel.engines.names import without_random
from neurallog_kernel.engines.runner import Runner
from neurallog_kernel.errors import BoundError, NeuralLogError, ParameterError
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.packages import needed
from neurallog_kernel.plan.layers import LiteralLayer
from neurallog_kernel.writing import whole_file

if TYPE_CHECKING:
    import pandas as pd

_PATHS_A_PART = 50_000_000  # so that a part's rows fit in memory beside everything else


@dataclass(frozen=True)
class ScoreProgress:
    """How far a score is."""

    predicate: str
    done: int  # parts
    parts: int
    rows: int
    seconds: float
    computed: int  # parts that were computed now, not found

    @property
    def remaining(self) -> float | None:
        """Seconds, if the parts to come take as long as those that were computed."""
        if not self.computed:
            return None
        return self.seconds / self.computed * (self.parts - self.done)

    def __str__(self) -> str:
        text = f"{self.predicate}: part {self.done} of {self.parts}, {self.rows:,} rows"
        if self.remaining is None:
            return text
        return f"{text}, about {_clock(self.remaining)} to go" if self.remaining else text


@dataclass(frozen=True)
class Scored:
    """What was written."""

    predicate: str
    path: str
    parts: int
    computed: int
    rows: int
    seconds: float
    missing: tuple[int, ...] = ()

    def __str__(self) -> str:
        found = f"{self.path}: {self.predicate}, {self.rows:,} rows"
        if self.parts > 1:
            found += f" in {self.parts - len(self.missing)} of {self.parts} parts"
        before = self.parts - len(self.missing) - self.computed
        if before:
            found += f" ({before} were there)"
        return f"{found}, {self.seconds:.1f} s"

    def __repr__(self) -> str:
        return str(self)


@dataclass(eq=False)
class Job:
    """The best answers of all questions of a predicate, computed by a database when they are
    wanted. Nothing runs before that."""

    signature: Signature
    asked: Asked
    layer: LiteralLayer
    runner: Runner = field(repr=False)
    unchanged: Callable[[], bool] = field(repr=False)  # whether the program is still the same
    budget: float = BUDGET
    who: str = ""  # who asks, where not all do

    @property
    def predicate(self) -> str:
        return f"{self.signature[0]}/{self.signature[1]}"

    def __repr__(self) -> str:
        top = "all answers" if self.asked.top is None else f"the best {self.asked.top} answers"
        asked = (
            "" if self.asked.asking is None else f" of each entity at place {self.asked.place + 1}"
        )
        who = f", of {self.who}" if self.who else ""
        return (
            f"{self.predicate}: {top}{asked}{who}; nothing is computed yet\n"
            "  estimate(), sql(), to_parquet(folder, parts=...), to_table(name), to_pandas()"
        )

    # -- before it runs -------------------------------------------------------------------------

    def estimate(self) -> Estimate:
        """How many questions and paths there are, at most; counted by degrees, not by running it.

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> _ = s.add("p(a, b). p(a, c). q(b, d). q(c, d). r(X, Z) :- p(X, Y), q(Y, Z).")
        >>> s.score("r/2").estimate()
        r/2: 1 question, at most 4 paths and 2 rows
          4  r(X, Z) :- p(X, Y), q(Y, Z).
        """
        return self._estimate

    @cached_property
    def _estimate(self) -> Estimate:
        self._check_program()
        return estimate(self.runner, self.asked, self.layer, self.runner.counts, self.predicate)

    def sql(self, dialect: str | None = None) -> str:
        """The statement, to be read; in another dialect by SQLGlot, and then it is untested."""
        own, found = self.runner.dialect, self._best(0, 1)
        if dialect is None or dialect == own.name:
            return found.text(hints=own.hints)
        return _in_dialect(found.text(), own.name, dialect)  # few databases know our hints

    def _best(self, part: int, parts: int) -> BestAnswers:
        return best(self.runner, self.asked, part, parts)

    def _check(self) -> None:
        """Whether it can run, before anything does."""
        self._check_program()
        blamed = list(over_budget(self._estimate, self.budget))
        if blamed or self._estimate.paths > self.budget:
            rule = blamed[0] if blamed else None
            raise BoundError(
                f"{self.predicate} has {self._estimate.paths:,} paths, "
                f"more than the budget of {self.budget:,.0f}",
                rule.rule.span if rule else None,
                "give a larger budget=..., if you want it; estimate() shows the paths of a rule",
            )

    def _check_program(self) -> None:
        if not self.unchanged():
            raise NeuralLogError(
                f"the program has changed since score was called for {self.predicate}",
                hint="call score again",
            )

    # -- rows in memory -------------------------------------------------------------------------

    def to_arrow(self) -> Any:
        """All rows as an Arrow table: asked, rank, answer, weight. A row without an answer has the
        weight of every entity that is not listed."""
        arrow = needed("pyarrow", "score", "tables")
        self._check()
        found = self._best(0, 1)
        with self.runner.kept(found.statement, found.roots, False) as known:
            text = found.text(known, self.runner.dialect.hints)
            batches = [self._typed(arrow, one) for one in self.runner.batches(text)]
        return arrow.Table.from_batches(batches, self._schema(arrow))

    def to_pandas(self) -> pd.DataFrame:
        """All rows as a pandas dataframe."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """All rows as a polars dataframe."""
        return needed("polars", "to_polars", "tables").from_arrow(self.to_arrow())

    def _schema(self, arrow: Any) -> Any:
        columns = [("rank", arrow.int64()), ("answer", arrow.string()), ("weight", arrow.float64())]
        if self.asked.asking is not None:
            columns = [("asked", arrow.string()), *columns]
        return arrow.schema(columns)

    def _typed(self, arrow: Any, batch: Any) -> Any:
        schema = self._schema(arrow)
        columns = [
            batch.column(name).cast(kind)
            for name, kind in zip(schema.names, schema.types, strict=True)
        ]
        return arrow.RecordBatch.from_arrays(columns, schema=schema)

    # -- rows in files and tables ---------------------------------------------------------------

    def to_parquet(
        self,
        path: str | Path,
        parts: int | None = None,
        part: int | None = None,
        progress: Callable[[ScoreProgress], None] | None = None,
    ) -> Scored:
        """Write a folder of Parquet files, one for each part of the questions.

        Parts that are there already are left as they are: after an interrupt or a kill the same
        call goes on. With `part` only that one (counted from 1) is computed, so that a scheduler
        can run them on several machines. `parts` is chosen by the estimate if it is not given.
        """
        arrow = needed("pyarrow", "score", "tables")
        needed("pyarrow.parquet", "score", "tables")
        self._check()
        parts = self._parts(parts)
        if part is not None:
            whole(1, parts)("part", part)
        folder = ScoreFolder.begun(path, parts, self._said(parts))
        missing = [one for one in folder.missing() if part in (None, one)]
        started, rows, computed = time.perf_counter(), 0, 0
        tell = progress or (lambda state: None)
        first = self._best(0, parts)
        with self.runner.kept(first.statement, first.roots, len(missing) > 1) as known:
            for one in missing:
                tell(self._progress(folder, rows, started, computed))
                self._check_facts(folder, parts)
                rows += self._write(arrow, folder, one, known)
                computed += 1
        tell(self._progress(folder, rows, started, computed))
        left = tuple(folder.missing())
        total = rows if not _found(folder, missing) else _rows_in(folder)
        seconds = time.perf_counter() - started
        return Scored(self.predicate, str(path), parts, computed, total, seconds, left)

    def _progress(
        self, folder: ScoreFolder, rows: int, started: float, computed: int
    ) -> ScoreProgress:
        done = folder.parts - len(folder.missing())
        seconds = time.perf_counter() - started
        return ScoreProgress(self.predicate, done, folder.parts, rows, seconds, computed)

    def _parts(self, parts: int | None) -> int:
        if parts is None:
            wanted = -(-self._estimate.paths // _PATHS_A_PART)
            parts = max(1, min(wanted, self._estimate.questions, 10_000))
        whole(1, 100_000)("parts", parts)
        if self.asked.asking is None and parts > 1:
            raise ParameterError(
                f"{self.predicate} is one question, so it has one part", hint="leave out parts"
            )
        return parts

    def _said(self, parts: int) -> dict[str, Any]:
        text = without_random(self._best(0, 1).text())
        return {
            "predicate": self.predicate,
            "asked": self.asked.place + 1 if self.asked.asking is not None else None,
            "top": self.asked.top,
            "of": self.who or None,
            "parts": parts,
            "program": hashlib.sha256(text.encode()).hexdigest()[:32],
            "fingerprint": self.runner.contents(),
        }

    def _check_facts(self, folder: ScoreFolder, parts: int) -> None:
        """A table that is changed between two parts would give rows that do not fit together."""
        self._check_program()
        ScoreFolder.begun(folder.path, parts, self._said(parts))

    def _write(self, arrow: Any, folder: ScoreFolder, part: int, known: Mapping[str, str]) -> int:
        parquet = needed("pyarrow.parquet", "score", "tables")
        found, rows = self._best(part - 1, folder.parts), 0
        text = found.text(known, self.runner.dialect.hints)
        with (
            whole_file(folder.file(part)) as stream,
            parquet.ParquetWriter(stream, self._schema(arrow)) as writer,
        ):
            for batch in self._batches(arrow, text):
                writer.write_batch(batch)
                rows += batch.num_rows
        return rows

    def _batches(self, arrow: Any, text: str) -> Iterator[Any]:
        for batch in self.runner.batches(text):
            yield self._typed(arrow, batch)

    def to_table(self, name: str, replace: bool = False) -> Scored:
        """Write all rows into a new table of the database that the session is connected to, whole
        or not at all."""
        self._check()
        started, found = time.perf_counter(), self._best(0, 1)
        with self.runner.kept(found.statement, found.roots, False) as known:
            text = found.text(known, self.runner.dialect.hints)
            rows = self.runner.create(name, text, replace)
        return Scored(self.predicate, name, 1, 1, rows, time.perf_counter() - started)


def _found(folder: ScoreFolder, computed: list[int]) -> bool:
    return len(computed) < folder.parts - len(folder.missing())


def _rows_in(folder: ScoreFolder) -> int:
    parquet = needed("pyarrow.parquet", "score", "tables")
    there = [folder.file(part) for part in range(1, folder.parts + 1)]
    return sum(parquet.read_metadata(file).num_rows for file in there if file.exists())


def _in_dialect(text: str, own: str, dialect: str) -> str:
    sqlglot = needed("sqlglot", "another dialect of SQL", "cluster")
    try:
        (found,) = sqlglot.transpile(text, read=own, write=dialect, pretty=True)
    except ValueError as error:
        known = ", ".join(sorted(d for d in sqlglot.Dialect.classes if d))
        raise ParameterError(
            f"{dialect} is not a known dialect of SQL", hint=f"known: {known}"
        ) from error
    return f"-- {dialect}, by SQLGlot: untested here\n{found}"


def _clock(seconds: float) -> str:
    """
    >>> _clock(42), _clock(150), _clock(7300)
    ('42 s', '2 min 30 s', '2 h 1 min')
    """
    whole_seconds = int(seconds + 0.5)
    if whole_seconds < 60:
        return f"{whole_seconds} s"
    minutes, rest = divmod(whole_seconds, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
