"""Spark as the database of scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from neurallog_kernel.engines.attached_facts import AttachedFacts
from neurallog_kernel.engines.dialects import SPARK, Dialect
from neurallog_kernel.engines.names import own_name
from neurallog_kernel.engines.runner import worth_keeping
from neurallog_kernel.engines.spark_connection import SparkConnection, plainly
from neurallog_kernel.engines.statements import SqlStatement
from neurallog_kernel.engines.stored import digest
from neurallog_kernel.functions import Function
from neurallog_kernel.packages import needed

_FEW = 10_000  # rows of a part that is fetched and sent back


@dataclass
class SparkRunner(AttachedFacts[SparkConnection]):
    """Scores on Spark. The facts of the session are sent there once; parts of a statement that are
    read several times are kept by Spark, which would otherwise compute each of them again. What a
    machine had kept that goes away is computed again by the others."""

    @property
    def dialect(self) -> Dialect:
        return SPARK

    @property
    def spark(self) -> Any:
        return self.connection.spark

    @property
    def address(self) -> str:
        return self.connection.address

    def function(self, function: Function) -> str | None:
        """Python functions stay in this process."""
        return None

    # -- tables ---------------------------------------------------------------------------------

    def _send(self, label: str, columns: Mapping[str, Any]) -> str:
        """A view of these columns."""
        arrow = needed("pyarrow", "Spark", "tables")
        name = _name(label, columns.values())
        with plainly(self.address):
            self.connection.send(name, arrow.table(dict(columns)))
        return name

    def _view(self, label: str, text: str) -> str:
        name = _name(label, [text])
        with plainly(self.address):
            self.spark.sql(text).createOrReplaceTempView(name)
        return name

    def _first(self, text: str) -> Sequence[Any]:
        return list(self.connection.rows(text).to_pylist()[0].values())

    # -- statements -----------------------------------------------------------------------------

    def counts(self, text: str) -> Mapping[str, float]:
        with plainly(self.address):
            return {row["name"]: row["n"] or 0.0 for row in self.spark.sql(text).collect()}

    @contextmanager
    def kept(
        self, statement: SqlStatement, roots: Sequence[str], several: bool
    ) -> Iterator[Mapping[str, str]]:
        shared = [part.name for part in statement.shared(roots) if not (several and part.asked)]
        wanted = {*worth_keeping(statement, roots, several), *shared}
        views: dict[str, str] = {}
        frames: list[Any] = []
        try:
            for name in (one for one in statement.parts if one in wanted):
                text = statement.text(f"SELECT * FROM {name}", [name], views)
                views[name] = own_name(name)
                with plainly(self.address):
                    frames.append(self.spark.sql(text).cache())
                    few = self._few(frames[-1])
                    if few is not None:
                        frames.pop().unpersist()
                    found = frames[-1] if few is None else few
                    found.createTempView(views[name])
            yield views
        finally:
            with plainly(self.address):
                for frame in reversed(frames):  # the later read the earlier
                    frame.unpersist()
                for view in views.values():
                    self.spark.catalog.dropTempView(view)

    def _few(self, frame: Any) -> Any:
        """A kept part, if it has few rows: they are fetched and sent back, and their plan is only
        that they are there. Spark writes the plan of what is kept into the plan of whatever reads
        it, twice if it is read twice, and plans all of that again: plans would grow without end."""
        arrow = needed("pyarrow", "Spark", "tables")
        try:
            rows = frame.limit(_FEW + 1).toArrow()
        except arrow.ArrowNotImplementedError:
            return None  # Sail declares a column without a type, and sends whole numbers
        if rows.num_rows > _FEW:
            return None
        return self.spark.createDataFrame(rows, None if rows.num_rows else frame.schema)

    def batches(self, text: str) -> Iterator[Any]:
        with plainly(self.address):
            yield from self.spark.sql(text).toArrow().to_batches()

    def create(self, table: str, text: str, replace: bool) -> int:
        with plainly(self.address):
            writer = self.spark.sql(text).write.mode("overwrite" if replace else "error")
            name = ".".join(map(SPARK.quoted, table.split(".")))
            writer.saveAsTable(name)
            return self.spark.table(name).count()


def _name(label: str, contents: Iterable[Any]) -> str:
    """A name for a view that is the same for the same contents: two scores of one Spark session do
    not meet, and the process that goes on with a score writes the statement that was begun. No part
    of a statement is called so, nor is a view of a user."""
    plain = re.sub(r"[^a-z0-9]+", "_", label.lower())
    return f"neurallog_{plain}_{digest(contents)[:12]}x"
