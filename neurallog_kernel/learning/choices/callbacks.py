"""The callbacks that a program sets: figures of a set after some epochs, and when to stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from neurallog_kernel.errors import ParameterError, did_you_mean
from neurallog_kernel.knowledge.configured import config_below
from neurallog_kernel.knowledge.parameters import Parameters
from neurallog_kernel.language.syntax import ParameterValue
from neurallog_kernel.learning.choices.ties import RANK_METHODS

# The original's names of the example sets, and ours.
SETS: Mapping[str, str] = {
    "train_set": "train",
    "validation_set": "validation",
    "test_set": "test",
}


@dataclass(frozen=True)
class LinkPrediction:
    """Ranks of the true answers of binary targets (`link_prediction_callback`)."""

    name: str
    dataset: str
    top_k: int = 10
    filtered: bool = True
    period: int = 1
    rank_method: str = "optimistic"
    suffix: str = ""

    def __post_init__(self) -> None:
        if self.rank_method not in RANK_METHODS:
            hint = f"one of {', '.join(RANK_METHODS)}"
            message = f"callback {self.name}: unknown rank_method {self.rank_method}"
            raise ParameterError(message, hint=hint)


@dataclass(frozen=True)
class RocAuc:
    """The area under the ROC curve of the listed examples (`roc_auc`)."""

    name: str
    dataset: str
    positive_label: float = 1.0
    negative_label: float = 0.0
    suffix: str = ""
    period: int = 1


@dataclass(frozen=True)
class EarlyStopping:
    """Stop when a quantity no longer improves."""

    name: str
    monitor: str = "val_loss"
    patience: int = 0
    mode: str = "auto"
    restore_best_weights: bool = False
    verbose: int = 0


@dataclass(frozen=True)
class ModelCheckpoint:
    """Keep the weights of the best epoch; `best_model` takes them at the end."""

    name: str
    monitor: str = "val_loss"
    mode: str = "auto"
    save_best_only: bool = True
    save_weights_only: bool = True
    filepath: str = ""  # no file is written: the weights are kept in memory
    period: int = 1
    verbose: int = 0


ProgramCallback = LinkPrediction | RocAuc | EarlyStopping | ModelCheckpoint
_KINDS: Mapping[str, type] = {
    "link_prediction_callback": LinkPrediction,
    "roc_auc": RocAuc,
    "EarlyStopping": EarlyStopping,
    "ModelCheckpoint": ModelCheckpoint,
}


def callbacks_of(parameters: Parameters) -> list[ProgramCallback]:
    """The callbacks that the program sets; those that training does anyway are left out."""
    if "callback" not in parameters.names:
        return []
    tables: dict[str, dict[tuple[str, ...], ParameterValue]] = {}
    for path, value in parameters.below("callback").items():
        key = path[1:] or ("class_name",)
        tables.setdefault(path[0], {})[key] = value
    found: list[ProgramCallback] = []
    for name, table in tables.items():
        kind = table.get(("class_name",))
        if kind is None:
            raise ParameterError(
                f"callback {name} has no class_name",
                hint=f"write set_parameter(callback, {name}, class_name, roc_auc)",
            )
        if str(kind) in _KINDS:
            found.append(_make(_KINDS[str(kind)], name, config_below(table)))
    return found


def _make(kind: type, name: str, config: Mapping[str, Any]) -> Any:
    defaults = {field.name: field.default for field in fields(kind) if field.name != "name"}
    for key, value in config.items():
        if key not in defaults:
            hint = did_you_mean(key, defaults) or f"known: {', '.join(defaults)}"
            raise ParameterError(f"callback {name} has no setting {key}", hint=hint)
        _check(f"callback {name}: {key}", value, defaults[key])
    if "dataset" in defaults and "dataset" not in config:
        raise ParameterError(
            f"callback {name} needs a dataset",
            hint=f"write set_parameter(callback, {name}, config, dataset, validation_set)",
        )
    return kind(name, **config)


def _check(what: str, value: Any, default: Any) -> None:
    if isinstance(default, bool):
        right, expected = isinstance(value, bool), '"True" or "False"'
    elif isinstance(default, int):
        right, expected = isinstance(value, int) and not isinstance(value, bool), "a whole number"
        right = right and (value >= 1 or default == 0)
    elif isinstance(default, float):
        right, expected = isinstance(value, int | float), "a number"
    else:
        right, expected = isinstance(value, str), "a name"
    if not right:
        raise ParameterError(f"{what} must be {expected}, not {value}")


@dataclass(frozen=True)
class Watching:
    """What the callbacks of a program say of stopping and of the best epoch."""

    monitor: str | None = None
    mode: str | None = None
    patience: int | None = None
    keep_best: bool = False
    prefix: str | None = None  # of the files that the command line writes of the best model


def watching(parameters: Parameters) -> Watching:
    """EarlyStopping, and ModelCheckpoint where `best_model` names it, as options of a training."""
    callbacks = callbacks_of(parameters)
    stopping = [one for one in callbacks if isinstance(one, EarlyStopping)]
    keeping, prefix = _best_model(parameters, callbacks)
    watched = [*stopping, *keeping]
    if not watched:
        return Watching()
    if len({(one.monitor, _mode(one)) for one in watched}) > 1:
        names = ", ".join(f"{one.name} ({one.monitor})" for one in watched)
        raise ParameterError(
            f"one training watches one quantity, and there are several: {names}",
            hint="give them the same monitor",
        )
    patience = [one.patience for one in stopping]
    return Watching(
        watched[0].monitor,
        _mode(watched[0]),
        # Keras stops after that many epochs without improvement, and after one for 0
        max(1, min(patience)) if patience else None,
        bool(keeping) or any(one.restore_best_weights for one in stopping),
        prefix,
    )


def _mode(one: EarlyStopping | ModelCheckpoint) -> str | None:
    return None if one.mode == "auto" else one.mode


def _best_model(
    parameters: Parameters, callbacks: list[ProgramCallback]
) -> tuple[list[ModelCheckpoint], str | None]:
    """The callback that `best_model` names, and the prefix of its files."""
    named = {path[0]: value for path, value in parameters.below("best_model").items()}
    plain = parameters.get("best_model")
    if isinstance(plain, str) and plain.lower() != "none":
        named[plain] = ""
    known = {one.name: one for one in callbacks if isinstance(one, ModelCheckpoint)}
    for name in named:
        if name not in known:
            hint = did_you_mean(name, known)
            hint = hint or f"write set_parameter(callback, {name}, class_name, ModelCheckpoint)"
            raise ParameterError(f"best_model: there is no ModelCheckpoint {name}", hint=hint)
    prefix = next((str(value) for value in named.values() if value), None)
    if prefix is not None and not _is_plain(prefix):
        raise ParameterError(
            f"best_model: {prefix} cannot be the beginning of a file name",
            hint="letters, digits, _, - and . only: a program does not choose folders",
        )
    return [known[name] for name in named], prefix


def _is_plain(prefix: str) -> bool:
    return all(c.isalnum() or c in "_-." for c in prefix) and not prefix.startswith(".")
