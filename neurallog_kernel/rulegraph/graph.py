"""The data of a rule's graph, plain and frozen: nodes, body literals, paths and the DAG."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from neurallog_kernel.knowledge.rule_types import AttributeComparison
from neurallog_kernel.language.printer import format_literal, format_number, format_term
from neurallog_kernel.language.syntax import Constant, Literal, Number, Rule, Signature, Variable


@dataclass(frozen=True, slots=True)
class NumberNode:
    """A number in a body; every occurrence is a node of its own."""

    value: float
    occurrence: int


Node: TypeAlias = Variable | Constant | NumberNode


def node_label(node: Node) -> str:
    """The node as the rule writes it."""
    if isinstance(node, NumberNode):
        return format_number(node.value)
    return format_term(node)


@dataclass(frozen=True, slots=True)
class AttributeCondition:
    """A comparison of an attribute's value with a number: `age(X, A), at_least(A, 50)`."""

    comparison: str
    number: float
    text: str = field(compare=False)  # the two literals as they are written


@dataclass(frozen=True, slots=True)
class BodyLiteral:
    """A body literal over nodes. Equal literals are one edge; `index` is the place in the body.

    An attribute with a `condition` stays at its owner, the only node it has: it lets through the
    owners whose value fits.
    """

    predicate: str
    nodes: tuple[Node, ...]
    negated: bool
    index: int = field(compare=False)
    condition: AttributeCondition | None = None

    @property
    def signature(self) -> Signature:
        return (self.predicate, len(self.nodes) if self.condition is None else 2)

    @property
    def is_loop(self) -> bool:
        """Whether it stays at one node: `p(X)`, `p(X, X)`."""
        return bool(self.nodes) and all(node == self.nodes[0] for node in self.nodes)

    @property
    def is_ground(self) -> bool:
        return not any(isinstance(node, Variable) for node in self.nodes)

    def __str__(self) -> str:
        if self.condition is not None:
            return self.condition.text
        inner = ", ".join(node_label(node) for node in self.nodes)
        return f"{'not ' if self.negated else ''}{self.predicate}" + (f"({inner})" if inner else "")


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of a path: along a literal, or (`literal` None) along `any`."""

    start: Node
    end: Node
    literal: BodyLiteral | None

    def reversed(self) -> PathStep:
        return PathStep(self.end, self.start, self.literal)


@dataclass(frozen=True, slots=True)
class Path:
    """A way through the rule, from an input (or a free variable) to the output (or a dead end)."""

    start: Node
    steps: tuple[PathStep, ...] = ()

    @property
    def end(self) -> Node:
        return self.steps[-1].end if self.steps else self.start

    @property
    def nodes(self) -> tuple[Node, ...]:
        return (self.start, *(step.end for step in self.steps))

    @property
    def all_nodes(self) -> set[Node]:
        """Its nodes, and the other terms of its literals."""
        literals = (step.literal for step in self.steps if step.literal is not None)
        return {*self.nodes, *(node for literal in literals for node in literal.nodes)}

    def extended(self, step: PathStep) -> Path:
        return Path(self.start, (*self.steps, step))

    def reversed(self) -> Path:
        return Path(self.end, tuple(step.reversed() for step in reversed(self.steps)))

    def touches(self, node: Node) -> bool:
        """Whether the node is the start or occurs in a literal of the path."""
        return node == self.start or any(
            node == step.end or (step.literal is not None and node in step.literal.nodes)
            for step in self.steps
        )


@dataclass(frozen=True, slots=True)
class Edge:
    """A literal with its direction: from all its other terms into `output`."""

    literal: BodyLiteral
    output: Node

    @property
    def inputs(self) -> tuple[Node, ...]:
        return tuple(dict.fromkeys(n for n in self.literal.nodes if n != self.output))

    @property
    def output_place(self) -> int:
        """The place of the literal that the output takes: the last one that holds it."""
        places = [i for i, node in enumerate(self.literal.nodes) if node == self.output]
        return places[-1]


@dataclass(frozen=True, slots=True)
class AnyEdge:
    """`any(inputs..., output)`: at the destination the inputs are summed, elsewhere a 1-vector."""

    inputs: tuple[Node, ...]
    output: Node


@dataclass(frozen=True)
class Dag:
    """The directed acyclic graph of a rule for one choice of output.

    `ends` are the nodes whose sums (or, at the input, entry) make the value of a unary or
    propositional head; otherwise the destination's value is the rule's.
    """

    rule: Rule
    output_place: int | None
    sources: tuple[Node, ...]
    destination: Node | None
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    any_edges: tuple[AnyEdge, ...]
    loops: Mapping[Node, tuple[BodyLiteral, ...]]
    ends: tuple[Node, ...]
    grounded: tuple[BodyLiteral, ...]
    unused: tuple[BodyLiteral, ...]
    paths: tuple[Path, ...]

    def incoming(self, node: Node) -> tuple[Edge, ...]:
        return self._incoming.get(node, ())

    def any_into(self, node: Node) -> AnyEdge | None:
        return next((edge for edge in self.any_edges if edge.output == node), None)

    @cached_property
    def _incoming(self) -> dict[Node, tuple[Edge, ...]]:
        table: dict[Node, tuple[Edge, ...]] = {}
        for edge in self.edges:
            table[edge.output] = (*table.get(edge.output, ()), edge)
        return table

    def topological(self) -> Iterator[Node]:
        """The nodes, each after the nodes its edges come from."""
        done: set[Node] = set()
        for node in self.nodes:
            yield from self._after_inputs(node, done)

    def _after_inputs(self, node: Node, done: set[Node]) -> Iterator[Node]:
        if node in done:
            return
        done.add(node)
        for edge in self.incoming(node):
            for source in edge.inputs:
                yield from self._after_inputs(source, done)
        into = self.any_into(node)
        for source in into.inputs if into else ():
            yield from self._after_inputs(source, done)
        yield node

    def __str__(self) -> str:
        from neurallog_kernel.rulegraph.text import dag_text

        return dag_text(self)


def body_literals(
    rule: Rule,
    compared: Sequence[AttributeComparison] = (),
    declared: Collection[tuple[int, int]] = (),
) -> tuple[BodyLiteral, ...]:
    """The body over nodes: variables and constants by name, each number on its own, those at
    declared places too (by literal and place). An attribute that is only compared becomes a
    condition on its owner."""
    numbers = 0
    literals = []
    conditions = {one.comparison: one for one in compared}
    only_compared = _only_compared(rule, compared)
    for index, literal in enumerate(rule.body):
        if index in conditions:
            literals.append(_condition(rule, conditions[index]))
            continue
        nodes: list[Node] = []
        for place, term in enumerate(literal.terms):
            value = term.value if isinstance(term, Number) else None
            if isinstance(term, Constant) and (index, place) in declared:
                value = float(term.name)
            if value is not None:
                numbers += 1
                nodes.append(NumberNode(value, numbers))
            elif isinstance(term, Variable | Constant):
                nodes.append(term)
        if index not in only_compared:
            literals.append(BodyLiteral(literal.predicate, tuple(nodes), literal.negated, index))
    return tuple(literals)


def _condition(rule: Rule, here: AttributeComparison) -> BodyLiteral:
    comparison, attribute = rule.body[here.comparison], rule.body[here.attribute]
    number, owner = comparison.terms[1], attribute.terms[here.owner]
    assert isinstance(number, Number) and isinstance(owner, Variable | Constant)
    text = f"{format_literal(attribute)}, {format_literal(comparison)}"
    condition = AttributeCondition(comparison.predicate, number.value, text)
    return BodyLiteral(attribute.predicate, (owner,), False, here.comparison, condition)


def _only_compared(rule: Rule, compared: Sequence[AttributeComparison]) -> set[int]:
    """The attributes whose value is used in comparisons and nowhere else."""
    places = {one.comparison for one in compared}
    found = set()
    for one in compared:
        value = rule.body[one.attribute].terms[1 - one.owner]
        others = [x for i, x in enumerate(rule.body) if i not in places and i != one.attribute]
        if not any(value in literal.terms for literal in (rule.head, *others)):
            found.add(one.attribute)
    return found


def head_nodes(head: Literal) -> tuple[Node, ...]:
    """The head's terms as nodes; a head holds no numbers (checked when the rule is added)."""
    return tuple(t for t in head.terms if isinstance(t, Variable | Constant))
