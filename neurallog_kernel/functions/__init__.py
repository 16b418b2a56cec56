"""The functions a program may name: vetted definitions, plus what a user registers from Python."""

from neurallog_kernel.functions.builtin import BUILTIN_FUNCTIONS
from neurallog_kernel.functions.combiners import (
    ADD,
    COMBINERS,
    MULTIPLY,
    NEGATIONS,
    SUBTRACT,
    Combiner,
    Negation,
)
from neurallog_kernel.functions.combining import AGGREGATIONS, resolve_setting
from neurallog_kernel.functions.function import Function, FunctionKind
from neurallog_kernel.functions.models import put_in_place, values_of
from neurallog_kernel.functions.registry import Registry
from neurallog_kernel.functions.rows import COUNT, SUM

__all__ = [
    "ADD",
    "AGGREGATIONS",
    "BUILTIN_FUNCTIONS",
    "COMBINERS",
    "COUNT",
    "MULTIPLY",
    "NEGATIONS",
    "SUBTRACT",
    "SUM",
    "Combiner",
    "Function",
    "FunctionKind",
    "Negation",
    "Registry",
    "put_in_place",
    "resolve_setting",
    "values_of",
]
