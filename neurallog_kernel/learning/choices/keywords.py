"""The options of `train` and `evaluate` by name and type, for editors and type checkers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from neurallog_kernel.learning.choices.settings import LossFunction


class TrainKeywords(TypedDict, total=False):
    """Those of `train`; `learning/options.py` says what each does."""

    examples: str | None
    validation: str | None
    epochs: int | None
    batch_size: int | None
    optimizer: str | Mapping[str, Any] | None
    learning_rate: float | None
    schedule: str | None
    warm_up: int | None
    clip_norm: float | None
    average: float | None
    loss: str | LossFunction | Mapping[str, str | LossFunction] | None
    positive_weight: float | str | None
    regularizer: str | Mapping[str, Any] | None
    unlisted: str | None
    negatives: int | None
    shuffle: bool | None
    seed: int
    seeds: int | None
    restarts: int | None
    dtype: str
    patience: int | None
    keep_best: bool
    hold_out: float | None
    groups: str | None
    monitor: str | None
    mode: str | None
    metrics: Sequence[str | Callable[..., float]] | None
    inverse_relations: bool | None
    backend: str | None
    anchor: float | None
    workers: str | None


class EvaluateKeywords(TypedDict, total=False):
    """Those of `evaluate`."""

    ranks: bool
    filtered: bool
    ties: str
    hits: Sequence[int]
    inverse: bool
    place: int | None
