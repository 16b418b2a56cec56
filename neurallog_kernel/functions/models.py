"""Keras layers and models as functions: the values of their variables belong to the program.

A layer is one object that is trained in place, and a program is a value: so each version of the
function holds the variables it computes with, and the layer holds those of the live program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from neurallog_kernel.errors import NeuralLogError, ParameterError
from neurallog_kernel.functions.function import Array, Function, FunctionKind
from neurallog_kernel.functions.shapes import on_arrays
from neurallog_kernel.interrupts import unbroken

_OF_TENSORFLOW = "InvalidArgumentError"  # by name: queries do not import it


def is_model(given: Any) -> bool:
    """Whether it has variables to train."""
    return hasattr(given, "trainable_variables")


def model_function(
    name: str, model: Any, kind: FunctionKind | str, formula: str, inputs: int
) -> Function:
    """The function of a layer or model, with the variables it has now."""
    if not hasattr(model, "stateless_call"):
        raise NeuralLogError(
            f"{name} has variables and is not a layer or model of Keras 3",
            hint="put it into a keras.layers.Layer and register that",
        )
    if FunctionKind(kind) is FunctionKind.ELEMENTWISE:
        kind = FunctionKind.ROWWISE

    text = formula or f"Keras {type(model).__name__}"
    computed = _on_arrays(name, FunctionKind(kind), model)
    called = _taking(name, model)
    made = Function(name, FunctionKind(kind), computed, text, inputs, called, model)
    return with_variables(made, values_of(model))


def _on_arrays(name: str, kind: FunctionKind, call: Callable[..., Any]) -> Callable[..., Array]:
    return unbroken()(on_arrays(name, kind, _taking(name, call)))


def _taking(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """A layer that was made for rows of another length says so in our words."""

    def taken(*rows: Any) -> Any:
        try:
            return call(*rows)
        except Exception as error:
            if not isinstance(error, ValueError) and type(error).__name__ != _OF_TENSORFLOW:
                raise  # a mistake inside it, not in what it is given
            length = rows[0].shape[-1]
            raise ParameterError(
                f"the layer {name} does not take rows of {length} entries: {_first_line(error)}",
                hint="a layer is made for a number of entities: register a new one where it grows",
            ) from error

    return taken


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def values_of(model: Any) -> tuple[Array, ...]:
    """A copy of the variables as they are now; empty for one that was never called, which may have
    some of them already (the seed of a recurrent layer) and cannot be called with values yet."""
    if not getattr(model, "built", True):
        return ()
    return tuple(np.asarray(variable).copy() for variable in model.variables)


def with_variables(function: Function, values: tuple[Array, ...]) -> Function:
    """The function with these values; itself if it has them."""
    if not values or has_values(function, values):
        return function
    model = function.model
    held = {id(v): value for v, value in zip(model.variables, values, strict=True)}

    def stateless(*rows: Array) -> Any:
        state = [
            [held.get(id(variable), variable) for variable in some]
            for some in (model.trainable_variables, model.non_trainable_variables)
        ]
        return model.stateless_call(*state, *rows)[0]

    computed = _on_arrays(function.name, function.kind, stateless)
    return replace(function, numpy=computed, variables=values)


def has_values(function: Function, values: Sequence[Array]) -> bool:
    """Whether these are the variables it computes with."""
    own = function.variables or ()
    return len(own) == len(values) and all(map(np.array_equal, own, values))


def put_in_place(model: Any, values: Sequence[Array]) -> None:
    """Give the live layer these values."""
    if values:
        for variable, value in zip(model.variables, values, strict=True):
            variable.assign(value)
