"""Reading one rule: the value of every node of its DAG as an expression (LANGUAGE 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from neurallog_kernel.errors import ArityError
from neurallog_kernel.functions import (
    AGGREGATIONS,
    COMBINERS,
    NEGATIONS,
    Combiner,
    Function,
    Negation,
)
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.roles import Role, owner_place
from neurallog_kernel.knowledge.types import EMPTY_TYPE, EntityType
from neurallog_kernel.language.syntax import Constant, Rule, Signature
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.plan.layers import Applied, LiteralLayer, RuleLayer
from neurallog_kernel.rulegraph.graph import BodyLiteral, Dag, Edge, Node, NumberNode, node_label

if TYPE_CHECKING:
    from neurallog_kernel.plan.planner import Chain, Inputs, Planner


class RuleReader:
    """The state of reading one rule; `read` gives its layer."""

    def __init__(
        self,
        planner: Planner,
        program: Program,
        rule: Rule,
        dag: Dag,
        inputs: Inputs,
        chain: Chain,
    ) -> None:
        self.planner = planner
        self.algebra = planner.algebra
        self.program = program
        self.rule = rule
        self.dag = dag
        self.inputs = inputs
        self.chain = chain
        self.types = program.rule_types[rule]
        self.nodes: dict[Node, Expr] = {}
        self.edges: dict[Edge, Expr] = {}
        self.calls: dict[BodyLiteral, LiteralLayer] = {}
        self.applied: dict[Node, tuple[Applied, ...]] = {}
        self.factors: dict[BodyLiteral, Expr] = {}
        self.diagonals: list[LiteralLayer] = []

    def read(self) -> RuleLayer:
        for node in self.dag.topological():
            self.nodes[node] = self._node(node)
        parts = [self._result()] if self._has_value() else []
        for literal in self.dag.grounded:
            self.factors[literal] = self._grounded(literal)
            parts.append(self.factors[literal])
        result = self.algebra.combine_all(self._setting("path"), parts)
        result = self.planner.weighted(self.program, self.rule, self._diagonal_inputs(result))
        return RuleLayer(
            self.rule,
            self.dag,
            self.nodes,
            self.edges,
            self.calls,
            result,
            self.applied,
            self.factors,
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

    def _result(self) -> Expr:
        head = self.rule.head
        if head.arity > 1 and self.dag.destination is not None and not self.dag.sources:
            return self._on_diagonal()
        if self.dag.destination is not None and self.dag.sources:
            return self._expanded(self.nodes[self.dag.destination])
        return self._ends(self._entity() if head.arity else None)

    def _expanded(self, value: Expr) -> Expr:
        assert self.dag.destination is not None
        return self.algebra.expand(value, self._domain(self.dag.destination))

    def _ends(self, entity: Expr | None) -> Expr:
        """Unary and propositional heads: the ends multiply, each summed or read at the entity."""
        values = [self._end(node, entity) for node in self.dag.ends]
        if not values:
            return self.algebra.weight(1.0, "1")
        return self.algebra.combine_all(self._setting("path"), values)

    def _end(self, node: Node, entity: Expr | None) -> Expr:
        value = self.nodes[node]
        if entity is not None and node == self.dag.destination and value.domain is not None:
            value = self.algebra.multiply(entity, value)
        return self.algebra.total(value)

    def _entity(self) -> Expr:
        assert self.dag.destination is not None
        domain = self._domain(self.dag.destination)
        assert domain is not None
        return self.algebra.input(0, domain)

    def _on_diagonal(self) -> Expr:
        """A head like h(X, X): the value of h(X) at every entity (LANGUAGE 4.4)."""
        assert self.dag.destination is not None
        domain = self._domain(self.dag.destination)
        assert domain is not None
        return self.planner.for_each(domain, self._ends(self._entity()))

    def _diagonal_inputs(self, result: Expr) -> Expr:
        """Inputs at further places of the output's own variable restrict the result: last of all,
        since a path function other than the product would put weight beside the diagonal."""
        for place, term in enumerate(self.rule.head.terms):
            value = self.inputs[place] if place < len(self.inputs) else None
            if term == self.dag.destination and value is not None:
                result = self.algebra.multiply(self.algebra.expand(value, result.domain), result)
        return result

    # -- nodes ----------------------------------------------------------------------------------

    def _node(self, node: Node) -> Expr:
        incoming = [self._edge(edge) for edge in self.dag.incoming(node)]
        if node in self.dag.sources:
            combined = self.algebra.multiply(self._given(node), *incoming)
        elif node == self.dag.destination and not self.dag.sources:
            combined = self._entity()  # a unary head's variable is both input and output
        elif node == self.dag.destination:
            return self._destination(node, incoming)
        else:
            if self.dag.any_into(node) is not None or not incoming:
                incoming.append(self._one(node))
            which = "path" if node in self.dag.ends else "and"
            combined = self.algebra.combine_all(self._setting(which), incoming)
        return self._at_constant(node, self._with_loops(node, self._at_constant(node, combined)))

    def _destination(self, node: Node, incoming: list[Expr]) -> Expr:
        """The output; with an any-edge its loops act on the 1-vector, and only there (3.4)."""
        into = self.dag.any_into(node)
        if into is None:
            if not incoming:
                incoming = [self._one(node)]
            value = self.algebra.combine_all(self._setting("path"), incoming)
            return self._at_constant(node, self._with_loops(node, self._at_constant(node, value)))
        loops = self._with_loops(node, self._at_constant(node, self._one(node)))
        sums = [self._summed(source) for source in into.inputs]
        anything = self.algebra.multiply(*sums, self._at_constant(node, loops))
        value = self.algebra.combine_all(self._setting("path"), [*incoming, anything])
        return self._at_constant(node, value)

    def _summed(self, node: Node) -> Expr:
        name = self.program.parameters.get("any_aggregation_function", self.rule.head.signature)
        return self.algebra.aggregate(AGGREGATIONS[str(name)], self.nodes[node])

    def _given(self, node: Node) -> Expr:
        """The input vectors at the places of the head that hold this node, multiplied."""
        values = [
            value
            for term, value in zip(self.rule.head.terms, self.inputs, strict=True)
            if term == node and value is not None
        ]
        return self.algebra.multiply(*values)

    def _one(self, node: Node) -> Expr:
        return self.algebra.ones(self._domain(node))

    def _at_constant(self, node: Node, value: Expr) -> Expr:
        if not isinstance(node, Constant):
            return value
        domain = self._domain(node)
        assert domain is not None
        symbol = self.planner.symbols.find(node.name)
        index = None if symbol is None else domain.position(symbol)
        if index is None:  # it stands in functions only, and so is in no type (2.1)
            return self.algebra.zero(domain)
        return self.algebra.multiply(value, self.algebra.one_hot(domain, index, node.name))

    def _domain(self, node: Node) -> EntityType | None:
        """The type of a node's vector; None for a scalar variable."""
        if isinstance(node, NumberNode):
            return self._number_domain(node)
        if node in self.types.scalars:
            return None
        slot = self.types.slots.get(node)
        return EMPTY_TYPE if slot is None else self.program.entity_type(slot)

    def _number_domain(self, node: NumberNode) -> EntityType | None:
        for edge in self.dag.edges:
            if node in edge.literal.nodes:
                signature = edge.literal.signature
                if self.program.role(signature) is Role.ATTRIBUTE:
                    owner = owner_place(self.program.numeric(signature))
                    return self.program.entity_type((*signature, owner))
        return None

    # -- loops ----------------------------------------------------------------------------------

    def _with_loops(self, node: Node, value: Expr) -> Expr:
        applied = []
        for literal in self.dag.loops.get(node, ()):
            factor = self._loop_factor(literal, node)
            if factor is None:
                after = self.algebra.apply(self._function(literal.signature), [value])
            else:
                after = self.algebra.combine(self._setting("edge"), value, factor)
            applied.append(Applied(literal, value, factor, after))
            value = after
        self.applied[node] = tuple(applied)
        return value

    def _loop_factor(self, literal: BodyLiteral, node: Node) -> Expr | None:
        """What a literal at one node is at every entity; None for a function."""
        signature = literal.signature
        role = self.program.role(signature)
        if role is Role.FUNCTION:
            return None
        if role is Role.NUMERIC:
            return self._numbers(literal)
        vector = self._vector(literal, node, role)
        if literal.negated:
            ones = self.algebra.ones(vector.domain)
            vector = self.algebra.complement(self._negation(signature), ones, vector)
        return vector

    def _vector(self, literal: BodyLiteral, node: Node, role: Role) -> Expr:
        """A unary predicate, or the diagonal of a binary one, at every entity."""
        signature = literal.signature
        if role is Role.EMPTY:
            return self.algebra.zero(self._domain(node))
        if signature[1] == 1:
            layer = self.planner.concept(self.program, signature, self.chain)
            self.calls[literal] = layer
            return layer.result
        if signature[1] > 2:
            raise _repeated(literal, self.rule)
        self.diagonals.append(self.planner.diagonal(self.program, signature, self.chain))
        return self.diagonals[-1].result

    # -- edges ----------------------------------------------------------------------------------

    def _edge(self, edge: Edge) -> Expr:
        literal = edge.literal
        role = self.program.role(literal.signature)
        if role is Role.FUNCTION:
            value = self._function_edge(edge)
        elif role is Role.ATTRIBUTE:
            value = self._attribute_edge(edge)
        elif role is Role.NUMERIC:
            value = self.algebra.combine(
                self._setting("edge"), self.nodes[edge.inputs[0]], self._numbers(literal)
            )
        else:
            value = self._relation_edge(edge, role)
        self.edges[edge] = value
        return value

    def _function_edge(self, edge: Edge) -> Expr:
        function = self._function(edge.literal.signature)
        places = [i for i in range(len(edge.literal.nodes)) if i != edge.output_place]
        arguments = [self._value(edge.literal.nodes[i]) for i in places]
        return self.algebra.apply(function, arguments)

    def _attribute_edge(self, edge: Edge) -> Expr:
        numeric = self.program.numeric(edge.literal.signature)
        number = edge.literal.nodes[1 - owner_place(numeric)]
        vector = self.planner.attribute(
            self.program,
            edge.literal.signature,
            number.value if isinstance(number, NumberNode) else None,
        )
        value = self.algebra.expand(self._value(edge.inputs[0]), vector.domain)
        return self.algebra.combine(self._setting("edge"), value, vector)

    def _relation_edge(self, edge: Edge, role: Role) -> Expr:
        literal, output = edge.literal, edge.output_place
        signature = literal.signature
        if literal.nodes.count(edge.output) > 1:
            raise _repeated(literal, self.rule)
        inputs: Inputs = tuple(
            None
            if place == output
            else self.algebra.expand(
                self._value(node), self.planner.domain(self.program, signature, place)
            )
            for place, node in enumerate(literal.nodes)
        )
        if role is Role.EMPTY:
            value = self.algebra.zero(self.planner.domain(self.program, signature, output))
        else:
            layer = self.planner.literal(self.program, signature, output, inputs, self.chain)
            self.calls[literal] = layer
            value = layer.result
        if not literal.negated:
            return value
        sums = [self.algebra.total(v) for v in inputs if v is not None]
        return self.algebra.complement(
            self._negation(signature), self.algebra.multiply(*sums), value
        )

    def _value(self, node: Node) -> Expr:
        """The value of an input of an edge; one that no path reaches is a 1-vector."""
        if node not in self.nodes:
            self.nodes[node] = self._node(node)
        return self.nodes[node]

    # -- ground literals ------------------------------------------------------------------------

    def _grounded(self, literal: BodyLiteral) -> Expr:
        value = self._ground_value(literal)
        if literal.negated:
            one = self.algebra.weight(1.0, "1")
            value = self.algebra.complement(self._negation(literal.signature), one, value)
        return value

    def _ground_value(self, literal: BodyLiteral) -> Expr:
        signature, nodes = literal.signature, literal.nodes
        role = self.program.role(signature)
        if role is Role.FUNCTION:
            return self.algebra.apply(self._function(signature), self._ground_arguments(literal))
        if role is Role.EMPTY:
            return self.algebra.zero(None)
        if role is Role.NUMERIC:
            return self._numbers(literal)
        if role is Role.ATTRIBUTE:
            place = owner_place(self.program.numeric(signature))
            number = nodes[1 - place]
            assert isinstance(number, NumberNode)
            vector = self.planner.attribute(self.program, signature, number.value)
            return self._read(vector, signature, place, nodes[place])
        if signature[1] == 0:
            layer = self.planner.proposition(self.program, signature, self.chain)
            self.calls[literal] = layer
            return layer.result
        if signature[1] == 1:
            layer = self.planner.concept(self.program, signature, self.chain)
        else:
            layer = self.planner.literal(
                self.program, signature, signature[1] - 1, self._ground_inputs(literal), self.chain
            )
        self.calls[literal] = layer
        return self._read(layer.result, signature, signature[1] - 1, nodes[-1])

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
        symbol = self.planner.symbols.find(node.name)
        index = None if symbol is None else domain.position(symbol)
        if index is None:
            return self.algebra.zero(domain)
        return self.algebra.one_hot(domain, index, node.name)

    # -- small things ---------------------------------------------------------------------------

    def _function(self, signature: Signature) -> Function:
        found = self.program.function(signature)
        assert found is not None
        return found

    def _negation(self, signature: Signature) -> Negation:
        name = self.program.parameters.get("literal_negation_function", signature)
        return NEGATIONS[str(name)]

    def _numbers(self, literal: BodyLiteral) -> Expr:
        given = tuple(n.value if isinstance(n, NumberNode) else None for n in literal.nodes)
        return self.planner.numbers(self.program, literal.signature, given)


def _repeated(literal: BodyLiteral, rule: Rule) -> ArityError:
    spans: Sequence = [body.span for body in rule.body]
    return ArityError(
        f"{literal} has its output in several places of a literal of three or more",
        spans[literal.index],
        "write a rule for the diagonal first, with the variable once in its head",
    )
