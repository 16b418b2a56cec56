"""The literals of a rule that have no variable: each is one number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from neurallog_kernel.functions import NEGATIONS, Function, Negation
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.roles import Role, owner_place
from neurallog_kernel.language.syntax import Constant, Signature
from neurallog_kernel.plan.algebra import Algebra
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.plan.layers import LiteralLayer
from neurallog_kernel.plan.origins import (
    Compares,
    Complement,
    Ground,
    GroundOrigin,
    Origin,
    Summed,
    Unknown,
)
from neurallog_kernel.plan.row_literal import given_numbers
from neurallog_kernel.rulegraph.graph import (
    AttributeCondition,
    BodyLiteral,
    Node,
    NumberNode,
    node_label,
)

if TYPE_CHECKING:
    from neurallog_kernel.plan.planner import CallChain, Inputs, Planner


@dataclass(frozen=True, eq=False)
class GroundLiterals:
    """Reads the ground literals of one rule, and what literals of all kinds need; `calls` is where
    the rule notes the predicates that it calls."""

    planner: Planner
    program: Program
    chain: CallChain
    calls: dict[BodyLiteral, LiteralLayer]

    @property
    def algebra(self) -> Algebra:
        return self.planner.algebra

    def grounded(self, literal: BodyLiteral) -> GroundOrigin:
        found = self._ground(literal)
        if not literal.negated:
            return found
        return self.complement(literal, self.algebra.weight(1.0, "1"), (), found)

    def _ground(self, literal: BodyLiteral) -> GroundOrigin:
        signature, nodes = literal.signature, literal.nodes
        role = self.program.role(signature)
        if literal.condition is not None:
            found = self.compared(literal, literal.condition)
            return replace(found, expr=self._read(found.expr, signature, found.owner, nodes[0]))
        if role is Role.FUNCTION:
            arguments = self._ground_arguments(literal)
            value = self.algebra.apply(self.function(signature), arguments)
            return Ground(value, literal, None)
        if role is Role.EMPTY:
            return Unknown(self.algebra.zero(None), literal)
        if role is Role.NUMERIC:
            return Ground(self.numbers(literal), literal, None)
        if role is Role.ATTRIBUTE:
            place = owner_place(self.program.numeric(signature))
            number = nodes[1 - place]
            assert isinstance(number, NumberNode)
            vector = self.planner.stored.attribute(self.program, signature, number.value)
            return Ground(self._read(vector, signature, place, nodes[place]), literal, None)
        return self._ground_call(literal)

    def _ground_call(self, literal: BodyLiteral) -> GroundOrigin:
        signature, nodes = literal.signature, literal.nodes
        if signature[1] == 0:
            layer = self.planner.proposition(self.program, signature, self.chain)
        elif signature[1] == 1:
            layer = self.planner.concept(self.program, signature, self.chain)
        elif any(self.program.numeric(signature)):
            return self._ground_numbers(literal)
        else:
            layer = self.planner.literal(
                self.program, signature, signature[1] - 1, self._ground_inputs(literal), self.chain
            )
        self.calls[literal] = layer
        if not nodes:
            return Ground(layer.result, literal, layer)
        value = self._read(layer.result, signature, signature[1] - 1, nodes[-1])
        return Ground(value, literal, layer)

    def _ground_numbers(self, literal: BodyLiteral) -> GroundOrigin:
        """Declared numbers: the weight times the numbers of the fact that has the given ones."""
        signature, given = literal.signature, given_numbers(literal)
        inputs = tuple(
            None if place in given else self._constant_vector(signature, place, node)
            for place, node in enumerate(literal.nodes)
        )
        layer = self.planner.with_numbers(self.program, signature, max(given), inputs, (), given)
        self.calls[literal] = layer
        return Ground(self.algebra.total(layer.result), literal, layer)

    def _ground_inputs(self, literal: BodyLiteral) -> Inputs:
        given: list[Expr | None] = [
            self._constant_vector(literal.signature, place, node)
            for place, node in enumerate(literal.nodes[:-1])
        ]
        return (*given, None)

    def _ground_arguments(self, literal: BodyLiteral) -> list[Expr]:
        """A function's value at a constant is its value at 1; at a number, at that number."""
        nodes = literal.nodes if len(literal.nodes) == 1 else literal.nodes[:-1]
        return [
            self.algebra.weight(n.value if isinstance(n, NumberNode) else 1.0, node_label(n))
            for n in nodes
        ]

    def _read(self, vector: Expr, signature: Signature, place: int, node: Node) -> Expr:
        at = self._constant_vector(signature, place, node)
        return self.algebra.total(self.algebra.multiply(at, vector))

    def _constant_vector(self, signature: Signature, place: int, node: Node) -> Expr:
        assert isinstance(node, Constant)
        domain = self.planner.domain(self.program, signature, place)
        return self.algebra.one_hot(domain, node.name)

    # -- of literals of all kinds -----------------------------------------------------------------

    def complement(
        self, literal: BodyLiteral, total: Expr, sums: tuple[Summed, ...], found: Origin
    ) -> Complement:
        negation = self.negation(literal.signature)
        value = self.algebra.complement(negation, total, found.expr)
        return Complement(value, literal, negation, total, sums, found)

    def compared(self, literal: BodyLiteral, condition: AttributeCondition) -> Compares:
        owner = owner_place(self.program.numeric(literal.signature))
        value = self.planner.stored.compared(self.program, literal.signature, condition)
        return Compares(value, literal, condition, owner)

    def function(self, signature: Signature) -> Function:
        found = self.program.function(signature)
        assert found is not None
        return found

    def negation(self, signature: Signature) -> Negation:
        name = self.program.parameters.get("literal_negation_function", signature)
        return NEGATIONS[str(name)]

    def numbers(self, literal: BodyLiteral) -> Expr:
        given = tuple(n.value if isinstance(n, NumberNode) else None for n in literal.nodes)
        return self.planner.stored.numbers(self.program, literal.signature, given)
