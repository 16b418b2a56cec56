"""The functions a program may name: vetted definitions, plus what a user registers from Python."""

from neurallog_kernel.functions.builtin import BUILTIN_FUNCTIONS
from neurallog_kernel.functions.combining import (
    AGGREGATIONS,
    COMBINERS,
    NEGATIONS,
    resolve_setting,
)
from neurallog_kernel.functions.function import Function, FunctionKind
from neurallog_kernel.functions.models import put_in_place, values_of
from neurallog_kernel.functions.registry import Registry

__all__ = [
    "AGGREGATIONS",
    "BUILTIN_FUNCTIONS",
    "COMBINERS",
    "NEGATIONS",
    "Function",
    "FunctionKind",
    "Registry",
    "put_in_place",
    "resolve_setting",
    "values_of",
]
