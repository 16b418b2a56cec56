"""How large a score is before it runs: its paths, counted by the degrees of entities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from neurallog_kernel.engines.best import Asked, BestAnswers, best
from neurallog_kernel.engines.compiler import SqlPlan
from neurallog_kernel.engines.database import Database
from neurallog_kernel.engines.statements import Select, SqlStatement
from neurallog_kernel.engines.values import Askers, Vector
from neurallog_kernel.functions import MULTIPLY
from neurallog_kernel.knowledge.loaded import counted
from neurallog_kernel.knowledge.references import TypeRef
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import Rule
from neurallog_kernel.plan.exprs import (
    Call,
    Combine,
    Expr,
    ForEach,
    Input,
    Product,
    everything,
    walk,
)
from neurallog_kernel.plan.layers import LiteralLayer

Counted: TypeAlias = Mapping[str, float]
BUDGET = 10_000_000_000
"""Paths that a score may have unless the user says otherwise: some hours on a few cores."""


@dataclass(frozen=True)
class RulePaths:
    """The paths of one rule."""

    rule: Rule
    paths: int


@dataclass(frozen=True)
class Estimate:
    """How large a score is, at most: `paths` are the rows that its joins make, those that several
    rules share counted once."""

    predicate: str
    questions: int
    paths: int
    answers: int  # rows of the result
    rules: tuple[RulePaths, ...] = ()

    def __str__(self) -> str:
        size = f"at most {counted(self.paths, 'path')} and {counted(self.answers, 'row')}"
        lines = [f"{self.predicate}: {counted(self.questions, 'question')}, {size}"]
        shown = sorted(self.rules, key=lambda one: -one.paths)
        lines += [
            f"  {one.paths:>{len(f'{self.paths:,}')},}  {format_clause(one.rule)}" for one in shown
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


def estimate(
    catalog: Database,
    asked: Asked,
    layer: LiteralLayer,
    count: Callable[[str], Counted],
    name: str,
) -> Estimate:
    """Count the paths; `count` runs a statement that has rows (name, n)."""
    counting = _Counting(catalog, best(catalog, asked), asked)
    text, names = counting.statement()
    found = dict(count(text))
    paths = {node: found.get(part, 0.0) for node, part in names.items()}
    rules = [RulePaths(one.rule, _below(one.result, paths)) for one in layer.rules]
    listed = found.get("answers", 0.0)
    if asked.top is not None:
        listed = min(listed, found["questions"] * asked.top)
    every = int(sum(paths.values()))
    return Estimate(name, int(found["questions"]), every, int(listed), tuple(rules))


def _below(root: Expr, paths: Mapping[Expr, float]) -> int:
    return int(sum(paths.get(node, 0.0) for node in everything([root])))


@dataclass
class _Counting:
    """Writes the statement that counts: of each vector how many rows it has at each entity, over
    all questions, as parts (e, n)."""

    catalog: Database
    best: BestAnswers
    asked: Asked
    parts: SqlStatement = field(default_factory=SqlStatement)
    totals: dict[Expr, str] = field(default_factory=dict)

    def statement(self) -> tuple[str, dict[Expr, str]]:
        questions = self.best.questions
        everyone = self.askers(questions, self.asked.asking)
        plan = _Plan(self, questions, everyone)
        plan.of(self.asked.vector)
        rows = [f"SELECT 'questions' AS name, CAST(n AS DOUBLE) AS n FROM {everyone}"]
        result = plan.made.get(self.asked.vector)
        roots = [everyone, *self.totals.values()]
        if result is not None:
            rows.append(f"SELECT 'answers' AS name, CAST(sum(n) AS DOUBLE) AS n FROM {result}")
            roots.append(result)
        rows += [
            f"SELECT '{name}' AS name, CAST(sum(n) AS DOUBLE) AS n FROM {name}"
            for name in self.totals.values()
        ]
        text = self.parts.text(" UNION ALL ".join(rows), roots, hints=self.catalog.dialect.hints)
        return text, dict(self.totals)

    def askers(self, questions: Askers, ref: TypeRef | None) -> str:
        """A part with their number (n), which is known where a whole type asks."""
        if ref is None:
            return self.parts.add("asking", "SELECT 1 AS n", plain=True)
        if questions.is_everyone:
            size = self.catalog.keys(ref).size
            return self.parts.add("asking", f"SELECT CAST({size} AS BIGINT) AS n", plain=True)
        return self.parts.add("asking", f"SELECT count(*) AS n FROM ({questions.source}) t")


@dataclass
class _Plan:
    """The counts of expressions for one set of questions; None: nothing is listed."""

    counting: _Counting
    questions: Askers
    everyone: str
    made: dict[Expr, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.parts = self.counting.parts
        self.plan: SqlPlan = self.counting.best.plan

    def of(self, root: Expr) -> None:
        for node in walk(root):
            if node not in self.made:
                self.made[node] = self._count(node)

    def _vector(self, node: Expr) -> Vector | None:
        found = self.plan.made(node, self.questions)
        return found if isinstance(found, Vector) else None

    def _count(self, node: Expr) -> str | None:
        if isinstance(node, Product):
            key, to = ("b", "a") if node.inverted else ("a", "b")
            facts = self.counting.catalog.table(node.scan)
            return self._through(node, node.vector, facts, key, to)
        if isinstance(node, Input):
            return self._own()
        if isinstance(node, ForEach):
            return self._for_each(node)
        if isinstance(node, Call):
            return self._call(node)
        if node.operands:
            return self._together(node)
        found = self._vector(node)
        if found is None or found.name not in self.plan.statement.parts:
            return None
        text = f"SELECT x.e, 1 AS n FROM ({self.plan.statement.parts[found.name].text}) x"
        return self.parts.add("facts", text, plain=True)

    def _own(self) -> str:
        text = f"SELECT q AS e, 1 AS n FROM ({self.questions.source}) t"
        return self.parts.add("asked", text, plain=True)

    def _through(self, node: Expr, vector: Expr, facts: str, key: str, to: str) -> str | None:
        found, before = self._vector(vector), self.made[vector]
        if isinstance(vector, Input) and self.questions.is_everyone:
            return self._degrees(node, facts, to)
        columns = [f"r.{to} AS e", "CAST(sum(x.n) AS DOUBLE) AS n"]
        if before is None:
            if found is None or found.rest.is_zero:
                return None
            select = Select().start(facts, "r")
            if vector.uses_input:
                select.join("CROSS", self.everyone, "x")
            else:
                columns[1] = "CAST(1 AS DOUBLE) AS n"
            text = select.text(columns, f"r.{to}")
        else:
            select = Select().start(before, "x").join("", facts, "r", f"r.{key} = x.e")
            text = select.text(columns, f"r.{to}")
        return self._paths(node, text, select.reads)

    def _degrees(self, node: Expr, facts: str, to: str) -> str:
        """Where every entity asks, each fact is one path, and nobody has to be looked up."""
        select = Select().start(facts, "r")
        text = select.text([f"r.{to} AS e", "CAST(count(*) AS DOUBLE) AS n"], f"r.{to}")
        return self._paths(node, text, select.reads)

    def _paths(self, node: Expr, text: str, reads: Sequence[str]) -> str:
        name = self.parts.add("paths", text, reads)
        if node.uses_input or self.counting.asked.asking is None:
            self.counting.totals[node] = name
        return name

    def _together(self, node: Expr) -> str | None:
        """Entries of several values: at most the sum of their rows, or the fewer of two factors."""
        if node.domain is None:
            return None
        sides = [(child, self.made[child]) for child in node.operands if child.domain is not None]
        listed = [(child, name) for child, name in sides if name is not None]
        if isinstance(node, Combine) and node.operation is MULTIPLY and len(listed) == 2:
            return self._multiplied(node, listed)
        if not listed:
            return None
        if len(listed) == 1 and (listed[0][0].uses_input or not node.uses_input):
            return listed[0][1]
        texts, reads = [], []
        for child, name in listed:
            select = Select().start(name, "x")
            count = "x.n"
            if node.uses_input and not child.uses_input:
                select.join("CROSS", self.everyone, "s")
                count = "x.n * s.n"
            texts.append(select.text(["x.e", f"{count} AS n"]))
            reads += select.reads
        text = (
            f"SELECT e, CAST(sum(n) AS DOUBLE) AS n FROM ({' UNION ALL '.join(texts)}) t GROUP BY e"
        )
        return self.parts.add("rows", text, reads)

    def _multiplied(self, node: Expr, listed: Sequence[tuple[Expr, str]]) -> str:
        (left, first), (right, second) = listed
        sparse = [
            (child, name)
            for child, name in listed
            if (found := self._vector(child)) is not None and found.rest.is_zero
        ]
        if len(sparse) == 1:
            ((child, name),) = sparse
            if child.uses_input or not node.uses_input:
                return name
        select = Select().start(first, "x").join("", second, "y", "y.e = x.e")
        if left.uses_input and right.uses_input:
            count = "least(x.n, y.n)"
        else:
            count = "x.n" if left.uses_input else "y.n"
        return self.parts.add("rows", select.text(["x.e", f"{count} AS n"]), select.reads)

    # -- for each entity ------------------------------------------------------------------------

    def _inner(self, body: Expr, place: int, ref: TypeRef | None) -> _Plan | None:
        everyone = None if ref is None else self.plan.everyone(place, ref)
        if everyone is None:
            return None
        inner = _Plan(self.counting, everyone, self.counting.askers(everyone, ref))
        inner.of(body)
        return inner

    def _for_each(self, node: ForEach) -> str | None:
        if node.whole is not None:
            self.of(node.whole)
            return self.made[node.whole]
        inner = self._inner(node.body, 0, node.domain)
        return None if inner is None else inner._own()

    def _call(self, node: Call) -> str | None:
        """As many rows for each entity as the called rules have on average."""
        found = self._vector(node.vector)
        if found is not None and found.is_identity and not node.inverted:
            self.of(node.body)
            return self.made[node.body]
        inner = self._inner(node.body, node.place, (node if node.inverted else node.vector).domain)
        before = self.made[node.vector]
        result = None if inner is None else inner.made.get(node.body)
        if before is None or result is None or inner is None:
            return None
        select = Select().start(result, "x")
        select.reads += [before, inner.everyone]
        share = f"(SELECT sum(n) FROM {before}) / (SELECT n FROM {inner.everyone})"
        return self._paths(node, select.text(["x.e", f"x.n * {share} AS n"]), select.reads)


def over_budget(found: Estimate, budget: float) -> Iterable[RulePaths]:
    """The rules to blame, the largest first, if there are more paths than the budget."""
    if found.paths <= budget:
        return ()
    return sorted(found.rules, key=lambda one: -one.paths)
