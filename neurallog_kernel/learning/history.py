"""What happened in training, epoch by epoch, and what a callback is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.network.parameters import Key
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class History(Tabular):
    """Losses and metrics by epoch. `interrupted`: the user stopped it; what was learned is kept."""

    logs: dict[str, list[float]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    interrupted: bool = False
    stopped_early: bool = False
    best_epoch: int | None = None
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def epochs(self) -> int:
        return max((len(values) for values in self.logs.values()), default=0)

    def add(self, logs: Mapping[str, float]) -> None:
        done = self.epochs
        for name, value in logs.items():
            column = self.logs.setdefault(name, [float("nan")] * done)
            column += [float("nan")] * (done - len(column))
            column.append(float(value))

    def to_pandas(self) -> pd.DataFrame:
        """One row per epoch."""
        import pandas as pd

        size = self.epochs
        columns = {n: v + [float("nan")] * (size - len(v)) for n, v in self.logs.items()}
        return pd.DataFrame(columns, index=pd.RangeIndex(1, size + 1, name="epoch"))

    def __repr__(self) -> str:
        last = ", ".join(f"{name} {values[-1]:.4g}" for name, values in self.logs.items() if values)
        state = "interrupted after" if self.interrupted else "trained"
        plural = "" if self.epochs == 1 else "s"
        return f"<{state} {self.epochs} epoch{plural}, {self.seconds:.1f} s: {last}>"


@dataclass
class TrainingState:
    """Where training stands, as callbacks see it."""

    epoch: int  # finished epochs
    epochs: int
    batch: int  # finished batches of this epoch
    batches: int
    logs: dict[str, float]
    seconds: float
    history: History
    weights: Callable[[], Mapping[Key, np.ndarray]]
    names: Callable[[Key], Sequence[str]]  # the facts or rules of these weights, in their order
    stop: bool = False  # a callback may set it
    program: Callable[[], Program] | None = None  # with the weights as they are now


class Callback(Protocol):
    """What a training callback may define; every method is optional."""

    def on_begin(self, state: TrainingState) -> None: ...
    def on_batch(self, state: TrainingState) -> None: ...
    def on_epoch(self, state: TrainingState) -> None: ...
    def on_end(self, state: TrainingState) -> None: ...


def call(callbacks: list[Any], method: str, state: TrainingState) -> None:
    for callback in callbacks:
        function = getattr(callback, method, None)
        if function is not None:
            function(state)
