"""The statement of a score: the best answers of every question, with their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neurallog_kernel.engines.compiler import SqlPlan, identity
from neurallog_kernel.engines.database import Database
from neurallog_kernel.engines.statements import Select, SqlStatement
from neurallog_kernel.engines.values import Askers, Vector, beside
from neurallog_kernel.knowledge.references import TypeRef
from neurallog_kernel.plan.exprs import Expr


@dataclass(frozen=True)
class Asked:
    """What is scored: a vector for each entity that asks, or one vector that nobody asks for.

    `place` is the argument that asks; `asking` its type, None for a unary predicate. `of` is a
    table (q) of the entities that ask, where not all of them do.
    """

    vector: Expr
    place: int
    asking: TypeRef | None
    answering: TypeRef
    top: int | None
    of: str = ""


@dataclass(frozen=True)
class BestAnswers:
    """The statement of one part of the questions. Its rows are (asked, rank, answer, weight); a row
    without an answer has the weight of all entities that are not listed."""

    statement: SqlStatement
    plan: SqlPlan
    questions: Askers
    last: str
    roots: tuple[str, ...]
    has_rest: bool

    def text(
        self,
        known: Mapping[str, str] | None = None,
        hints: Mapping[bool, str] | None = None,
    ) -> str:
        return self.statement.text(self.last, self.roots, known, hints)


def best(catalog: Database, asked: Asked, part: int = 0, parts: int = 1) -> BestAnswers:
    """The best answers to a part (counted from 0) of the questions."""
    statement = SqlStatement()
    questions = _questions(catalog, asked, part, parts)
    plan = SqlPlan(catalog, questions, statement)
    vector = plan.entries.listed(plan.entries.grouped(plan.vector(asked.vector)), questions)
    if asked.asking is not None:
        vector = plan.entries.of_everyone(vector, questions)
    return _Writer(catalog, asked, plan, questions).written(vector)


def _questions(catalog: Database, asked: Asked, part: int, parts: int) -> Askers:
    if asked.asking is None:
        return Askers("asked", "SELECT 0 AS q", {})
    keys = catalog.keys(asked.asking)
    condition = keys.condition(part, parts)
    source = f"SELECT q FROM {asked.of}" if asked.of else keys.everyone
    if condition:
        source = f"SELECT q FROM ({source}) t WHERE {condition.format(q='q')}"
    given = {asked.place: identity()}
    return Askers("asked", source, given, condition=condition, listed=bool(asked.of))


@dataclass
class _Writer:
    catalog: Database
    asked: Asked
    plan: SqlPlan
    questions: Askers

    def written(self, vector: Vector) -> BestAnswers:
        statement, by_question = self.plan.statement, vector.by_question
        question = ["x.q"] if by_question else []
        select = Select().start(vector.name, "x")
        select.where.append("x.v <> 0" if vector.rest.is_zero else "x.v IS NOT NULL")
        columns = [*question, "x.e", "x.v"]
        if self.asked.top is None:
            name = statement.add("listed", select.text(columns), select.reads)
        else:
            name = self._best(select, columns, by_question)
        name = self._named(name, by_question)
        roots, last = [name], self._ordered(name, by_question)
        if not vector.rest.is_zero:
            rest = self._rest(vector)
            roots.append(rest)
            last = f"SELECT * FROM ({last}) b UNION ALL SELECT * FROM {rest}"
        order = "asked, rank NULLS LAST" if by_question else "rank NULLS LAST"
        last = f"SELECT * FROM ({last}) t ORDER BY {order}"
        has_rest = not vector.rest.is_zero
        return BestAnswers(statement, self.plan, self.questions, last, tuple(roots), has_rest)

    def _best(self, select: Select, columns: list[str], by_question: bool) -> str:
        """The best of each question, with all that are as good as the last of them: which of those
        stay is for their names to say."""
        over = "PARTITION BY x.q ORDER BY x.v DESC" if by_question else "ORDER BY x.v DESC"
        text = select.text([*columns, f"rank() OVER ({over}) AS r"])
        ranked = self.plan.statement.add("ranked", text, select.reads)
        select = Select().start(ranked, "x")
        select.where.append(f"x.r <= {self.asked.top}")
        return self.plan.statement.add("best", select.text(columns), select.reads)

    def _named(self, name: str, by_question: bool) -> str:
        select, columns = Select().start(name, "x"), []
        if by_question:
            assert self.asked.asking is not None
            shown = _name(select, self.catalog, self.asked.asking, "x.q", "a")
            columns.append(f"{shown} AS asked")
        shown = _name(select, self.catalog, self.asked.answering, "x.e", "b")
        columns += [f"{shown} AS answer", "x.v AS weight"]
        return self.plan.statement.add("named", select.text(columns), select.reads)

    def _ordered(self, name: str, by_question: bool) -> str:
        over = "ORDER BY weight DESC, answer"
        over = f"PARTITION BY asked {over}" if by_question else over
        columns = ["asked"] if by_question else []
        columns += [f"row_number() OVER ({over}) AS rank", "answer", "weight"]
        text = f"SELECT {', '.join(columns)} FROM {name}"
        if self.asked.top is None:
            return text
        return f"SELECT * FROM ({text}) r WHERE rank <= {self.asked.top}"

    def _rest(self, vector: Vector) -> str:
        """What all entities weigh that are not listed."""
        statement, select, columns = self.plan.statement, Select(), []
        if vector.by_question:
            assert self.asked.asking is not None
            select.start(self.questions.part(statement), "s")
            shown = _name(select, self.catalog, self.asked.asking, "s.q", "a")
            columns.append(f"{shown} AS asked")
        else:
            select.source = "(SELECT 1 AS one) s"
        value = beside(select, vector.rest, "s.q")
        columns += [
            "CAST(NULL AS BIGINT) AS rank",
            f"CAST(NULL AS {self.catalog.dialect.text}) AS answer",
        ]
        return statement.add("rest", select.text([*columns, f"{value} AS weight"]), select.reads)


def _name(select: Select, catalog: Database, ref: TypeRef, key: str, alias: str) -> str:
    """The name of a key, as an expression."""
    names = catalog.names(ref)
    if not names:
        return f"CAST({key} AS {catalog.dialect.text})"
    select.join("", names, alias, f"{alias}.k = {key}")
    return f"{alias}.name"
