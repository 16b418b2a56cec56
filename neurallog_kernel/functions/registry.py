"""The table of the functions that one session knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from neurallog_kernel.errors import UnknownNameError, did_you_mean
from neurallog_kernel.functions.builtin import BUILTIN_FUNCTIONS
from neurallog_kernel.functions.function import Array, Function, FunctionKind


class Registry:
    """The functions of one session: the built-in ones and those its user registered.

    >>> registry = Registry()
    >>> registry.register("double", lambda x: 2 * x, formula="2x").kind.value
    'elementwise'
    >>> "double" in registry, "halve" in registry
    (True, False)
    """

    def __init__(self, builtin: Mapping[str, Function] = BUILTIN_FUNCTIONS) -> None:
        self._functions = dict(builtin)

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def __iter__(self) -> Iterator[Function]:
        return iter(self._functions.values())

    def get(self, name: str) -> Function | None:
        return self._functions.get(name)

    def __getitem__(self, name: str) -> Function:
        found = self._functions.get(name)
        if found is None:
            raise UnknownNameError(
                f"unknown function {name}", hint=did_you_mean(name, self._functions)
            )
        return found

    def register(
        self,
        name: str,
        function: Callable[..., Array],
        kind: FunctionKind | str = FunctionKind.ELEMENTWISE,
        formula: str = "",
        inputs: int = 1,
    ) -> Function:
        """Make a Python function available to programs under `name`."""
        added = Function(name, FunctionKind(kind), function, formula or "registered", inputs)
        self._functions[name] = added
        return added
