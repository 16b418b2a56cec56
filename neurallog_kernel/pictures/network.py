"""A predicate's network as a picture: literal, fact, rule and function layers down to the facts."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import replace

from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.language.printer import brief_clause
from neurallog_kernel.pictures.model import Arrow, Mark, Picture, lines, shorten
from neurallog_kernel.plan.layers import LiteralLayer, RuleLayer
from neurallog_kernel.rulegraph.graph import BodyLiteral

RULE_TEXT = 60
RULES = 10  # drawn of one literal; the others are counted only
WIDE = 4  # rules of one literal from which the picture grows downwards instead of sideways


def network_picture(
    layer: LiteralLayer, inspector: Inspector | None = None, title: str = "", text: str = ""
) -> Picture:
    """From the facts up to the predicate; what several layers share is drawn once.

    Recursion is unfolded: a predicate that calls itself appears once for each depth.
    """
    drawing = _NetworkPicture(inspector)
    drawing.draw(layer)
    picture = Picture(
        "network",
        title,
        tuple(drawing.marks.values()),
        tuple(drawing.arrows.values()),
        direction="LR" if drawing.widest > WIDE else "BT",
        text=text,
    ).cut(noun="layers")
    said = [picture.left_out, *drawing.left_out.values()]
    return replace(picture, left_out="; ".join(part for part in said if part))


class _NetworkPicture:
    """Goes through the layers breadth first, so that a cut keeps what is near the predicate."""

    def __init__(self, inspector: Inspector | None) -> None:
        self.inspector = inspector
        self.marks: dict[Hashable, Mark] = {}
        self.arrows: dict[tuple[str, str], Arrow] = {}
        self.keys: dict[int, Hashable] = {}
        self.held: list[LiteralLayer] = []  # so that no id is used twice
        self.numbers: dict[Hashable, int] = {}
        self.left_out: dict[Hashable, str] = {}
        self.widest = 0

    def draw(self, root: LiteralLayer) -> None:
        queue = deque([root])
        self.literal(root)
        seen: set[Hashable] = {self.key(root)}
        while queue:
            layer = queue.popleft()
            at = self.literal(layer)
            if layer.facts is not None or self.is_learned(layer):
                self.join(self.facts(layer), at, "transposed" if _is_turned(layer) else "")
            chosen = layer.rules[:RULES]
            self.widest = max(self.widest, len(chosen))
            if len(layer.rules) > len(chosen):
                self.join(self.more(layer, len(chosen)), at, "")
            for rule in chosen:
                box = self.rule(rule)
                self.join(box, at, "")
                self.inner(rule, box)
                for call in rule.calls.values():
                    self.join(self.literal(call), box, "")
                    if self.key(call) not in seen:
                        seen.add(self.key(call))
                        queue.append(call)

    def inner(self, rule: RuleLayer, box: str) -> None:
        """What acts within a rule and is no layer of its own: functions and numbers."""
        for literal in self.of_role(rule, "function"):
            self.join(self.function(rule, literal), box, "")
        for literal in self.of_role(rule, "attribute", "numeric"):
            self.join(self.numbers_of(literal), box, "")

    # -- what is the same -----------------------------------------------------------------------

    def key(self, layer: LiteralLayer) -> Hashable:
        """Equal for layers of one predicate, direction and depth, whatever their inputs."""
        if id(layer) not in self.keys:
            self.held.append(layer)
            parts = tuple((r.rule, tuple(map(self.key, r.calls.values()))) for r in layer.rules)
            whole = (layer.signature, layer.output_place, layer.beyond_depth, parts)
            self.keys[id(layer)] = self.numbers.setdefault(whole, len(self.numbers))
        return self.keys[id(layer)]

    def put(self, key: Hashable, label: str, kind: str, hover: str, learned: bool = False) -> str:
        if key not in self.marks:
            name = f"l{len(self.marks)}"
            self.marks[key] = Mark(name, label, kind, hover, learned)
        return self.marks[key].id

    def join(self, start: str, end: str, label: str) -> None:
        arrow = Arrow(f"c-{start}-{end}", start, end, label, "flow")
        self.arrows.setdefault((start, end), arrow)

    # -- layers ---------------------------------------------------------------------------------

    def literal(self, layer: LiteralLayer) -> str:
        name, arity = layer.signature
        places = ", ".join("?" if p == layer.output_place else "·" for p in range(arity))
        label = shorten(name, 30) + (f"({places})" if arity else "")
        key = ("literal", self.key(layer))
        if layer.beyond_depth:
            said = lines(f"{name}/{arity}", "beyond the recursion depth: nothing")
            return self.put(key, f"{label} = 0", "beyond", said)
        parts = ["facts"] if layer.facts is not None else []
        if layer.rules:
            parts.append(f"{len(layer.rules)} rule{'s' if len(layer.rules) > 1 else ''}")
        hover = lines(self.about(layer), "sum (OR) of " + " and ".join(parts or ["nothing"]))
        return self.put(key, label, "literal", hover)

    def facts(self, layer: LiteralLayer) -> str:
        name, _ = layer.signature
        count = ""
        if self.inspector is not None:
            summary = self.inspector.predicate(layer.signature)
            many = {0: "no facts yet", 1: "1 fact"}.get(summary.facts, f"{summary.facts:,} facts")
            count = f"\n{many}"
        label = shorten(name, 30) + count
        hover = self.about(layer)
        return self.put(("facts", layer.signature), label, "facts", hover, self.is_learned(layer))

    def is_learned(self, layer: LiteralLayer) -> bool:
        if self.inspector is None:
            return False
        return self.inspector.predicate(layer.signature).learnable

    def more(self, layer: LiteralLayer, drawn: int) -> str:
        """A mark for the rules that are not drawn."""
        name, arity = layer.signature
        left = len(layer.rules) - drawn
        key = ("more", self.key(layer))
        said = f"showing {drawn} of {len(layer.rules):,} rules of {shorten(name, 30)}/{arity}"
        self.left_out[key] = said
        return self.put(key, f"and {left:,} more rule{'s' if left > 1 else ''}", "beyond", said)

    def rule(self, layer: RuleLayer) -> str:
        text = brief_clause(layer.rule).removesuffix(".")
        key = (
            "rule",
            layer.rule,
            tuple(map(self.key, layer.calls.values())),
            layer.dag.output_place,
        )
        return self.put(key, _wrapped(text), "rule", lines(text, f"{len(layer.dag.paths)} paths"))

    def function(self, rule: RuleLayer, literal: BodyLiteral) -> str:
        key = ("function", rule.rule, rule.dag.output_place, literal)
        hover = lines(str(literal), "a function layer")
        return self.put(key, shorten(literal.predicate, 20), "function", hover)

    def numbers_of(self, literal: BodyLiteral) -> str:
        """The facts of an attribute: a rule reads them without a literal layer between."""
        assert self.inspector is not None
        about = self.inspector.predicate(literal.signature)
        count = f"{about.facts:,} number{'' if about.facts == 1 else 's'}"
        label = f"{shorten(literal.predicate, 30)}\n{count}"
        return self.put(("facts", literal.signature), label, "facts", str(about), about.learnable)

    def of_role(self, rule: RuleLayer, *roles: str) -> list[BodyLiteral]:
        """The literals of a rule that are no calls of other layers."""
        if self.inspector is None:
            return []
        dag = rule.dag
        literals = [edge.literal for edge in dag.edges]
        literals += [literal for loops in dag.loops.values() for literal in loops]
        literals += dag.grounded
        inspect = self.inspector.predicate
        return [one for one in literals if inspect(one.signature).role in roles]

    def about(self, layer: LiteralLayer) -> str:
        if self.inspector is None:
            return "/".join(map(str, layer.signature))
        return str(self.inspector.predicate(layer.signature))


def _is_turned(layer: LiteralLayer) -> bool:
    return layer.signature[1] == 2 and layer.output_place == 0


def _wrapped(text: str) -> str:
    """The rule on at most two lines: the head, then the body."""
    head, _, body = text.partition(" :- ")
    return f"{shorten(head, RULE_TEXT)} :-\n{shorten(body, RULE_TEXT)}"
