"""The data of an explanation: a tree of parts whose values make up the value above them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from math import prod

import numpy as np

from neurallog_kernel.functions import Combiner, Function, FunctionKind
from neurallog_kernel.language.syntax import Rule
from neurallog_kernel.rulegraph.graph import BodyLiteral, Dag, Node


@dataclass(frozen=True)
class Part:
    """One part: its value, and how its children make that value.

    `kind` says what it is (answer, fact, rule, grounding, ...). `operation` is "sum" or "product"
    of the children, "combine" (pairwise by the named combiner), "function" (of the children),
    "subtract" (the first less the second), "whole" (of more than the children show), or "" for a
    part that needs no explaining. `names` are the entities that a grounding takes for variables.
    """

    kind: str
    label: str
    value: float
    operation: str = ""
    children: tuple[Part, ...] = ()
    place: str = ""
    note: str = ""
    names: tuple[tuple[str, str], ...] = ()
    function: Function | None = None
    combiner: Combiner | None = None
    rule: Rule | None = None
    dag: Dag | None = field(default=None, repr=False)
    entities: Mapping[Node, str] = field(default_factory=dict, repr=False)  # of a grounding
    literal: BodyLiteral | None = None  # of the rule's body, that this part is the value of

    def computed(self) -> float | None:
        """The value that the children make; None where they do not tell it."""
        values = [child.value for child in self.children]
        if self.operation == "sum":
            return float(sum(values))
        if self.operation == "product":
            return float(prod(values))
        if self.operation == "subtract":
            return values[0] - values[1]
        if self.operation == "combine" and self.combiner is not None:
            return float(reduce(self.combiner, map(np.array, values)))
        function = self.function if self.operation == "function" else None
        if function is not None and function.kind is FunctionKind.ELEMENTWISE:
            return float(function.numpy(*(np.array([v]) for v in values))[0])
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
