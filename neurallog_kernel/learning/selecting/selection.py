"""Choosing the settings of a training by cross-validation, on training examples only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from neurallog_kernel.arguments import wrong
from neurallog_kernel.errors import ParameterError, UnknownNameError, did_you_mean
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.interrupts import Interrupts
from neurallog_kernel.knowledge.parameter_table import PARAMETERS
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import SetParameter
from neurallog_kernel.learning.choices.option_checks import TRAINING
from neurallog_kernel.learning.figures.evaluation import Metrics
from neurallog_kernel.learning.selecting.cross_validation import (
    CrossValidation,
    FoldOptions,
    divided,
    fold_figures,
)
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

MOST_SETTINGS = 1_000
_FIRST_FOLDS = 2  # of the folds, which all settings are tried on when the worse half is dropped

# The parameter that an option of `train` is in a program's text, where the name is another.
_PARAMETERS = {"loss": "loss_function"}
_IN_TEXT = frozenset(PARAMETERS) | {"loss"}


@dataclass(frozen=True)
class Choice:
    """One setting with what it reached on the folds that it was tried on."""

    settings: Mapping[str, Any]
    result: CrossValidation
    complete: bool  # whether it was tried on all folds

    @property
    def label(self) -> str:
        return ", ".join(f"{name}={_shown(value)}" for name, value in self.settings.items())


class Selection(Tabular):
    """The settings that were tried, best first; those that were dropped early come last."""

    def __init__(self, options: FoldOptions, choices: Sequence[Choice], interrupted: bool) -> None:
        self.options = options
        self.choices = tuple(sorted(choices, key=self._order))
        self.interrupted = interrupted

    def _order(self, choice: Choice) -> tuple[bool, float]:
        value = self.options.sign * choice.result.mean
        return not choice.complete, np.inf if np.isnan(value) else -value

    @property
    def best(self) -> dict[str, Any]:
        """The settings of the winner, as `train(**selection.best)` takes them."""
        return dict(self.choices[0].settings)

    def program(self) -> str:
        """The winner's settings as program text."""
        return "\n".join(_line(name, value) for name, value in self.best.items())

    def to_pandas(self) -> pd.DataFrame:
        """One row a setting."""
        import pandas as pd

        metric = self.options.metric
        rows = [
            {
                **{name: _shown(value) for name, value in choice.settings.items()},
                metric: choice.result.mean,
                "deviation": choice.result.deviation,
                "folds": len(choice.result.folds),
            }
            for choice in self.choices
        ]
        return pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="place"))

    def __repr__(self) -> str:
        return self.to_pandas().to_string(float_format=lambda x: f"{x:.4f}")


def settings_of(space: Any, tries: int | None, seed: int) -> list[dict[str, Any]]:
    """The settings to try: those listed, or every combination of the values by name, or so many of
    these drawn at random.

    >>> settings_of({"epochs": [5, 10], "optimizer": ["sgd"]}, None, 0)
    [{'epochs': 5, 'optimizer': 'sgd'}, {'epochs': 10, 'optimizer': 'sgd'}]
    >>> settings_of([{"epochs": 5}, {"optimizer": "adam"}], None, 0)
    [{'epochs': 5}, {'optimizer': 'adam'}]
    """
    if isinstance(space, Mapping | list | tuple) and not space:
        raise ParameterError("there is nothing to select from")
    if isinstance(space, Mapping):
        _check_values(space)
        total = int(np.prod([len(values) for values in space.values()], dtype=object))
        found = list(_drawn(space, total, tries, seed))
    elif isinstance(space, list | tuple) and all(isinstance(one, Mapping) for one in space):
        found, total = [dict(one) for one in space], len(space)
    else:
        raise ParameterError(
            "what to select from is a table of values by option, or a list of settings",
            hint='as in select({"learning_rate": [0.01, 0.1], "epochs": [10, 40]})',
        )
    if len(found) > MOST_SETTINGS:
        raise ParameterError(
            f"{total:,} settings are too many to try all of them",
            hint="give tries=50 to try as many of them, drawn at random",
        )
    for settings in found:
        check_names(settings)
    return found


def _drawn(
    space: Mapping[str, Sequence[Any]], total: int, tries: int | None, seed: int
) -> Iterator[dict[str, Any]]:
    numbers: Sequence[int] = range(min(total, MOST_SETTINGS + 1))
    if tries is not None and tries < total:
        generator = np.random.default_rng(seed)
        most = min(total, 2**62)
        drawn: dict[int, None] = {}
        while len(drawn) < tries:
            drawn[int(generator.integers(most))] = None
        numbers = list(drawn)
    for number in numbers:
        settings: dict[str, Any] = {}
        for name, values in reversed(list(space.items())):
            number, place = divmod(number, len(values))
            settings[name] = values[place]
        yield {name: settings[name] for name in space}


def _check_values(space: Mapping[str, Any]) -> None:
    for name, values in space.items():
        if not isinstance(values, list | tuple) or not values:
            raise ParameterError(
                f"{name} needs a list of values to select from",
                hint=f'as in select({{"{name}": [...]}})',
            )


def check_names(settings: Mapping[str, Any]) -> None:
    """Look at every setting before the first training."""
    for name, value in settings.items():
        if not isinstance(name, str):
            raise wrong("the name of an option", "text", name, 'as in "epochs"')
        if name not in TRAINING:
            hint = did_you_mean(name, TRAINING) or f"known: {', '.join(TRAINING)}"
            raise UnknownNameError(f"unknown option {name} of train", hint=hint)
        if name == "examples":
            raise ParameterError(
                "the examples are the same for all settings",
                hint="leave examples out of what is compared, and give it beside: examples='train'",
            )
        TRAINING[name](name, value)


def select(
    evaluator: Evaluator,
    settings: Sequence[Mapping[str, Any]],
    options: FoldOptions,
    training: Mapping[str, Any],
    halving: bool,
    interrupts: Interrupts,
    tell: Callable[[int, int], None] | None = None,
) -> Selection:
    """Try each setting on the folds. With `halving` all are tried on two folds, and then the better
    half of those that are left on each further fold. An interrupt keeps what was measured."""
    splits = divided(evaluator, options, training)
    measured: dict[int, list[Metrics]] = {number: [] for number in range(len(settings))}
    left, done, interrupted = list(measured), 0, False
    total = _runs(len(settings), options.folds, halving)
    try:
        for fold, split in enumerate(splits):
            if halving and fold >= _FIRST_FOLDS:
                left = _better_half(left, measured, options)
            for number in left:
                chosen = {**training, **settings[number]}
                measured[number].append(fold_figures(evaluator, split, chosen, interrupts))
                done += 1
                if tell is not None:
                    tell(done, total)
    except KeyboardInterrupt:
        if not any(measured.values()):
            raise
        interrupted = True
    sizes = [sum(len(e) for e in split.held) for split in splits]
    most = max(len(found) for found in measured.values())
    choices = [
        Choice(one, CrossValidation(options, found, sizes[: len(found)]), len(found) == most)
        for one, found in zip(settings, measured.values(), strict=True)
        if found
    ]
    return Selection(options, choices, interrupted)


def _better_half(
    left: list[int], measured: Mapping[int, list[Metrics]], options: FoldOptions
) -> list[int]:
    def value(number: int) -> float:
        found = options.sign * np.mean([fold[options.metric] for fold in measured[number]])
        return -np.inf if np.isnan(found) else float(found)

    ranked = sorted(left, key=value, reverse=True)
    return sorted(ranked[: max(1, (len(left) + 1) // 2)])


def _runs(settings: int, folds: int, halving: bool) -> int:
    """How many trainings there will be.

    >>> _runs(8, 5, True), _runs(8, 5, False)
    (23, 40)
    """
    if not halving:
        return settings * folds
    total = settings * min(folds, _FIRST_FOLDS)
    for _ in range(folds - _FIRST_FOLDS):
        settings = max(1, (settings + 1) // 2)
        total += settings
    return total


# -- settings as text -----------------------------------------------------------------------------


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        config = ", ".join(f"{k}={_shown(v)}" for k, v in value.items() if k != "class_name")
        return f"{value.get('class_name', '')}({config})"
    return getattr(value, "__name__", None) or str(value)


def _line(name: str, value: Any) -> str:
    """An option as a directive; what has no form in a text is a remark.

    >>> print(_line("optimizer", {"class_name": "adam", "beta_1": 0.8}))
    set_parameter(optimizer, class_name, adam).
    set_parameter(optimizer, config, beta_1, 0.8).
    >>> print(_line("loss", "binary_crossentropy"))
    set_parameter(loss_function, binary_crossentropy).
    >>> print(_line("patience", 3))
    % train(patience=3)
    """
    if name not in _IN_TEXT or callable(value):
        return f"% train({name}={_shown(value)})"
    directives = [
        format_clause(SetParameter((_PARAMETERS.get(name, name), *path), _plain(one)))
        for path, one in _paths(name, value)
    ]
    return "\n".join(directives)


def _paths(name: str, value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """What a setting says below its name."""
    if not isinstance(value, Mapping):
        yield (), value
        return
    for key, one in value.items():
        by_target = name == "loss" or key == "class_name"
        yield ((key,) if by_target else ("config", key)), one


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | bool) else float(value)
