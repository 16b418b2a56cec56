"""Names that other languages, or people, have for a function."""

from __future__ import annotations

_OTHER_NAMES = {
    "abs": "absolute",
    "exp": "exponential",
    "log": "logarithm",
    "sqrt": "square_root",
    "identity": "linear",
    "reduce_sum": "sum",
}
_SPOKEN = {
    **dict.fromkeys(("avg", "average"), "mean"),
    **dict.fromkeys(("len", "length", "size"), "count"),
    "minimum": "min",
    "maximum": "max",
    "total": "sum",
}
"""Only ever for a hint: TensorFlow's `maximum` is another function than `max`."""


def usual_name(name: str) -> str:
    """The name here of a function that other languages call otherwise.

    >>> usual_name("sqrt"), usual_name("tanh")
    ('square_root', 'tanh')
    """
    return _OTHER_NAMES.get(name, name)


def meant_name(name: str) -> str:
    """The function that somebody probably means by a name.

    >>> meant_name("average"), meant_name("sqrt"), meant_name("tanh")
    ('mean', 'square_root', 'tanh')
    """
    return _SPOKEN.get(name) or usual_name(name)
