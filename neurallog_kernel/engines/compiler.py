"""Plan to SQL: every kind of expression as named parts of one statement."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import assert_never

from neurallog_kernel.engines.database import Database, is_top
from neurallog_kernel.engines.entries import EntryValues
from neurallog_kernel.engines.rowwise import RowFunctions
from neurallog_kernel.engines.statements import Select, SqlStatement, literal
from neurallog_kernel.engines.values import (
    ONE,
    ZERO,
    Askers,
    ByQuestion,
    Form,
    SqlValue,
    Vector,
    known,
)
from neurallog_kernel.functions import ADD, MULTIPLY, Function, FunctionKind
from neurallog_kernel.functions.top import top_named
from neurallog_kernel.knowledge.references import FactForm, TypeRef
from neurallog_kernel.plan import exprs
from neurallog_kernel.plan.exprs import Expr, walk


class SqlPlan:
    """Writes the parts of one statement; what several expressions use is written once."""

    def __init__(self, catalog: Database, asked: Askers, statement: SqlStatement) -> None:
        self.catalog = catalog
        self.storage = catalog.storage
        self.asked = asked
        self.statement = statement
        self.entries = EntryValues(statement)
        self.rows = RowFunctions(self.entries)
        self._made: dict[tuple[Expr, str], SqlValue] = {}
        self._parents: Counter[Expr] = Counter()
        self._everyones: dict[tuple[int, TypeRef], Askers] = {}

    def value(self, root: Expr, asked: Askers | None = None) -> SqlValue:
        """The value of an expression, with those of its operands before it."""
        asked = asked or self.asked
        for node in walk(root):
            self._parents.update(node.operands)
        stack = [root]
        while stack:
            node = stack[-1]
            if self._key(node, asked) not in self._made:
                operands = self._needs(node, asked)
                missing = [c for c in operands if self._key(c, asked) not in self._made]
                if missing:
                    stack.extend(reversed(missing))
                    continue
                self._made[self._key(node, asked)] = self._make(node, asked)
            stack.pop()
        return self._made[self._key(root, asked)]

    def vector(self, root: Expr, asked: Askers | None = None) -> Vector:
        """The value of an expression that is a vector."""
        found = self.value(root, asked)
        return found if isinstance(found, Vector) else self.entries.everywhere(found)

    def made(self, node: Expr, asked: Askers) -> SqlValue | None:
        """What an expression became, if it was needed."""
        return self._made.get(self._key(node, asked))

    def everyone(self, place: int, ref: TypeRef) -> Askers | None:
        """The questions of each entity of a type about itself, if something needed them."""
        return self._everyones.get((place, ref))

    def _key(self, node: Expr, asked: Askers) -> tuple[Expr, str]:
        return (node, asked.name if node.uses_input else "")

    def _of(self, node: Expr, asked: Askers) -> SqlValue:
        return self._made[self._key(node, asked)]

    def _vector(self, node: Expr, asked: Askers) -> Vector:
        found = self._of(node, asked)
        return found if isinstance(found, Vector) else self.entries.everywhere(found)

    def _needs(self, node: Expr, asked: Askers) -> tuple[Expr, ...]:
        """The operands; the terms of a long sum, which are added at once; not a concept that is
        asked of the questions' own entities alone."""
        if isinstance(node, exprs.Combine) and node.operation is ADD and node.domain is not None:
            return tuple(self._terms(node, asked))
        if isinstance(node, exprs.Combine) and (own := self._own_concept(node, asked)) is not None:
            return (own,)
        return node.operands

    def _terms(self, node: exprs.Combine, asked: Askers) -> list[Expr]:
        """What a sum adds up: the rules of a predicate come as a chain of pairs."""
        found: list[Expr] = []
        stack: list[Expr] = [node]
        while stack:
            one = stack.pop()
            alone = one is node or (
                self._parents[one] < 2 and self._key(one, asked) not in self._made
            )
            if (
                isinstance(one, exprs.Combine)
                and one.operation is ADD
                and one.domain is not None
                and alone
            ):
                stack += [one.right, one.left]
            else:
                found.append(one)
        return found

    def _size(self, node: Expr) -> int:
        assert node.domain is not None
        return self.storage.size(node.domain)

    def _make(self, node: Expr, asked: Askers) -> SqlValue:
        match node:
            case exprs.Input():
                return asked.inputs[node.place]
            case exprs.Zero():
                return ZERO if node.domain is None else self.entries.everywhere(ZERO)
            case exprs.Ones():
                return self.entries.everywhere(ONE)
            case exprs.Weight() | exprs.RuleWeight():
                return known(node.value)
            case exprs.FactWeight():
                return known(self.storage.number(node.scan)[0])
            case exprs.NumericFact():
                return self._numeric(node)
            case exprs.OneHot() | exprs.Facts() | exprs.Attribute() | exprs.Compared():
                return Vector(self._listed(node), False)
            case exprs.Product():
                key, to = ("b", "a") if node.inverted else ("a", "b")
                facts = self.catalog.table(node.scan)
                return self.entries.through(self._vector(node.vector, asked), facts, key, to, asked)
            case exprs.Combine():
                return self._combine(node, asked)
            case exprs.Apply():
                return self._apply(node, asked)
            case exprs.Aggregate():
                size = self._size(node.vector)
                vector = self._vector(node.vector, asked)
                return self.rows.aggregate(node.function, vector, size, asked)
            case exprs.Expand():
                return self._vector(node.scalar, asked)
            case exprs.ForEach():
                return self._for_each(node, asked)
            case exprs.Call():
                return self._call(node, asked)
            case _:
                assert_never(node)

    # -- facts ----------------------------------------------------------------------------------

    def _listed(self, node: exprs.OneHot | exprs.Facts | exprs.Attribute | exprs.Compared) -> str:
        if isinstance(node, exprs.OneHot):
            assert node.domain is not None
            key = self.catalog.key(node.domain, node.name)
            text = f"SELECT {key or 'NULL'} AS e, 1e0 AS v{' WHERE 1 = 0' if key is None else ''}"
            return self.statement.add("entity", text, plain=True)
        select = Select().start(self.catalog.table(node.scan), "r")
        entity, value = "r.e", "r.w"
        if isinstance(node, exprs.Compared):
            select.where.append(f"r.n {node.comparison.sql} {literal(node.number)}")
            value = "1e0"
        elif isinstance(node, exprs.Attribute):
            if node.number is not None:
                select.where.append(f"r.n = {literal(node.number)}")
            value = node.combiner.sql.format(a="r.w", b="r.n")
        elif node.scan.form is FactForm.DIAGONAL:
            select.where.append("r.a = r.b")
            entity = "r.a"
        text = select.text([f"{entity} AS e", f"{value} AS v"])
        return self.statement.add("facts", text, select.reads, plain=True)

    def _numeric(self, node: exprs.NumericFact) -> SqlValue:
        weight, numbers = self.storage.number(node.scan)
        value = node.value_of(numbers)
        return known(0.0 if value is None else float(node.combiner(weight, value)))

    # -- entry by entry -------------------------------------------------------------------------

    def _combine(self, node: exprs.Combine, asked: Askers) -> SqlValue:
        operation = node.operation
        if operation is ADD and node.domain is not None:
            terms = [self._of(term, asked) for term in self._terms(node, asked)]
            found = self.entries.added(terms, asked)
            return found if isinstance(found, Vector) else self.entries.everywhere(found)
        own = self._own_concept(node, asked) if operation is MULTIPLY else None
        if own is not None:
            number = self._of(own, asked)
            assert not isinstance(number, Vector)
            (given,) = [s for s in node.operands if isinstance(s, exprs.Input)]
            return self.entries.multiplied(asked.inputs[given.place], number, asked)
        left, right = (self._of(side, asked) for side in node.operands)
        if operation is MULTIPLY:
            found = self.entries.multiplied(left, right, asked)
        else:
            form, compute = partial(_of_two, operation.sql), operation
            found = self.entries.of_entries(operation.name, form, [left, right], asked, compute)
        if node.domain is not None and not isinstance(found, Vector):
            return self.entries.everywhere(found)
        return found

    def _own_concept(self, node: exprs.Combine, asked: Askers) -> Expr | None:
        """Of "the asked entity, if it is h": the number that h is of it."""
        if node.operation is not MULTIPLY:
            return None
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if (
                isinstance(side, exprs.Input)
                and isinstance(other, exprs.ForEach)
                and other.whole is None
                and asked.inputs[side.place].is_identity
                and asked.inputs.keys() == {side.place}
                and side.place == 0
            ):
                return other.body
        return None

    def _apply(self, node: exprs.Apply, asked: Askers) -> SqlValue:
        function, arguments = node.function, [self._of(a, asked) for a in node.arguments]
        vectors = [a for a in node.arguments if a.domain is not None]
        if function.kind is FunctionKind.AGGREGATE and vectors:
            vector, size = self._vector(node.arguments[0], asked), self._size(vectors[0])
            return self.rows.aggregate(function, vector, size, asked)
        if function.kind is FunctionKind.ROWWISE:
            if not vectors:
                return self.rows.of_number(function, arguments[0])
            vector, size = self._vector(node.arguments[0], asked), self._size(vectors[0])
            return self.rows.shares(function, vector, size, asked)
        form = self._form(function)
        compute = partial(_computed, function)
        return self.entries.of_entries(function.name, form, arguments, asked, compute)

    def _form(self, function: Function) -> Form:
        if function.sql is not None:
            return partial(_of_one, function.sql)
        if is_top(function):
            top = top_named(function.name)
            assert top is not None
            count = min(top.k, function.inputs)
            return lambda *values: (
                "(1e0 - "
                + self.catalog.dialect.product_of_smallest([f"1e0 - {v}" for v in values], count)
                + ")"
            )
        name = self.catalog.function(function)
        assert name is not None
        return lambda *values: f"{name}({', '.join(values)})"

    # -- for each entity ------------------------------------------------------------------------

    def _everyone(self, place: int, ref: TypeRef | None) -> Askers:
        """Each entity asks, with itself as the input."""
        assert ref is not None
        if (place, ref) not in self._everyones:
            name, source = f"everyone {place} {ref}", self.catalog.keys(ref).everyone
            self._everyones[place, ref] = Askers(name, source, {place: identity()}, asked=False)
        return self._everyones[place, ref]

    def _for_each(self, node: exprs.ForEach, asked: Askers) -> SqlValue:
        if node.whole is not None:
            return self.vector(node.whole, asked)
        found = self.value(node.body, self._everyone(0, node.domain))
        assert not isinstance(found, Vector)
        if not isinstance(found, ByQuestion):
            return self.entries.everywhere(found)
        select = Select().start(found.name, "x")
        text = select.text(["x.q AS e", "x.v"])
        name = self.statement.add("for_each", text, select.reads, plain=True)
        return Vector(name, False, found.default)

    def _call(self, node: exprs.Call, asked: Askers) -> SqlValue:
        """What a call makes of each entity, as facts; of the asked entity, its body."""
        vector = self._vector(node.vector, asked)
        given, result = (node, node.vector) if node.inverted else (node.vector, node)
        if vector.is_identity and not node.inverted and asked.inputs.get(node.place) is vector:
            return self.vector(node.body, asked)
        everyone = self._everyone(node.place, given.domain)
        found = self.vector(node.body, everyone)
        found = self.entries.listed(self.entries.of_everyone(found, everyone), everyone)
        if found.rest.is_zero:
            select = Select().start(found.name, "x")
            text = select.text(["x.q AS a", "x.e AS b", "x.v AS w"])
        else:
            found = self.entries.grouped(found)
            cells = Vector(self._cells(everyone, result), True)
            full = self.entries.added([found, cells], everyone)
            assert isinstance(full, Vector)
            select = Select().start(full.name, "x")
            text = select.text(["x.q AS a", "x.e AS b", "x.v AS w"])
        facts = self.statement.add("call", text, select.reads)
        key, to = ("b", "a") if node.inverted else ("a", "b")
        return self.entries.through(vector, facts, key, to, asked)

    def _cells(self, everyone: Askers, result: Expr) -> str:
        """A zero at every entity of every question."""
        assert result.domain is not None
        columns = self.statement.add("all", self.catalog.keys(result.domain).everyone, plain=True)
        select = Select().start(everyone.part(self.statement), "s").join("CROSS", columns, "t")
        text = select.text(["s.q", "t.q AS e", "0e0 AS v"])
        return self.statement.add("cells", text, select.reads)


def identity() -> Vector:
    """The input of questions that are each about the entity of their own number."""
    return Vector("", True, diagonal=True)


def _of_one(form: str, x: str) -> str:
    return f"({form.format(x=x)})"


def _of_two(form: str, a: str, b: str) -> str:
    return f"({form.format(a=a, b=b)})"


def _computed(function: Function, *values: float) -> float:
    import numpy as np

    with np.errstate(all="ignore"):
        return float(function.numpy(*(np.array([value]) for value in values))[0])
