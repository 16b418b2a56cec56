"""What the arguments of a call may be: each is looked at before the work, and an error names it."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from itertools import chain, repeat
from numbers import Integral, Real
from os import PathLike
from typing import Any, TypeAlias, TypeVar

import numpy as np

from neurallog_kernel.errors import ParameterError, did_you_mean

Check: TypeAlias = Callable[[str, Any], None]
Count: TypeAlias = int  # how many: a whole number from 0 on


# -- checks that a method asks for by itself ------------------------------------------------------


def a_text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise wrong(name, "a name", value)


def some_texts(name: str, value: Any) -> None:
    if isinstance(value, str) or not _are_texts(value):
        hint = f"{name}=({value!r},)" if isinstance(value, str) else ""
        raise wrong(name, "a list of texts", value, hint)


def a_choice(name: str, value: Any) -> None:
    """`True` or `False`."""
    if not isinstance(value, bool | np.bool_):
        raise wrong(name, "True or False", value)


def whole(least: int, most: float = math.inf) -> Check:
    def check(name: str, value: Any) -> None:
        if not _is_whole(value) or int(value) < least:
            raise wrong(name, f"a whole number of at least {least}", value)
        if int(value) > most:
            raise wrong(name, f"at most {most}", value)

    return check


def one_of(*choices: str) -> Check:
    def check(name: str, value: Any) -> None:
        if not isinstance(value, str) or value not in choices:
            hint = did_you_mean(value, choices) if isinstance(value, str) else ""
            known = " or ".join(choices) if len(choices) < 3 else f"one of {', '.join(choices)}"
            raise wrong(name, known, value, hint)

    return check


def not_negative(name: str, value: Any) -> None:
    if not is_number(value) or not 0 <= float(value) < math.inf:
        raise wrong(name, "a number of at least 0", value)


def a_weight(name: str, value: Any) -> None:
    if not is_number(value) or not math.isfinite(value):
        raise wrong(name, "a finite number", value)


def wrong(name: str, expected: str, value: Any, hint: str = "") -> ParameterError:
    """The error for an argument that is something else than expected."""
    return ParameterError(f"{name} must be {expected}, not {shown(value)}", hint=hint)


def shown(value: Any) -> str:
    """An argument in the line of an error: its kind where it is long.

    >>> shown(0.5), shown([1] * 50)
    ('0.5', 'a list')
    """
    text = value if isinstance(value, str) and value.isidentifier() else repr(value)
    long = len(text) > 60 or "\n" in text or " at 0x" in text
    return f"a {type(value).__name__}" if long else text


# -- checks by the types that a method declares ---------------------------------------------------


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """A real number that a float can hold; NaN and infinity are among them.

    >>> is_number(0.5), is_number(True), is_number(10**400)
    (True, False, False)
    """
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _are_texts(value: Any) -> bool:
    return isinstance(value, Sequence) and all(isinstance(one, str) for one in value)


def _is_place(value: Any) -> bool:
    is_pair = isinstance(value, tuple) and len(value) == 2
    return is_pair and isinstance(value[0], str) and _is_whole(value[1])


_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("text", lambda value: isinstance(value, str)),
    "int": ("a whole number", _is_whole),
    "Count": ("a whole number of at least 0", lambda value: _is_whole(value) and value >= 0),
    "float": ("a number", is_number),
    "bool": ("True or False", lambda value: isinstance(value, bool | np.bool_)),
    "None": ("None", lambda value: value is None),
    "Path": ("the path of a file", lambda value: isinstance(value, PathLike)),
    "Sequence[str]": ("a list of texts", _are_texts),
    "tuple[str, int]": ("a name and a place", _is_place),
    "Mapping[str, Any]": ("a table by name", lambda value: isinstance(value, Mapping)),
    "Callable": ("a function", callable),
}
"""What a part of an annotation asks for; an argument with other parts is its method's business."""

C = TypeVar("C")


def checked_arguments(made: type[C]) -> type[C]:
    """A class whose public methods look at the types of their arguments first: a number where a
    text is asked for is an error that says so, not whatever the work makes of it."""
    for name in dir(made):
        method = inspect.getattr_static(made, name)
        inner = method.__func__ if isinstance(method, classmethod) else method
        checks = {} if name.startswith("_") or not inspect.isfunction(inner) else _checks(inner)
        if checks:
            checking = _checking(inner, checks)
            setattr(made, name, classmethod(checking) if inner is not method else checking)
    return made


def _checks(method: Callable[..., Any]) -> dict[str, Check]:
    """The checks of a method by the names of its parameters."""
    found = {}
    for parameter in inspect.signature(method).parameters.values():
        words = str(parameter.annotation).split(" | ")
        kinds = ["Callable" if word.startswith("Callable[") else word for word in words]
        if parameter.kind is not parameter.VAR_KEYWORD and all(kind in _KINDS for kind in kinds):
            found[parameter.name] = _of_kinds(kinds)
    return found


def _of_kinds(kinds: Iterable[str]) -> Check:
    wanted = [_KINDS[kind] for kind in kinds]
    is_path = "the path of a file" in [text for text, _ in wanted]
    texts = [t for t, _ in wanted if t != "None" and not (is_path and t == "text")]

    def check(name: str, value: Any) -> None:
        for _, is_kind in wanted:
            if is_kind(value):
                return
        raise wrong(name, " or ".join(texts), value)

    return check


def _checking(method: Callable[..., Any], checks: Mapping[str, Check]) -> Callable[..., Any]:
    parameters = inspect.signature(method).parameters.values()
    by_place = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    rest = next((one.name for one in parameters if one.kind is one.VAR_POSITIONAL), "")

    @wraps(method)
    def call(*given: Any, **named: Any) -> Any:
        for name, value in zip(chain(by_place, repeat(rest)), given, strict=False):
            if name in checks:
                checks[name](name, value)
        for name, value in named.items():
            if name in checks and name != rest:  # **options may have an entry of that name
                checks[name](name, value)
        return method(*given, **named)

    return call
