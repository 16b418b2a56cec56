"""What a function of the language is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray


class FunctionKind(Enum):
    """How a function acts on a row vector."""

    ELEMENTWISE = "elementwise"  # each entry on its own: f(x)
    ROWWISE = "rowwise"  # the whole row at once, same length: f(row)
    AGGREGATE = "aggregate"  # the whole row to one number


@dataclass(frozen=True, eq=False, slots=True)
class Function:
    """A function of the language, one version of it: another definition is another object.

    Elementwise: `numpy` maps any array to one of the same shape. Rowwise and aggregate functions
    are given dense rows `[batch, n]` and return `[batch, n]` or `[batch]`. `inputs` is how many
    vectors it takes; a literal of arity `inputs + 1` sends them to its last term.

    Of a Keras `model`, `variables` are the values that this version computes with; None while the
    model has none because it was never called.
    """

    name: str
    kind: FunctionKind
    numpy: Callable[..., Array]
    formula: str
    inputs: int = 1
    tensorflow: Callable[..., Any] | None = None  # where the NumPy definition does not do
    model: Any = None  # the Keras layer or model it stands for, whose variables are trained
    variables: tuple[Array, ...] | None = None
    given: tuple[Any, ...] = ()  # the Python objects it was made of

    @property
    def value_at_zero(self) -> float:
        """What an elementwise function makes of the entities that are not there."""
        return float(self.numpy(*(np.zeros(1) for _ in range(self.inputs)))[0])
