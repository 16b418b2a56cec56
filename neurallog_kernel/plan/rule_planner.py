"""Reading one rule: the expression of every node of its DAG, with its origin (LANGUAGE 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from neurallog_kernel.functions import (
    AGGREGATIONS,
    COMBINERS,
    COUNT,
    MINIMUM,
    MULTIPLY,
    SUM,
    Combiner,
)
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.references import TypeRef
from neurallog_kernel.knowledge.roles import Role, owner_place
from neurallog_kernel.knowledge.types import EMPTY_TYPE
from neurallog_kernel.language.syntax import Constant, Signature, Variable
from neurallog_kernel.plan.called_rule import CalledRule, all_are_one
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.plan.ground_literals import GroundLiterals
from neurallog_kernel.plan.layers import LiteralLayer, RuleLayer
from neurallog_kernel.plan.origins import (
    Acted,
    Along,
    Anything,
    Applied,
    AtEntity,
    AttributeNumbers,
    Called,
    EachEntity,
    Everything,
    HeadEntity,
    HeadInputs,
    Held,
    Joined,
    Origin,
    Passed,
    Reached,
    Summed,
    Unknown,
)
from neurallog_kernel.plan.row_literal import repeated_output, repeated_places
from neurallog_kernel.rulegraph.graph import BodyLiteral, Dag, Edge, Node, NumberNode

if TYPE_CHECKING:
    from neurallog_kernel.plan.planner import CallChain, Inputs, Planner


class RuleReader:
    """The state of reading one rule; `read` gives its layer."""

    def __init__(
        self,
        planner: Planner,
        program: Program,
        called: CalledRule,
        dag: Dag,
        chain: CallChain,
    ) -> None:
        self.planner = planner
        self.algebra = planner.algebra
        self.program = program
        self.rule, self.of = called.rule, called.of
        self.dag = dag
        self.inputs = called.inputs
        self.chain = chain
        self.types = called.types
        self.nodes: dict[Node, Origin] = {}
        self.edges: dict[Edge, Along] = {}
        self.calls: dict[BodyLiteral, LiteralLayer] = {}
        self.literals = GroundLiterals(planner, program, chain, self.calls)
        self.diagonals: list[LiteralLayer] = []

    def read(self) -> RuleLayer:
        for node in self.dag.topological():
            self._value(node)
        body = self._body() if self._has_value() else None
        factors = tuple(self.literals.grounded(literal) for literal in self.dag.grounded)
        parts = [] if body is None else [self._at_all_entities(body)]
        operation = self._setting("path")
        result = self.algebra.combine_all(operation, [*parts, *(f.expr for f in factors)])
        # Inputs at further places of the output's own variable restrict the result last of all: a
        # path function other than the product would put weight beside the diagonal
        given = self._inputs_at(self.dag.destination)
        for value in given.values():
            result = self.algebra.multiply(self.algebra.expand(value, result.domain), result)
        result = self._equal_inputs(result)
        return RuleLayer(
            self.of,
            self.dag,
            self.nodes,
            self.edges,
            self.calls,
            self.planner.weighted(self.program, self.of, result),
            body,
            factors,
            operation,
            tuple(given),
            self.chain,
            tuple(self.diagonals),
        )

    def _setting(self, which: str) -> Combiner:
        name = f"{which}_combining_function"
        return COMBINERS[str(self.program.parameters.get(name, self.rule.head.signature))]

    # -- the whole rule -------------------------------------------------------------------------

    def _has_value(self) -> bool:
        """A propositional head over ground literals only is made of them and nothing else."""
        return bool(self.rule.head.arity or self.dag.ends or not self.dag.grounded)

    def _body(self) -> Origin:
        destination = self.dag.destination
        if destination is not None and self.dag.sources:
            return self.nodes[destination]
        if self.rule.head.arity > 1 and destination is not None:
            return self._on_diagonal()
        return self._ends(self._entity() if self.rule.head.arity else None)

    def _at_all_entities(self, body: Origin) -> Expr:
        """A number that reaches the output is that of every entity."""
        if self.dag.destination is None or not self.dag.sources:
            return body.expr
        return self.algebra.expand(body.expr, self._domain(self.dag.destination))

    def _ends(self, entity: Expr | None) -> Origin:
        """Unary and propositional heads: the ends multiply, each summed or read at the entity."""
        values: list[Origin] = [self._end(node, entity) for node in self.dag.ends]
        return self._joined("path", values or [Everything(self.algebra.weight(1.0, "1"))])

    def _end(self, node: Node, entity: Expr | None) -> Origin:
        value = self.nodes[node]
        if entity is None or node != self.dag.destination:
            return self._total(node, value)
        at_entity = value.expr
        if at_entity.domain is not None:
            at_entity = self.algebra.multiply(entity, at_entity)
        return AtEntity(self.algebra.total(at_entity), node, value)

    def _entity(self) -> Expr:
        assert self.dag.destination is not None
        domain = self._domain(self.dag.destination)
        assert domain is not None
        return self.algebra.input(0, domain)

    def _on_diagonal(self) -> Origin:
        """A head like h(X, X): the value of h(X) at every entity (LANGUAGE 4.4)."""
        assert self.dag.destination is not None
        domain = self._domain(self.dag.destination)
        assert domain is not None
        ends = self._ends(self._entity())
        return EachEntity(self.planner.for_each(domain, ends.expr), ends)

    def _inputs_at(self, node: Node | None) -> dict[int, Expr]:
        """The inputs at the places of the head that hold a node."""
        terms = self.rule.head.terms
        given = enumerate(self.inputs)
        return {place: v for place, v in given if v is not None and terms[place] == node}

    def _equal_inputs(self, result: Expr) -> Expr:
        """A variable at several given places, as in h(X, X, Y) asked at Y: where these have no
        entity in common the rule gives nothing, though a function or a path function could make
        something of the empty vector."""
        for node in self.dag.sources:
            if isinstance(node, Variable) and self.rule.head.terms.count(node) > 1:
                common = self.algebra.aggregate(COUNT, self._given(node).expr)
                some = self.algebra.combine(MINIMUM, common, self.algebra.weight(1.0, "1"))
                result = self.algebra.multiply(some, result)
        return result

    def _joined(self, which: str, parts: Sequence[Origin]) -> Origin:
        """The parts combined as the program says; one part is left as it is."""
        return self._together(self._setting(which), parts)

    def _together(self, operation: Combiner, parts: Sequence[Origin]) -> Origin:
        if len(parts) == 1:
            return parts[0]
        value = self.algebra.combine_all(operation, [part.expr for part in parts])
        return Joined(value, operation, tuple(parts))

    def _total(self, node: Node, of: Origin) -> Summed:
        return Summed(self.algebra.total(of.expr), SUM, node, of)

    # -- nodes ----------------------------------------------------------------------------------

    def _node(self, node: Node) -> Origin:
        incoming: list[Origin] = [self._edge(edge) for edge in self.dag.incoming(node)]
        if node in self.dag.sources:
            combined = self._together(MULTIPLY, [self._given(node), *incoming])
        elif node == self.dag.destination and not self.dag.sources:
            combined = HeadEntity(
                self._entity()
            )  # a unary head's variable is both input and output
        elif node == self.dag.destination:
            return self._destination(node, incoming)
        else:
            if self.dag.any_into(node) is not None or not incoming:
                incoming.append(self._one(node))
            combined = self._joined("path" if node in self.dag.ends else "and", incoming)
        return self._reached(node, combined)

    def _destination(self, node: Node, incoming: list[Origin]) -> Origin:
        """The output; with an any-edge its loops act on the 1-vector, and only there (3.4)."""
        into = self.dag.any_into(node)
        if into is None:
            return self._reached(node, self._joined("path", incoming or [self._one(node)]))
        start = self._one(node)
        loops = self._with_loops(node, replace(start, expr=self._at_constant(node, start.expr)))
        sums = tuple(self._summed(source) for source in into.inputs)
        acting = self._at_constant(node, loops.expr)
        value = self.algebra.multiply(*(one.expr for one in sums), acting)
        found = self._joined("path", [*incoming, Anything(value, sums, loops)])
        return Reached(self._at_constant(node, found.expr), node, found)

    def _reached(self, node: Node, combined: Origin) -> Origin:
        """A node with all that acts on it; a constant is itself and no other entity."""
        start = Reached(self._at_constant(node, combined.expr), node, combined)
        value = self._with_loops(node, start)
        if not isinstance(node, Constant):
            return value
        return replace(value, expr=self._at_constant(node, value.expr))

    def _summed(self, node: Node) -> Summed:
        name = self.program.parameters.get("any_aggregation_function", self.rule.head.signature)
        function, of = AGGREGATIONS[str(name)], self.nodes[node]
        return Summed(self.algebra.aggregate(function, of.expr), function, node, of)

    def _given(self, node: Node) -> Origin:
        """The input vectors at the places of the head that hold this node, multiplied."""
        values = self._inputs_at(node)
        given = list(values.values()) or [self.algebra.ones(self._domain(node))]
        return HeadInputs(self.algebra.multiply(*given), tuple(values))

    def _one(self, node: Node) -> Everything:
        return Everything(self.algebra.ones(self._domain(node)))

    def _at_constant(self, node: Node, value: Expr) -> Expr:
        if not isinstance(node, Constant):
            return value
        domain = self._domain(node)
        assert domain is not None
        if domain.slot is None:  # it stands in functions only, and so is in no type (2.1)
            return self.algebra.zero(domain)
        return self.algebra.multiply(value, self.algebra.one_hot(domain, node.name))

    def _domain(self, node: Node) -> TypeRef | None:
        """The type of a node's vector; None for a scalar variable."""
        if isinstance(node, NumberNode):
            return self._number_domain(node)
        if node in self.types.rows:
            return self.program.rows_ref(self.types.rows[node])
        if node in self.types.scalars:
            return None
        slot = self.types.slots.get(node)
        return EMPTY_TYPE.ref if slot is None else self.program.type_ref(slot)

    def _number_domain(self, node: NumberNode) -> TypeRef | None:
        for edge in self.dag.edges:
            if node in edge.literal.nodes:
                signature = edge.literal.signature
                if self.program.role(signature) is Role.ATTRIBUTE:
                    owner = owner_place(self.program.numeric(signature))
                    return self.program.type_ref((*signature, owner))
                if self.program.role(signature) is Role.RELATION:
                    return self.program.rows_ref(signature)
        return None

    # -- loops ----------------------------------------------------------------------------------

    def _with_loops(self, node: Node, value: Origin) -> Origin:
        for literal in self.dag.loops.get(node, ()):
            if self.program.role(literal.signature) is Role.FUNCTION:
                function = self.literals.function(literal.signature)
                after = self.algebra.apply(function, [value.expr])
                value = Applied(after, literal, function, ((node, value),), node)
            else:
                value = self._acted(literal, value, self._loop_factor(literal, node))
        return value

    def _acted(
        self, literal: BodyLiteral, before: Origin, factor: Origin, at: Expr | None = None
    ) -> Acted:
        """A value (over another type: `at`) combined with what a literal is there."""
        operation = self._setting("edge")
        value = self.algebra.combine(operation, at or before.expr, factor.expr)
        return Acted(value, literal, operation, before, factor)

    def _loop_factor(self, literal: BodyLiteral, node: Node) -> Origin:
        """What a literal at one node is at every entity."""
        signature = literal.signature
        if literal.condition is not None:
            return self.literals.compared(literal, literal.condition)
        role = self.program.role(signature)
        if role is Role.NUMERIC:
            return AttributeNumbers(self.literals.numbers(literal), literal, None)
        held = self._held(literal, node, role)
        if not literal.negated:
            return held
        return self.literals.complement(literal, self.algebra.ones(held.expr.domain), (), held)

    def _held(self, literal: BodyLiteral, node: Node, role: Role) -> Origin:
        """A unary predicate, or the diagonal of a binary one, at every entity."""
        signature = literal.signature
        if role is Role.EMPTY:
            return Unknown(self.algebra.zero(self._domain(node)), literal)
        if signature[1] == 1:
            layer = self.calls[literal] = self.planner.concept(self.program, signature, self.chain)
        else:
            layer = self.planner.diagonal(self.program, signature, self.chain)
            self.diagonals.append(layer)
        return Held(layer.result, literal, layer)

    # -- edges ----------------------------------------------------------------------------------

    def _edge(self, edge: Edge) -> Along:
        literal = edge.literal
        role = self.program.role(literal.signature)
        if role is Role.FUNCTION:
            value = self._function_edge(edge)
        elif role is Role.ATTRIBUTE:
            value = self._attribute_edge(edge)
        elif role is Role.NUMERIC:
            numbers = AttributeNumbers(self.literals.numbers(literal), literal, None)
            value = self._acted(literal, self.nodes[edge.inputs[0]], numbers)
        else:
            value = self._relation_edge(edge, role)
        self.edges[edge] = Along(value.expr, literal, value)
        return self.edges[edge]

    def _function_edge(self, edge: Edge) -> Origin:
        function, nodes = self.literals.function(edge.literal.signature), edge.literal.nodes
        arguments = [
            (node, self._value(node)) for i, node in enumerate(nodes) if i != edge.output_place
        ]
        value = self.algebra.apply(function, [argument.expr for _, argument in arguments])
        return Applied(value, edge.literal, function, tuple(arguments))

    def _attribute_edge(self, edge: Edge) -> Origin:
        literal = edge.literal
        owner = owner_place(self.program.numeric(literal.signature))
        number = literal.nodes[1 - owner]
        vector = self.planner.stored.attribute(
            self.program,
            literal.signature,
            number.value if isinstance(number, NumberNode) else None,
        )
        before = self._value(edge.inputs[0])
        at = self.algebra.expand(before.expr, vector.domain)
        return self._acted(literal, before, AttributeNumbers(vector, literal, owner), at)

    def _relation_edge(self, edge: Edge, role: Role) -> Origin:
        literal, output = edge.literal, edge.output_place
        signature = literal.signature
        passed = {
            place: self._passed(signature, place, node)
            for place, node in enumerate(literal.nodes)
            if node != edge.output
        }
        layer, groups = None, repeated_places(literal.nodes)
        own = [group for group in groups if output in group]
        if own and not all_are_one(self.program, signature, groups):
            raise repeated_output(literal, self.rule)
        value = self.algebra.zero(self.planner.place_domain(self.program, signature, output))
        if role is not Role.EMPTY:
            inputs: Inputs = tuple(
                passed[place].expr if place in passed else None for place in range(signature[1])
            )
            called = self.planner.body_literal
            layer = called(self.program, literal, output, inputs, self.chain, groups)
            self.calls[literal], value = layer, layer.result
        found = Called(value, literal, output, tuple(passed.values()), layer, groups)
        if not literal.negated:
            return found
        once = {one.node: one for one in passed.values()}  # a repeated term counts once
        sums = tuple(
            Summed(self.algebra.total(one.expr), SUM, one.node, one.of) for one in once.values()
        )
        total = self.algebra.multiply(*(one.expr for one in sums))
        return self.literals.complement(literal, total, sums, found)

    def _passed(self, signature: Signature, place: int, node: Node) -> Passed:
        value = self._value(node)
        domain = self.planner.place_domain(self.program, signature, place)
        return Passed(self.algebra.expand(value.expr, domain), place, node, value)

    def _value(self, node: Node) -> Origin:
        """The value of an input of an edge; one that no path reaches is a 1-vector."""
        if node not in self.nodes:
            self.nodes[node] = self._node(node)
        return self.nodes[node]
