"""Keras layers and models as functions: the values of their variables belong to the program.

A layer is one object that is trained in place, and a program is a value: so each version of the
function holds the variables it computes with, and the layer holds those of the live program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.functions.function import Array, Function, FunctionKind
from neurallog_kernel.interrupts import unbroken


def is_model(given: Any) -> bool:
    """Whether it has variables to train."""
    return hasattr(given, "trainable_variables")


def model_function(
    name: str, model: Any, kind: FunctionKind | str, formula: str, inputs: int
) -> Function:
    """The function of a layer or model, with the variables it has now."""
    if not hasattr(model, "stateless_call"):
        raise NeuralLogError(
            f"{name} has variables and is no layer or model of Keras 3",
            hint="put it into a keras.layers.Layer and register that",
        )
    if FunctionKind(kind) is FunctionKind.ELEMENTWISE:
        kind = FunctionKind.ROWWISE

    @unbroken()
    def on_arrays(*rows: Array) -> Array:
        return np.asarray(model(*rows), dtype=float)

    text = formula or f"Keras {type(model).__name__}"
    made = Function(name, FunctionKind(kind), on_arrays, text, inputs, model, model)
    return with_variables(made, values_of(model))


def values_of(model: Any) -> tuple[Array, ...]:
    """A copy of the variables as they are now; empty for one that was never called."""
    return tuple(np.asarray(variable).copy() for variable in model.variables)


def with_variables(function: Function, values: tuple[Array, ...]) -> Function:
    """The function with these values; itself if it has them."""
    if not values or has_values(function, values):
        return function
    model = function.model
    held = {id(v): value for v, value in zip(model.variables, values, strict=True)}

    @unbroken()
    def on_arrays(*rows: Array) -> Array:
        state = [
            [held.get(id(variable), variable) for variable in some]
            for some in (model.trainable_variables, model.non_trainable_variables)
        ]
        return np.asarray(model.stateless_call(*state, *rows)[0], dtype=float)

    return replace(function, numpy=on_arrays, variables=values)


def has_values(function: Function, values: Sequence[Array]) -> bool:
    """Whether these are the variables it computes with."""
    own = function.variables or ()
    return len(own) == len(values) and all(map(np.array_equal, own, values))


def put_in_place(model: Any, values: Sequence[Array]) -> None:
    """Give the live layer these values."""
    if values:
        for variable, value in zip(model.variables, values, strict=True):
            variable.assign(value)
