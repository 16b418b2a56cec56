"""A connection to Spark: a cluster, Spark Connect, or a session that is open already."""

from __future__ import annotations

import os
import re
import socket
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import Any

from neurallog_kernel.addresses import in_words_of_others, scheme_of, without_password
from neurallog_kernel.engines.dialects import SPARK, Dialect
from neurallog_kernel.errors import TableError, did_you_mean
from neurallog_kernel.packages import needed

_KINDS = {
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "string": "VARCHAR",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "float": "FLOAT",
    "double": "DOUBLE",
}
"""The types of columns in the words of the catalog; a decimal is called alike."""
_HOST = r"(?:[\w.-]+|\[[0-9A-Fa-f:.]+\]):\d+"
_MASTER = re.compile(rf"spark://{_HOST}(?:,{_HOST})*")
_PATIENCE = 10.0  # seconds
_MISSING = re.compile("TABLE_OR_VIEW_NOT_FOUND|PATH_NOT_FOUND|not found", re.IGNORECASE)
_CALL = re.compile(r"An error occurred while calling [^\n]*\n:?\s*(?=\S)")
_DETAILS = re.compile(r'^\s*details = "(.*)"$', re.MULTILINE)
_QUIET = {
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.enabled": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}


def open_spark(address: str) -> Any:
    """A SparkSession for `spark://host:7077` (classic) or `sc://host` (Connect)."""
    remote = scheme_of(address) == "sc"
    if not remote:
        _check_master(address)
    with warnings.catch_warnings(), plainly(without_password(address)):
        warnings.simplefilter("ignore")  # about pandas, which is not used here
        sql = needed("pyspark.sql", "Spark", "cluster")
        builder = sql.SparkSession.builder.appName("NeuralLog")
        if remote:
            _check_reachable(address)
            found = builder.remote(address).create()  # get would take a session of another server
            _give_up_sooner(found)
            return found
        for name, value in _QUIET.items():
            builder = builder.config(name, value)
        with _environment(for_java(sql.__file__)):
            found = builder.master(address).getOrCreate()
        if found.sparkContext.master != address:
            raise TableError(
                f"Spark runs in this process already, for {found.sparkContext.master}",
                hint="stop it first, or give connect the SparkSession that is open",
            )
        return found


def _check_master(address: str) -> None:
    """Spark would write an address that it cannot read into its log, with all that is in it."""
    if not _MASTER.fullmatch(address):
        raise TableError(
            f"{without_password(address)} is no address of a Spark master",
            hint="write it as spark://host:7077, without a user and a password",
        )


def _check_reachable(address: str) -> None:
    """The client of Spark Connect tries for ten minutes to reach a server that is not there."""
    core = needed("pyspark.sql.connect.client.core", "Spark Connect", "cluster")
    try:
        found = core.DefaultChannelBuilder(address).url
        host, port = found.hostname or "", found.port or 15002
    except ValueError:  # what it says may hold a part of a password
        raise TableError(
            f"{without_password(address)} is no address of a server",
            hint="write it as sc://host:port/;name=value; in a value and in a password the marks "
            "/ ; = are written as %2F %3B %3D",
        ) from None
    try:
        socket.create_connection((host, port), _PATIENCE).close()
    except OSError as error:
        raise TableError(
            f"{without_password(address)}: no server answers: {error}",
            hint="is it running? The address is sc://host:port, and 15002 if there is no port",
        ) from error


def _give_up_sooner(spark: Any) -> None:
    """A server that does not answer for a minute is gone."""
    retries = needed("pyspark.sql.connect.client.retries", "Spark", "cluster")
    spark.client.set_retry_policies([retries.DefaultPolicy(max_retries=6)])


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
    """Errors of Spark as ours, in one line. What a job says that was stopped by an interrupt is the
    interrupt."""
    try:
        yield
    except (KeyboardInterrupt, TableError):
        raise
    except Exception as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        module = type(error).__module__.partition(".")[0]
        if module not in {"pyspark", "py4j", "grpc"} and not isinstance(error, OSError):
            raise
        raise TableError(f"{name}: {_told(error)}", hint=_hint(error)) from error


def _told(error: BaseException) -> str:
    """What it says in one line; an error of a remote call has that inside, and one of Java says
    first which call it was.

    >>> _told(OSError("An error occurred while calling o4.sql.\\n: OutOfMemoryError: heap space"))
    'OutOfMemoryError: heap space'
    """
    details = getattr(error, "details", None)
    found = str(details() if callable(details) else "") or _CALL.sub("", str(error), count=1)
    inside = _DETAILS.search(found)
    found = inside[1] if inside else found
    return in_words_of_others(found.strip().partition("\n")[0].strip()) or type(error).__name__


def _hint(error: BaseException) -> str:
    text = str(error)
    if "JAVA" in text or "Java gateway" in text:
        return "Spark needs Java 17 (on Debian: apt install default-jre-headless)"
    if "OutOfMemory" in text:
        return "give Spark more memory, or compute a score in more parts"
    if re.search("operation.not.found", text, re.IGNORECASE):
        return (
            "the server has lost the statement: it was started again, or the statement is too large"
            " for it; DuckDB takes larger ones"
        )
    if re.search("refused|UNAVAILABLE|closed|stopped|not reachable", text):
        return "the cluster does not answer: connect again; parts that are written are kept"
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
    """A Spark cluster that a session is connected to: it computes scores, and its tables are facts
    if they are attached."""

    address: str
    spark: Any = field(repr=False)
    dialect: Dialect = SPARK
    _lock: RLock = field(default_factory=RLock, repr=False)

    @classmethod
    def open(cls, address: str, memory: str | None) -> SparkConnection:
        if memory is not None:
            raise TableError(
                "the memory of Spark is set where its machines are started",
                hint="leave out memory, or give connect a SparkSession of your own",
            )
        return cls(without_password(address), open_spark(address))

    def rows(self, text: str, given: Mapping[str, Any] | None = None) -> Any:
        with self._lock, plainly(self.address):
            for name, table in (given or {}).items():
                self.send(name, table)
            try:
                return self.spark.sql(text).toArrow()
            finally:
                for name in given or {}:
                    self.spark.catalog.dropTempView(name)

    def send(self, name: str, table: Any) -> None:
        """Have an Arrow table as a view of this name. Of a table without rows its types are said:
        Spark Connect finds none in it. Sail plans with types that are said what it cannot run."""
        types = None if table.num_rows else spark_types(table)
        frame = self.spark.createDataFrame(table, types)
        frame.createOrReplaceTempView(name)

    def columns(self, table: str) -> dict[str, str]:
        try:
            with plainly(self.address):
                found = self.spark.sql(f"SELECT * FROM {self.origin(table)} t").schema.fields
        except TableError as error:
            if not _MISSING.search(str(error.__cause__)):
                raise
            known = self.tables()
            raise TableError(
                f"{self.address} has no table {table}",
                hint=did_you_mean(table, known) or f"there are: {', '.join(known[:20])}",
            ) from error
        kinds = [(str(one.name), str(one.dataType.simpleString())) for one in found]
        return {name: _KINDS.get(kind, kind.upper()) for name, kind in kinds}

    def tables(self) -> list[str]:
        """The tables and views of the current database."""
        with plainly(self.address):
            names = [one.name for one in self.spark.catalog.listTables()]
        return sorted(name for name in names if not name.startswith("neurallog_"))  # ours

    def origin(self, table: str) -> str:
        if Path(table).suffix.lower() in (".parquet", ".orc") or "/" in table:
            return f"{'orc' if table.endswith('.orc') else 'parquet'}.{SPARK.quoted(table)}"
        if "." in table and table in self.tables():
            return SPARK.quoted(table)
        return ".".join(map(SPARK.quoted, table.split(".")))

    def state(self, table: str, origin: str) -> object:
        """Its columns and files: a table that is written anew has others."""
        try:
            with plainly(self.address):
                frame = self.spark.sql(f"SELECT * FROM {origin} t")
                return frame.schema.simpleString(), tuple(sorted(frame.inputFiles()))
        except TableError as error:
            if _MISSING.search(str(error.__cause__)):
                return None  # it is gone
            raise
