"""Functions of a whole row in SQL: aggregates, and shares of a row's total."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from neurallog_kernel.engines.entries import EntryValues
from neurallog_kernel.engines.statements import Select
from neurallog_kernel.engines.values import (
    ONE,
    ZERO,
    Askers,
    ByQuestion,
    SqlNumber,
    SqlValue,
    Vector,
    beside,
)
from neurallog_kernel.functions import SUM, Function
from neurallog_kernel.functions.rows import REDUCE_MAX


@dataclass
class RowFunctions:
    """Numbers of a row, and rows made with them."""

    entries: EntryValues

    def aggregate(self, function: Function, vector: Vector, size: int, asked: Askers) -> SqlNumber:
        """One number of all entries. Of a row of zeros every aggregate is 0, so that questions
        which list nothing need no row."""
        if function is SUM and vector.diagonal and vector.rest.is_zero:
            return ONE if vector.is_identity else self._sums(vector)
        if function is SUM and vector.rest.is_zero and vector.by_question:
            return self._sums(vector)
        vector = self.entries.listed(self.entries.grouped(vector), asked)
        statement, select = self.entries.statement, Select()
        if not vector.by_question:
            select.source = "(SELECT 1 AS one) s"
            select.join("LEFT", vector.name, "x", "1 = 1")
            rest = beside(select, vector.rest, "")
            inner = select.text(["x.v", f"{rest} AS r", f"CAST({size} AS BIGINT) AS n"])
            text = f"SELECT {function.sql} AS v FROM ({inner}) t GROUP BY n"
            return self.entries.single(function.name, text, select.reads)
        if vector.rest.is_zero:
            select.start(vector.name, "x")
            question = "x.q"
        else:
            select.start(asked.part(statement), "s")
            select.join("LEFT", vector.name, "x", "x.q = s.q")
            question = "s.q"
        rest = beside(select, vector.rest, question)
        inner = select.text([question, "x.v", f"{rest} AS r", f"CAST({size} AS BIGINT) AS n"])
        text = f"SELECT q, {function.sql} AS v FROM ({inner}) t GROUP BY q, n"
        return ByQuestion(statement.add(function.name, text, select.reads), ZERO)

    def _sums(self, vector: Vector) -> ByQuestion:
        select = Select().start(vector.name, "x")
        if vector.diagonal and not vector.bag:
            return ByQuestion(vector.name, ZERO)
        text = select.text(["x.q", "sum(x.v) AS v"], "x.q")
        return ByQuestion(self.entries.statement.add("sum", text, select.reads), ZERO)

    def shares(self, function: Function, vector: Vector, size: int, asked: Askers) -> SqlValue:
        """Each entry's share of the row's total, after the function's own expression."""
        assert function.sql is not None
        vector, form = self.entries.grouped(vector), partial(_form, function.sql)
        given: list[SqlValue] = [vector]
        if "{top}" in function.sql:
            given.append(self.aggregate(REDUCE_MAX, vector, size, asked))
        made = self.entries.of_entries(function.name, form, given, asked)
        assert isinstance(made, Vector)
        total = self.aggregate(SUM, made, size, asked)
        return self.entries.of_entries("share", _share, [made, total], asked)

    def of_number(self, function: Function, number: SqlValue) -> SqlValue:
        """Of a row with one entry."""
        assert function.sql is not None and not isinstance(number, Vector)
        form = partial(_form, function.sql)
        return self.entries.of_numbers(
            function.name, lambda x: _share(form(x, x), form(x, x)), [number]
        )


def _form(sql: str, x: str, top: str = "0e0") -> str:
    return f"({sql.format(x=x, top=top)})"


def _share(value: str, total: str) -> str:
    return f"COALESCE({value} / NULLIF({total}, 0e0), 0e0)"
