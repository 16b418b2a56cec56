"""The functions a program may name: vetted definitions, plus what a user registers from Python."""

from neurallog_kernel.functions.builtin import BUILTIN_FUNCTIONS
from neurallog_kernel.functions.combiners import (
    ADD,
    COMBINERS,
    MINIMUM,
    MULTIPLY,
    NEGATIONS,
    SUBTRACT,
    Combiner,
    Negation,
)
from neurallog_kernel.functions.combining import AGGREGATIONS, resolve_setting
from neurallog_kernel.functions.comparisons import COMPARISONS, Comparison
from neurallog_kernel.functions.elementwise import LINEAR
from neurallog_kernel.functions.function import Function, FunctionKind
from neurallog_kernel.functions.models import put_in_place, values_of
from neurallog_kernel.functions.registry import Registry
from neurallog_kernel.functions.rows import COUNT, SUM
from neurallog_kernel.functions.top import Top, top_named

__all__ = [
    "ADD",
    "AGGREGATIONS",
    "BUILTIN_FUNCTIONS",
    "COMBINERS",
    "COMPARISONS",
    "COUNT",
    "LINEAR",
    "MINIMUM",
    "MULTIPLY",
    "NEGATIONS",
    "SUBTRACT",
    "SUM",
    "Combiner",
    "Comparison",
    "Function",
    "FunctionKind",
    "Negation",
    "Registry",
    "Top",
    "put_in_place",
    "resolve_setting",
    "top_named",
    "values_of",
]
