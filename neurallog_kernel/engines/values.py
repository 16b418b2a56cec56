"""What the value of an expression is in SQL: a number, or a vector and its value elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from neurallog_kernel.engines.statements import Select, SqlStatement, literal


@dataclass(frozen=True, slots=True)
class FixedNumber:
    """A number that is the same for every question: an expression, and its value if it is known
    before anything is computed."""

    text: str
    value: float | None = None
    reads: tuple[str, ...] = ()

    @property
    def is_zero(self) -> bool:
        return self.value == 0


@dataclass(frozen=True, slots=True)
class ByQuestion:
    """A part with rows (q, v); a question that has none has the number `default`."""

    name: str
    default: FixedNumber

    @property
    def is_zero(self) -> bool:
        return False


SqlNumber: TypeAlias = FixedNumber | ByQuestion


def known(value: float) -> FixedNumber:
    return FixedNumber(literal(value), float(value))


ZERO, ONE = known(0.0), known(1.0)


@dataclass(frozen=True, slots=True)
class Vector:
    """A part with rows (q, e, v), or (e, v) if no question changes it; `rest` is the number at
    entities that are not listed.

    Of a `bag` an entity may be listed several times: its value is the sum. A `diagonal` has rows
    (q, v), and the entity is the question itself; without a name it is 1 for each question, and no
    row of it is ever written.
    """

    name: str
    by_question: bool
    rest: SqlNumber = ZERO
    bag: bool = False
    diagonal: bool = False

    @property
    def is_identity(self) -> bool:
        return self.diagonal and not self.name

    def entity(self, alias: str) -> str:
        return f"{alias}.q" if self.diagonal else f"{alias}.e"


SqlValue: TypeAlias = FixedNumber | ByQuestion | Vector


@dataclass(eq=False)
class Askers:
    """Who asks. `source` is a SELECT of all questions (q), written as a part only if something
    needs it. Where each question is an entity that asks about itself, `condition` says which
    entities {q} do, and `listed` that they have to be looked up among the questions."""

    name: str
    source: str
    inputs: Mapping[int, Vector]
    asked: bool = True
    condition: str = ""
    listed: bool = False
    written: str = ""

    @property
    def is_everyone(self) -> bool:
        """Whether all entities of a type ask."""
        return bool(self.inputs) and not self.condition and not self.listed

    def part(self, statement: SqlStatement) -> str:
        if not self.written:
            self.written = statement.add("questions", self.source, asked=self.asked, plain=True)
        return self.written

    def among(self, statement: SqlStatement, select: Select, entity: str) -> None:
        """Keep the rows whose entity asks."""
        if self.condition:
            select.where.append(self.condition.format(q=entity))
        if self.listed:
            select.join("", self.part(statement), "s", f"s.q = {entity}")


def beside(select: Select, number: SqlNumber, question: str) -> str:
    """The number of a question, as an expression in a SELECT that has the question."""
    if isinstance(number, FixedNumber):
        select.reads += number.reads
        return number.text
    alias = f"n{len(select.joins)}"
    select.join("LEFT", number.name, alias, f"{alias}.q = {question}")
    select.reads += number.default.reads
    return f"coalesce({alias}.v, {number.default.text})"


Form: TypeAlias = Callable[..., str]


@dataclass
class Values:
    """Makes values of other values, as parts of one statement."""

    statement: SqlStatement

    # -- numbers --------------------------------------------------------------------------------

    def of_numbers(
        self,
        label: str,
        form: Form,
        numbers: Sequence[SqlNumber],
        compute: Callable[..., float] | None = None,
        vanishes: bool = False,
    ) -> SqlNumber:
        """An expression of numbers; `compute` is the same in Python, for those that are known.
        `vanishes`: it is 0 where one of them is."""
        constants = [one for one in numbers if isinstance(one, FixedNumber)]
        if len(constants) == len(numbers):
            return self._of_constants(label, form, constants, compute)
        if vanishes and any(one.is_zero for one in constants):
            return ZERO
        several = [one for one in numbers if isinstance(one, ByQuestion)]
        defaults = [one.default if isinstance(one, ByQuestion) else one for one in numbers]
        default = self._of_constants(label, form, defaults, compute)
        select = Select()
        lead = next((one for one in several if vanishes and one.default.is_zero), None)
        if lead is None and len(several) > 1:
            select.reads += [one.name for one in several]
            keys = " UNION ".join(f"SELECT q FROM {one.name}" for one in several)
            select.source = f"({keys}) x"
        else:
            lead = lead or several[0]
            select.start(lead.name, "x")
        given = ["x.v" if one is lead else beside(select, one, "x.q") for one in numbers]
        name = self._add(label, select, ["x.q", f"{form(*given)} AS v"])
        return ByQuestion(name, default)

    def _of_constants(
        self,
        label: str,
        form: Form,
        constants: Sequence[FixedNumber],
        compute: Callable[..., float] | None,
    ) -> FixedNumber:
        values = [one.value for one in constants]
        if compute is not None and None not in values:
            return known(float(compute(*values)))
        reads = tuple(name for one in constants for name in one.reads)
        return self.single(label, f"SELECT {form(*(c.text for c in constants))} AS v", reads)

    def single(self, label: str, text: str, reads: Sequence[str]) -> FixedNumber:
        """A number that a SELECT of one row finds."""
        name = self.statement.add(label, text, reads)
        return FixedNumber(f"(SELECT v FROM {name})", None, (name,))

    # -- forms of a vector ----------------------------------------------------------------------

    def grouped(self, vector: Vector) -> Vector:
        """Each entity listed once."""
        if not vector.bag:
            return vector
        keys = ["q"] if vector.diagonal else ["q", "e"] if vector.by_question else ["e"]
        select = Select().start(vector.name, "x")
        columns = [f"x.{key}" for key in keys]
        name = self._add("sum", select, [*columns, "sum(x.v) AS v"], ", ".join(columns))
        return replace(vector, name=name, bag=False)

    def listed(self, vector: Vector, asked: Askers) -> Vector:
        """With rows (q, e, v) where it is a diagonal."""
        if not vector.diagonal:
            return vector
        written = self.written(vector, asked)
        select = Select().start(written.name, "x")
        name = self._add("diagonal", select, ["x.q", "x.q AS e", "x.v"], plain=True)
        return replace(written, name=name, diagonal=False)

    def written(self, vector: Vector, asked: Askers) -> Vector:
        """With rows, where it is the diagonal that is never written."""
        if not vector.is_identity:
            return vector
        select = Select().start(asked.part(self.statement), "s")
        name = self._add("identity", select, ["s.q", f"{ONE.text} AS v"], plain=True)
        return replace(vector, name=name)

    def everywhere(self, number: SqlNumber) -> Vector:
        """One number at every entity: nothing is listed."""
        by_question = isinstance(number, ByQuestion)
        question = "NULL AS q, " if by_question else ""
        text = f"SELECT {question}NULL AS e, {ZERO.text} AS v WHERE 1 = 0"
        return Vector(self.statement.add("nothing", text, plain=True), by_question, number)

    def of_everyone(self, vector: Vector, asked: Askers) -> Vector:
        """A vector that no question changes, once for each question."""
        if vector.by_question:
            return vector
        select = Select().start(asked.part(self.statement), "s").join("CROSS", vector.name, "x")
        name = self._add("each", select, ["s.q", "x.e", "x.v"])
        return replace(vector, name=name, by_question=True)

    def _add(
        self,
        label: str,
        select: Select,
        columns: Sequence[str],
        group: str = "",
        asked: bool = False,
        plain: bool = False,
    ) -> str:
        return self.statement.add(label, select.text(columns, group), select.reads, asked, plain)
