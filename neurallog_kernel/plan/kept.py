"""The layers that a planner keeps, and which of them an edit of the program sends away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias, TypeVar
from weakref import WeakValueDictionary

from neurallog_kernel.knowledge.persistent_dict import differing
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import Rule, Signature
from neurallog_kernel.plan.exprs import Expr, Input
from neurallog_kernel.plan.layers import LiteralLayer, RuleLayer

Inputs: TypeAlias = tuple[Expr | None, ...]  # by place; None at the output
L = TypeVar("L", LiteralLayer, RuleLayer)
LayersByKey: TypeAlias = dict[Signature, dict[tuple, L]]


class KeptLayers:
    """Layers by all that they rest on: a key that is met again gives the same layer.

    A layer whose inputs are those of a question is held here until its predicate changes. One that
    was made for other inputs may rest on what is gone, though its own predicate did not change: it
    lives while a layer of the first kind holds it. So an edit looks at the predicates that it
    changed, and at no others.
    """

    def __init__(self) -> None:
        self.literals: WeakValueDictionary[tuple, LiteralLayer] = WeakValueDictionary()
        self.rules: WeakValueDictionary[tuple, RuleLayer] = WeakValueDictionary()
        self._held_literals: LayersByKey[LiteralLayer] = {}
        self._held_rules: LayersByKey[RuleLayer] = {}
        self._stamps: Mapping[Signature, int] = {}  # of the program that was here last
        self._new: set[Signature] = set()  # held since then
        self._leaving: list[LiteralLayer | RuleLayer] = []

    def keep_literal(self, program: Program, key: tuple, layer: LiteralLayer) -> None:
        """Keep a layer; the key begins with the stamp of its predicate."""
        self.literals[key] = layer
        self._hold(self._held_literals, program, layer.signature, layer.inputs, key, layer)

    def keep_rule(self, program: Program, key: tuple, inputs: Inputs, layer: RuleLayer) -> None:
        """Keep a layer; the key begins with what `rests_on` says of its rule."""
        self.rules[key] = layer
        self._hold(self._held_rules, program, layer.rule.head.signature, inputs, key, layer)

    def _hold(
        self,
        table: LayersByKey[L],
        program: Program,
        signature: Signature,
        inputs: Inputs,
        key: tuple,
        layer: L,
    ) -> None:
        for place, value in enumerate(inputs):
            if value is None:
                continue
            if not isinstance(value, Input):
                return
            if value.domain != program.type_ref((*signature, place)):
                return  # no stamp would tell when that type is gone
        table.setdefault(signature, {})[key] = layer
        self._new.add(signature)

    def changed(self, program: Program) -> set[Signature]:
        """The predicates to look at: those that changed since the last time, and new ones."""
        found = differing(self._stamps, program.stamps) | self._new
        self._stamps, self._new = program.stamps, set()
        return found

    def forget(self, program: Program, changed: set[Signature]) -> bool:
        """Let go of the layers of changed predicates; whether there were any.

        They stay until the next time for what they hold themselves: the next question plans a
        predicate anew, but with those of its rules that are as they were.
        """
        stale: list[LiteralLayer | RuleLayer] = []
        for signature in changed:
            literals = self._held_literals.get(signature, {})
            for key in [k for k in literals if k[0] != program.stamp(signature)]:
                stale.append(literals.pop(key))
            rules = self._held_rules.get(signature, {})
            now, known = rests_on(program, signature), program.rule_types
            for key in [k for k in rules if k[1] not in known or k[0] != now(k[1])]:
                stale.append(rules.pop(key))
            if not literals:
                self._held_literals.pop(signature, None)
            if not rules:
                self._held_rules.pop(signature, None)
        self._leaving = stale or self._leaving
        return bool(stale)


def rests_on(program: Program, head: Signature) -> Callable[[Rule], tuple]:
    """What the layer of a rule with this head is right for: the types of its head, whether its
    weight is learned, and the predicates of its body. A head may have thousands of rules."""
    types = tuple(program.type_ref((*head, place)) for place in range(head[1]))
    of_head = types, program.parameters, head in program.learned_rules
    stamp = program.stamps.get
    return lambda rule: (of_head, tuple([stamp(literal.signature, 0) for literal in rule.body]))
