"""Inside a rule: a value as the sum of its groundings, the strongest first.

It reads what the planner noted of each value: a `match` over origins that ends in `assert_never`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import count
from math import prod
from typing import assert_never

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.explain.bound_rule import BoundRule, Goal, Option, strongest
from neurallog_kernel.explain.calls import MANY, CallPaths, Predicates
from neurallog_kernel.explain.lookup import FactParts
from neurallog_kernel.explain.parts import Part, combined, number, of_literal, summands
from neurallog_kernel.functions import ADD, MULTIPLY, SUBTRACT, SUM, FunctionKind
from neurallog_kernel.language.syntax import Constant
from neurallog_kernel.plan.origins import (
    Acted,
    Along,
    Anything,
    Applied,
    AtEntity,
    AttributeNumbers,
    Called,
    Compares,
    Complement,
    EachEntity,
    Everything,
    Ground,
    HeadEntity,
    HeadInputs,
    Held,
    Joined,
    Origin,
    Reached,
    Summed,
    Unknown,
)
from neurallog_kernel.rulegraph.graph import Node, node_label

LOOKS = 400  # groundings looked at before the rest is left as one line


@dataclass(frozen=True, slots=True)
class _State:
    """A grounding half done: the factors found so far and the goals that are left."""

    factors: tuple[Part, ...]
    goals: tuple[Goal, ...]
    names: tuple[tuple[Node, str], ...] = ()


class Groundings:
    """Turns goals into parts. The options of a goal add up to its value, so do its groundings."""

    def __init__(self, evaluator: Evaluator, facts: FactParts, predicates: Predicates) -> None:
        self.evaluator = evaluator
        self.facts = facts
        self.predicates = predicates
        self.calls = CallPaths(evaluator, facts, predicates, self.total)

    def total(self, goal: Goal, best: int) -> Part:
        """A goal's value, explained."""
        return self.summed(goal.rule, goal.value, [Option(goal.value, goals=(goal,))], best)

    def summed(self, rule: BoundRule, value: float, options: Sequence[Option], best: int) -> Part:
        """A value as the sum of groundings; one that is all of it stands for itself.

        The best first: a state is worth the product of its factors and of the values of its goals,
        which no grounding that comes of it exceeds while all weights are positive.
        """
        order = count()
        heap: list[tuple[float, int, _State]] = []

        def push(state: _State) -> None:
            worth = prod(f.value for f in state.factors) * prod(g.value for g in state.goals)
            if worth != 0:
                heappush(heap, (-abs(worth), next(order), state))

        for option in options:
            push(_State(option.factors, option.goals, option.names))
        done: list[Part] = []
        for _ in range(LOOKS + 20 * best):
            if not heap or len(done) == best:
                break
            state = heappop(heap)[2]
            if not state.goals:
                done.append(self.grounding(rule, state))
                continue
            for option in self.options(state.goals[0]):
                goals = (*option.goals, *state.goals[1:])
                push(
                    _State((*state.factors, *option.factors), goals, (*state.names, *option.names))
                )
        rest = value - sum(part.value for part in done)
        if heap or abs(rest) > 1e-9 * max(1.0, abs(value)):
            done.append(Part("rest", "all other groundings", rest))
        if len(done) == 1:
            return done[0]
        if not done:
            return Part("nothing", "nothing reached it", 0.0)
        return Part("sum", "", value, ADD, tuple(done))

    def grounding(self, rule: BoundRule, state: _State) -> Part:
        factors = state.factors[::-1]  # the walk was from the output back
        entities: dict[Node, str] = {}
        for node, name in reversed(state.names):
            if node not in rule.numbers:
                entities.setdefault(node, name)
        names = tuple(
            (node_label(node), name)
            for node, name in entities.items()
            if node in rule.shown_variables
        )
        if not factors and not names:
            return Part("nothing", "true", 1.0)
        if len(factors) == 1 and not names and factors[0].kind != "fact":
            return factors[0]
        value = float(prod(f.value for f in factors))
        label = ", ".join(f"{variable} = {name}" for variable, name in names)
        return Part("grounding", label, value, MULTIPLY, factors, names=names, entities=entities)

    def named(self, node: Node, goal: Goal) -> tuple[tuple[Node, str], ...]:
        """The entity that a variable takes."""
        kind = self.evaluator.kind(goal.origin.expr)
        if kind is None or goal.index is None or isinstance(node, Constant):
            return ()
        return ((node, self.facts.name(kind, goal.index)),)

    # -- the ways to a value --------------------------------------------------------------------

    def options(self, goal: Goal) -> list[Option]:
        """The ways to a goal; their values add up to it."""
        if goal.value == 0:
            return []
        rule, origin, index, value = goal.rule, goal.origin, goal.index, goal.value
        match origin:
            case Reached():
                names = self.named(origin.node, goal)
                below = self.options(rule.goal(origin.of, index))
                return [replace(option, names=(*names, *option.names)) for option in below]
            case Along():
                below = self.options(rule.goal(origin.of, index))
                return [
                    replace(o, factors=tuple(of_literal(f, origin.literal) for f in o.factors))
                    for o in below
                ]
            case Joined():
                return self.joined(goal, origin)
            case Anything():
                sums = tuple(self.any_sum(rule, one) for one in origin.sums)
                return [Option(value, sums, (rule.goal(origin.acting, index),))]
            case Acted():
                return [self.acted(goal, origin)]
            case Applied():
                names = () if origin.node is None else self.named(origin.node, goal)
                return [Option(value, (self.applied(goal, origin),), names=names)]
            case Called():
                return self.calls.options(goal, origin)
            case HeadInputs():
                return [Option(value, tuple(self.given(rule, origin, index)))]
            case HeadEntity() | Everything():
                return [Option(value)]
            case _:
                return [Option(value, (self.part(goal),))]

    def joined(self, goal: Goal, origin: Joined) -> list[Option]:
        """Several values combined. A product is one grounding of them all, with the ones left
        out."""
        rule, index = goal.rule, goal.index
        if origin.operation is not MULTIPLY:
            children = [self.side(rule, part, index) for part in origin.parts]
            return [Option(goal.value, (combined(origin.operation, children, goal.value),))]
        parts = [part for part in origin.parts if not isinstance(part, Everything)]
        if len(parts) == 1:
            return self.options(rule.goal(parts[0], index))
        factors: list[Part] = []
        goals: list[Goal] = []
        for part in parts:
            match part:
                case HeadInputs() | Anything():
                    (one,) = self.options(rule.goal(part, index))
                    factors += one.factors
                    goals += one.goals
                case _:
                    factors.append(self.side(rule, part, index))
        return [Option(goal.value, tuple(factors), tuple(goals))]

    def side(self, rule: BoundRule, origin: Origin, index: int | None) -> Part:
        """One of several values that are combined."""
        goal = rule.goal(origin, index)
        match origin:
            case Along():
                part = self.total(goal, rule.best)
                if part.kind in ("fact", "negation", "function"):
                    return part
                return Part("path", f"by {origin.literal}", goal.value, ADD, summands(part))
            case Everything():
                return number(1.0, "1")
            case Anything():
                sums = [self.any_sum(rule, one) for one in origin.sums]
                acting = self.total(rule.goal(origin.acting, index), rule.best)
                return Part("any", "any", goal.value, MULTIPLY, (*sums, acting))
            case _:
                return self.total(goal, rule.best)

    def acted(self, goal: Goal, origin: Acted) -> Option:
        rule = goal.rule
        before = rule.goal(origin.before, goal.index)
        factor = of_literal(self.part(rule.goal(origin.factor, goal.index)), origin.literal)
        if origin.operation is MULTIPLY:
            return Option(goal.value, (factor,), (before,))
        children = (self.total(before, rule.best), factor)
        return Option(goal.value, (combined(origin.operation, children, goal.value),))

    def given(self, rule: BoundRule, origin: HeadInputs, index: int | None) -> list[Part]:
        """The inputs of the rule, where they are not just the entity asked for."""
        assert index is not None
        explained = [rule.inputs.given.get(place) for place in origin.places]
        return [explain(index) for explain in explained if explain is not None]

    # -- a value as one part --------------------------------------------------------------------

    def part(self, goal: Goal) -> Part:
        """What one literal is at an entity."""
        rule, origin, index, value = goal.rule, goal.origin, goal.index, goal.value
        match origin:
            case AttributeNumbers():
                if origin.owner is None or index is None:
                    return self.facts.scalar(origin.literal.signature, value)
                return self.facts.attribute(origin.literal.signature, index, origin.owner, value)
            case Compares():
                return self.compared(goal, origin)
            case Unknown():
                label = str(replace(origin.literal, negated=False))
                return Part("missing", label, value, note="nothing is known of it")
            case Held():
                assert index is not None
                signature = origin.literal.signature
                # of a variable of the head there is one entity only
                asked = origin.literal.nodes[0] in rule.layer.rule.head.terms
                best = rule.best if asked else rule.best // 2
                entities = [index] * signature[1]
                return self.predicates.entry(signature, entities, rule.layer.chain, best)
            case Ground():
                return self.ground(goal, origin)
            case Complement():
                return self.complement(goal, origin)
            case Called():
                return self.calls.whole(goal, origin)
            case Summed():
                return self.any_sum(rule, origin)
            case (
                Reached() | Along() | Joined() | Anything() | Acted() | Applied() | HeadInputs()
            ) | (HeadEntity() | Everything() | AtEntity() | EachEntity()):
                return self.total(goal, rule.best)
            case _:
                assert_never(origin)

    def applied(self, goal: Goal, origin: Applied) -> Part:
        """A function of numbers, or of whole vectors."""
        rule, function = goal.rule, origin.function
        label = f"{function.name}({', '.join(node_label(node) for node, _ in origin.arguments)})"
        if function.kind is FunctionKind.ELEMENTWISE:
            inner = [self.total(rule.goal(of, goal.index), rule.best) for _, of in origin.arguments]
        else:
            inner = [self.entries(rule, of) for _, of in origin.arguments]
        if function is SUM:
            found = Part("function", label, goal.value, ADD, summands(inner[0]))
        else:
            found = Part("function", label, goal.value, function, tuple(inner))
        return of_literal(found, origin.literal)

    def compared(self, goal: Goal, origin: Compares) -> Part:
        literal, owner = origin.literal, goal.index
        if isinstance(literal.nodes[0], Constant):
            name = literal.nodes[0].name
            owner = self.evaluator.index(literal.signature, origin.owner, name)
        if owner is None:
            return Part("fact", str(literal), goal.value)
        return self.facts.compared(literal.signature, owner, origin.condition, goal.value)

    def ground(self, goal: Goal, origin: Ground) -> Part:
        literal, chain = origin.literal, goal.rule.layer.chain
        constants = [node for node in literal.nodes if isinstance(node, Constant)]
        indexes = [
            self.evaluator.index(literal.signature, place, node.name)
            for place, node in enumerate(constants)
        ]
        known = [index for index in indexes if index is not None]
        if origin.layer is None or len(known) != len(literal.nodes):
            return Part("fact", str(replace(literal, negated=False)), goal.value)
        return self.predicates.entry(literal.signature, known, chain, goal.rule.best // 2)

    def complement(self, goal: Goal, origin: Complement) -> Part:
        """`not`: what was found, taken from the whole; or from 0, if it is set so."""
        rule = goal.rule
        found = self.part(rule.goal(origin.found, goal.index))
        if not origin.negation.of_total:
            whole = number(0.0, "0")
        else:
            whole = self.whole(rule, origin, goal.index)
        label = found.label
        if isinstance(origin.found, Called):
            label = self.calls.title(rule.goal(origin.found, goal.index), origin.found)
        return Part("negation", f"not {label}", goal.value, SUBTRACT, (whole, found))

    def whole(self, rule: BoundRule, origin: Complement, index: int | None) -> Part:
        """What a negated literal takes away from: 1, or the sums of what goes into it."""
        value = rule.at(origin.total, index)
        sums = {one.node: one for one in origin.sums}
        parts = [self.entries_sum(rule, one) for one in sums.values()]
        parts = [part for part in parts if part.kind != "nothing"]
        if not parts:
            return number(value, "1")
        label = " times ".join(f"the sum of {node_label(node)}" for node in sums)
        plain = len(sums) == len(origin.sums)
        return Part("given", label, value, MULTIPLY if plain else None, tuple(parts))

    # -- all entries of a node ------------------------------------------------------------------

    def entries(self, rule: BoundRule, origin: Origin) -> Part:
        """All entries of a vector, added up, the strongest explained."""
        if origin.expr.domain is None:
            return self.total(rule.goal(origin, None), rule.best)
        indexes, values = rule.entries(origin.expr)
        chosen = strongest(values, max(MANY, rule.best)).tolist()
        options = [
            Option(float(values[i]), goals=(rule.goal(origin, int(indexes[i])),)) for i in chosen
        ]
        return self.summed(rule, float(values.sum()), options, rule.best)

    def entries_sum(self, rule: BoundRule, origin: Summed) -> Part:
        """The entries of a node added up; "nothing" if that is the 1 of a given entity."""
        part = self.entries(rule, origin.of)
        if origin.of.expr.domain is None:
            return self.everywhere(rule, origin, part)
        if part.kind in ("sum", "nothing"):
            return part
        return Part("sum", "", part.value, ADD, (part,))

    def everywhere(self, rule: BoundRule, origin: Summed, part: Part) -> Part:
        """One number that was taken for every entity of a type."""
        kinds = [self.evaluator.kind(vector) for vector in origin.expr.operands]
        if not kinds or kinds[0] is None:
            return part
        value, entities = rule.at(origin.expr, None), number(len(kinds[0]), "entities")
        return Part("product", node_label(origin.node), value, MULTIPLY, (entities, part))

    def any_sum(self, rule: BoundRule, origin: Summed) -> Part:
        """The entries of a node as one number: what any does."""
        part = self.entries(rule, origin.of)
        label = f"{origin.function.name} over {node_label(origin.node)}"
        value = rule.at(origin.expr, None)
        if origin.function is not SUM:
            return Part("any", label, value, origin.function, (part,))
        if part.kind == "nothing":
            return part
        return Part("any", label, value, ADD, summands(part))
