"""The table of the functions that one session knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from neurallog_kernel.errors import NeuralLogError, UnknownNameError, did_you_mean
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
        tensorflow: Callable[..., Any] | None = None,
    ) -> Function:
        """Make a Python function available to programs under `name`.

        A Keras layer or model takes whole rows; its variables are trained and saved.
        """
        if hasattr(function, "trainable_variables"):
            added = _keras_function(name, function, kind, formula, inputs)
        else:
            added = Function(
                name,
                FunctionKind(kind),
                lambda *arrays: np.asarray(function(*arrays), dtype=float),
                formula or "registered",
                inputs,
                tensorflow or _on_tensors(name, function),
            )
        self._functions[name] = added
        return added


def _on_tensors(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function in training: written with keras.ops, it takes tensors as well as arrays."""

    def call(*tensors: Any) -> Any:
        try:
            result = function(*tensors)
        except Exception as error:
            raise _not_trainable(name) from error
        if isinstance(result, np.ndarray):
            raise _not_trainable(name)
        return result

    return call


def _not_trainable(name: str) -> NeuralLogError:
    return NeuralLogError(
        f"the function {name} cannot be trained through: it is defined for NumPy only",
        hint="register it with tensorflow=..., or write it with keras.ops",
    )


def _keras_function(
    name: str, model: Any, kind: FunctionKind | str, formula: str, inputs: int
) -> Function:
    """A Keras layer or model: called as it is in training, and on arrays for queries."""
    if FunctionKind(kind) is FunctionKind.ELEMENTWISE:
        kind = FunctionKind.ROWWISE

    def on_arrays(*rows: Array) -> Array:
        return np.asarray(model(*rows), dtype=float)

    text = formula or f"Keras {type(model).__name__}"
    return Function(name, FunctionKind(kind), on_arrays, text, inputs, model, model)
