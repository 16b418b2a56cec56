"""The numbers of a question: what every expression gives, and how the answer depends on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.rows import Rows, entity_row, from_dense
from neurallog_kernel.explain.backward import Adjoints
from neurallog_kernel.language.printer import format_constant
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.plan.layers import LiteralLayer

TOP = 5  # entries listed of a vector

Seeds = Mapping[Expr, tuple[np.ndarray, np.ndarray]]
"""For some expressions: the slope of the answer by their entries, and which entries matter."""


@dataclass(eq=False)
class QuestionFrame:
    """A question, or one within it: what is given there, and where the answer's slopes come in.

    The rules of a unary predicate are computed for one entity at a time, and those of a call that
    many share for an input of their own. Each of these is a frame within the frame of its caller.
    """

    evaluator: Evaluator
    bindings: Mapping[int, Rows]
    seeds: Seeds
    about: str = ""  # the entity that a frame is for
    key: object = field(default_factory=object)  # equal for frames with the same inputs
    slopes: Adjoints = field(init=False)
    matters: Adjoints = field(init=False)

    def __post_init__(self) -> None:
        self.slopes, self.matters = (
            Adjoints(
                self.evaluator.engine,
                {expr: seed[number] for expr, seed in self.seeds.items()},
                self.bindings,
                self.key,
            )
            for number in range(2)
        )

    def array(self, expr: Expr) -> np.ndarray:
        """All entries, or one number."""
        found = self.evaluator.value(expr, self.bindings, self.key)
        return found.reshape(-1)[:1] if isinstance(found, np.ndarray) else found.dense()[0]

    def entries(self, expr: Expr) -> np.ndarray:
        """Those entries that the question uses: facts about others are no part of it."""
        found = self.array(expr)
        matters = self.matters.get(expr)
        if expr.uses_input or expr.domain is None or matters is None or not matters.any():
            return found
        return np.where(matters != 0, found, 0.0)

    def total(self, expr: Expr) -> float:
        return float(self.entries(expr).sum())

    @property
    def place(self) -> object:
        """Equal for frames in which the same facts have the same values."""
        return self.about or self

    def value(self, expr: Expr, others: Sequence[QuestionFrame] = ()) -> dict[str, Any]:
        """An expression's strongest entries, their sum, and their slopes; those of other frames
        that use the same value are added."""
        found = self.entries(expr)
        kind = self.evaluator.kind(expr)
        slopes = np.zeros(len(found))
        for frame in (self, *others):
            slopes = slopes + _or_nothing(frame.slopes.get(expr))
        there = np.flatnonzero(found)

        def named(by: np.ndarray) -> list[list[Any]]:
            if kind is None:
                return []
            best = there[np.argsort(-np.abs(by[there]), kind="stable")[:TOP]]
            names = self.evaluator.symbols.names(kind.symbols_at(best).tolist())
            return [[n, float(by[i])] for n, i in zip(names, best.tolist(), strict=True)]

        return {
            "top": named(found),
            "back": [pair for pair in named(slopes) if pair[1]],
            "total": _finite(found.sum()),
            "carries": _finite((found * slopes)[there].sum()),
            "slope": _finite(slopes[0]) if kind is None else None,
            "count": len(there),
            "size": None if kind is None else len(found),
            "about": self.about,
        }

    def question(self, layer: LiteralLayer, entity: str = "") -> str:
        """A predicate as it is asked here: an input that is many entities as the one of them that
        the answer depends on most."""
        predicate, arity = layer.signature
        name = format_constant(predicate)
        if not arity:
            return name
        if arity == 1:
            inner = None if entity else self.entity(layer)
            entity = inner.about if inner else entity
            return f"{name}({format_constant(entity) if entity else 'X'})"
        terms = [self._strongest(layer, place) for place in range(arity)]
        return f"{name}({', '.join(terms)})"

    def _strongest(self, layer: LiteralLayer, place: int) -> str:
        given = layer.inputs[place]
        if given is None:
            return "Y"
        entries, slopes = np.abs(self.array(given)), np.abs(_or_nothing(self.slopes.get(given)))
        weighed = entries * slopes if (entries * slopes).any() else entries
        index = int(np.argmax(weighed))
        return format_constant(self.evaluator.name(layer.signature, place, index))

    # -- frames within ----------------------------------------------------------------------------

    def entity(self, layer: LiteralLayer, index: int | None = None) -> QuestionFrame | None:
        """For the rules of a unary predicate: the entity that the answer depends on most."""
        exprs = [layer.result, *layer.parts]
        slope, relevance = (
            [np.atleast_1d(_or_nothing(table.get(e))) for e in exprs]
            for table in (self.slopes, self.matters)
        )
        if index is None:
            weight = np.abs(slope[0]) + 1e-9 * np.abs(relevance[0])
            if not weight.any():
                return None
            index = int(np.argmax(weight))
        size = len(self.evaluator.domain(layer.signature, 0))

        def at(arrays: list[np.ndarray], place: int) -> np.ndarray:
            array = arrays[place] if place < len(arrays) else np.zeros(1)
            return array[index : index + 1] if len(array) == size else np.zeros(1)

        seeds = {
            rule.result: (at(slope, n + 1), at(relevance, n + 1))
            for n, rule in enumerate(layer.rules)
        }
        bound = {0: entity_row(size, index)}
        return QuestionFrame(
            self.evaluator, bound, seeds, self.evaluator.name(layer.signature, 0, index)
        )

    def shared(self, layer: LiteralLayer) -> QuestionFrame:
        """For the rules of a call that others share: with the vector of this caller."""
        assert layer.shared is not None
        place = next(p for p, given in enumerate(layer.inputs) if given is not None)
        given = layer.inputs[place]
        assert given is not None
        seeds = {
            layer.shared.result: (
                _or_nothing(self.slopes.get(layer.result)),
                _or_nothing(self.matters.get(layer.result)),
            )
        }
        bound = {place: from_dense(self.array(given)[None, :])}
        return QuestionFrame(
            self.evaluator, bound, {e: s for e, s in seeds.items() if len(s[0]) > 1}
        )


def _or_nothing(slopes: np.ndarray | None) -> np.ndarray:
    """The slope 0 of every entry, where nothing depends on them."""
    return np.zeros(1) if slopes is None else slopes


def _finite(number: Any) -> float:
    """A number that JSON has."""
    return float(np.nan_to_num(number))


def relevance(weights: Iterable[tuple[int, float]], size: int) -> np.ndarray:
    """A seed that reaches all that an answer depends on. The weights are uneven, so that slopes of
    a softmax, whose sum is constant, do not cancel."""
    seed = np.zeros(size)
    for number, (index, weight) in enumerate(weights):
        if weight:
            seed[index] = 1.0 / (number + 1.37)
    return seed
