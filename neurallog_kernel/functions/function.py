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


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Function:
    """A function of the language, one version of it: another definition is another object.

    Elementwise: `numpy` maps any array to one of the same shape. Rowwise and aggregate functions
    are given dense rows `[batch, n]` and return `[batch, n]` or `[batch]`. `inputs` is how many
    vectors it takes; a literal of arity `inputs + 1` sends them to its last term.

    Of a Keras `model`, `variables` are the values that this version computes with; None while the
    model has none because it was never called.

    A built-in function has all its forms here. `derivative(x)` is the slope of an elementwise
    function, of several inputs a slope for each; of the others, `derivative(rows, adjoint)` is what
    comes back to the rows. Where there is a kink it is the slope that TensorFlow takes.
    `with_tensorflow` is given the module and gives the function of tensors, so that queries never
    import it; `gradient`, in the same way, gives `(x, y, g)` to what comes back of g, where that is
    better than what TensorFlow finds. `sql` is the function in SQL: of an elementwise one an
    expression of {x}, of an aggregate one of the listed entries v of a row, its value r elsewhere,
    and the number n of its entries; of a rowwise one an expression of {x} and the row's largest
    entry {top}, each of which is then divided by the total of the row.
    `of_number` is what an aggregate makes of a number that is no vector; None: the number itself.
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
    derivative: Callable[..., Any] | None = None
    with_tensorflow: Callable[[Any], Callable[..., Any]] | None = None
    gradient: Callable[[Any], Callable[[Any, Any, Any], Any]] | None = None
    of_number: float | None = None
    sql: str | None = None

    def __repr__(self) -> str:
        """What a cell shows that ends with `register`: the name and the kind."""
        return f"<function {self.name}, {self.kind.value}>"

    @property
    def value_at_zero(self) -> float:
        """What an elementwise function makes of the entities that are not there."""
        with np.errstate(all="ignore"):
            return float(self.numpy(*(np.zeros(1) for _ in range(self.inputs)))[0])
