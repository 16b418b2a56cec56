"""A predicate called in a rule: from an entity of its output back to those that go in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.rows import Rows, look_up
from neurallog_kernel.explain.backward import slopes_of
from neurallog_kernel.explain.bound_rule import (
    BoundInputs,
    BoundRule,
    Given,
    Goal,
    Option,
    only_entity,
    strongest,
)
from neurallog_kernel.explain.lookup import FactParts, atom_text
from neurallog_kernel.explain.parts import Part
from neurallog_kernel.functions import ADD, MULTIPLY
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.plan.layers import LiteralLayer
from neurallog_kernel.plan.linear import is_linear
from neurallog_kernel.plan.origins import Called, Passed
from neurallog_kernel.plan.planner import CallChain
from neurallog_kernel.plan.row_literal import Groups
from neurallog_kernel.rulegraph.graph import node_label

MANY = 60  # entities of one node that are looked at


class Predicates(Protocol):
    """Who explains predicates: what rules call."""

    def entry(
        self, signature: Signature, indexes: Sequence[int], chain: CallChain, best: int
    ) -> Part:
        """The parts of a predicate at the entities of a ground literal."""
        ...

    def predicate(
        self,
        signature: Signature,
        output: int | None,
        inputs: BoundInputs,
        index: int | None,
        chain: CallChain,
        best: int,
        groups: Groups = (),
    ) -> Part:
        """The parts of a predicate for its inputs, at one entity of its output; `groups` are places
        that hold one term."""
        ...


@dataclass(frozen=True)
class CallPaths:
    """The ways through a call; `total` explains the values of nodes that go in."""

    evaluator: Evaluator
    facts: FactParts
    predicates: Predicates
    total: Callable[[Goal, int], Part]

    def options(self, goal: Goal, called: Called) -> list[Option]:
        """The ways along a call into an entity; their values add up to the call's."""
        assert called.layer is not None and goal.index is not None
        rule, signature = goal.rule, called.literal.signature
        vectors = self.vectors(rule, called)
        if not called.layer.rules:
            return self.along_facts(goal, called, vectors)
        layer = self.evaluator.layer(signature, called.output, rule.layer.chain)
        singles = {place: only_entity(rows) for place, rows in vectors.items()}
        known = {place: s for place, s in singles.items() if s is not None}
        units = all(weight == 1.0 for _, weight in known.values())
        straight = not called.groups and _is_linear(layer, vectors)
        if len(known) == len(singles) and (units or straight):
            entities = {place: entity for place, (entity, _) in known.items()}
            return [self.one_call(goal, called, goal.value, entities, rule.best)]
        if len(vectors) == 1 and straight:
            return self.by_entity(goal, called, layer, vectors)
        return [Option(goal.value, (self.with_vectors(goal, called, vectors),))]

    def vectors(self, rule: BoundRule, called: Called) -> dict[int, Rows]:
        """What goes into a call, by place."""
        return {one.place: rule.rows(one.expr) for one in called.inputs}

    def along_facts(self, goal: Goal, called: Called, vectors: dict[int, Rows]) -> list[Option]:
        """Facts only: each fact into the entity, weighted by where it comes from."""
        rule, signature = goal.rule, called.literal.signature
        assert goal.index is not None
        found = self.facts.of_call(called, goal.index)
        columns, weights = found.columns, found.weights
        once = {one.node: one.place for one in called.inputs}.values()  # one value of each term
        shares = weights * prod(look_up(vectors[p], columns[p], 1) for p in once)
        options = []
        for i in strongest(shares, max(MANY, rule.best)).tolist():
            if shares[i]:
                key = [int(column[i]) for column in columns]
                fact = self.facts.part(signature, found.entities(i), float(weights[i]))
                goals = _goals(rule, called, dict(enumerate(key)))
                options.append(Option(float(shares[i]), (fact,), goals))
        return options

    def one_call(
        self, goal: Goal, called: Called, value: float, entities: dict[int, int], best: int
    ) -> Option:
        """The call with one entity at each place: a question of its own."""
        rule, signature = goal.rule, called.literal.signature
        inputs = BoundInputs(self.evaluator.given(signature, entities))
        chain, groups = rule.layer.chain, called.groups
        part = self.predicates.predicate(
            signature, called.output, inputs, goal.index, chain, best, groups
        )
        return Option(value, (part,), _goals(rule, called, entities))

    def by_entity(
        self, goal: Goal, called: Called, layer: LiteralLayer, vectors: dict[int, Rows]
    ) -> list[Option]:
        """A linear call: each entity that goes in contributes by itself."""
        ((place, rows),) = vectors.items()
        found = slopes_of(
            self.evaluator.engine, layer.result, goal.index, vectors, inputs_only=True
        )
        slope = found.inputs.get(place)
        if slope is None:
            return []
        best = goal.rule.best
        reached = np.flatnonzero(slope)
        shares = look_up(rows, reached, 1) * slope[reached]
        chosen = [i for i in strongest(shares, max(MANY, best)).tolist() if shares[i]]
        return [
            self.one_call(goal, called, float(shares[i]), {place: int(reached[i])}, best // 2)
            for i in chosen[: best + 1]
        ]

    def whole(self, goal: Goal, called: Called) -> Part:
        """The call as one part, not entity by entity."""
        if called.layer is None:
            label = self.title(goal, called)
            return Part("missing", label, 0.0, note="nothing is known of it")
        return self.with_vectors(goal, called, self.vectors(goal.rule, called))

    def with_vectors(self, goal: Goal, called: Called, vectors: dict[int, Rows]) -> Part:
        """The call with all that goes in at once; its inputs are explained where they are used."""
        rule, signature = goal.rule, called.literal.signature
        if self._declared(signature):
            return self._of_numbers(goal, called, vectors)
        inputs = BoundInputs(vectors)
        if not inputs.units:
            given = {one.place: self.from_node(rule, one) for one in called.inputs}
            inputs = BoundInputs(vectors, given)
        return self.predicates.predicate(
            signature,
            called.output,
            inputs,
            goal.index,
            rule.layer.chain,
            rule.best // 2,
            called.groups,
        )

    def _declared(self, signature: Signature) -> bool:
        """Whether its facts hold declared numbers."""
        return signature[1] > 2 and any(self.evaluator.program.numeric(signature))

    def _of_numbers(self, goal: Goal, called: Called, vectors: dict[int, Rows]) -> Part:
        """Facts with declared numbers, and where what goes into each comes from."""
        options = self.along_facts(goal, called, vectors)
        shown = options[: goal.rule.best]
        children = [
            Part("grounding", "", one.value, MULTIPLY, (*self._before(goal, one), *one.factors))
            for one in shown
        ]
        if len(options) > len(shown):
            rest = sum(one.value for one in options[len(shown) :])
            children.append(Part("rest", "all other facts", rest))
        return Part("facts", self.title(goal, called), goal.value, ADD, tuple(children))

    def _before(self, goal: Goal, option: Option) -> list[Part]:
        best = max(1, goal.rule.best // 2)
        return [self.total(one, best) for one in option.goals if one.value != 1.0]

    def from_node(self, rule: BoundRule, passed: Passed) -> Given:
        """Explains an input of a call by the node it comes from."""

        def explain(index: int) -> Part:
            goal = rule.goal(passed.of, index)
            inner = self.total(goal, max(1, rule.best // 2))
            kind = self.evaluator.kind(passed.of.expr)
            name = "" if kind is None or kind.is_rows else f" = {self.facts.name(kind, index)}"
            return Part("given", f"{node_label(passed.node)}{name}", goal.value, ADD, (inner,))

        return explain

    def title(self, goal: Goal, called: Called) -> str:
        """The call with the entities that go in; the variable where there are several."""
        names = [node_label(node) for node in called.literal.nodes]
        single = {p: only_entity(rows) for p, rows in self.vectors(goal.rule, called).items()}
        known = {place: found[0] for place, found in single.items() if found and found[1] == 1.0}
        assert goal.index is not None
        numeric = self.evaluator.program.numeric(called.literal.signature)
        for place, index in {**known, called.output: goal.index}.items():
            if len(numeric) > 2 and numeric[place]:
                continue
            kind = self.evaluator.domain(called.literal.signature, place)
            names[place] = self.facts.name(kind, index)
        return atom_text(called.literal.predicate, names)


def _goals(rule: BoundRule, called: Called, entities: dict[int, int]) -> tuple[Goal, ...]:
    """What is left to explain of a call: how each node came to its entity."""
    nodes = {one.node: rule.goal(one.of, entities[one.place]) for one in called.inputs}
    return tuple(nodes.values())


def _is_linear(layer: LiteralLayer, vectors: dict[int, Rows]) -> bool:
    return all(is_linear(layer.result, place) for place in vectors)
