"""Which way to put the rules of a head together: held-out examples decide, for each head."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neurallog_kernel.induction.aggregation import (
    ANCHORED,
    EVIDENCE,
    FITTED,
    NOISY_OR,
    SIGNED,
    Figure,
    held_out_figure,
    untrained,
)
from neurallog_kernel.induction.judging import Judged
from neurallog_kernel.induction.worth import joined, only, row_columns

CLEARLY = 0.002  # a way must be better by so much before a simpler one is left
TRAINED = (FITTED, SIGNED, ANCHORED)  # in the order of what a reader has to understand
BORROWED = 30  # a head with so many held-out examples decides half by itself, half as all heads do
STRENGTH = 1.0  # of the penalty for each literal: a rule must explain more than one example to get
# a weight, and a longer one more than that, for more of the long ones fit by chance
LOOSE = 0.3  # of the penalty around weights of evidence, which most rules deserve already


@dataclass(frozen=True, eq=False)
class Task:
    """Weights to be found for the bodies of one head: from a start, by some of its examples.

    Each weight pays `strength` for its distance from the anchor, and stays between the bounds.
    """

    judged: Judged
    start: np.ndarray
    anchor: np.ndarray
    least: np.ndarray
    most: np.ndarray
    strength: np.ndarray | float
    right: np.ndarray  # which examples count
    others: np.ndarray  # which of the negatives


Fit = Callable[[Sequence[Task]], Sequence[np.ndarray]]
"""How weights are found, for many heads at once."""
StoppableFit = Callable[[Sequence[Task], Callable[[], bool]], Sequence[np.ndarray]]
"""The same, told what says when to end early."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """The judged bodies of a head with their weights, and how they are put together."""

    judged: Judged
    weights: np.ndarray  # by all examples
    honest: np.ndarray  # by those that are not held out: only these may be judged
    way: str
    figure: Figure | None
    why: str

    @property
    def kept(self) -> np.ndarray:
        return np.flatnonzero(self.weights)  # those of max+ may be very small

    @property
    def rows(self) -> int:
        """Rules with a weight, as a reader counts them."""
        return sum(bool(self.weights[own].any()) for own in self.columns())

    def columns(self) -> list[np.ndarray]:
        """The bodies of each row, best first."""
        return row_columns(self.judged, self.weights, self.way)


def choose(
    judged: Sequence[Judged],
    fit: Fit | None,
    strength: float = STRENGTH,
    most: int | None = None,
) -> list[Ranked]:
    """For each head compare the ways on held-out examples, each with the rows that it would show,
    `most` at most; the weights then use all examples."""
    found = [untrained(one, one.counts(with_held=False)) for one in judged]
    if fit is not None:
        _add_fitted(judged, found, fit, strength, with_held=False)
    figures = [
        {way: _of_best(one, weights, way, most) for way, weights in ways.items()}
        for one, ways in zip(judged, found, strict=True)
    ]
    possible = [
        tuple(dict.fromkeys((*ways, *(_trained(one) if fit is not None else ()))))
        for one, ways in zip(judged, found, strict=True)
    ]
    chosen = _chosen(figures, possible)
    whole = [untrained(one, one.counts()) for one in judged]
    if fit is not None:
        needed = {n: way for n, way in enumerate(chosen) if way in TRAINED}
        _add_fitted(judged, whole, fit, strength, with_held=True, needed=needed)
    return [
        Ranked(
            one,
            whole[n][way],
            found[n].get(way, whole[n][way]),
            way,
            held_out_figure(one, found[n][way], way) if way in found[n] else None,
            _why(figures[n], most if most is not None and len(one.found) > most else None),
        )
        if one.found
        else Ranked(one, np.zeros(0), np.zeros(0), NOISY_OR, None, "no rule")
        for n, (one, way) in enumerate(zip(judged, chosen, strict=True))
    ]


def _of_best(judged: Judged, weights: np.ndarray, way: str, most: int | None) -> Figure | None:
    """The held-out figure of the best rows, told by the examples that are not held out."""
    if most is not None and len(weights) > most:
        counts = judged.counts(with_held=False)
        weights = only(weights, joined(row_columns(judged, weights, way, counts)[:most]))
    return held_out_figure(judged, weights, way)


def _add_fitted(
    judged: Sequence[Judged],
    ways: Sequence[dict[str, np.ndarray]],
    fit: Fit,
    strength: float,
    with_held: bool,
    needed: Mapping[int, str] | None = None,
) -> None:
    """Add the ways that are trained: all trainings are one."""
    named: list[tuple[int, str]] = []
    for number, one in enumerate(judged):
        if one.found and (with_held or one.held_right.any()):
            named += [
                (number, way)
                for way in _trained(one)
                if needed is None or needed.get(number) == way
            ]
    tasks = [_task(judged[n], way, ways[n][EVIDENCE], strength, with_held) for n, way in named]
    for (number, way), weights in zip(named, fit(tasks) if tasks else (), strict=True):
        ways[number][way] = weights


def _trained(judged: Judged) -> tuple[str, ...]:
    """The ways of a head that need training. Listed examples are few, so that all are tried."""
    if judged.head.is_listed:
        return TRAINED
    return (SIGNED,) if judged.against.any() else (FITTED,)


def _task(judged: Judged, way: str, own: np.ndarray, strength: float, with_held: bool) -> Task:
    nothing = np.zeros(len(judged.found))
    right, others = (
        np.ones(len(held), dtype=bool) if with_held else ~held
        for held in (judged.held_right, judged.held_others)
    )
    if way == ANCHORED:
        free = np.full(len(own), np.inf)
        return Task(judged, own, own, -free, free, LOOSE * strength, right, others)
    signed = judged.against & (way == SIGNED)
    least = np.where(signed, -np.inf, 0.0)
    most = np.where(judged.against, 0.0, np.inf)
    literals = np.array([max(1, one.body.length) for one in judged.found])
    return Task(judged, nothing, nothing, least, most, strength * literals, right, others)


def _chosen(
    figures: Sequence[Mapping[str, Figure | None]], possible: Sequence[Sequence[str]]
) -> list[str]:
    """The way of each head. Few held-out examples say little: such a head goes by all the heads."""
    heads = [{way: f for way, f in own.items() if f is not None} for own in figures]
    means = [np.mean([f.value for f in own.values()]) if own else 0.0 for own in heads]
    gains: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for own, mean in zip(heads, means, strict=True):
        for way, figure in own.items():
            gain = (figure.examples, figure.value - float(mean))
            gains.setdefault((figure.measure, way), []).append(gain)
    usual = {
        key: float(np.average([gain for _, gain in some], weights=[n for n, _ in some]))
        for key, some in gains.items()
    }
    return [
        _best(own, float(mean), usual) if own else _usual_best(ways, usual)
        for own, mean, ways in zip(heads, means, possible, strict=True)
    ]


def _best(own: Mapping[str, Figure], mean: float, usual: Mapping[tuple[str, str], float]) -> str:
    gains = {}
    for way, figure in own.items():
        gain = figure.examples * (figure.value - mean) + BORROWED * usual[figure.measure, way]
        gains[way] = gain / (figure.examples + BORROWED)
    return _clearly_best(gains)


def _usual_best(ways: Sequence[str], usual: Mapping[tuple[str, str], float]) -> str:
    """For a head of which nothing is held out: what is best for the others."""
    own = {way: gain for (_, way), gain in usual.items() if way in ways}
    return _clearly_best({way: own[way] for way in ways if way in own})


def _clearly_best(gains: Mapping[str, float]) -> str:
    """The best, but a simpler one, which comes first, where there is hardly a difference."""
    best, worth = NOISY_OR, -np.inf
    for way, gain in gains.items():
        if gain > worth + (CLEARLY if way != NOISY_OR else 0.0):
            best, worth = way, gain
    return best


def _why(figures: Mapping[str, Figure | None], most: int | None) -> str:
    own = {way: figure for way, figure in figures.items() if figure is not None}
    if not own:
        return "nothing was held out: as for the other heads"
    said = ", ".join(f"{way} {figure.value:.3f}" for way, figure in own.items())
    rows = "" if most is None else f" of the best {most} rows"
    return f"{next(iter(own.values())).measure}{rows} on held-out examples: {said}"
