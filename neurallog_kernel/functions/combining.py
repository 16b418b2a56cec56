"""The settable parts of the algebra: AND, OR, paths, any and negation, each by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from neurallog_kernel.errors import UnknownNameError, did_you_mean
from neurallog_kernel.functions.combiners import COMBINERS, NEGATIONS
from neurallog_kernel.functions.function import Function
from neurallog_kernel.functions.rows import AGGREGATES, REDUCTIONS
from neurallog_kernel.functions.top import PATTERN, top_named

# What `any` may do with its terms.
AGGREGATIONS: Mapping[str, Function] = MappingProxyType(
    {function.name: function for function in (*AGGREGATES, *REDUCTIONS)}
)

# The names the original's programs use, and no others: a program's text never reaches a module.
_OLD_COMBINERS = {
    f"tf{dot}.{name}": name
    for dot in ("", ".math")
    for name in ("multiply", "add", "subtract", "divide", "maximum", "minimum")
} | {"tf.math.divide_no_nan": "divide"}
_OLD_AGGREGATIONS = {"any_aggregation_function": "sum"} | {
    f"tf{dot}.{old}": new
    for dot in ("", ".math")
    for old, new in (
        ("reduce_sum", "sum"),
        ("reduce_max", "reduce_max"),
        ("reduce_min", "reduce_min"),
        ("reduce_mean", "reduce_mean"),
    )
}
_OLD_NEGATIONS = {
    "literal_negation_function": "complement",
    "tf.negative": "negative",
    "tf.math.negative": "negative",
}
# Settings whose only meaning here is the default; the original's names for it are accepted.
_FIXED = {
    "edge_combining_function_2d": ("matmul", "tf.matmul", "tf.linalg.matmul"),
    "edge_combining_function_2d:sparse": (
        "edge_combining_function_2d:sparse",
        "tf.sparse.sparse_dense_matmul",
        "matmul",
    ),
    "invert_fact_function": ("transpose", "tf.transpose"),
    "invert_fact_function:sparse": ("transpose", "tf.sparse.transpose"),
    "edge_neutral_element": ("one", "tf.constant", "tf.ones"),
    "output_extract_function": ("embedding_lookup", "tf.nn.embedding_lookup"),
    "unary_literal_extraction_function": ("unary_literal_extraction_function",),
}

_COMBINING_SETTINGS = (
    "and_combining_function",
    "path_combining_function",
    "literal_combining_function",
    "edge_combining_function",
    "attributes_combine_function",
    "weighted_attribute_combining_function",
)


def _choices() -> dict[str, dict[str, str]]:
    combiners = {name: name for name in COMBINERS} | _OLD_COMBINERS
    table: dict[str, dict[str, str]] = dict.fromkeys(_COMBINING_SETTINGS, combiners)
    table["any_aggregation_function"] = {n: n for n in AGGREGATIONS} | _OLD_AGGREGATIONS
    table["literal_negation_function"] = {n: n for n in NEGATIONS} | _OLD_NEGATIONS
    for setting, names in _FIXED.items():
        table[setting] = {name: names[0] for name in names}  # noqa: C420 (pyright loses the type)
    return table


_CHOICES = _choices()

_JOINED = (
    "vectors are not put one after the other here: keep one rule for each part (they are added), "
    "or give the whole from Python with session.register"
)
_LOOKED_UP = (
    "there is no lookup by a number here: write the relation as a literal of the rule, "
    "as in embedding(X, Y)"
)
_REFUSED = dict.fromkeys(
    ("concat_combining_function", "concat_last_combining_function", "tf.concat"), _JOINED
) | dict.fromkeys(("embedding_lookup", "tf.nn.embedding_lookup"), _LOOKED_UP)


def is_setting(name: str) -> bool:
    """Whether `name` is a settable function of the algebra."""
    return name in _CHOICES


def _families(setting: str) -> set[str]:
    return {PATTERN} if setting == "literal_combining_function" else set()


def resolve_setting(setting: str, value: object) -> str:
    """The registered name that `value` stands for in `setting`.

    >>> resolve_setting("and_combining_function", "tf.math.minimum")
    'minimum'
    """
    choices = _CHOICES[setting]
    name = str(value)
    if setting == "literal_combining_function" and top_named(name) is not None:
        return name
    if name in _REFUSED and name not in choices:
        raise UnknownNameError(f"{setting}: {name} is not known here", hint=_REFUSED[name])
    if not isinstance(value, str) or name not in choices:
        names = set(choices.values())
        known = ", ".join(sorted(names | _families(setting)))
        hint = did_you_mean(name, choices) or f"known here: {known}"
        raise UnknownNameError(f"unknown function {name} for {setting}", hint=hint)
    return choices[name]
