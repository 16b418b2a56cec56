"""The kinds of values that the options of a table take: whatever else is given is named."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import Any

from neurallog_kernel.arguments import is_number
from neurallog_kernel.errors import TableError


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _whole(least: int, most: float = math.inf) -> Callable[[Any], bool]:
    return lambda value: _is_integer(value) and least <= value <= most


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    return is_number(value) and math.isfinite(value)


def _texts(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(map(_text, value))


def _split(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_text, value)) and all(map(_is_finite, value.values()))
    return _text(value) or (isinstance(value, Sequence) and all(map(_is_finite, value)))


KindCheck = tuple[str, Callable[[Any], bool]]
KINDS: Mapping[str, KindCheck] = {
    "pattern": ("a text, or a list of texts", lambda v: _text(v) or _texts(v)),
    "key": ("the name of a column", _text),
    "weight": ("a column, or a finite number", lambda v: _text(v) or _is_finite(v)),
    "label": ("a column", lambda v: _text(v) or _is_integer(v)),
    "set": ("the name of a set", _text),
    "split": ("a column, or the parts of the sets, as in (0.8, 0.1, 0.1)", _split),
    "seed": ("a whole number of at least 0", _whole(0)),
    "negatives": ("a whole number from 0 to a million", _whole(0, 1_000_000)),
    "group": ("a column", lambda v: _text(v) or _is_integer(v)),
    "missing": ('"skip" or "error"', _text),
    "na": ("a list of texts", lambda v: _text(v) or _texts(v)),
    "longest": ("a whole number of at least 1", _whole(1)),
    "format": ("the name of a format", _text),
    "columns": ("a list of names", _texts),
    "header": ("true or false", lambda v: isinstance(v, bool)),
    "delimiter": ("one character", lambda v: _text(v) and len(v) == 1 and v not in '"\r\n\0'),
    "unpacked": ("a whole number of at least 1", _whole(1)),
    "names": ('"local" or "full"', _text),
    "file": ("the path of a file", _text),
}
"""What each option takes, beside None; `database` takes any open connection."""


def check_kinds(options: Mapping[str, Any]) -> None:
    """Refuse the first option that has another kind of value."""
    for name, (what, check) in KINDS.items():
        value = options.get(name)
        if value is not None and not check(value):
            shown = repr(value)
            shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
            raise TableError(f"{name} is {what}, not {shown}")
