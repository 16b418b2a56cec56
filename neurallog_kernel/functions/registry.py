"""The table of the functions that a program may name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from neurallog_kernel.arguments import one_of, whole
from neurallog_kernel.errors import NeuralLogError, ParameterError, UnknownNameError, did_you_mean
from neurallog_kernel.functions.builtin import BUILTIN_FUNCTIONS
from neurallog_kernel.functions.function import Array, Function, FunctionKind
from neurallog_kernel.functions.models import (
    has_values,
    is_model,
    model_function,
    put_in_place,
    with_variables,
)
from neurallog_kernel.functions.other_names import meant_name
from neurallog_kernel.functions.shapes import on_arrays

MOST_INPUTS = 100


class Registry:
    """The built-in functions and those a user registered. It never changes: a program holds the
    one it was made with, and registering makes another.

    >>> registry = Registry()
    >>> more = registry.registered("double", lambda x: 2 * x, formula="2x")
    >>> more["double"].kind.value
    'elementwise'
    >>> "double" in more, "double" in registry
    (True, False)
    """

    __slots__ = ("_functions",)

    def __init__(self, functions: Mapping[str, Function] = BUILTIN_FUNCTIONS) -> None:
        self._functions = MappingProxyType(dict(functions))

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def __iter__(self) -> Iterator[Function]:
        return iter(self._functions.values())

    def get(self, name: str) -> Function | None:
        return self._functions.get(name)

    def __getitem__(self, name: str) -> Function:
        found = self._functions.get(name)
        if found is None:
            meant = meant_name(name)
            hint = f"did you mean {meant}?" if meant in self._functions else ""
            hint = hint or did_you_mean(name, self._functions)
            raise UnknownNameError(f"unknown function {name}", hint=hint)
        return found

    def registered(
        self,
        name: str,
        function: Callable[..., Array],
        kind: FunctionKind | str = FunctionKind.ELEMENTWISE,
        formula: str = "",
        inputs: int = 1,
        tensorflow: Callable[..., Any] | None = None,
    ) -> Registry:
        """With a Python function under `name`; the same table if it has just that.

        A Keras layer or model takes whole rows; its variables are trained and saved.
        """
        whole(1, MOST_INPUTS)("inputs", inputs)
        if not isinstance(kind, FunctionKind):
            one_of(*(known.value for known in FunctionKind))("kind", kind)
        if is_model(function):
            made = model_function(name, function, kind, formula, inputs)
        else:
            _check_call(name, function, inputs)
            made = Function(
                name,
                FunctionKind(kind),
                on_arrays(name, FunctionKind(kind), function),
                formula or "registered",
                inputs,
                tensorflow or _on_tensors(name, function),
                given=(function, tensorflow),
            )
        known = self.get(name)
        if known is not None and _is_same(known, made):
            return self
        return Registry({**self._functions, name: made})

    def with_variables(self, values: Mapping[str, tuple[Array, ...]]) -> Registry:
        """With these values of the variables of models; the same table if it has them."""
        changed = {name: with_variables(self[name], found) for name, found in values.items()}
        if all(self[name] is function for name, function in changed.items()):
            return self
        return Registry({**self._functions, **changed})

    def put_in_place(self, before: Registry) -> None:
        """Give each model the variables it has here, where they are others than before."""
        for function in self if self is not before else ():
            if function.variables and before.get(function.name) is not function:
                put_in_place(function.model, function.variables)


def _is_same(known: Function, made: Function) -> bool:
    """Whether a function is registered again as it is."""
    return (
        (known.kind, known.formula, known.inputs) == (made.kind, made.formula, made.inputs)
        and known.model is made.model
        and len(known.given) == len(made.given)
        and all(one is other for one, other in zip(known.given, made.given, strict=True))
        and has_values(known, made.variables or ())
    )


def _check_call(name: str, function: Callable[..., Any], inputs: int) -> None:
    """Whether a function takes so many arrays, as far as it says what it takes."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some that are not written in Python do not say it
        return
    try:
        signature.bind(*range(inputs))
    except TypeError as error:
        arrays = "one array" if inputs == 1 else f"{inputs} arrays"
        raise ParameterError(
            f"the function {name} does not take {arrays}: {error}",
            hint="say with inputs how many it takes, as in register(..., inputs=2)",
        ) from error


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
        f"the function {name} cannot be used in training: it is defined for NumPy only",
        hint="register it with tensorflow=..., or write it with keras.ops",
    )
