"""Predicates and rules: an answer as what its facts and each of its rules give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import prod

import numpy as np

from neurallog_kernel.evaluate.rows import look_up
from neurallog_kernel.explain.bound_rule import Frame, Inputs, goal_at, strongest
from neurallog_kernel.explain.edges import facts_into
from neurallog_kernel.explain.groundings import Groundings, combined
from neurallog_kernel.explain.lookup import atom_text, rule_text
from neurallog_kernel.explain.parts import Part, number, of_literal
from neurallog_kernel.functions import ADD, MULTIPLY
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.language.syntax import Constant, Signature
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.plan.layers import LiteralLayer, RuleLayer
from neurallog_kernel.plan.planner import Chain, combiner_set
from neurallog_kernel.rulegraph.graph import BodyLiteral, NumberNode, node_label

EXPLAINED_AGAIN = 50  # rules opened by a call, up to which it is explained wherever it occurs


class Explainer(Groundings):
    """Explains entries of predicates; `entry` is where it starts."""

    @cached_property
    def explained(self) -> dict[tuple, Part]:
        """What is known already of calls that open many rules."""
        return {}

    def entry(self, signature: Signature, indexes: Sequence[int], chain: Chain, best: int) -> Part:
        """A predicate of any arity at the entities of a ground literal."""
        if not indexes:
            return self.proposition(signature, chain, best)
        *given, last = indexes
        if not given:
            return self.concept(signature, last, chain, best)
        inputs = Inputs(self.evaluator.given(signature, dict(enumerate(given))))
        return self.literal(signature, len(given), inputs, last, chain, best)

    def literal(
        self,
        signature: Signature,
        output: int,
        inputs: Inputs,
        index: int,
        chain: Chain,
        best: int,
    ) -> Part:
        """A predicate of two or more arguments for its inputs, at one entity of its output.

        What opens many rules is explained once for each of its questions."""
        best = max(1, best)
        chain, openings = self.planner.within(self.program, signature, chain)
        if openings <= EXPLAINED_AGAIN or inputs.given or not isinstance(inputs.key, tuple):
            return self._literal(signature, output, inputs, index, chain, best)
        key = (signature, output, inputs.key, index, chain, best)
        if key not in self.explained:
            found = self._literal(signature, output, inputs, index, chain, best)
            self.explained[key] = found
        return self.explained[key]

    def _literal(
        self,
        signature: Signature,
        output: int,
        inputs: Inputs,
        index: int,
        chain: Chain,
        best: int,
    ) -> Part:
        layer = self.evaluator.layer(signature, output, chain)
        label = self.title(signature, output, inputs, index)
        if layer.beyond_depth:
            return self.too_deep(signature, label)
        parts = []
        if layer.facts is not None:
            parts.append(self.fact_part(signature, output, inputs, index, layer, best))
        parts += self.rules(layer, inputs, index, best, parts)
        return self.either(signature, label, parts)

    def concept(self, signature: Signature, index: int, chain: Chain, best: int) -> Part:
        """A unary predicate at an entity."""
        layer = self.evaluator.layer(signature, None, chain)
        kind = self.program.entity_type((*signature, 0))
        label = atom_text(signature[0], [self.facts.name(kind, index)])
        if layer.beyond_depth:
            return self.too_deep(signature, label)
        parts = []
        if layer.facts is not None:
            parts.append(self._fact(signature, (index,), self.evaluator.at(layer.facts, index)))
        inputs = Inputs.one(0, len(kind), index)
        parts += self.rules(layer, inputs, index, max(1, best), parts)
        return self.either(signature, label, parts)

    def diagonal(self, signature: Signature, index: int, chain: Chain, best: int) -> Part:
        """r(e, e): the entry e of r(e, Y)."""
        size = len(self.program.entity_type((*signature, 0)))
        return self.literal(signature, 1, Inputs.one(0, size, index), index, chain, best)

    def proposition(self, signature: Signature, chain: Chain, best: int) -> Part:
        """A predicate without arguments."""
        layer = self.evaluator.layer(signature, None, chain)
        if layer.beyond_depth:
            return self.too_deep(signature, signature[0])
        parts = []
        if layer.facts is not None:
            parts.append(self.facts.scalar(signature, self.evaluator.at(layer.facts, None)))
        parts += self.rules(layer, Inputs({}), None, max(1, best), parts)
        return self.either(signature, signature[0], parts)

    def title(self, signature: Signature, output: int, inputs: Inputs, index: int) -> str:
        names = []
        for place in range(signature[1]):
            kind = self.program.entity_type((*signature, place))
            at = index if place == output else inputs.entities.get(place)
            names.append("·" if at is None else self.facts.name(kind, at))
        return atom_text(signature[0], names)

    def too_deep(self, signature: Signature, label: str) -> Part:
        depth = self.program.depth(signature)
        return Part(
            "missing", label, 0.0, note=f"the recursion ends here (recursion_depth {depth})"
        )

    def either(self, signature: Signature, label: str, parts: Sequence[Part]) -> Part:
        """The OR of facts and rules: a sum, unless the program says otherwise."""
        if not parts:
            return Part("missing", label, 0.0, note="no fact and no rule")
        combiner = combiner_set(self.program, "literal_combining_function", signature)
        if len(parts) == 1 and parts[0].kind in ("fact", "missing"):
            return parts[0]
        if combiner is not ADD:
            value = combined(combiner, 0.0, parts).computed() if len(parts) > 1 else parts[0].value
            return Part(
                "answer",
                label,
                parts[0].value if value is None else value,
                "combine",
                tuple(parts),
                combiner=combiner,
                note=f"the {combiner.name} of its parts",
            )
        giving = sorted((p for p in parts if p.value != 0), key=lambda p: -abs(p.value))
        silent = [p for p in parts if p.value == 0]
        note = _silent_note(silent) if giving else ""
        shown = giving or silent
        return Part(
            "answer", label, float(sum(p.value for p in giving)), "sum", tuple(shown), note=note
        )

    # -- facts ----------------------------------------------------------------------------------

    def fact_part(
        self,
        signature: Signature,
        output: int,
        inputs: Inputs,
        index: int,
        layer: LiteralLayer,
        best: int,
    ) -> Part:
        place = 1 - output
        rows = inputs.rows[place]
        entity = inputs.entities.get(place)
        if entity is not None and place not in inputs.given:
            key = (entity, index) if place == 0 else (index, entity)
            relation = self.planner.relations.relation(self.program, signature)
            weight = relation.entry(*key)
            return self._fact(signature, key, weight)
        relation = self.planner.relations.relation(self.program, signature)
        found, weights = facts_into(relation, index, output)
        shares = look_up(rows, found, 1) * weights
        children = []
        for i in strongest(shares, best).tolist():
            if not shares[i]:
                continue
            key = (int(found[i]), index) if place == 0 else (index, int(found[i]))
            fact = self.facts.part(signature, key, float(weights[i]))
            before = inputs.given[place](int(found[i]))
            children.append(Part("grounding", "", float(shares[i]), "product", (before, fact)))
        value = float(shares.sum())
        rest = value - sum(c.value for c in children)
        if np.count_nonzero(shares) > len(children):
            children.append(Part("rest", "all other facts", rest))
        name = f"{signature[0]}/{signature[1]}"
        return Part("facts", f"facts of {name}", value, "sum", tuple(children))

    def _fact(self, signature: Signature, key: tuple[int, ...], weight: float) -> Part:
        part = self.facts.part(signature, key, weight)
        if part.place:
            return part
        return Part("missing", part.label, weight, note="no such fact")

    # -- rules ----------------------------------------------------------------------------------

    def rules(
        self,
        layer: LiteralLayer,
        inputs: Inputs,
        index: int | None,
        best: int,
        facts: Sequence[Part],
    ) -> list[Part]:
        """What each rule gives; where nothing gives anything, each says where it stops."""
        frames = [Frame(rule, inputs, self.engine, best) for rule in layer.rules]
        parts = [self.rule(frame, index) for frame in frames]
        if any(part.value != 0 for part in (*facts, *parts)):
            return parts
        return [
            replace(part, note=self.where_it_stops(frame, index))
            for part, frame in zip(parts, frames, strict=True)
        ]

    def rule(self, frame: Frame, index: int | None) -> Part:
        """What a rule gives at an entity: its weight, its ground literals, and its body."""
        layer = frame.layer
        value = frame.at(layer.result, index)
        label, place = rule_text(self.program, layer.rule), _place(layer)
        about = {"place": place, "rule": layer.rule, "dag": layer.dag}
        if value == 0:
            return Part("rule", label, 0.0, **about)
        body = self.body(frame, index)
        factors = [
            of_literal(self.ground(frame, literal, layer.factors[literal]), literal)
            for literal in layer.dag.grounded
        ]
        combiner = self.setting(frame, "path_combining_function")
        if factors and combiner is not MULTIPLY:
            together = combined(combiner, 0.0, [body, *factors])
            body = combined(combiner, together.computed() or 0.0, [body, *factors])
            factors = []
        body = self._restricted(frame, index, body)
        if layer.rule.weight != 1.0:
            factors.insert(0, number(layer.rule.weight, "rule weight"))
        if not factors:
            return _under(body, label, value, about)
        if body.kind == "grounding" or (body.kind == "nothing" and body.value == 1.0):
            inner = body.children if body.kind == "grounding" else ()
            children = (*inner, *factors)
            return Part(
                "rule",
                label,
                value,
                "product",
                children,
                names=body.names,
                entities=body.entities,
                **about,
            )
        return Part("rule", label, value, "product", (body, *factors), **about)

    def body(self, frame: Frame, index: int | None) -> Part:
        """The value of the body: at the output, or the ends of a unary or plain head."""
        layer, dag = frame.layer, frame.layer.dag
        terms = layer.rule.head.terms
        if dag.destination is not None and dag.sources:
            goal = goal_at(frame, dag.destination, index)
            return self.total(goal, frame.best)
        if dag.destination is not None and len(terms) > 1:  # a head like h(X, X)
            assert index is not None
            domain = layer.result.domain
            assert domain is not None
            entity = Inputs.one(0, len(domain), index)
            inner = Frame(layer, entity, self.engine, frame.best)
            return self.ends(inner, index)
        return self.ends(frame, index)

    def _restricted(self, frame: Frame, index: int | None, body: Part) -> Part:
        """Inputs at further places of the output's own variable."""
        factors = []
        for place, term in enumerate(frame.layer.rule.head.terms):
            rows = frame.inputs.rows.get(place)
            if term == frame.layer.dag.destination and rows is not None and index is not None:
                explain = frame.inputs.given.get(place)
                if explain is not None:
                    factors.append(explain(index))
        if not factors:
            return body
        value = body.value * prod(f.value for f in factors)
        return Part("grounding", "", value, "product", (body, *factors))

    def ends(self, frame: Frame, index: int | None) -> Part:
        """A unary or propositional head: its ends, each summed or read at the entity."""
        dag = frame.layer.dag
        parts = []
        for node in dag.ends:
            at_input = node == dag.destination
            goal = goal_at(frame, node, index if at_input else None)
            if at_input or frame.layer.nodes[node].domain is None:
                parts.append(self.total(goal, frame.best))
            else:
                parts.append(self.entries(frame, goal))
        parts = [p for p in parts if p.kind != "grounding" or p.children or p.value != 1.0]
        if not parts:
            return Part("nothing", "true for every entity", 1.0)
        if len(parts) == 1:
            return parts[0]
        combiner = self.setting(frame, "path_combining_function")
        if combiner is MULTIPLY:
            value = float(prod(p.value for p in parts))
            return Part("product", "", value, "product", tuple(parts))
        together = combined(combiner, 0.0, parts)
        return combined(combiner, together.computed() or 0.0, parts)

    def ground(self, frame: Frame, literal: BodyLiteral, expr: Expr) -> Part:
        """A ground literal of a body."""
        value = frame.at(expr, None)
        signature, chain, best = literal.signature, frame.layer.chain, frame.best // 2
        role = self.program.role(signature)
        indexes = [self._position(signature, p, n) for p, n in enumerate(literal.nodes)]
        if role is not Role.RELATION or None in indexes:
            kind = "missing" if role is Role.EMPTY else "fact"
            return Part(kind, str(literal), value)
        known = [i for i in indexes if i is not None]
        inner = self.entry(signature, known, chain, best)
        if not literal.negated:
            return inner
        return self.negation(signature, str(literal), number(1.0, "1"), inner)

    def _position(self, signature: Signature, place: int, node) -> int | None:
        if isinstance(node, NumberNode) or not isinstance(node, Constant):
            return None
        symbol = self.planner.symbols.find(node.name)
        kind = self.program.entity_type((*signature, place))
        return None if symbol is None else kind.position(symbol)

    def where_it_stops(self, frame: Frame, index: int | None) -> str:
        """The first node that no entity reaches, for a rule that gives nothing."""
        layer = frame.layer
        for node in layer.dag.topological():
            if not len(frame.entries(layer.nodes[node])[0]) or not np.any(
                frame.entries(layer.nodes[node])[1]
            ):
                by = [str(edge.literal) for edge in layer.dag.incoming(node)]
                by += [str(a.literal) for a in layer.applied.get(node, ())]
                reached = f" by {', '.join(by)}" if by else ""
                return f"stops at {node_label(node)}: no entity is reached{reached}"
        for literal, expr in layer.factors.items():
            if frame.at(expr, None) == 0:
                return f"{literal} is 0"
        destination = layer.dag.destination
        domain = None if destination is None else layer.nodes[destination].domain
        if domain is None or index is None or destination is None:
            return "gives nothing here"
        others = len(frame.entries(layer.nodes[destination])[0])
        if not others:
            return "gives nothing here"
        reached = f"{others} other entit{'ies' if others > 1 else 'y'}"
        return f"reaches {reached}, not {self.facts.name(domain, index)}"


def _under(body: Part, label: str, value: float, about: dict) -> Part:
    """A rule that is all body."""
    if body.kind == "nothing" and not body.children:
        return Part("rule", label, value, note=body.label, **about)
    if body.kind in ("sum", "product", "grounding"):
        return Part(
            "rule",
            label,
            value,
            body.operation,
            body.children,
            names=body.names,
            entities=body.entities,
            **about,
        )
    return Part("rule", label, value, "sum", (body,), **about)


def _silent_note(silent: Sequence[Part]) -> str:
    rules = sum(p.kind == "rule" for p in silent)
    if not rules:
        return ""
    return f"{rules} other rule{'s' if rules > 1 else ''} give{'' if rules > 1 else 's'} nothing"


def _place(layer: RuleLayer) -> str:
    span = layer.rule.span
    return "" if span is None else f"{span.source}:{span.line}"
