"""Along an edge of a rule: from an entity back to those it can be reached from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.rows import Rows, look_up, total
from neurallog_kernel.explain.backward import slopes_of
from neurallog_kernel.explain.bound_rule import (
    Frame,
    Inputs,
    Option,
    goal_at,
    only_entity,
    strongest,
)
from neurallog_kernel.explain.lookup import Facts
from neurallog_kernel.explain.parts import Part, number, of_literal
from neurallog_kernel.functions import MULTIPLY, NEGATIONS, Combiner, FunctionKind
from neurallog_kernel.knowledge.relations import Relation
from neurallog_kernel.knowledge.roles import Role, owner_place
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.plan.layers import LiteralLayer
from neurallog_kernel.plan.linear import is_linear
from neurallog_kernel.plan.planner import Chain
from neurallog_kernel.rulegraph.graph import Edge, node_label

if TYPE_CHECKING:
    from neurallog_kernel.explain.bound_rule import Goal

MANY = 60  # entities of one node that are looked at


@dataclass
class EdgeReader(ABC):
    """The options of an edge; nodes and predicates are explained by those who build on it."""

    evaluator: Evaluator
    facts: Facts

    def __post_init__(self) -> None:
        self.program = self.evaluator.program
        self.planner = self.evaluator.planner
        self.engine = self.evaluator.engine

    # -- what the others do ---------------------------------------------------------------------

    @abstractmethod
    def total(self, goal: Goal, best: int) -> Part:
        """The parts of what a predicate gives for a goal."""

    @abstractmethod
    def entries_sum(self, frame: Frame, node) -> Part:
        """The parts of the sum of a node's entries."""

    @abstractmethod
    def setting(self, frame: Frame, name: str) -> Combiner:
        """A parameter of the rule's predicate."""

    @abstractmethod
    def vector(self, frame: Frame, node, domain) -> Rows:
        """The values of a node over its domain."""

    @abstractmethod
    def concept(self, signature: Signature, index: int, chain: Chain, best: int) -> Part:
        """The parts of a concept of an entity."""

    @abstractmethod
    def diagonal(self, signature: Signature, index: int, chain: Chain, best: int) -> Part:
        """The parts of a relation of an entity with itself."""

    @abstractmethod
    def literal(
        self,
        signature: Signature,
        output: int,
        inputs: Inputs,
        index: int,
        chain: Chain,
        best: int,
    ) -> Part:
        """The parts of a literal for an output entity."""

    # -- edges ----------------------------------------------------------------------------------

    def edge_options(self, frame: Frame, edge: Edge, index: int | None) -> list[Option]:
        """The ways along an edge into an entity; their values add up to the edge's."""
        value = frame.at(frame.layer.edges[edge], index)
        if value == 0:
            return []
        options = self._edge_options(frame, edge, index, value)
        return [
            replace(o, factors=tuple(of_literal(f, edge.literal) for f in o.factors))
            for o in options
        ]

    def _edge_options(
        self, frame: Frame, edge: Edge, index: int | None, value: float
    ) -> list[Option]:
        role = self.program.role(edge.literal.signature)
        if role is Role.FUNCTION:
            return [Option(value, (self.function_edge(frame, edge, index, value),))]
        if role in (Role.ATTRIBUTE, Role.NUMERIC):
            return [self.number_edge(frame, edge, index, value)]
        if edge.literal.negated:
            return [Option(value, (self.negated_edge(frame, edge, index, value),))]
        assert index is not None
        return self.call(frame, edge, index, value)

    def function_edge(self, frame: Frame, edge: Edge, index: int | None, value: float) -> Part:
        function = self.program.function(edge.literal.signature)
        assert function is not None
        nodes = edge.literal.nodes
        arguments = [nodes[i] for i in range(len(nodes)) if i != edge.output_place]
        label = f"{function.name}({', '.join(map(node_label, arguments))})"
        one_by_one = function.kind is FunctionKind.ELEMENTWISE
        inner = []
        for node in arguments:
            scalar = frame.layer.nodes[node].domain is None
            place = None if scalar else index
            if place is None and not scalar:  # a whole vector became one number
                inner.append(
                    number(float(total(_rows(frame, node))[0]), f"sum of {node_label(node)}")
                )
                continue
            inner.append(self.total(goal_at(frame, node, place), frame.best))
        operation = "function" if one_by_one else "whole"
        return Part("function", label, value, operation, tuple(inner), function=function)

    def number_edge(self, frame: Frame, edge: Edge, index: int | None, value: float) -> Option:
        signature = edge.literal.signature
        source = edge.inputs[0]
        if self.program.role(signature) is Role.NUMERIC:
            scalar = self.planner.numbers(
                self.program,
                signature,
                tuple(getattr(node, "value", None) for node in edge.literal.nodes),
            )
            factor = self.facts.scalar(signature, frame.at(scalar, None))
        else:
            at = owner_place(self.program.numeric(signature))
            given = getattr(edge.literal.nodes[1 - at], "value", None)
            vector = self.planner.attribute(self.program, signature, given)
            assert index is not None
            factor = self.facts.attribute(signature, index, at, frame.at(vector, index))
        place = None if frame.layer.nodes[source].domain is None else index
        before = goal_at(frame, source, place)
        combiner = self.setting(frame, "edge_combining_function")
        if combiner is MULTIPLY:
            return Option(value, (factor,), (before,))
        children = (self.total(before, frame.best), factor)
        part = Part("combine", combiner.name, value, "combine", children, combiner=combiner)
        return Option(value, (part,))

    def negated_edge(self, frame: Frame, edge: Edge, index: int | None, value: float) -> Part:
        signature, output = edge.literal.signature, edge.output_place
        assert index is not None
        vectors = self.vectors(frame, edge)
        whole = float(prod(float(total(rows)[0]) for rows in vectors.values()))
        kind = self.program.entity_type((*signature, output))
        names = [
            self.facts.name(kind, index)
            if place == output
            else self.entity_or(vectors[place], signature, place, node_label(node))
            for place, node in enumerate(edge.literal.nodes)
        ]
        label = f"{signature[0]}({', '.join(names)})"
        if self.program.role(signature) is Role.EMPTY:
            found = Part("missing", label, 0.0, note="nothing is known of it")
        else:
            units = all(only_entity(rows) in _units(rows) for rows in vectors.values())
            given = {} if units else {p: self.from_node(frame, n) for p, n in self.inputs_of(edge)}
            inputs = Inputs(vectors, given)
            found = self.literal(
                signature, output, inputs, index, frame.layer.chain, frame.best // 2
            )
        return self.negation(signature, f"not {label}", self.whole(frame, edge, whole), found)

    def whole(self, frame: Frame, edge: Edge, value: float) -> Part:
        """What a negated literal takes away from: the sums of what goes into it."""
        nodes = dict.fromkeys(node for _, node in self.inputs_of(edge))
        parts = [self.entries_sum(frame, node) for node in nodes]
        parts = [part for part in parts if part.kind != "nothing"]
        if not parts:
            return number(value, "1")
        sums = " times ".join(f"the sum of {node_label(n)}" for n in nodes)
        plain = len(nodes) == len(self.inputs_of(edge))
        return Part("given", sums, value, "product" if plain else "", tuple(parts))

    def negation(self, signature: Signature, label: str, whole: Part, found: Part) -> Part:
        """What is missing from the whole; if so set, the negative of what was found."""
        name = self.program.parameters.get("literal_negation_function", signature)
        if not NEGATIONS[str(name)].of_total:
            whole = number(0.0, "0")
        value = whole.value - found.value
        return Part("negation", label, value, "subtract", (whole, found))

    # -- calls ----------------------------------------------------------------------------------

    def inputs_of(self, edge: Edge):
        return [(p, n) for p, n in enumerate(edge.literal.nodes) if p != edge.output_place]

    def vectors(self, frame: Frame, edge: Edge) -> dict[int, Rows]:
        """What goes into an edge, by place."""
        signature = edge.literal.signature
        return {
            place: self.vector(frame, node, self.planner.domain(self.program, signature, place))
            for place, node in self.inputs_of(edge)
        }

    def from_node(self, frame: Frame, node):
        """Explains an input of a call by the node it comes from."""
        scalar = frame.layer.nodes[node].domain is None

        def explain(index: int) -> Part:
            goal = goal_at(frame, node, None if scalar else index)
            inner = self.total(goal, max(1, frame.best // 2))
            domain = frame.layer.nodes[node].domain
            name = "" if domain is None else f" = {self.facts.name(domain, index)}"
            return Part("given", f"{node_label(node)}{name}", goal.value, "sum", (inner,))

        return explain

    def entity_or(self, rows: Rows, signature: Signature, place: int, label: str) -> str:
        """The entity's name where a vector has one only, else the variable."""
        single = only_entity(rows)
        if single is None or single[1] != 1.0:
            return label
        return self.facts.name(self.program.entity_type((*signature, place)), single[0])

    def call(self, frame: Frame, edge: Edge, index: int, value: float) -> list[Option]:
        """A predicate used from its inputs to the output."""
        signature, output, chain = edge.literal.signature, edge.output_place, frame.layer.chain
        vectors = self.vectors(frame, edge)
        nodes = dict(self.inputs_of(edge))
        if signature[1] == 2 and not self.program.definition(signature).rules:
            return self.along_facts(frame, edge, index, vectors)
        layer = self.evaluator.layer(signature, output, chain)
        singles = {place: only_entity(rows) for place, rows in vectors.items()}
        known = {place: s for place, s in singles.items() if s is not None}
        units = all(weight == 1.0 for _, weight in known.values())
        if len(known) == len(singles) and (units or self.linear(layer, vectors)):
            entities = {place: entity for place, (entity, _) in known.items()}
            return [self.one_call(frame, edge, index, value, entities, frame.best)]
        if len(vectors) == 1:
            ((place, rows),) = vectors.items()
            if is_linear(layer.result, place):
                return self.by_entity(frame, edge, index, layer, rows)
        given = {place: self.from_node(frame, node) for place, node in nodes.items()}
        part = self.literal(
            signature, output, Inputs(vectors, given), index, chain, frame.best // 2
        )
        return [Option(value, (part,))]

    def linear(self, layer: LiteralLayer, vectors: dict[int, Rows]) -> bool:
        return all(is_linear(layer.result, place) for place in vectors)

    def one_call(
        self,
        frame: Frame,
        edge: Edge,
        index: int,
        value: float,
        entities: dict[int, int],
        best: int,
    ) -> Option:
        """The call with one entity at each place: a question of its own."""
        signature = edge.literal.signature
        inputs = Inputs(
            {
                place: Inputs.one(
                    place, len(self.program.entity_type((*signature, place))), entity
                ).rows[place]
                for place, entity in entities.items()
            }
        )
        part = self.literal(signature, edge.output_place, inputs, index, frame.layer.chain, best)
        goals = []
        for place, node in self.inputs_of(edge):
            scalar = frame.layer.nodes[node].domain is None
            goal = goal_at(frame, node, None if scalar else entities[place])
            if all(goal.node != other.node for other in goals):
                goals.append(goal)
        return Option(value, (part,), tuple(goals))

    def by_entity(
        self, frame: Frame, edge: Edge, index: int, layer: LiteralLayer, rows: Rows
    ) -> list[Option]:
        """A linear call: each entity that goes in contributes by itself."""
        ((place, _),) = self.inputs_of(edge)
        slopes = slopes_of(self.engine, layer.result, index, {place: rows}, inputs_only=True)
        slope = slopes.inputs.get(place)
        if slope is None:
            return []
        reached = np.flatnonzero(slope)
        shares = look_up(rows, reached, 1) * slope[reached]
        chosen = [i for i in strongest(shares, max(MANY, frame.best)).tolist() if shares[i]]
        return [
            self.one_call(
                frame, edge, index, float(shares[i]), {place: int(reached[i])}, frame.best // 2
            )
            for i in chosen[: frame.best + 1]
        ]

    def along_facts(
        self, frame: Frame, edge: Edge, index: int, vectors: dict[int, Rows]
    ) -> list[Option]:
        """Facts only: each fact into the entity, weighted by where it comes from."""
        signature, output = edge.literal.signature, edge.output_place
        ((place, node),) = self.inputs_of(edge)
        relation = self.planner.relations.relation(self.program, signature)
        found, weights = facts_into(relation, index, output)
        shares = look_up(vectors[place], found, 1) * weights
        scalar = frame.layer.nodes[node].domain is None
        options = []
        for i in strongest(shares, max(MANY, frame.best)).tolist():
            if shares[i]:
                entity = int(found[i])
                key = (index, entity) if output == 0 else (entity, index)
                fact = self.facts.part(signature, key, float(weights[i]))
                goal = goal_at(frame, node, None if scalar else entity)
                options.append(Option(float(shares[i]), (fact,), (goal,)))
        return options


def facts_into(relation: Relation, index: int, output: int) -> tuple[np.ndarray, np.ndarray]:
    """The entities that facts join with `index` at place `output`, and the facts' weights."""
    parts: Sequence = relation.parts if output == 0 else relation.transposed_parts()
    entities, weights = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for part in parts:
        if index < part.shape[0]:
            here = slice(int(part.starts[index]), int(part.starts[index + 1]))
            entities.append(part.columns[here].astype(np.int64))
            weights.append(part.weights[here])
    return np.concatenate(entities), np.concatenate(weights)


def _units(rows: Rows) -> list[tuple[int, float]]:
    """The form of a row that is one entity with weight 1."""
    found = only_entity(rows)
    return [(found[0], 1.0)] if found else []


def _rows(frame: Frame, node) -> Rows:
    found = frame.value(frame.layer.nodes[node])
    assert isinstance(found, Rows)
    return found
