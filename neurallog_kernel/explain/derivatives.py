"""Derivatives of functions: their own, or by small steps for those of the user."""

from __future__ import annotations

import numpy as np

from neurallog_kernel.functions import Function, FunctionKind
from neurallog_kernel.functions.function import Array

STEP = 1e-6  # for functions of the user's own, which bring no derivative


def elementwise(function: Function, arguments: list[Array]) -> list[Array]:
    """The derivative by each argument, entry by entry."""
    if function.derivative is not None and function.inputs > 1:
        return list(function.derivative(*arguments))
    if function.derivative is not None:
        return [function.derivative(np.asarray(arguments[0], dtype=float))]
    found = []
    for place in range(len(arguments)):
        more, less = list(arguments), list(arguments)
        more[place], less[place] = arguments[place] + STEP, arguments[place] - STEP
        found.append((function.numpy(*more) - function.numpy(*less)) / (2 * STEP))
    return found


def row(function: Function, arguments: list[Array], place: int, adjoint: Array) -> Array:
    """What comes back to one argument (a row) of a rowwise or aggregate function."""
    x = arguments[place]
    if function.derivative is not None:
        one = (
            adjoint[None, :]
            if function.kind is FunctionKind.ROWWISE
            else adjoint.sum(keepdims=True)
        )
        return function.derivative(x[None, :], one)[0]
    back = np.zeros_like(x)
    for entry in range(len(x)):
        sides = []
        for step in (STEP, -STEP):
            moved = [a[None, :].copy() for a in arguments]
            moved[place][0, entry] += step
            sides.append(np.asarray(function.numpy(*moved)).reshape(-1))
        back[entry] = float(np.sum(adjoint * (sides[0] - sides[1]))) / (2 * STEP)
    return back
