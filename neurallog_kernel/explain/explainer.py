"""Predicates and rules: an answer as what its facts and each of its rules give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.rows import look_up
from neurallog_kernel.explain.bound_rule import BoundInputs, BoundRule, strongest
from neurallog_kernel.explain.groundings import Groundings
from neurallog_kernel.explain.lookup import FactParts, atom_text, rule_text
from neurallog_kernel.explain.parts import Part, best_of, combined, number, of_literal
from neurallog_kernel.functions import ADD, MULTIPLY, Top
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.plan.layers import LiteralLayer, RuleLayer
from neurallog_kernel.plan.origins import (
    Acted,
    Along,
    Anything,
    Applied,
    AtEntity,
    EachEntity,
    Everything,
    Joined,
    Origin,
    Reached,
    Summed,
)
from neurallog_kernel.plan.planner import CallChain
from neurallog_kernel.plan.row_literal import Groups
from neurallog_kernel.rulegraph.graph import BodyLiteral, node_label

EXPLAINED_AGAIN = 20  # rules opened by a call, up to which it is explained wherever it occurs


@dataclass
class Explainer:
    """Explains entries of predicates; `entry` is where it starts."""

    evaluator: Evaluator
    explained: dict[tuple, Part] = field(default_factory=dict)  # calls that open many rules

    def __post_init__(self) -> None:
        self.program = self.evaluator.program
        self.facts = FactParts(self.evaluator)
        self.groundings = Groundings(self.evaluator, self.facts, self)

    def entry(
        self, signature: Signature, indexes: Sequence[int], chain: CallChain, best: int
    ) -> Part:
        """A predicate of any arity at the entities of a ground literal."""
        given = dict(enumerate(indexes[:-1] or indexes))  # a concept is computed for its entity
        inputs = BoundInputs(self.evaluator.given(signature, given))
        output = len(indexes) - 1 if indexes else None
        return self.predicate(
            signature, output, inputs, indexes[-1] if indexes else None, chain, best
        )

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
        """A predicate for its inputs, at one entity of its output; `groups` are places that hold
        one term. What opens many rules is explained once for each of its questions."""
        best = max(1, best)
        chain, openings = self.evaluator.planner.within(self.program, signature, chain)
        again = openings <= EXPLAINED_AGAIN or inputs.given or groups or not inputs.units
        key = (signature, output, inputs.key, index, chain, best)
        if not again and key in self.explained:
            return self.explained[key]
        layer = self.evaluator.layer(signature, output, chain, groups)
        label = self.title(signature, output, inputs, index, groups)
        if layer.beyond_depth:
            depth = self.program.depth(signature)
            note = f"the recursion ends here (recursion_depth {depth})"
            return Part("missing", label, 0.0, note=note)
        parts = []
        if layer.facts is not None:
            parts.append(self.fact_part(layer, inputs, index, best, groups))
        parts += self.rules(layer, inputs, index, best, parts)
        found = either(layer, label, parts)
        if not again:
            self.explained[key] = found
        return found

    def title(
        self,
        signature: Signature,
        output: int | None,
        inputs: BoundInputs,
        index: int | None,
        groups: Groups = (),
    ) -> str:
        names = []
        opened = next((group for group in groups if output in group), (output,))
        for place in range(signature[1]):
            kind = self.program.entity_type((*signature, place))
            at = index if place in opened else inputs.entities.get(place)
            names.append("·" if at is None else self.facts.name(kind, at))
        return atom_text(signature[0], names)

    # -- facts ----------------------------------------------------------------------------------

    def fact_part(
        self,
        layer: LiteralLayer,
        inputs: BoundInputs,
        index: int | None,
        best: int,
        groups: Groups = (),
    ) -> Part:
        """What the facts of a predicate give: one of them, or a sum over all that fit."""
        signature, output = layer.signature, layer.output_place
        if output is None or index is None:
            assert layer.facts is not None
            return self.facts.scalar(signature, self.evaluator.at(layer.facts, None))
        entities = {**inputs.entities, output: index}
        if len(entities) == signature[1] and not inputs.given:
            key = [entities[place] for place in range(signature[1])]
            return self._fact(signature, key)
        columns, weights = self.facts.rows(signature, output, index, groups)
        again = {place for group in groups for place in group[1:]}
        once = [place for place in inputs.rows if place not in again]
        shares = weights * prod(look_up(inputs.rows[p], columns[p], 1) for p in once)
        children = []
        for i in strongest(shares, best).tolist():
            if not shares[i]:
                continue
            key = [int(column[i]) for column in columns]
            fact = self.facts.part(signature, key, float(weights[i]))
            before = [inputs.given[place](key[place]) for place in once if place in inputs.given]
            share = float(shares[i])
            children.append(Part("grounding", "", share, MULTIPLY, (*before, fact)))
        value = float(shares.sum())
        if np.count_nonzero(shares) > len(children):
            rest = value - sum(c.value for c in children)
            children.append(Part("rest", "all other facts", rest))
        name = f"{signature[0]}/{signature[1]}"
        return Part("facts", f"facts of {name}", value, ADD, tuple(children))

    def _fact(self, signature: Signature, key: Sequence[int]) -> Part:
        part = self.facts.part(signature, key, self.facts.weight(signature, key))
        if part.place:
            return part
        return Part("missing", part.label, part.value, note="no such fact")

    # -- rules ----------------------------------------------------------------------------------

    def rules(
        self,
        layer: LiteralLayer,
        inputs: BoundInputs,
        index: int | None,
        best: int,
        facts: Sequence[Part],
    ) -> list[Part]:
        """What each rule gives; where nothing gives anything, each says where it stops."""
        bound = [BoundRule(rule, inputs, self.evaluator.engine, best) for rule in layer.rules]
        parts = [self.rule(rule, index) for rule in bound]
        if any(part.value != 0 for part in (*facts, *parts)):
            return parts
        return [
            replace(part, note=self.where_it_stops(rule, index))
            for part, rule in zip(parts, bound, strict=True)
        ]

    def rule(self, rule: BoundRule, index: int | None) -> Part:
        """What a rule gives at an entity: its weight, its ground literals, and its body."""
        layer = rule.layer
        value = rule.at(layer.result, index)
        label, place = rule_text(self.program, layer.rule), _place(layer)
        about = {"place": place, "rule": layer.rule, "dag": layer.dag}
        if value == 0:
            return Part("rule", label, 0.0, **about)
        body = Part("nothing", "true", 1.0)
        if layer.body is not None:
            body = self.body(rule, layer.body, index)
        factors = [
            of_literal(self.groundings.part(rule.goal(origin, None)), origin.literal)
            for origin in layer.factors
        ]
        if factors and layer.operation is not MULTIPLY:
            together = factors if layer.body is None else [body, *factors]
            body, factors = combined(layer.operation, together), []
        body = self._restricted(rule, index, body)
        if layer.rule.weight != 1.0:
            factors.insert(0, number(layer.rule.weight, "rule weight"))
        if not factors:
            return _under(body, label, value, about)
        if body.kind == "grounding" or (body.kind == "nothing" and body.value == 1.0):
            inner = body.children if body.kind == "grounding" else ()
            about |= {"names": body.names, "entities": body.entities}
            return Part("rule", label, value, MULTIPLY, (*inner, *factors), **about)
        return Part("rule", label, value, MULTIPLY, (body, *factors), **about)

    def body(self, rule: BoundRule, origin: Origin, index: int | None) -> Part:
        """The value of the body: at the output, or the ends of a unary or plain head."""
        groundings = self.groundings
        match origin:
            case Joined():
                return self.ends([self.body(rule, part, index) for part in origin.parts], origin)
            case Summed():
                return groundings.entries(rule, origin.of)
            case AtEntity():
                return groundings.total(rule.goal(origin.of, index), rule.best)
            case EachEntity():
                return self.body(self._at_entity(rule, origin, index), origin.of, index)
            case Everything():
                return Part("nothing", "true for every entity", 1.0)
            case _:
                return groundings.total(rule.goal(origin, index), rule.best)

    def _at_entity(self, rule: BoundRule, origin: EachEntity, index: int | None) -> BoundRule:
        """The rule of a body that is computed for each entity, with this one as its input."""
        kind = self.evaluator.kind(origin.expr)
        assert index is not None and kind is not None
        return replace(rule, inputs=BoundInputs.one(0, len(kind), index))

    def _restricted(self, rule: BoundRule, index: int | None, body: Part) -> Part:
        """Inputs at further places of the output's own variable."""
        explained = [rule.inputs.given.get(place) for place in rule.layer.at_output]
        factors = [one(index) for one in explained if one is not None and index is not None]
        if not factors:
            return body
        value = body.value * prod(f.value for f in factors)
        return Part("grounding", "", value, MULTIPLY, (body, *factors))

    def ends(self, parts: Sequence[Part], origin: Joined) -> Part:
        """A unary or propositional head: its ends, each summed or read at the entity."""
        if origin.operation is not MULTIPLY:
            return combined(origin.operation, parts)
        parts = [p for p in parts if p.kind != "nothing" or p.value != 1.0]
        if not parts:
            return Part("nothing", "true for every entity", 1.0)
        if len(parts) == 1:
            return parts[0]
        value = float(prod(p.value for p in parts))
        return Part("product", "", value, MULTIPLY, tuple(parts))

    def where_it_stops(self, rule: BoundRule, index: int | None) -> str:
        """The first node that no entity reaches, for a rule that gives nothing."""
        layer = rule.layer
        if isinstance(layer.body, EachEntity):
            rule = self._at_entity(rule, layer.body, index)
        for node, origin in layer.nodes.items():
            if not len(rule.entries(origin.expr)[0]):
                by = ", ".join(map(str, _literals(origin)))
                reached = f" by {by}" if by else ""
                return f"stops at {node_label(node)}: no entity is reached{reached}"
        for origin in layer.factors:
            if rule.at(origin.expr, None) == 0:
                return f"{origin.literal} is 0"
        destination = layer.dag.destination
        output = None if destination is None else layer.nodes[destination].expr
        kind = None if output is None else self.evaluator.kind(output)
        if output is None or kind is None or index is None:
            return "gives nothing here"
        others = len(rule.entries(output)[0])
        reached = f"{others} other entit{'ies' if others > 1 else 'y'}"
        return f"reaches {reached}, not {self.facts.name(kind, index)}"


def either(layer: LiteralLayer, label: str, parts: Sequence[Part]) -> Part:
    """The OR of facts and rules: a sum, unless the program says otherwise."""
    if not parts:
        return Part("missing", label, 0.0, note="no fact and no rule")
    if len(parts) == 1 and parts[0].kind in ("fact", "missing"):
        return parts[0]
    if isinstance(layer.operation, Top):
        return best_of(layer.operation, label, parts)
    if layer.operation is not ADD:
        note = f"the {layer.operation.name} of its parts"
        value = combined(layer.operation, parts).value
        return Part("answer", label, value, layer.operation, tuple(parts), note=note)
    giving = sorted((p for p in parts if p.value != 0), key=lambda p: -abs(p.value))
    silent = [p for p in parts if p.value == 0]
    note = _silent_note(silent) if giving else ""
    value = float(sum(p.value for p in giving))
    return Part("answer", label, value, ADD, tuple(giving or silent), note=note)


def _literals(origin: Origin) -> list[BodyLiteral]:
    """The literals that made the value of a node out of others."""
    match origin:
        case Reached():
            return _literals(origin.of)
        case Joined():
            return [literal for part in origin.parts for literal in _literals(part)]
        case Anything():
            return _literals(origin.acting)
        case Along():
            return [origin.literal]
        case Acted():
            return [*_literals(origin.before), origin.literal]
        case Applied():
            ((_, before),) = origin.arguments
            return [*_literals(before), origin.literal]
        case _:
            return []


def _under(body: Part, label: str, value: float, about: dict) -> Part:
    """A rule that is all body."""
    if body.kind == "nothing" and not body.children:
        return Part("rule", label, value, note=body.label, **about)
    if body.kind in ("sum", "product", "grounding"):
        about = {**about, "names": body.names, "entities": body.entities}
        return Part("rule", label, value, body.operation, body.children, **about)
    return Part("rule", label, value, ADD, (body,), **about)


def _silent_note(silent: Sequence[Part]) -> str:
    rules = sum(p.kind == "rule" for p in silent)
    if not rules:
        return ""
    return f"{rules} other rule{'s' if rules > 1 else ''} give{'' if rules > 1 else 's'} nothing"


def _place(layer: RuleLayer) -> str:
    span = layer.rule.span
    return "" if span is None else f"{span.source}:{span.line}"
