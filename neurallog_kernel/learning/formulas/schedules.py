"""Learning-rate schedules by name: the rate of each epoch, from what is known before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import cos, isnan, pi
from types import MappingProxyType

PLATEAU_EPOCHS = 5  # without an improvement, until the rate is halved
PLATEAU_FACTOR = 0.5


@dataclass(frozen=True)
class Schedule:
    """How the learning rate goes on.

    The rate depends only on the epoch and on the losses so far, so a training that was killed or
    interrupted goes on with the rates that it would have had.

    >>> cosine = Schedule("cosine", warm_up=2)
    >>> [round(cosine.factor(epoch, 10, []), 2) for epoch in range(10)]
    [0.5, 1.0, 1.0, 0.96, 0.85, 0.69, 0.5, 0.31, 0.15, 0.04]
    >>> Schedule("plateau").factor(8, 20, [3, 2, 2, 2, 2, 2, 2, 2])
    0.5
    """

    name: str = "constant"
    warm_up: int = 0  # epochs in which the rate grows to its full value

    def factor(self, epoch: int, epochs: int, losses: Sequence[float]) -> float:
        """What the full rate is multiplied by in an epoch (0 the first) of so many."""
        if epoch < self.warm_up:
            return (epoch + 1) / self.warm_up
        shape = _SHAPES[self.name]
        return shape(epoch - self.warm_up, max(1, epochs - self.warm_up), losses[self.warm_up :])

    @property
    def is_constant(self) -> bool:
        return self.name == "constant" and not self.warm_up

    @property
    def needs_epochs(self) -> bool:
        """Whether its rates depend on how many epochs there will be."""
        return self.name in ("cosine", "linear")

    def __str__(self) -> str:
        return f"{self.name}, warm-up {self.warm_up}" if self.warm_up else self.name


CONSTANT = Schedule()


def _constant(epoch: int, epochs: int, losses: Sequence[float]) -> float:
    return 1.0


def _cosine(epoch: int, epochs: int, losses: Sequence[float]) -> float:
    return 0.5 * (1 + cos(pi * min(epoch, epochs) / epochs))


def _linear(epoch: int, epochs: int, losses: Sequence[float]) -> float:
    return 1 - min(epoch, epochs) / epochs


def _plateau(epoch: int, epochs: int, losses: Sequence[float]) -> float:
    """Halved whenever some epochs in a row were no better than the best one before them."""
    best, waited, factor = float("inf"), 0, 1.0
    for loss in losses:
        if loss < best:
            best, waited = loss, 0
        elif not isnan(loss):  # an epoch without a validation says nothing
            waited += 1
        if waited == PLATEAU_EPOCHS:
            waited, factor = 0, factor * PLATEAU_FACTOR
    return factor


_SHAPES: Mapping[str, Callable[[int, int, Sequence[float]], float]] = MappingProxyType(
    {"constant": _constant, "cosine": _cosine, "linear": _linear, "plateau": _plateau}
)
SCHEDULES = tuple(_SHAPES)
