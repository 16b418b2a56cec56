"""A literal of facts with three and more arguments: operations on the hidden type of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from neurallog_kernel.errors import ArityError
from neurallog_kernel.functions import Combiner
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.references import FactForm, Scan
from neurallog_kernel.language.syntax import Rule, Signature
from neurallog_kernel.plan.algebra import Algebra
from neurallog_kernel.plan.exprs import Expand, Expr, Facts, Ones
from neurallog_kernel.rulegraph.graph import BodyLiteral, Node, NumberNode

Groups: TypeAlias = tuple[tuple[int, ...], ...]  # places that hold one term


@dataclass(frozen=True)
class RowNumbers:
    """How the numbers of a row are combined with each other and with its weight, and those that a
    literal gives, by place. Which rows count is said afterwards: a combiner other than the product
    could make something of a zero."""

    together: Combiner
    weigh: Combiner
    given: Mapping[int, float]

    def combined(
        self,
        algebra: Algebra,
        program: Program,
        signature: Signature,
        places: Sequence[int],
        weights: Expr,
    ) -> Expr:
        """The weights of the rows with their numbers, and zeros where another number is given."""
        rows, make = program.rows_ref(signature), algebra.interner.make
        values = [make(Facts, rows, _values(program, signature, place)) for place in places]
        value = algebra.combine_all(self.together, values)
        weighed = algebra.combine_all(self.weigh, [weights, value])
        fitting: list[Expr] = [
            make(Facts, rows, _values(program, signature, place, number))
            for place, number in self.given.items()
        ]
        return algebra.multiply(weighed, *fitting)


def row_literal(
    algebra: Algebra,
    program: Program,
    signature: Signature,
    output: int,
    inputs: Sequence[Expr | None],
    groups: Groups = (),
    every_weight: bool = False,
    numbers: RowNumbers | None = None,
) -> Expr:
    """Each row's weight times the inputs at its entities, at its entity of the output place
    (LANGUAGE 4.8): ((x R1') * (y R2') * w) R3, where Rk leads from the rows to the entities of
    place k and ' turns it round. Only rows count that have one entity at the places of one term;
    its value is taken once. Weights that are all 1 and not learned are left out, unless a
    derivative is asked for them (`every_weight`). With `numbers` the rows themselves stand at the
    declared places, and what they hold counts."""
    own = program.numeric(signature) if numbers else ()
    declared = [place for place, number in enumerate(own) if number]
    again = {place for group in groups for place in group if place != min(group)}
    again |= {place for group in groups for place in group if output in group}
    given = [
        value if place in declared else _at_rows(algebra, program, signature, place, value)
        for place, value in enumerate(inputs)
        if value is not None and place not in again
    ]
    rows = program.rows_ref(signature)
    weights = _weights(algebra, program, signature, every_weight or numbers is not None)
    if numbers is not None and weights is not None:
        weights = numbers.combined(algebra, program, signature, declared, weights)
    counting = [*_agreeing(algebra, program, signature, groups), *([weights] if weights else [])]
    factors = [*given, *([algebra.multiply(*counting)] if counting else [])]
    value = algebra.multiply(*factors) if factors else algebra.ones(rows)
    value = algebra.expand(value, rows)
    if output in declared:
        return value
    domain = program.type_ref((*signature, output))
    return algebra.product(value, incidence(program, signature, output), False, domain)


def incidence(program: Program, signature: Signature, place: int) -> Scan:
    """From the rows of a predicate's facts to the entities of a place."""
    return _behind(program, signature, FactForm.MATRIX, (place,))


def _behind(
    program: Program, signature: Signature, form: FactForm, places: tuple[int, ...]
) -> Scan:
    name = "=".join(str(place + 1) for place in places)
    hidden = f"{signature[0]}/{signature[1]}#{name}", 2 if form is FactForm.MATRIX else 1
    return Scan(hidden, form, program.definition(signature).facts_stamp, signature, places)


def _values(
    program: Program, signature: Signature, place: int, number: float | None = None
) -> Scan:
    """The numbers of the rows at a declared place, or which of them are a given one."""
    mark = "" if number is None else f"={number:g}"
    hidden = f"{signature[0]}/{signature[1]}#value {place + 1}{mark}", 1
    stamp = program.definition(signature).facts_stamp
    return Scan(hidden, FactForm.VECTOR, stamp, signature, (place,), True, number)


def _agreeing(
    algebra: Algebra, program: Program, signature: Signature, groups: Groups
) -> list[Expr]:
    """For each term at several places: 1 for the rows that have one entity there, 0 for others."""
    rows, make = program.rows_ref(signature), algebra.interner.make
    scans = [_behind(program, signature, FactForm.VECTOR, places) for places in groups]
    return [make(Facts, rows, scan) for scan in scans]


def _weights(
    algebra: Algebra, program: Program, signature: Signature, every_weight: bool
) -> Expr | None:
    """The weights of the rows; None where all are 1 and stay so."""
    unweighted = program.definition(signature).is_unweighted
    if unweighted and not every_weight and signature not in program.learnables:
        return None
    scan = program.scan(signature, FactForm.VECTOR)
    return algebra.interner.make(Facts, program.rows_ref(signature), scan)


def _at_rows(
    algebra: Algebra, program: Program, signature: Signature, place: int, value: Expr
) -> Expr:
    """An input at the entity that each row has at a place: a number stays one number."""
    if isinstance(value, Ones):
        return algebra.weight(1.0, "1")
    if isinstance(value, Expand):
        return value.scalar
    rows = program.rows_ref(signature)
    return algebra.product(value, incidence(program, signature, place), True, rows)


def repeated_places(nodes: Sequence[Node]) -> Groups:
    """The places of each term that a literal holds several times.

    >>> from neurallog_kernel.language.syntax import Constant
    >>> x, y = Constant("x"), Constant("y")
    >>> repeated_places([x, y, x]), repeated_places([x, y])
    (((0, 2),), ())
    """
    if len(set(nodes)) == len(nodes):
        return ()
    places: dict[Node, list[int]] = {}
    for place, node in enumerate(nodes):
        places.setdefault(node, []).append(place)
    return tuple(tuple(found) for found in places.values() if len(found) > 1)


def given_numbers(literal: BodyLiteral) -> dict[int, float]:
    """The numbers that a literal holds, by place."""
    nodes = enumerate(literal.nodes)
    return {place: node.value for place, node in nodes if isinstance(node, NumberNode)}


def repeated_output(literal: BodyLiteral, rule: Rule) -> ArityError:
    """The error of p(X, Y, X) with X as its output, where a rule of p has a number there."""
    spans: Sequence = [body.span for body in rule.body]
    return ArityError(
        f"{literal} has its output in several places, and one of them holds numbers in a rule "
        f"of {literal.predicate}",
        spans[literal.index],
        "write two variables, and let only one of them be the number",
    )
