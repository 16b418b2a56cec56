"""The network of a question as cards and arrows: what the question touches, strongest parts first.

A card is one use of a layer: the same predicate with another input is another card, so that every
number is that of one place in the network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Any

from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.printer import brief_clause, format_clause, format_literal
from neurallog_kernel.pictures.live.chips import acting, chips
from neurallog_kernel.pictures.live.frames import QuestionFrame
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.plan.layers import LiteralLayer, RuleLayer
from neurallog_kernel.plan.origins import Acted

CARDS = 40  # from here on, predicates stay folded until somebody opens them
RULES = 6  # of one predicate; the others are counted
OPENED = 40  # of one that was opened by hand


@dataclass
class Card:
    """A layer that is drawn. `folded` counts the rules inside that are not."""

    id: str
    kind: str  # predicate, facts, rule
    name: str
    title: str = ""  # what is written on it, where that is not its name
    detail: str = ""
    opens: str = ""  # what the close-up shows
    hover: str = ""
    learned: bool = False
    folded: int = 0
    chips: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class CardGraph:
    """Cards from the predicate asked for down to the facts, arrows from what gives to what takes,
    and the expression of each card with the frame it is computed in."""

    cards: dict[str, Card] = field(default_factory=dict)
    arrows: dict[tuple[str, str], None] = field(default_factory=dict)
    computed: dict[str, tuple[list[QuestionFrame], Expr]] = field(default_factory=dict)
    opened: dict[str, list[int]] = field(default_factory=dict)  # which rules of which card
    called: dict[str, tuple[LiteralLayer, QuestionFrame, str]] = field(default_factory=dict)
    cut: dict[str, None] = field(default_factory=dict)  # predicates beyond the recursion depth

    def value(self, name: str) -> dict[str, Any]:
        frames, expr = self.computed[name]
        return frames[0].value(expr, frames[1:])

    def question(self, name: str) -> str:
        """What the close-up of a card asks: its predicate, with the entities that count most."""
        layer, frame, entity = self.called[name]
        return frame.question(layer, entity)


class GraphBuilder:
    """Opens predicates one after the other, the strongest first, until there are cards enough.

    With `again`, the rules that an earlier graph shows are opened, whatever they weigh now.
    """

    def __init__(
        self,
        inspector: Inspector,
        unfolded: Sequence[str] = (),
        again: Mapping[str, list[int]] | None = None,
    ) -> None:
        self.inspector = inspector
        self.unfolded = unfolded
        self.again = again
        self.graph = CardGraph()
        self.known: dict[tuple[Any, ...], str] = {}
        self.waiting: list[tuple[float, int, str, LiteralLayer, QuestionFrame]] = []
        self.empty = again is None and _is_untrained(inspector.program)

    def build(self, layer: LiteralLayer, frame: QuestionFrame, index: int | None) -> CardGraph:
        """`index`: the entity of a unary question."""
        self.empty = self.empty or not frame.total(layer.result)
        root = self.literal("q", layer, frame)
        if layer.signature[1] == 1 and index is not None:
            inner = frame.entity(layer, index)
            assert inner is not None
            self.open(root, layer, frame, inner)
        while self.waiting:
            _, _, name, called, at = heappop(self.waiting)
            if self.is_opened(name):
                self.open(name, called, at)
        return self.graph

    def is_opened(self, name: str) -> bool:
        if self.again is not None:
            return name in self.again
        return name in self.unfolded or len(self.graph.cards) < CARDS

    # -- cards ----------------------------------------------------------------------------------

    def put(
        self, key: tuple[Any, ...], card: Card, frame: QuestionFrame, expr: Expr
    ) -> tuple[str, bool]:
        """The name of a card, and whether it is new."""
        kept = self.known.setdefault(key, card.id)
        if kept in self.graph.cards:
            frames, _ = self.graph.computed[kept]
            if frame not in frames:
                frames.append(frame)
            return kept, False
        self.graph.cards[kept] = card
        self.graph.computed[kept] = ([frame], expr)
        return kept, True

    def literal(self, name: str, layer: LiteralLayer, frame: QuestionFrame) -> str:
        """The card of a predicate; where it has rules, it waits to be opened."""
        about = self.inspector.predicate(layer.signature)
        predicate, arity = layer.signature
        facts = f"{about.facts:,} fact{'' if about.facts == 1 else 's'}"
        if not about.facts:
            facts = "no facts yet" if about.learnable else ""
        kind = "predicate" if layer.rules or layer.beyond_depth else "facts"
        turned = arity == 2 and layer.output_place == 0
        card = Card(
            name,
            kind,
            predicate,
            detail="beyond the recursion depth" if layer.beyond_depth else facts,
            opens=f"{predicate}/{arity}" if layer.rules else "",
            hover=f"{about}{', from the second argument to the first' if turned else ''}",
            learned=about.learnable,
        )
        place = id(frame) if layer.rules else frame.place
        key = ("literal", layer.signature, layer.output_place, place, layer.result)
        kept, new = self.put(key, card, frame, layer.result)
        if new and layer.rules:
            self.graph.called[kept] = layer, frame, ""
            card.folded = len(layer.rules)
            order = (-abs(frame.total(layer.result)), len(self.graph.cards))
            if not (kept == "q" and arity == 1):
                heappush(self.waiting, (*order, kept, layer, frame))
        return kept

    def open(
        self,
        name: str,
        layer: LiteralLayer,
        frame: QuestionFrame,
        inner: QuestionFrame | None = None,
    ) -> None:
        """Draw the strongest rules of a predicate, and what they call."""
        if layer.facts is not None:
            self.facts(f"{name}.f", name, layer, frame)
        called = [call for rule in layer.rules for call in rule.calls.values()]
        self.graph.cut |= {call.signature[0]: None for call in called if call.beyond_depth}
        inner, parts = self.parts(layer, frame, inner)
        if inner is None:
            return
        weighed = [(abs(inner.total(part)), n) for n, part in enumerate(parts)]
        chosen = self.chosen(name, weighed)
        self.graph.opened[name] = chosen
        if chosen == [0] and len(parts) == 1 and layer.facts is None:
            return self.only_rule(name, layer, inner)
        nothing = self.empty and not any(w for w, _ in weighed)
        self.graph.cards[name].folded = sum(
            1 for w, n in weighed if (w or nothing) and n not in chosen
        )
        for number in chosen:
            self.rule(name, number, layer, layer.rules[number], inner, parts[number])

    def only_rule(self, name: str, layer: LiteralLayer, inner: QuestionFrame) -> None:
        """A predicate with one rule is one card with it: both give the same."""
        (rule,) = layer.rules
        card = self.graph.cards[name]
        card.kind, card.name, card.detail, card.folded = "rule", _text(rule), "", 0
        card.title = _text(rule, weight=False)
        card.opens, card.hover = f"{card.opens}:1", f"{_text(rule)}\n{card.hover}"
        card.chips = chips(self.inspector, rule, inner)
        self.graph.called[name] = layer, self.graph.called[name][1], inner.about
        self.body(name, rule, inner)

    def parts(
        self, layer: LiteralLayer, frame: QuestionFrame, inner: QuestionFrame | None
    ) -> tuple[QuestionFrame | None, list[Expr]]:
        """What each rule adds, and the frame in which it is computed."""
        if layer.shared is not None:
            return frame.shared(layer), list(layer.shared.parts)
        if layer.signature[1] == 1:
            return inner or frame.entity(layer), [rule.result for rule in layer.rules]
        return frame, list(layer.parts)

    def chosen(self, name: str, weighed: list[tuple[float, int]]) -> list[int]:
        if self.again is not None:
            return self.again[name]
        most = OPENED if name in self.unfolded else RULES
        drawn = [p for p in weighed if p[0]] or (weighed if self.empty else [])
        strongest = sorted(drawn, key=lambda p: -p[0])[:most]
        return sorted(number for _, number in strongest)

    def facts(self, name: str, above: str, layer: LiteralLayer, frame: QuestionFrame) -> None:
        about = self.inspector.predicate(layer.signature)
        assert layer.facts is not None
        many = f"{about.facts:,} fact{'' if about.facts == 1 else 's'}"
        hover = str(about)
        card = Card(
            name, "facts", layer.signature[0], detail=many, hover=hover, learned=about.learnable
        )
        key = ("facts", layer.signature, layer.output_place, id(frame), layer.facts)
        kept, _ = self.put(key, card, frame, layer.facts)
        self.graph.arrows[kept, above] = None

    def rule(
        self,
        above: str,
        number: int,
        layer: LiteralLayer,
        rule: RuleLayer,
        frame: QuestionFrame,
        part: Expr,
    ) -> None:
        predicate, arity = layer.signature
        text, beside = _text(rule), chips(self.inspector, rule, frame)
        card = Card(
            f"{above}.{number}",
            "rule",
            text,
            _body(rule, beside),
            opens=f"{predicate}/{arity}:{number + 1}",
            hover=text,
            chips=beside,
        )
        key = ("rule", rule.rule, rule.dag.output_place, id(frame), part, above)
        name, _ = self.put(key, card, frame, part)
        self.graph.called[name] = layer, self.graph.called[above][1], frame.about
        self.graph.arrows[name, above] = None
        self.body(name, rule, frame)

    def body(self, name: str, rule: RuleLayer, frame: QuestionFrame) -> None:
        """What a rule calls, and the numbers that it reads; ground facts are chips on its card."""
        for place, (literal, call) in enumerate(rule.calls.items()):
            if literal in rule.dag.grounded and not call.rules:
                continue
            below = self.literal(f"{name}.{place}", call, frame)
            self.graph.arrows[below, name] = None
        for literal, origin in acting(rule).items():
            expr = origin.factor.expr if isinstance(origin, Acted) else origin.expr
            about = self.inspector.predicate(literal.signature)
            if about.role != "attribute":
                continue
            many = f"{about.facts:,} number{'' if about.facts == 1 else 's'}"
            card = Card(
                f"{name}.{literal.predicate}",
                "facts",
                literal.predicate,
                detail=many,
                hover=str(about),
                learned=about.learnable,
            )
            key = ("attribute", literal.signature, frame.place, expr)
            below, _ = self.put(key, card, frame, expr)
            self.graph.arrows[below, name] = None


def _text(rule: RuleLayer, weight: bool = True) -> str:
    """The rule; its weight has a slider of its own where there is one."""
    text = brief_clause(rule.rule) if weight else format_clause(replace(rule.rule, weight=1.0))
    return text.removesuffix(".")


def _body(rule: RuleLayer, beside: Sequence[Mapping[str, Any]]) -> str:
    """What a rule reads, where its head stands beside it; a fact with a slider of its own is not
    said twice."""
    literals = [format_literal(one) for one in rule.rule.body]
    named = {chip["name"] for chip in beside if chip["kind"] == "fact"}
    return ", ".join([one for one in literals if one not in named] or literals)


def _is_untrained(program: Program) -> bool:
    """Whether rules use a weight that is not learned yet: they are drawn though they give nothing,
    as those of a question without an answer are."""
    return any(
        literal.signature in program.learnables
        and not program.definition(literal.signature).fact_count
        for definition in program.definitions.values()
        for rule in definition.rules
        for literal in rule.body
    )
