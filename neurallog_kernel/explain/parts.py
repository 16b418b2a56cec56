"""The data of an explanation: a tree of parts whose values make up the value above them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np

from neurallog_kernel.functions import Combiner, Function, FunctionKind, Top
from neurallog_kernel.language.syntax import Rule
from neurallog_kernel.rulegraph.graph import BodyLiteral, Dag, Node


@dataclass(frozen=True)
class Part:
    """One part: its value, and how its children make that value.

    `kind` says what it is (answer, fact, rule, grounding, ...). `operation` is the record that
    makes the value of the children: a combiner of all in order, or a function. It is None for a
    part that needs no explaining. `names` are the entities that a grounding takes for variables.
    """

    kind: str
    label: str
    value: float
    operation: Combiner | Function | None = None
    children: tuple[Part, ...] = ()
    place: str = ""
    note: str = ""
    names: tuple[tuple[str, str], ...] = ()
    rule: Rule | None = None
    dag: Dag | None = field(default=None, repr=False)
    entities: Mapping[Node, str] = field(default_factory=dict, repr=False)  # of a grounding
    literal: BodyLiteral | None = None  # of the rule's body, that this part is the value of

    @property
    def is_elementwise(self) -> bool:
        """Whether it is a function of numbers: of the children, and of nothing else."""
        function = self.operation
        return isinstance(function, Function) and function.kind is FunctionKind.ELEMENTWISE

    def computed(self) -> float | None:
        """The value that the children make; None where they do not tell it."""
        values = [np.array([child.value]) for child in self.children]
        if isinstance(self.operation, Combiner) and values:
            return float(reduce(self.operation, values)[0])
        if isinstance(self.operation, Function) and self.is_elementwise:
            return float(self.operation.numpy(*values)[0])
        return None

    def walk(self) -> Iterator[Part]:
        """This part and all below it, those that several share once."""
        seen: set[int] = set()
        waiting: list[Part] = [self]
        while waiting:
            part = waiting.pop()
            if id(part) not in seen:
                seen.add(id(part))
                yield part
                waiting += reversed(part.children)


def number(value: float, label: str, note: str = "") -> Part:
    """A number that stands for itself."""
    return Part("number", label, value, note=note)


def of_literal(part: Part, literal: BodyLiteral) -> Part:
    """The part as the value of a body literal."""
    return replace(part, literal=literal)


def combined(combiner: Combiner, children: Sequence[Part], value: float | None = None) -> Part:
    """Parts put together by a combiner that is not the usual one."""
    if len(children) == 1:
        return children[0]
    part = Part("combine", combiner.name, 0.0, combiner, tuple(children))
    return replace(part, value=part.computed() if value is None else value)


def summands(part: Part) -> tuple[Part, ...]:
    """What adds up to a part: its children, or itself."""
    return part.children if part.kind in ("sum", "path") else (part,)


def best_of(together: Top, label: str, parts: Sequence[Part]) -> Part:
    """The noisy-or of the best parts, those first that count."""
    ordered = sorted(parts, key=lambda part: -part.value)
    left = len([part for part in ordered[together.k :] if part.value])
    note = f"the noisy-or of its {together.k} best parts" + (f"; {left} more" if left else "")
    found = Part("answer", label, 0.0, together.of(len(parts)), tuple(ordered), note=note)
    return replace(found, value=found.computed())
