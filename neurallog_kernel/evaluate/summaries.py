"""What an inspector says of predicates, types and the numbers inside a rule: plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neurallog_kernel.knowledge.loaded import counted
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.rulegraph.graph import BodyLiteral, Edge, Node


@dataclass(frozen=True, slots=True)
class PredicateSummary:
    """A predicate in a few numbers; `weights` is the least and the greatest of its facts."""

    signature: Signature
    role: str
    learnable: bool
    facts: int
    rules: int
    shape: tuple[int, ...]
    weights: tuple[float, float] | None

    def __str__(self) -> str:
        name, arity = self.signature
        parts = [f"{name}/{arity}: {_FORMS.get((self.role, len(self.shape)), self.role)}"]
        if self.shape:
            parts[0] += f" {' × '.join(f'{n:,}' for n in self.shape)}"
        if self.role != "function":
            parts.append(counted(self.facts, "fact"))
        if self.weights is not None:
            low, high = (f"{w:.4g}" for w in self.weights)
            parts.append(f"weight {low}" if low == high else f"weights {low} to {high}")
        if self.rules:
            parts.append(counted(self.rules, "rule"))
        return ", ".join(parts) + ("; learned" if self.learnable else "")


_FORMS = {
    ("relation", 2): "matrix",
    ("relation", 1): "vector",
    ("relation", 0): "one number",
    ("attribute", 1): "attribute, two vectors of",
    ("numeric", 0): "numbers",
    ("empty", 0): "nothing is known of it",
}


@dataclass(frozen=True, slots=True)
class Value:
    """What a node or an edge holds: the strongest entries by name, or one number.

    `count` is how many entries are not zero, of `size`; a number has the size None.
    """

    top: tuple[tuple[str, float], ...]
    total: float
    count: int
    size: int | None


@dataclass(frozen=True)
class Trace:
    """A rule's numbers for one question, node by node in the order in which they are computed."""

    nodes: Mapping[Node, Value]
    edges: Mapping[Edge, Value]
    sums: Mapping[Node, float]  # what goes from a node into `any` at the output
    grounded: Mapping[BodyLiteral, float]
    result: Value  # of the rule
    answer: Value  # of the predicate: its facts and all its rules


@dataclass(frozen=True, slots=True)
class TypeSummary:
    """An entity type: how many entities, the first few of them, and the places that hold it."""

    index: int
    size: int
    names: tuple[str, ...]
    slots: tuple[tuple[str, int, int], ...]
