"""Vectors in SQL, entry by entry: functions, sums and products of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from neurallog_kernel.engines.statements import Select
from neurallog_kernel.engines.values import (
    ZERO,
    Askers,
    ByQuestion,
    Form,
    SqlNumber,
    SqlValue,
    Values,
    Vector,
    beside,
)


class EntryValues(Values):
    """Makes vectors out of values at the same entity."""

    def of_entries(
        self,
        label: str,
        form: Form,
        values: Sequence[SqlValue],
        asked: Askers,
        compute: Callable[..., float] | None = None,
    ) -> SqlValue:
        """An expression of values, at the entries that one of them lists; elsewhere it is that of
        their rests."""
        if not any(isinstance(value, Vector) for value in values):
            return self.of_numbers(label, form, values, compute)  # type: ignore[arg-type]
        rests = [value.rest if isinstance(value, Vector) else value for value in values]
        rest = self.of_numbers(label, form, rests, compute)
        parts = [self._plain(value, asked) for value in values]
        by_question = any(_varies(part) for part in parts)
        vectors = [part for part in parts if isinstance(part, Vector)]
        if by_question and not all(one.by_question for one in vectors) and len(vectors) > 1:
            parts = [self.of_everyone(p, asked) if isinstance(p, Vector) else p for p in parts]
            vectors = [part for part in parts if isinstance(part, Vector)]
        select, lead = self._keys(vectors, by_question, asked)
        given = []
        for part in parts:
            if not isinstance(part, Vector):
                given.append(beside(select, part, "k.q"))
            elif part is lead:
                given.append("k.v")
            else:
                given.append(self._at(select, part, "k"))
        columns = [*(["k.q"] if by_question else []), "k.e", f"{form(*given)} AS v"]
        return Vector(self._add(label, select, columns), by_question, rest)

    def _plain(self, value: SqlValue, asked: Askers) -> SqlValue:
        """With each entity listed once, in rows."""
        if not isinstance(value, Vector):
            return value
        return self.listed(self.grouped(value), asked)

    def _keys(
        self, vectors: Sequence[Vector], by_question: bool, asked: Askers
    ) -> tuple[Select, Vector | None]:
        """A SELECT over what is listed, as k; if that is one vector, with its values."""
        select = Select()
        if len(vectors) == 1:
            (lead,) = vectors
            if by_question and not lead.by_question:
                lead_of_all = self.of_everyone(lead, asked)
                return select.start(lead_of_all.name, "k"), lead
            return select.start(lead.name, "k"), lead
        columns = "q, e" if by_question else "e"
        names = list(dict.fromkeys(one.name for one in vectors))
        select.reads += names
        select.source = f"({' UNION '.join(f'SELECT {columns} FROM {n}' for n in names)}) k"
        return select, None

    def _at(self, select: Select, vector: Vector, key: str) -> str:
        """The value of a vector at the entity (and question) of `key`."""
        alias = f"x{len(select.joins)}"
        same = f"{alias}.e = {key}.e"
        if vector.by_question:
            same = f"{alias}.q = {key}.q AND {same}"
        select.join("LEFT", vector.name, alias, same)
        return f"coalesce({alias}.v, {beside(select, vector.rest, f'{key}.q')})"

    # -- sums -----------------------------------------------------------------------------------

    def added(self, terms: Sequence[SqlValue], asked: Askers) -> SqlValue:
        """The sum of values. Sparse vectors are put one below the other; whoever needs each entity
        once adds up."""
        sparse = [t for t in terms if isinstance(t, Vector) and t.rest.is_zero]
        others = [t for t in terms if not any(t is one for one in sparse)]
        others = [t for t in others if isinstance(t, Vector) or not t.is_zero]
        if sparse:
            others = [self._below(sparse, asked), *others]
        if len(others) == 1:
            return others[0]
        if not others:
            return ZERO
        return self.of_entries("add", _plus, others, asked, lambda *values: sum(values))

    def _below(self, vectors: Sequence[Vector], asked: Askers) -> Vector:
        if len(vectors) == 1:
            return vectors[0]
        if all(one.diagonal for one in vectors):
            columns, given = "q, v", [self.written(one, asked) for one in vectors]
            made = Vector("", True, bag=True, diagonal=True)
        else:
            by_question = any(one.by_question for one in vectors)
            given = [self.listed(one, asked) for one in vectors]
            if by_question:
                given = [self.of_everyone(one, asked) for one in given]
            columns = "q, e, v" if by_question else "e, v"
            made = Vector("", by_question, bag=True)
        text = " UNION ALL ".join(f"SELECT {columns} FROM {one.name}" for one in given)
        return replace(made, name=self.statement.add("add", text, [one.name for one in given]))

    # -- products -------------------------------------------------------------------------------

    def multiplied(self, left: SqlValue, right: SqlValue, asked: Askers) -> SqlValue:
        """The product of two values: where a sparse one lists nothing, it is 0."""
        form, compute = _times, float.__mul__
        for side, other in ((left, right), (right, left)):
            if isinstance(side, Vector) and side.rest.is_zero:
                if isinstance(other, Vector):
                    break
                return self._scaled(side, other, asked)
        sides = [side for side in (left, right) if isinstance(side, Vector)]
        sparse = [side for side in sides if side.rest.is_zero]
        if len(sides) < 2 or not sparse:
            if len(sides) < 2 and not sides:
                return self.of_numbers("multiply", form, [left, right], compute, vanishes=True)  # type: ignore[list-item]
            return self.of_entries("multiply", form, [left, right], asked, compute)
        if len(sparse) == 2:
            return self._joined(left, right, asked)  # type: ignore[arg-type]
        (lead,) = sparse
        return self._looked_up(lead, next(one for one in sides if one is not lead), asked)

    def _scaled(self, vector: Vector, number: SqlNumber, asked: Askers) -> Vector:
        """A sparse vector times a number."""
        if number.is_zero:
            return self.everywhere(ZERO)
        if vector.is_identity and isinstance(number, ByQuestion) and number.default.is_zero:
            return replace(vector, name=number.name)
        vector = self.written(vector, asked)
        if not isinstance(number, ByQuestion) or vector.by_question:
            select = Select().start(vector.name, "x")
            value = beside(select, number, "x.q")
            keys = ["x.q"] if vector.by_question else []
            keys += [] if vector.diagonal else ["x.e"]
            name = self._add("multiply", select, [*keys, f"x.v * {value} AS v"])
            return replace(vector, name=name)
        if not number.default.is_zero:
            return self._scaled(self.of_everyone(vector, asked), number, asked)
        select = Select().start(number.name, "n").join("CROSS", vector.name, "x")
        name = self._add("multiply", select, ["n.q", "x.e", "x.v * n.v AS v"])
        return replace(vector, name=name, by_question=True)

    def _joined(self, left: Vector, right: Vector, asked: Askers) -> Vector:
        """Two sparse vectors, where both list an entity."""
        if right.diagonal or (right.by_question and not left.by_question):
            left, right = right, left
        if left.bag and right.bag:
            right = self.grouped(right)
        bag = left.bag or right.bag
        if left.is_identity:
            return self._on_diagonal(right, asked)
        right = self.written(right, asked)
        select = Select().start(left.name, "x")
        same = [f"{right.entity('y')} = {left.entity('x')}"]
        if right.by_question and left.by_question and not (left.diagonal and right.diagonal):
            same.append("y.q = x.q")
        select.join("", right.name, "y", " AND ".join(same))
        keys = ["x.q"] if left.by_question else []
        keys += [] if left.diagonal else ["x.e"]
        name = self._add("multiply", select, [*keys, "x.v * y.v AS v"])
        return Vector(name, left.by_question, ZERO, bag, left.diagonal)

    def _on_diagonal(self, vector: Vector, asked: Askers) -> Vector:
        """The entries of a sparse vector at the entities that ask, each for itself."""
        if vector.diagonal:
            return vector
        select = Select().start(vector.name, "x")
        if vector.by_question:
            select.where.append("x.e = x.q")
        else:
            asked.among(self.statement, select, "x.e")
        name = self._add("own", select, ["x.e AS q", "x.v"], asked=asked.asked)
        return Vector(name, True, ZERO, vector.bag, diagonal=True)

    def _looked_up(self, lead: Vector, other: Vector, asked: Askers) -> Vector:
        """A sparse vector times one that has a value everywhere."""
        other = self.listed(self.grouped(other), asked)
        lead = self.written(lead, asked)
        if other.by_question and not lead.by_question:
            lead = self.of_everyone(lead, asked)
        if lead.diagonal:
            select = Select().start(lead.name, "x")
            same = "y.e = x.q" + (" AND y.q = x.q" if other.by_question else "")
            select.join("LEFT", other.name, "y", same)
            value = f"x.v * coalesce(y.v, {beside(select, other.rest, 'x.q')})"
            name = self._add("multiply", select, ["x.q", f"{value} AS v"])
            return replace(lead, name=name)
        if isinstance(other.rest, ByQuestion) and not lead.by_question:
            lead = self.of_everyone(lead, asked)
        select = Select().start(lead.name, "k")
        value = f"k.v * {self._at(select, other, 'k')}"
        keys = ["k.q", "k.e"] if lead.by_question else ["k.e"]
        return replace(lead, name=self._add("multiply", select, [*keys, f"{value} AS v"]))

    # -- a vector times a relation --------------------------------------------------------------

    def through(self, vector: Vector, facts: str, key: str, to: str, asked: Askers) -> Vector:
        """A vector times a relation, whose table has columns for both entities and the weight w."""
        if vector.is_identity:
            select = Select().start(facts, "r")
            asked.among(self.statement, select, f"r.{key}")
            columns = [f"r.{key} AS q", f"r.{to} AS e", "r.w AS v"]
            name = self._add("first", select, columns, asked=asked.asked, plain=True)
            return Vector(name, True)
        if not vector.rest.is_zero:
            return self._through_everywhere(vector, facts, key, to, asked)
        select = Select().start(vector.name, "x")
        select.join("", facts, "r", f"r.{key} = {vector.entity('x')}")
        question = ["x.q"] if vector.by_question else []
        columns = [*question, f"r.{to} AS e", "x.v * r.w AS v"]
        return Vector(self._add("product", select, columns), vector.by_question, ZERO, bag=True)

    def _through_everywhere(
        self, vector: Vector, facts: str, key: str, to: str, asked: Askers
    ) -> Vector:
        """The entries that differ from the rest, and the rest times the sums of the columns."""
        vector = self.listed(self.grouped(vector), asked)
        if isinstance(vector.rest, ByQuestion):
            vector = self.of_everyone(vector, asked)
        select = Select().start(vector.name, "x")
        value = f"(x.v - {beside(select, vector.rest, 'x.q')}) * r.w AS v"
        select.join("", facts, "r", f"r.{key} = x.e")
        question = ["x.q"] if vector.by_question else []
        some = self._add("product", select, [*question, f"r.{to} AS e", value])
        select = Select().start(facts, "r")
        sums = self._add("column_sums", select, [f"r.{to} AS e", "sum(r.w) AS w"], f"r.{to}")
        select = Select().start(sums, "c")
        if vector.by_question:
            select.join("CROSS", asked.part(self.statement), "s")
        value = f"{beside(select, vector.rest, 's.q')} * c.w AS v"
        every = self._add(
            "rest", select, ["s.q", "c.e", value] if vector.by_question else ["c.e", value]
        )
        columns = "q, e, v" if vector.by_question else "e, v"
        text = f"SELECT {columns} FROM {some} UNION ALL SELECT {columns} FROM {every}"
        name = self.statement.add("product", text, [some, every])
        return Vector(name, vector.by_question, ZERO, bag=True)


def _varies(value: SqlValue) -> bool:
    return isinstance(value, ByQuestion) or (isinstance(value, Vector) and value.by_question)


def _plus(*terms: str) -> str:
    return f"({' + '.join(terms)})"


def _times(left: str, right: str) -> str:
    return f"({left} * {right})"
