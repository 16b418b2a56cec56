"""From the costs of nodes to the costs of rules: what several rules need belongs to all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeAlias

from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import Rule, Signature
from neurallog_kernel.plan.exprs import Call, Expr, everything
from neurallog_kernel.plan.layers import LiteralLayer, RuleLayer
from neurallog_kernel.profiling.clock import NodeCost
from neurallog_kernel.profiling.profile import RuleCost

Owner: TypeAlias = Rule | Signature  # a predicate owns its facts and the sum (OR) over its rules
Costs: TypeAlias = Mapping[tuple[Expr, ...], NodeCost]  # of nodes, or of several computed at once


class Owners:
    """The owners of the nodes below some literal layers, as the layers say.

    A rule owns what its body computes: also the facts of a predicate that has facts only. What a
    predicate with rules computes when it is called belongs to those rules; `roots` are the whole
    results of a rule, calls included, one for each of its layers.
    """

    def __init__(self, asked: Iterable[LiteralLayer]) -> None:
        self.of: dict[Expr, dict[Owner, None]] = {}
        self.roots: dict[Owner, dict[Expr, None]] = {}
        seen: set[LiteralLayer] = set()
        self._waiting = list(asked)
        while self._waiting:
            layer = self._waiting.pop()
            if layer not in seen:
                seen.add(layer)
                self._literal(layer)

    def _literal(self, layer: LiteralLayer) -> None:
        inputs = {value for value in layer.inputs if value is not None}
        if layer.shared is None:
            for rule, part in zip(layer.rules, layer.parts, strict=True):
                self._rule(rule, part, inputs)
        else:
            self._waiting.append(layer.shared)
        joined = {part.vector for part in layer.parts if isinstance(part, Call)}
        self._own(layer.signature, layer.result, {*layer.parts, *inputs, *joined}, {})

    def _rule(self, layer: RuleLayer, part: Expr, inputs: Collection[Expr]) -> None:
        calls = {c.result: c for c in (*layer.calls.values(), *layer.diagonals) if c.rules}
        self._waiting += calls.values()
        self._own(layer.rule, part, inputs, calls)

    def _own(
        self, owner: Owner, root: Expr, ends: Collection[Expr], calls: Mapping[Expr, LiteralLayer]
    ) -> None:
        """Note the owner at all nodes down to the ends; of a call, at what is given to it."""
        self.roots.setdefault(owner, {})[root] = None
        stack, seen = [root], set()
        while stack:
            node = stack.pop()
            if node in seen or node in ends:
                continue
            seen.add(node)
            if node in calls:
                stack += [value for value in calls[node].inputs if value is not None]
                continue
            self.of.setdefault(node, {})[owner] = None
            stack += node.operands if isinstance(node, Call) else node.children


def rule_costs(
    asked: Iterable[LiteralLayer], costs: Costs, steps: Mapping[Rule, float] | None = None
) -> tuple[RuleCost, ...]:
    """The cost of every rule that was used and of every predicate's own work, most expensive first.

    What belongs to no rule (the inputs, reading an answer off the result) is a row of its own.
    """
    owners = Owners(asked)
    own: dict[Owner, list[tuple[NodeCost, int]]] = {owner: [] for owner in owners.roots}
    nobody: list[tuple[NodeCost, int]] = []
    for nodes, cost in costs.items():
        found = {owner for node in nodes for owner in owners.of.get(node, ())}
        for owner in found:
            own[owner].append((cost, len(found)))
        if not found:
            nobody.append((cost, 1))
    rows = [
        _row(owner, parts, owners.roots[owner], costs, steps or {})
        for owner, parts in own.items()
        if parts or isinstance(owner, Rule)
    ]
    if nobody:
        rows.append(_row("inputs and answer", nobody, {}, costs, {}))
    return tuple(sorted(rows, key=lambda row: (-(row.step or 0.0), -row.seconds)))


def _row(
    owner: Owner | str,
    parts: list[tuple[NodeCost, int]],
    roots: Collection[Expr],
    costs: Costs,
    steps: Mapping[Rule, float],
) -> RuleCost:
    below = everything(roots)
    seconds = sum(cost.seconds / shared for cost, shared in parts)
    whole = sum(c.seconds for nodes, c in costs.items() if any(n in below for n in nodes))
    return RuleCost(
        *_names(owner),
        seconds=seconds,
        with_calls=whole if roots else seconds,
        layers=len(roots),
        operations=sum(cost.calls for cost, _ in parts),
        facts=sum(cost.facts for cost, _ in parts),
        entries=sum(cost.entries for cost, _ in parts),
        bytes=sum(cost.bytes for cost, _ in parts),
        step=steps.get(owner) if isinstance(owner, Rule) else None,
    )


def _names(owner: Owner | str) -> tuple[str, str, str]:
    """The text of the row, its predicate and where it stands."""
    if isinstance(owner, str):
        return owner, "", ""
    if isinstance(owner, Rule):
        name, arity = owner.head.signature
        place = f"{owner.span.source}:{owner.span.line}" if owner.span else ""
        return format_clause(owner), f"{name}/{arity}", place
    name, arity = owner
    return f"facts and OR of {name}/{arity}", f"{name}/{arity}", ""
