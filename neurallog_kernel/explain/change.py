"""What would change an answer: the smallest edit of one weight that puts another answer first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from math import isfinite

from neurallog_kernel.answers import Answers, format_weight
from neurallog_kernel.errors import QueryError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.questions import Questions
from neurallog_kernel.explain.difference import filled
from neurallog_kernel.explain.sensitivity import Slope, sensitivity
from neurallog_kernel.explain.whatif import apart, with_weights
from neurallog_kernel.language import parse_query
from neurallog_kernel.language.printer import format_literal
from neurallog_kernel.language.syntax import Constant, Literal, Variable

CANDIDATES = 8  # weights that are tried for each other answer
OTHERS = 3  # answers that could come first
STEPS = 24  # of a search for the exact weight
MORE = 1e-6  # an answer is first when it is higher by this share
DIGITS = 3  # of the weight that a button gives and a cell then has


@dataclass(frozen=True)
class WeightEdit:
    """One weight, what it is and what it would have to be, and the answer that is first then."""

    name: str
    kind: str  # "fact" or "rule"
    weight: float
    to: float
    place: str
    first: str  # the answer that comes first then
    value: float  # its weight then
    other: float  # that of the answer that is first now
    tried: float  # a weight of few digits that does it too, to be given and written

    @property
    def size(self) -> float:
        return abs(self.to - self.weight)

    def __str__(self) -> str:
        verb, side = ("falls", "below") if self.to < self.weight else ("rises", "above")
        now, then = format_weight(self.weight), format_weight(self.to)
        to = f"the weight of {self.name.removesuffix('.')} {verb} from {now} to {side} {then}"
        if self.to == 0 and self.kind == "fact":
            to = f"the fact {self.name} is removed"
        return f"if {to}, {self.first} is first"


@dataclass(frozen=True)
class WhatWouldChange:
    """The smallest edits that put another answer first, smallest first."""

    query: str
    first: str
    weight: float
    edits: tuple[WeightEdit, ...]

    def __len__(self) -> int:
        return len(self.edits)

    def __iter__(self) -> Iterator[WeightEdit]:
        return iter(self.edits)

    def __getitem__(self, which: int) -> WeightEdit:
        return self.edits[which]

    def __str__(self) -> str:
        now = f"{self.first} is first, with {format_weight(self.weight)}"
        if not self.edits:
            return f"{now}; no change of a single weight was found that puts another answer first"
        return "\n".join([now, *(f"  {edit}" for edit in self.edits)])

    def __repr__(self) -> str:
        return str(self)


def what_would_change(
    evaluator: Evaluator, text: str, instead: str | None = None, top: int = 3
) -> WhatWouldChange:
    """Edits of one fact's or rule's weight after which `instead`, or any other answer, is first.
    A question that names its answer asks how that comes first, or how it would not."""
    atom = parse_query(text)
    named = atom.terms[-1] if atom.arity > 1 else None
    if isinstance(named, Constant) and not any(isinstance(t, Variable) for t in atom.terms):
        atom = replace(atom, terms=(*atom.terms[:-1], Variable("Y")))
        best = next(iter(Questions(evaluator).answer(atom, 1).weights), None)
        instead = instead or (None if best == (named.name,) else named.name)
    open_places = [term for term in atom.terms if isinstance(term, Variable)]
    if len(open_places) != 1:
        raise QueryError(
            f"{format_literal(atom)}: one place must be open",
            atom.span,
            f"as in {atom.predicate}({', '.join(['a'] * max(atom.arity - 1, 0) + ['Y'])})",
        )
    search = _Search(evaluator, atom)
    others = search.others(instead)
    found = sorted((e for other in others for e in search.edits(other)), key=lambda e: e.size)
    kept = {edit.name: edit for edit in reversed(found)}  # of each weight the smallest
    ranked = sorted(kept.values(), key=lambda e: e.size)[:top]
    weight = search.answers.weights[search.best]
    return WhatWouldChange(format_literal(atom), search.filled(search.best), weight, tuple(ranked))


class _Search:
    """One question: its answers now, and with one weight changed."""

    def __init__(self, evaluator: Evaluator, atom: Literal) -> None:
        self.evaluator, self.atom = evaluator, atom
        self.scratch = apart(evaluator, evaluator.program)
        self.answers: Answers = Questions(evaluator).answer(atom)
        if not len(self.answers):
            raise QueryError(f"{format_literal(atom)} has no answer to change", atom.span)
        self.best = next(iter(self.answers.weights))

    def others(self, instead: str | None) -> list[tuple[str, ...]]:
        if instead is None:
            return [key for key in self.answers.weights if key != self.best][:OTHERS]
        if (instead,) == self.best:
            raise QueryError(f"{instead} is first already", hint="name another answer")
        self.weight_of((instead,), self.evaluator)  # the error that a query gives
        return [(instead,)]

    def filled(self, key: tuple[str, ...]) -> str:
        return filled(self.atom, key)

    def weight_of(self, key: tuple[str, ...], evaluator: Evaluator) -> float:
        return Questions(evaluator).answer(parse_query(self.filled(key))).weight

    def edits(self, other: tuple[str, ...]) -> Iterator[WeightEdit]:
        """The weights by which the other answer could pass the best, nearest first."""
        rise = {(s.kind, s.name): s for s in sensitivity(self.evaluator, self.filled(other))}
        fall = {(s.kind, s.name): s for s in sensitivity(self.evaluator, self.filled(self.best))}
        gap = self.answers.weights[self.best] - self.answers.weights.get(other, 0.0)
        needed = []
        for key in {**rise, **fall}:
            one = rise.get(key) or fall[key]
            slope = _slope(rise.get(key)) - _slope(fall.get(key))
            if slope and isfinite(slope) and isfinite(gap / slope):
                needed.append((abs(gap / slope), one.name, one, gap / slope))
        for _, _, one, change in sorted(needed, key=lambda n: n[:2])[:CANDIDATES]:
            edit = self.exact(one, change, other)
            if edit is not None and edit.value > 0:  # first among nothing is no answer
                yield edit

    def exact(self, one: Slope, change: float, other: tuple[str, ...]) -> WeightEdit | None:
        """The weight at which the other answer passes; a straight line may miss it."""
        far = change
        for _ in range(6):
            if self.lead(one, one.weight + far, other) > 0:
                break
            far *= 2
        else:
            return None
        near = 0.0
        for _ in range(STEPS):
            middle = (near + far) / 2
            if self.lead(one, one.weight + middle, other) > 0:
                far = middle
            else:
                near = middle
        to = one.weight + far
        changed = self.with_weight(one.name, to)
        value, beaten = (self.weight_of(key, changed) for key in (other, self.best))
        tried = _beyond(to, one.weight)
        if self.lead(one, tried, other) <= 0:  # a third answer may be first there
            tried = to
        return WeightEdit(
            one.name, one.kind, one.weight, to, one.place, self.filled(other), value, beaten, tried
        )

    def lead(self, one: Slope, weight: float, other: tuple[str, ...]) -> float:
        """By how much the other answer is ahead of all with that weight."""
        weights = Questions(self.with_weight(one.name, weight)).answer(self.atom, 2).weights
        if other not in weights:  # two are better
            return -1.0
        best = max((w for key, w in weights.items() if key != other), default=0.0)
        return weights[other] - best - MORE * abs(best)

    def with_weight(self, name: str, weight: float) -> Evaluator:
        program = with_weights(self.evaluator.program, self.evaluator.symbols, {name: weight})
        return self.scratch.of(program)


def _beyond(to: float, weight: float) -> float:
    """The next weight of few digits, further from the weight that it is now.

    >>> _beyond(0.1999998, 0.9), _beyond(0.2000003, 0.1), _beyond(-1.23456, 1.0), _beyond(0.0, 1.0)
    (0.199, 0.201, -1.24, 0.0)
    """
    rounding = ROUND_FLOOR if to < weight else ROUND_CEILING
    return float(Context(prec=DIGITS, rounding=rounding).create_decimal_from_float(to))


def _slope(one: Slope | None) -> float:
    return 0.0 if one is None else one.slope
