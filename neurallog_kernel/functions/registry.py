"""What a function is, and the table of the functions one session knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import numpy as np

from neurallog_kernel.errors import UnknownNameError, did_you_mean

Array: TypeAlias = np.ndarray


class FunctionKind(Enum):
    """How a function acts on a row vector."""

    ELEMENTWISE = "elementwise"  # each entry on its own: f(x)
    ROWWISE = "rowwise"  # the whole row at once, same length: f(row)
    AGGREGATE = "aggregate"  # the whole row to one number


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the language.

    Elementwise: `numpy` maps any array to one of the same shape. Rowwise and aggregate functions
    are given dense rows `[batch, n]` and return `[batch, n]` or `[batch]`. `inputs` is how many
    vectors it takes; a literal of arity `inputs + 1` sends them to its last term.
    """

    name: str
    kind: FunctionKind
    numpy: Callable[..., Array]
    formula: str
    inputs: int = 1

    @property
    def value_at_zero(self) -> float:
        """What an elementwise function makes of the entities that are not there."""
        return float(self.numpy(*(np.zeros(1) for _ in range(self.inputs)))[0])


class Registry:
    """The functions of one session: the built-in ones and those its user registered.

    >>> registry = Registry()
    >>> registry.register("double", lambda x: 2 * x, formula="2x").kind.value
    'elementwise'
    >>> "double" in registry, "halve" in registry
    (True, False)
    """

    def __init__(self, builtin: Mapping[str, Function] | None = None) -> None:
        if builtin is None:
            from neurallog_kernel.functions.builtin import BUILTIN_FUNCTIONS

            builtin = BUILTIN_FUNCTIONS
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
