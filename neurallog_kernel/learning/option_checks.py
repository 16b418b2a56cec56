"""What the options of a call may be: each is looked at before the work, and an error names it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from os import PathLike
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from neurallog_kernel.errors import ParameterError, UnknownNameError, did_you_mean
from neurallog_kernel.knowledge.setting_checks import check_seed

TIE_RULES = ("optimistic", "pessimistic", "average")
OptionCheck: TypeAlias = Callable[[str, Any], None]

MOST_NEGATIVES = 1_000_000  # for one subject
_LARGEST_SEED = 2**32 - 1  # of NumPy's and TensorFlow's generators
_CALLED = ("on_begin", "on_batch", "on_epoch", "on_end")


def a_text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise _wrong(name, "a name", value)


def a_path(name: str, value: Any) -> None:
    if not isinstance(value, str | PathLike) or not str(value):
        raise _wrong(name, "the path of a file", value)


def a_choice(name: str, value: Any) -> None:
    """`True` or `False`."""
    if not isinstance(value, bool | np.bool_):
        raise _wrong(name, "True or False", value)


def whole(least: int, most: float = math.inf) -> OptionCheck:
    def check(name: str, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
            raise _wrong(name, f"a whole number of at least {least}", value)
        if int(value) > most:
            raise _wrong(name, f"at most {most}", value)

    return check


def one_of(*choices: str) -> OptionCheck:
    def check(name: str, value: Any) -> None:
        if not isinstance(value, str) or value not in choices:
            hint = did_you_mean(value, choices) if isinstance(value, str) else ""
            known = " or ".join(choices) if len(choices) < 3 else f"one of {', '.join(choices)}"
            raise _wrong(name, known, value, hint)

    return check


def not_negative(name: str, value: Any) -> None:
    right = isinstance(value, Real) and not isinstance(value, bool)
    if not right or not 0 <= float(value) < math.inf:
        raise _wrong(name, "a number of at least 0", value)


def a_seed(name: str, value: Any) -> None:
    check_seed(value)
    if value > _LARGEST_SEED:
        raise _wrong(name, f"at most {_LARGEST_SEED}", value)


def a_name_or_settings(name: str, value: Any) -> None:
    """A name, or a table with `class_name` and the settings of what it names."""
    if isinstance(value, str):
        return
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        hint = f'as in {name}="adam", or {name}={{"class_name": "adam", "learning_rate": 0.01}}'
        raise _wrong(name, "a name, or a table of settings by name", value, hint)
    a_text(f"class_name of {name}", value.get("class_name", ""))


def names_by_target(name: str, value: Any) -> None:
    """A name, or a name for each target."""
    by_target = value if isinstance(value, Mapping) else {"": value}
    if not all(isinstance(part, str) for pair in by_target.items() for part in pair):
        hint = f'as in {name}="binary_crossentropy", or {name}={{"likes": "hinge"}}'
        raise _wrong(name, "a name, or a table of names by target", value, hint)


def names_or_functions(name: str, value: Any) -> None:
    listed = isinstance(value, list | tuple)
    if not listed or not all(isinstance(one, str) or callable(one) for one in value):
        raise _wrong(name, "a list of names and functions", value, f'as in {name}=["roc_auc"]')


def check_callbacks(name: str, value: Any) -> None:
    if not isinstance(value, list | tuple):
        raise _wrong(name, "a list", value, f"as in {name}=[...]")
    for one in value:
        if not any(hasattr(one, method) for method in _CALLED):
            hint = f"write a class with one of these methods: {', '.join(_CALLED)}"
            raise _wrong(f"each of {name}", "an object that a training can call", one, hint)


def places(name: str, value: Any) -> None:
    """The k of hits@k."""
    if not isinstance(value, list | tuple):
        raise _wrong(name, "a list of whole numbers", value, f"as in {name}=(1, 3, 10)")
    for one in value:
        whole(1)(f"each of {name}", one)


TRAINING: Mapping[str, OptionCheck] = MappingProxyType(
    {
        "examples": a_text,
        "validation": a_text,
        "epochs": whole(0),
        "batch_size": whole(1),
        "optimizer": a_name_or_settings,
        "learning_rate": not_negative,
        "loss": names_by_target,
        "regularizer": a_text,
        "unlisted": one_of("false", "unknown"),
        "negatives": whole(0, MOST_NEGATIVES),
        "shuffle": a_choice,
        "seed": a_seed,
        "dtype": one_of("float32", "float64"),
        "patience": whole(0),
        "keep_best": a_choice,
        "monitor": a_text,
        "mode": one_of("min", "max"),
        "metrics": names_or_functions,
        "inverse_relations": a_choice,
    }
)
EVALUATION: Mapping[str, OptionCheck] = MappingProxyType(
    {
        "set": a_text,
        "ranks": a_choice,
        "filtered": a_choice,
        "ties": one_of(*TIE_RULES),
        "hits": places,
        "inverse": a_choice,
    }
)


def check_options(checks: Mapping[str, OptionCheck], given: Mapping[str, Any], call: str) -> None:
    """Look at the options of a call."""
    for name, value in given.items():
        if name not in checks:
            hint = did_you_mean(name, checks) or f"known: {', '.join(checks)}"
            raise UnknownNameError(f"unknown option {name} of {call}", hint=hint)
        checks[name](name, value)


def _wrong(name: str, expected: str, value: Any, hint: str = "") -> ParameterError:
    shown = value if isinstance(value, str) and value.isidentifier() else repr(value)
    if len(shown) > 60 or "\n" in shown or " at 0x" in shown:
        shown = f"a {type(value).__name__}"
    return ParameterError(f"{name} must be {expected}, not {shown}", hint=hint)
