"""Which rules need which nodes of a plan: one that several rules share belongs to all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

from neurallog_kernel.language.syntax import Rule, Signature
from neurallog_kernel.plan.build import Planner
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.plan.network import LiteralLayer, RuleLayer

Owner: TypeAlias = Rule | Signature  # a predicate owns its facts and the sum (OR) over its rules


class Owners:
    """The owners of the nodes below some literal layers.

    A rule owns what its body computes: also the facts of a predicate that has facts only. What a
    predicate with rules computes when it is called belongs to those rules; `roots` are the whole
    results of a rule, calls included, one for each of its layers.
    """

    def __init__(self, planner: Planner, asked: Iterable[LiteralLayer]) -> None:
        self.planner = planner
        self.of: dict[Expr, dict[Owner, None]] = {}
        self.roots: dict[Owner, dict[Expr, None]] = {}
        self._seen: set[LiteralLayer] = set()
        self._waiting = list(asked)
        while self._waiting:
            layer = self._waiting.pop()
            if layer not in self._seen:
                self._seen.add(layer)
                self._literal(layer)

    def _literal(self, layer: LiteralLayer) -> None:
        inputs = {value for value in layer.inputs if value is not None}
        parts: dict[Expr, None] = {}
        for rule in layer.rules:
            for part in self._parts(rule, layer):
                parts[part] = None
                self._rule(rule, part, inputs)
        self.roots.setdefault(layer.signature, {})[layer.result] = None
        self._own(layer.signature, layer.result, {*parts, *inputs}, {})

    def _parts(self, rule: RuleLayer, layer: LiteralLayer) -> Iterator[Expr]:
        """The rule's result as the literal adds it up, and on the diagonal."""
        domain = layer.result.domain
        yield self.planner.rule_part(rule, layer.signature, layer.inputs, domain)
        if layer.signature[1] == 2 and domain is not None and len(layer.inputs) == 2:
            given = layer.inputs[0]
            if given is not None and given.domain is domain:
                yield self.planner.diagonal_part(rule, domain)

    def _rule(self, layer: RuleLayer, part: Expr, inputs: Collection[Expr]) -> None:
        calls = {call.result: call for call in layer.calls.values() if call.rules}
        self._waiting += calls.values()
        self.roots.setdefault(layer.rule, {})[part] = None
        self._own(layer.rule, part, inputs, calls)

    def _own(
        self,
        owner: Owner,
        root: Expr,
        ends: Collection[Expr],
        calls: Mapping[Expr, LiteralLayer],
    ) -> None:
        """Note the owner at all nodes down to the ends; of a call, at what is given to it."""
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
            stack += node.children
