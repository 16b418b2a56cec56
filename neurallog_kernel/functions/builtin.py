"""The built-in functions that a program may call, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from neurallog_kernel.functions.elementwise import ELEMENTWISE
from neurallog_kernel.functions.function import Function
from neurallog_kernel.functions.rows import AGGREGATES, ROWWISE

BUILTIN_FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {function.name: function for function in (*ELEMENTWISE, *ROWWISE, *AGGREGATES)}
)
