"""DuckDB as an engine: a plan is one SQL statement over tables of facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neurallog_kernel.engines.compiler import SqlPlan
from neurallog_kernel.engines.dialects import DUCKDB, Dialect
from neurallog_kernel.engines.duckdb_statements import SETTINGS, DuckDBStatements
from neurallog_kernel.engines.names import own_name
from neurallog_kernel.engines.runner import worth_keeping
from neurallog_kernel.engines.sent import SentFacts
from neurallog_kernel.engines.statements import SqlStatement
from neurallog_kernel.engines.values import ZERO, Askers, ByQuestion, FixedNumber, SqlValue, Vector
from neurallog_kernel.errors import TableError
from neurallog_kernel.evaluate.engine import Bindings, EngineValue
from neurallog_kernel.evaluate.rows import Rows, rows_of
from neurallog_kernel.functions import Function, FunctionKind
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.packages import needed
from neurallog_kernel.plan.exprs import Expr

_ROWS_A_BATCH = 100_000


def opened(memory: str | None = None) -> DuckDBStatements:
    """A database in memory, which spills to a folder for temporary files."""
    database = needed("duckdb", "the DuckDB engine", "tables").connect(":memory:", config=SETTINGS)
    made = DuckDBStatements(database, "DuckDB")
    made.run("SET preserve_insertion_order = false")
    made.spill_aside()
    made.limit_memory(memory)
    return made


@dataclass
class DuckDBEngine(SentFacts):
    """Evaluates plans in a database of its own, in memory, with the facts copied into it."""

    memory: str | None = None
    _opened: DuckDBStatements | None = field(default=None, repr=False)
    _functions: dict[Function, str] = field(default_factory=dict, repr=False)

    @property
    def dialect(self) -> Dialect:
        return DUCKDB

    def bind(self, storage: Storage) -> DuckDBEngine:
        """An engine for plans of another program, with a database of its own."""
        return DuckDBEngine(storage)

    @property
    def statements(self) -> DuckDBStatements:
        if self._opened is None:
            self._opened = opened(self.memory)
        return self._opened

    def evaluate(
        self, expr: Expr, bindings: Bindings | None = None, key: object = None
    ) -> EngineValue:
        """The value for these inputs; nothing is kept but the tables of facts."""
        inputs = dict(bindings or {})
        batch = max((rows.batch for rows in inputs.values()), default=1)
        plan, found = self._compiled(expr, inputs, batch)
        if not isinstance(found, Vector):
            return self._numbers(plan, found, batch if isinstance(found, ByQuestion) else 1)
        assert expr.domain is not None
        size = self.storage.size(expr.domain)
        rows = batch if found.by_question else 1
        listed = self._columns(plan, f"SELECT * FROM {found.name}", [found.name])
        keys = listed["e"].astype(np.int64)
        keys = keys + listed["q"].astype(np.int64) * size if found.by_question else keys
        order = np.argsort(keys)
        rest = np.broadcast_to(self._numbers(plan, found.rest, rows), (rows,))
        return rows_of(rows, size, keys[order], listed["v"][order], rest)

    def sql(self, expr: Expr, bindings: Bindings | None = None) -> str:
        """The statement of a plan, to be read."""
        inputs = dict(bindings or {})
        batch = max((rows.batch for rows in inputs.values()), default=1)
        plan, found = self._compiled(expr, inputs, batch)
        if isinstance(found, FixedNumber):
            return plan.statement.text(f"SELECT {found.text} AS v", found.reads)
        return plan.statement.text(f"SELECT * FROM {found.name}", [found.name])

    def _compiled(
        self, expr: Expr, inputs: dict[int, Rows], batch: int
    ) -> tuple[SqlPlan, SqlValue]:
        given = {}
        for place, rows in inputs.items():
            self._register(f"input_{place}", q=rows.rows(), e=rows.columns(), v=rows.values)
            self._register(f"rest_{place}", q=np.arange(rows.batch), v=rows.rest)
            rest = ZERO if rows.is_sparse else ByQuestion(f"rest_{place}", ZERO)
            given[place] = Vector(f"input_{place}", True, rest)
        asked = Askers("asked", f"SELECT q FROM range(0, {batch}) AS t(q)", given)
        plan = SqlPlan(self, asked, SqlStatement())
        found = plan.value(expr)
        if isinstance(found, Vector):
            found = plan.entries.listed(plan.entries.grouped(found), asked)
        return plan, found

    def _numbers(self, plan: SqlPlan, number: SqlValue, batch: int) -> np.ndarray:
        """The number of each question."""
        if isinstance(number, FixedNumber):
            if number.value is not None:
                return np.array([number.value])
            return self._columns(plan, f"SELECT {number.text} AS v", number.reads)["v"]
        assert isinstance(number, ByQuestion)
        found = np.resize(self._numbers(plan, number.default, 1), batch)
        listed = self._columns(plan, f"SELECT q, v FROM {number.name}", [number.name])
        found[listed["q"].astype(np.int64)] = listed["v"]
        return found

    def _columns(self, plan: SqlPlan, last: str, roots: Any) -> dict[str, np.ndarray]:
        text = plan.statement.text(last, roots, hints=self.dialect.hints)
        found = self.statements.arrays(text)
        return {name: np.asarray(np.ma.filled(column, 0)) for name, column in found.items()}

    # -- tables and functions -------------------------------------------------------------------

    def _send(self, label: str, columns: Mapping[str, Any]) -> str:
        """A table with a name that no part of a statement can have: it is quoted, with a mark that
        those never hold."""
        name = self._free(label)
        texts = {n: _texts(v) if isinstance(v, list) else v for n, v in columns.items()}
        given = own_name("given")
        self._register(given, **texts)
        try:
            self.statements.run(f"CREATE TEMP TABLE {name} AS SELECT * FROM {given}")
        finally:
            self.statements.unregister(given)
        return name

    def _free(self, wanted: str) -> str:
        return self.dialect.quoted(f"{wanted} #{len(self._digests)}")

    def _register(self, name: str, /, **columns: Any) -> None:
        arrow = needed("pyarrow", "the DuckDB engine", "tables")
        self.statements.register(name, arrow.table(columns))

    # -- scores ---------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        return "DuckDB"

    def counts(self, text: str) -> dict[str, float]:
        return {name: n or 0.0 for name, n in self.statements.rows(text)}

    @contextmanager
    def kept(
        self, statement: SqlStatement, roots: Sequence[str], several: bool
    ) -> Iterator[Mapping[str, str]]:
        """Constant parts as tables, computed once for all parts of the questions."""
        tables: dict[str, str] = {}
        try:
            for name in worth_keeping(statement, roots, several):
                last = f"SELECT * FROM {name}"
                text = statement.text(last, [name], tables, self.dialect.hints)
                table = own_name(name)
                self.statements.run(f"CREATE TEMP TABLE {table} AS {text}")
                tables[name] = table
            yield tables
        finally:
            for table in tables.values():
                self.statements.run(f"DROP TABLE IF EXISTS {table}")

    def batches(self, text: str) -> Iterator[Any]:
        return self.statements.batches(text, _ROWS_A_BATCH)

    def create(self, table: str, text: str, replace: bool) -> int:
        raise TableError(
            f"there is no database for the table {table}",
            hint='connect to one first, as in session.connect("duckdb:facts.duckdb")',
        )

    def function(self, function: Function) -> str | None:
        """A Python function of entries, taught to the database."""
        if function.kind is not FunctionKind.ELEMENTWISE or function.model is not None:
            return None
        if function not in self._functions:
            name = own_name(f"function_{len(self._functions)}")
            self.statements.teach(name, _of_arrow(function), function.inputs)
            self._functions[function] = name
        return self._functions[function]


def _texts(names: Sequence[str]) -> Any:
    """Names as a column; half a character, which no text file can hold, is an error."""
    import pyarrow as arrow

    try:
        return arrow.array(names, arrow.string())
    except UnicodeEncodeError as error:
        raise TableError(f"the name {error.object!r} holds half a character") from error


def _of_arrow(function: Function) -> Any:
    """A function of NumPy arrays as one of Arrow columns."""
    import pyarrow as arrow

    def of_columns(*columns: Any) -> Any:
        values = [np.array(column.to_numpy(), dtype=float) for column in columns]
        with np.errstate(all="ignore"):
            return arrow.array(np.asarray(function.numpy(*values), dtype=float))

    return of_columns
