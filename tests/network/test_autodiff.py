"""Formulas of tensors and plain numbers: what a combiner of + - * may be written with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from neurallog_kernel.network.autodiff import DENSE, FLAT, ONE, ROW, Leaf, gradients
from neurallog_kernel.network.tensorflow import tensorflow

SHAPES = {ONE: (1,), FLAT: (2,), ROW: (3, 1), DENSE: (3, 2)}
FORMULAS: dict[str, Callable[[Any, Any], Any]] = {
    "number times tensor": lambda a, b: 0.5 * (a + b),
    "tensor times number": lambda a, b: (a * b) * 3,
    "number plus tensor": lambda a, b: 1 + a * b,
    "tensor plus number": lambda a, b: a * b + 2.5,
    "number less tensor": lambda a, b: 1.0 - (1.0 - a) * (1.0 - b),
    "tensor less number": lambda a, b: (a - 1) * b,
    "minus": lambda a, b: -a * b + a,
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("left", SHAPES)
@pytest.mark.parametrize("right", SHAPES)
def test_plain_numbers_stand_on_either_side(name: str, left: str, right: str) -> None:
    tf, formula = tensorflow(), FORMULAS[name]
    draw = np.random.default_rng(0)
    variables = [tf.Variable(draw.normal(size=SHAPES[shape])) for shape in (left, right)]
    leaves = [Leaf(v, tf.identity(v), s) for v, s in zip(variables, (left, right), strict=True)]
    with tf.GradientTape() as tape:
        expected = formula(*variables)
    found = formula(*leaves)
    np.testing.assert_allclose(found.x, expected)
    ours = gradients(found)
    for variable, theirs in zip(variables, tape.gradient(expected, variables), strict=True):
        np.testing.assert_allclose(ours[id(variable)], theirs)
