"""Derivatives of the functions and combiners of the language, in NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neurallog_kernel.functions import BUILTIN_FUNCTIONS, Function

Array = np.ndarray
STEP = 1e-6  # for functions of the user's own, which have no formula here


def _sigmoid(x: Array) -> Array:
    return BUILTIN_FUNCTIONS["sigmoid"].numpy(x)


def _inside(low: float, high: float, slope: float = 1.0) -> Callable[[Array], Array]:
    return lambda x: np.where((x > low) & (x < high), slope, 0.0)


def _over(x: Array, power: float) -> Array:
    return np.divide(1.0, x**power, out=np.zeros_like(x), where=x > 0)


def _gelu(x: Array) -> Array:
    root = np.sqrt(2.0 / np.pi)
    t = np.tanh(root * (x + 0.044715 * x**3))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * root * (1 + 3 * 0.044715 * x**2)


ELEMENTWISE: dict[str, Callable[[Array], Array]] = {
    "linear": np.ones_like,
    "tanh": lambda x: 1.0 - np.tanh(x) ** 2,
    "sigmoid": lambda x: _sigmoid(x) * (1.0 - _sigmoid(x)),
    "hard_sigmoid": _inside(-2.5, 2.5, 0.2),
    "relu": lambda x: np.where(x > 0, 1.0, 0.0),
    "relu6": _inside(0.0, 6.0),
    "leaky_relu": lambda x: np.where(x > 0, 1.0, 0.2),
    "elu": lambda x: np.where(x > 0, 1.0, np.exp(np.minimum(x, 0.0))),
    "selu": lambda x: (
        1.0507009873554805 * np.where(x > 0, 1.0, 1.6732632423543772 * np.exp(np.minimum(x, 0.0)))
    ),
    "gelu": _gelu,
    "silu": lambda x: _sigmoid(x) * (1.0 + x * (1.0 - _sigmoid(x))),
    "softplus": _sigmoid,
    "softsign": lambda x: 1.0 / (1.0 + np.abs(x)) ** 2,
    "exponential": np.exp,
    "logarithm": lambda x: np.divide(1.0, x, out=np.zeros_like(x), where=x != 0),
    "square": lambda x: 2.0 * x,
    "square_root": lambda x: 0.5 * _over(x, 0.5),
    "absolute": np.sign,
    "negative": lambda x: -np.ones_like(x),
    "inverse": lambda x: np.divide(-1.0, x * x, out=np.zeros_like(x), where=x != 0),
    "step": np.zeros_like,
}


def elementwise(function: Function, arguments: list[Array]) -> list[Array]:
    """The derivative by each argument, entry by entry."""
    known = ELEMENTWISE.get(function.name)
    if known is not None and BUILTIN_FUNCTIONS.get(function.name) is function:
        return [known(np.asarray(arguments[0], dtype=float))]
    found = []
    for place in range(len(arguments)):
        more, less = list(arguments), list(arguments)
        more[place], less[place] = arguments[place] + STEP, arguments[place] - STEP
        found.append((function.numpy(*more) - function.numpy(*less)) / (2 * STEP))
    return found


def row(function: Function, arguments: list[Array], place: int, adjoint: Array) -> Array:
    """What comes back to one argument (a row) of a rowwise or aggregate function."""
    x = arguments[place]
    if BUILTIN_FUNCTIONS.get(function.name) is function and len(arguments) == 1:
        if function.name == "softmax":
            y = function.numpy(x[None, :])[0]
            return y * (adjoint - float(adjoint @ y))
        if function.name == "normalize":
            total = x.sum()
            if total == 0:
                return np.zeros_like(x)
            return adjoint / total - float(adjoint @ x) / total**2
        return aggregate(function.name, x) * float(np.sum(adjoint))
    back = np.zeros_like(x)
    for entry in range(len(x)):
        sides = []
        for step in (STEP, -STEP):
            moved = [a[None, :].copy() for a in arguments]
            moved[place][0, entry] += step
            sides.append(np.asarray(function.numpy(*moved)).reshape(-1))
        back[entry] = float(np.sum(adjoint * (sides[0] - sides[1]))) / (2 * STEP)
    return back


def aggregate(name: str, x: Array) -> Array:
    """The derivative of an aggregation by each entry; a tie goes to the first."""
    if name == "sum":
        return np.ones_like(x)
    back = np.zeros_like(x)
    there = x != 0
    if name == "mean" and there.any():
        back[there] = 1.0 / there.sum()
    elif name == "reduce_mean" and len(x):
        back[:] = 1.0 / len(x)
    elif name in ("max", "reduce_max", "min", "reduce_min") and len(x):
        sign = 1.0 if name.endswith("max") else -1.0
        seen = np.where(there, sign * x, -np.inf) if name in ("max", "min") else sign * x
        if np.isfinite(seen).any():
            back[int(np.argmax(seen))] = 1.0
    return back


def combiner(name: str, a: Array, b: Array) -> tuple[Array, Array]:
    """The derivatives of a combiner by its two sides."""
    one, zero = np.ones(np.broadcast(a, b).shape), np.zeros(np.broadcast(a, b).shape)
    if name == "multiply":
        return one * b, one * a
    if name == "divide":
        there = one * b != 0
        safe = np.where(there, one * b, 1.0)
        return np.where(there, 1.0 / safe, 0.0), np.where(there, -(one * a) / safe**2, 0.0)
    if name == "probabilistic_sum":
        return one - b, one - a
    if name in ("maximum", "minimum"):
        left = (a >= b) if name == "maximum" else (a <= b)
        return one * left, one * ~left
    if name == "lukasiewicz_and":
        inside = one * (a + b > 1.0)
        return inside, inside
    if name == "lukasiewicz_or":
        inside = one * (a + b < 1.0)
        return inside, inside
    if name == "average":
        return 0.5 * one, 0.5 * one
    return one, (-one if name == "subtract" else one + zero)
