"""What the options of a call may be: each is looked at before the work, and an error names it."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from types import MappingProxyType
from typing import Any

from neurallog_kernel.arguments import (
    Check,
    a_choice,
    a_text,
    is_number,
    not_negative,
    one_of,
    whole,
    wrong,
)
from neurallog_kernel.errors import UnknownNameError, did_you_mean
from neurallog_kernel.knowledge.setting_checks import LARGEST, check_seed
from neurallog_kernel.learning.choices.ties import TIE_RULES
from neurallog_kernel.learning.formulas.schedules import SCHEDULES

MOST_NEGATIVES = 1_000_000  # for one subject
_LARGEST_SEED = 2**32 - 1  # of NumPy's and TensorFlow's generators
_CALLED = ("on_begin", "on_batch", "on_epoch", "on_end")


def a_path(name: str, value: Any) -> None:
    if not isinstance(value, str | PathLike) or not str(value):
        raise wrong(name, "the path of a file", value)


def above_zero(name: str, value: Any) -> None:
    if not _is_above_zero(value):
        raise wrong(name, "a number above 0", value)


def _is_above_zero(value: Any) -> bool:
    return is_number(value) and 0 < float(value) <= LARGEST


def a_share(name: str, value: Any) -> None:
    if not _is_above_zero(value) or float(value) >= 1:
        raise wrong(name, "a share between 0 and 1", value, f"as in {name}=0.2")


def a_seed(name: str, value: Any) -> None:
    check_seed(value)
    if value > _LARGEST_SEED:
        raise wrong(name, f"at most {_LARGEST_SEED}", value)


def a_name_or_settings(name: str, value: Any) -> None:
    """A name, or a table with `class_name` and the settings of what it names."""
    if isinstance(value, str):
        return
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        hint = f'as in {name}="NAME", or {name}={{"class_name": "NAME", "SETTING": 0.01}}'
        raise wrong(name, "a name, or a table of settings by name", value, hint)
    a_text(f"class_name of {name}", value.get("class_name", ""))


def losses_by_target(name: str, value: Any) -> None:
    """A name or a function, or one for each target."""
    by_target = value if isinstance(value, Mapping) else {"": value}
    for target, loss in by_target.items():
        if not isinstance(target, str) or not (isinstance(loss, str) or callable(loss)):
            hint = f'as in {name}="binary_crossentropy", or {name}={{"likes": "hinge"}}'
            raise wrong(name, "a name or a function, or a table of them by target", value, hint)


def a_positive_weight(name: str, value: Any) -> None:
    balanced = isinstance(value, str) and value == "balanced"
    if not balanced and not _is_above_zero(value):
        raise wrong(name, 'a number above 0, or "balanced"', value)


def names_or_functions(name: str, value: Any) -> None:
    listed = isinstance(value, list | tuple)
    if not listed or not all(isinstance(one, str) or callable(one) for one in value):
        raise wrong(name, "a list of names and functions", value, f'as in {name}=["roc_auc"]')


def check_callbacks(name: str, value: Any) -> None:
    if not isinstance(value, list | tuple):
        raise wrong(name, "a list", value, f"as in {name}=[...]")
    for one in value:
        if not any(hasattr(one, method) for method in _CALLED):
            hint = f"write a class with one of these methods: {', '.join(_CALLED)}"
            raise wrong(f"each of {name}", "an object that a training can call", one, hint)


def places(name: str, value: Any) -> None:
    """The k of hits@k."""
    if not isinstance(value, list | tuple):
        raise wrong(name, "a list of whole numbers", value, f"as in {name}=(1, 3, 10)")
    for one in value:
        whole(1)(f"each of {name}", one)


TRAINING: Mapping[str, Check] = MappingProxyType(
    {
        "examples": a_text,
        "validation": a_text,
        "epochs": whole(0),
        "batch_size": whole(1),
        "optimizer": a_name_or_settings,
        "learning_rate": not_negative,
        "schedule": one_of(*SCHEDULES),
        "warm_up": whole(0),
        "clip_norm": above_zero,
        "average": a_share,
        "loss": losses_by_target,
        "positive_weight": a_positive_weight,
        "regularizer": a_name_or_settings,
        "unlisted": one_of("false", "unknown"),
        "negatives": whole(0, MOST_NEGATIVES),
        "shuffle": a_choice,
        "seed": a_seed,
        "seeds": whole(1, 1_000),
        "restarts": whole(1, 10_000),
        "dtype": one_of("float32", "float64"),
        "patience": whole(0),
        "keep_best": a_choice,
        "hold_out": a_share,
        "groups": a_text,
        "monitor": a_text,
        "mode": one_of("min", "max"),
        "metrics": names_or_functions,
        "inverse_relations": a_choice,
        "backend": one_of("numpy", "tensorflow"),
        "anchor": above_zero,
        "workers": a_text,
    }
)
EVALUATION: Mapping[str, Check] = MappingProxyType(
    {
        "set": a_text,
        "ranks": a_choice,
        "filtered": a_choice,
        "ties": one_of(*TIE_RULES),
        "hits": places,
        "inverse": a_choice,
        "place": whole(1),
    }
)


def check_options(checks: Mapping[str, Check], given: Mapping[str, Any], call: str) -> None:
    """Look at the options of a call."""
    for name, value in given.items():
        if name not in checks:
            hint = did_you_mean(name, checks) or f"known: {', '.join(checks)}"
            raise UnknownNameError(f"unknown option {name} of {call}", hint=hint)
        checks[name](name, value)
