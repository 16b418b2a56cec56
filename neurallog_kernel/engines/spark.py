"""Spark as the database of scores: a cluster, Spark Connect, or a session that is open already."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neurallog_kernel.engines.addresses import first_line, without_password
from neurallog_kernel.engines.database import unsupported
from neurallog_kernel.engines.dialects import SPARK, Dialect
from neurallog_kernel.engines.keys import Keys, index_keys
from neurallog_kernel.engines.runner import worth_keeping
from neurallog_kernel.engines.statements import SqlStatement
from neurallog_kernel.engines.stored import columns_of, digest, names_of
from neurallog_kernel.errors import TableError
from neurallog_kernel.functions import Function
from neurallog_kernel.knowledge.references import Scan, TypeRef
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.packages import needed
from neurallog_kernel.plan.exprs import Expr

_QUIET = {
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.enabled": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}


def open_spark(address: str) -> Any:
    """A SparkSession for `spark://host:7077` (classic), `local[2]`, or `sc://host` (Connect)."""
    with warnings.catch_warnings(), plainly(without_password(address)):
        warnings.simplefilter("ignore")  # about pandas, which is not used here
        sql = needed("pyspark.sql", "Spark", "cluster")
        builder = sql.SparkSession.builder.appName("NeuralLog")
        if address.startswith("sc://"):
            return builder.remote(address).getOrCreate()
        for name, value in _QUIET.items():
            builder = builder.config(name, value)
        with _environment(for_java(sql.__file__)):
            return builder.master(address).getOrCreate()


def for_java(path: str) -> dict[str, str]:
    """What processes of Java need in their environment to find a path: in a locale of ASCII they
    open no file whose path has other letters.

    >>> for_java("/opt/spark/pyspark"), for_java("/opt/jürg/pyspark")
    ({}, {'LC_ALL': 'C.UTF-8'})
    """
    return {} if path.isascii() else {"LC_ALL": "C.UTF-8"}


@contextmanager
def _environment(more: Mapping[str, str]) -> Iterator[None]:
    """More variables for the processes that are started meanwhile."""
    before = {name: os.environ.get(name) for name in more}
    os.environ.update(more)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def plainly(name: str) -> Iterator[None]:
    """Errors of Spark as ours, in one line."""
    try:
        yield
    except (KeyboardInterrupt, TableError):
        raise
    except Exception as error:
        module = type(error).__module__.partition(".")[0]
        if module not in {"pyspark", "py4j", "grpc"} and not isinstance(error, OSError):
            raise
        raise TableError(f"{name}: {first_line(error)}", hint=_hint(error)) from error


def _hint(error: BaseException) -> str:
    text = str(error)
    if "JAVA" in text or "Java gateway" in text:
        return "Spark needs Java 17 (on Debian: apt install default-jre-headless)"
    if re.search("refused|UNAVAILABLE|closed|stopped|not reachable", text):
        return "the cluster is gone: connect again; parts that are written stay as they are"
    return ""


def spark_types(table: Any) -> str:
    """The columns of an Arrow table as Spark declares them.

    >>> import pyarrow
    >>> spark_types(pyarrow.table({"q": [1], "name": ["a"], "w": [0.5]}))
    '`q` BIGINT, `name` STRING, `w` DOUBLE'
    """
    kinds = {"int64": "BIGINT", "double": "DOUBLE", "string": "STRING"}
    columns = ((SPARK.quoted(one.name), kinds[str(one.type)]) for one in table.schema)
    return ", ".join(f"{name} {kind}" for name, kind in columns)


@dataclass(eq=False)
class SparkConnection:
    """A Spark cluster that a session is connected to: it computes scores."""

    address: str
    spark: Any = field(repr=False)

    @classmethod
    def open(cls, address: str, memory: str | None) -> SparkConnection:
        if memory is not None:
            raise TableError(
                "the memory of Spark is set where its machines are started",
                hint="leave out memory, or give connect a SparkSession of your own",
            )
        return cls(without_password(address), open_spark(address))

    def rows(self, text: str, given: Mapping[str, Any] | None = None) -> Any:
        raise self._refused()

    def columns(self, table: str) -> dict[str, str]:
        raise self._refused()

    def origin(self, table: str) -> str:
        raise self._refused()

    def state(self, table: str) -> object:
        raise self._refused()

    def _refused(self) -> TableError:
        return TableError(
            f"{self.address}: tables of Spark cannot be attached yet",
            hint="attach a table of DuckDB or a Parquet file; Spark scores what the session holds",
        )


@dataclass
class SparkRunner:
    """Scores on Spark. The facts of the session are sent there once; parts of a statement that are
    read several times are kept by Spark, which would otherwise compute each of them again. What a
    machine had kept that goes away is computed again by the others."""

    storage: Storage
    spark: Any
    address: str
    dialect: Dialect = SPARK
    _tables: dict[Scan, str] = field(default_factory=dict, repr=False)
    _names: dict[TypeRef, str] = field(default_factory=dict, repr=False)
    _digests: dict[str, str] = field(default_factory=dict, repr=False)

    def supports(self, expr: Expr) -> str | None:
        return unsupported(self, expr)

    def function(self, function: Function) -> str | None:
        """Python functions stay in this process."""
        return None

    # -- tables ---------------------------------------------------------------------------------

    def table(self, scan: Scan) -> str:
        if scan not in self._tables:
            self._tables[scan] = self._sent("stored", columns_of(self.storage, scan))
        return self._tables[scan]

    def keys(self, ref: TypeRef) -> Keys:
        return index_keys(self.storage.size(ref))

    def key(self, ref: TypeRef, name: str) -> str | None:
        index = self.storage.index(ref, name)
        return None if index is None else f"CAST({index} AS BIGINT)"

    def names(self, ref: TypeRef) -> str:
        if ref not in self._names:
            names = names_of(self.storage, ref)
            columns = {"k": np.arange(len(names)), "name": names}
            self._names[ref] = self._sent("names", columns)
        return self._names[ref]

    def asking(self, ref: TypeRef, names: Sequence[str]) -> str:
        indexes = [self.storage.index(ref, name) for name in names]
        keys = np.array(sorted({i for i in indexes if i is not None}), dtype=np.int64)
        return self._sent("asking", {"q": keys})

    def _sent(self, label: str, columns: Mapping[str, Any]) -> str:
        """A view of these columns. A part of a statement ends with a number: no view does."""
        arrow = needed("pyarrow", "Spark", "tables")
        name = f"neurallog_{id(self):x}_{label}{len(self._digests)}x"
        table = arrow.table(dict(columns))
        with plainly(self.address):
            # the types are said: Spark Connect finds none in a table without rows
            self.spark.createDataFrame(table, spark_types(table)).createOrReplaceTempView(name)
        self._digests[name] = digest(columns.values())
        return name

    # -- statements -----------------------------------------------------------------------------

    def counts(self, text: str) -> Mapping[str, float]:
        with plainly(self.address):
            return {row["name"]: row["n"] or 0.0 for row in self.spark.sql(text).collect()}

    @contextmanager
    def kept(
        self, statement: SqlStatement, roots: Sequence[str], several: bool
    ) -> Iterator[tuple[str, ...]]:
        shared = [part.name for part in statement.shared(roots) if not (several and part.asked)]
        wanted = {*worth_keeping(statement, roots, several), *shared}
        frames: dict[str, Any] = {}
        try:
            for name in (one for one in statement.parts if one in wanted):
                text = statement.text(f"SELECT * FROM {name}", [name], frames)
                with plainly(self.address):
                    frames[name] = self.spark.sql(text).cache()
                    frames[name].createOrReplaceTempView(name)
            yield tuple(frames)
        finally:
            for name, frame in frames.items():
                with plainly(self.address):
                    self.spark.catalog.dropTempView(name)
                    frame.unpersist()

    def batches(self, text: str) -> Iterator[Any]:
        with plainly(self.address):
            yield from self.spark.sql(text).toArrow().to_batches()

    def create(self, table: str, text: str, replace: bool) -> int:
        with plainly(self.address):
            writer = self.spark.sql(text).write.mode("overwrite" if replace else "error")
            writer.saveAsTable(table)
            return self.spark.table(table).count()

    def contents(self) -> str:
        return digest(sorted(self._digests.values()))
