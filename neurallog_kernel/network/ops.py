"""Tensors that know how to send gradients back, with no more operations than that takes.

TensorFlow's own gradients must be ready for any shape: every product brings broadcasting logic,
every gather a sparse gradient. Here a step is thousands of small operations over index arrays whose
shapes are known by construction, and that logic was nine tenths of the work. So the few operations
a network is made of carry their own derivatives; what is not among them (a Keras layer, a rare
function) goes through TensorFlow's tape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from neurallog_kernel.network.tensorflow import tensorflow

Back = Callable[[Any], Any]  # the gradient of the result to the gradient of an operand

# What a tensor stands for decides how two of them combine: one number [1], numbers of rows or
# entries [n], one vector for all rows [n, 1], a vector for each row [n, batch]; and, beside such
# vectors, one number [1, 1] or a number for each row [1, batch]. Rows of the batch are columns of
# the tensor: a sparse matrix multiplies from the left, and turning it round at every product
# would cost more than the product.
ONE, FLAT, ROW, DENSE, CELL, COLUMN = "one", "flat", "row", "dense", "cell", "column"


class Tensor:
    """A TensorFlow tensor with the operands it came from; none if nothing learned is in it."""

    __slots__ = ("parents", "shape", "x")

    def __init__(self, x: Any, shape: str, parents: Sequence[tuple[Tensor, Back]] = ()) -> None:
        self.x = x
        self.shape = shape
        self.parents = tuple((p, back) for p, back in parents if p.live)

    @property
    def live(self) -> bool:
        """Whether a gradient has to reach it."""
        return bool(self.parents)

    def __add__(self, other: Tensor) -> Tensor:
        return _binary(self, other, tensorflow().add, lambda g, a, b: g, lambda g, a, b: g)

    def __sub__(self, other: Tensor) -> Tensor:
        tf = tensorflow()
        return _binary(self, other, tf.subtract, lambda g, a, b: g, lambda g, a, b: -g)

    def __mul__(self, other: Tensor) -> Tensor:
        tf = tensorflow()
        return _binary(self, other, tf.multiply, lambda g, a, b: g * b, lambda g, a, b: g * a)

    def scaled(self, factor: Any) -> Tensor:
        """Times a constant of the same shape, or a plain number."""
        return Tensor(self.x * factor, self.shape, [(self, lambda g: g * factor)])


class Leaf(Tensor):
    """A learned variable."""

    __slots__ = ("variable",)

    def __init__(self, variable: Any, x: Any, shape: str) -> None:
        super().__init__(x, shape)
        self.variable = variable

    @property
    def live(self) -> bool:
        return True


def _binary(left: Tensor, right: Tensor, operation: Any, to_left: Any, to_right: Any) -> Tensor:
    a, b = left.x, right.x
    shape = wider(left.shape, right.shape)
    return Tensor(
        operation(a, b),
        shape,
        [
            (left, lambda g: _narrowed(to_left(g, a, b), left.shape, shape)),
            (right, lambda g: _narrowed(to_right(g, a, b), right.shape, shape)),
        ],
    )


_WIDER = {
    frozenset((ONE, FLAT)): FLAT,
    frozenset((ROW, DENSE)): DENSE,
    frozenset((CELL, ROW)): ROW,
    frozenset((CELL, DENSE)): DENSE,
    frozenset((CELL, COLUMN)): COLUMN,
    frozenset((COLUMN, ROW)): DENSE,
    frozenset((COLUMN, DENSE)): DENSE,
}


def wider(left: str, right: str) -> str:
    """The shape of two tensors combined entry by entry."""
    return left if left == right else _WIDER[frozenset((left, right))]


def _narrowed(gradient: Any, own: str, result: str) -> Any:
    """Sum a gradient over what was broadcast."""
    if own == result:
        return gradient
    tf = tensorflow()
    if own == ONE:
        return tf.reshape(tf.reduce_sum(gradient), [1])
    if own == CELL:
        return tf.reshape(tf.reduce_sum(gradient), [1, 1])
    return tf.reduce_sum(gradient, 0 if own == COLUMN else 1, keepdims=True)


# -- moving entries -------------------------------------------------------------------------------


def take(values: Tensor, index: Any, size: Any) -> Tensor:
    """Entries of a flat tensor of `size` entries, by position."""
    tf = tensorflow()
    return Tensor(
        tf.gather(values.x, index),
        FLAT,
        [(values, lambda g: tf.math.unsorted_segment_sum(g, index, size))],
    )


def add_up(values: Tensor, index: Any, size: Any) -> Tensor:
    """Entries added up at the positions they go to."""
    tf = tensorflow()
    return Tensor(
        tf.math.unsorted_segment_sum(values.x, index, size),
        FLAT,
        [(values, lambda g: tf.gather(g, index))],
    )


def take_rows(values: Tensor, index: Any, size: int) -> Tensor:
    """Entries of vectors of `size` entries, by position."""
    tf = tensorflow()
    return Tensor(
        tf.gather(values.x, index),
        values.shape,
        [(values, lambda g: tf.math.unsorted_segment_sum(g, index, size))],
    )


def reshaped(values: Tensor, shape: str, size: int | None = None) -> Tensor:
    """The same numbers as a flat tensor, one vector, or vectors of `size` entries."""
    tf = tensorflow()
    new = {ONE: [1], FLAT: [-1], ROW: [-1, 1], DENSE: [size, -1]}[shape]
    back = {ONE: [1], FLAT: [-1], ROW: [-1, 1]}.get(values.shape, [values.x.shape[0], -1])
    return Tensor(tf.reshape(values.x, new), shape, [(values, lambda g: tf.reshape(g, back))])


def total(values: Tensor) -> Tensor:
    """All numbers of a flat tensor as one."""
    tf = tensorflow()
    x = values.x
    return Tensor(
        tf.reshape(tf.reduce_sum(x), [1]), ONE, [(values, lambda g: tf.fill(tf.shape(x), g[0]))]
    )


def spread(value: Tensor, number: Any) -> Tensor:
    """One number, as often as asked for; numbers that are many already stay."""
    if value.shape != ONE:
        return value
    tf = tensorflow()
    return Tensor(
        tf.fill(tf.reshape(number, [1]), value.x[0]),
        FLAT,
        [(value, lambda g: tf.reshape(tf.reduce_sum(g), [1]))],
    )


# -- rows -----------------------------------------------------------------------------------------


def beside(numbers: Tensor) -> Tensor:
    """Numbers of rows in the shape that combines with whole rows."""
    tf = tensorflow()
    shape = CELL if numbers.shape == ONE else COLUMN
    return Tensor(numbers.x[None, :], shape, [(numbers, lambda g: tf.squeeze(g, 0))])


def across(numbers: Tensor, size: int) -> Tensor:
    """A number for each row as a row that has it everywhere."""
    tf = tensorflow()
    shape = ROW if numbers.shape == ONE else DENSE
    return Tensor(
        tf.tile(numbers.x[None, :], [size, 1]),
        shape,
        [(numbers, lambda g: tf.reduce_sum(g, 0))],
    )


def row_sums(rows: Tensor) -> Tensor:
    """The sum of each row."""
    tf = tensorflow()
    x = rows.x
    shape = ONE if rows.shape == ROW else FLAT
    return Tensor(
        tf.reduce_sum(x, 0),
        shape,
        [(rows, lambda g: tf.broadcast_to(g[None, :], tf.shape(x)))],
    )


def weighted_row_sums(rows: Tensor, weights: Any) -> Tensor:
    """The sum of each row, each entry times its weight [1, entries]."""
    tf = tensorflow()
    shape = ONE if rows.shape == ROW else FLAT
    return Tensor(
        tf.squeeze(tf.matmul(weights, rows.x), 0),
        shape,
        [(rows, lambda g: tf.matmul(weights, g[None, :], transpose_a=True))],
    )


def times_matrix(rows: Tensor, matrix: Tensor) -> Tensor:
    """Rows times a matrix [entries, results]."""
    tf = tensorflow()
    a, b = rows.x, matrix.x
    return Tensor(
        tf.matmul(b, a, transpose_a=True),
        rows.shape,
        [
            (rows, lambda g: tf.matmul(b, g)),
            (matrix, lambda g: tf.matmul(a, g, transpose_b=True)),
        ],
    )


# -- functions ------------------------------------------------------------------------------------


def apply(
    function: Callable[..., Any],
    arguments: Sequence[Tensor],
    shape: str,
    derivative: Callable[[Any, Any, Any], Any] | None = None,
    variables: Sequence[Any] = (),
) -> Tensor:
    """A function of tensors; without a derivative of its own it is taped by TensorFlow.

    `derivative(x, y, g)` sends the gradient g back through an elementwise function of one argument.
    `variables` are those of a Keras model, which get their gradients too.
    """
    tf = tensorflow()
    if derivative is not None:
        (argument,) = arguments
        x, y = argument.x, function(argument.x)
        return Tensor(y, shape, [(argument, lambda g: derivative(x, y, g))])
    leaves = [Leaf(v, None, shape) for v in variables]
    if not leaves and not any(argument.live for argument in arguments):
        return Tensor(function(*(argument.x for argument in arguments)), shape)
    inputs = [tf.identity(argument.x) for argument in arguments]
    with tf.GradientTape() as tape:
        for x in inputs:
            tape.watch(x)
        y = function(*inputs)
    sources = [*inputs, *variables]
    gradients: list[Any] = []

    def back(place: int) -> Back:
        def gradient(g: Any) -> Any:
            if not gradients:  # all operands ask with the same gradient of the result
                gradients.extend(
                    tape.gradient(
                        y,
                        sources,
                        output_gradients=g,
                        unconnected_gradients=tf.UnconnectedGradients.ZERO,
                    )
                )
            return gradients[place]

        return gradient

    operands = [*arguments, *leaves]
    return Tensor(y, shape, [(operand, back(i)) for i, operand in enumerate(operands)])


# -- gradients ------------------------------------------------------------------------------------


def gradients(result: Tensor, variables: Sequence[Any]) -> list[Any]:
    """The gradient of one number with respect to each variable; zero where it has no part."""
    tf = tensorflow()
    found: dict[int, list[Any]] = {id(result): [tf.ones_like(result.x)]}
    by_variable: dict[int, list[Any]] = {}
    for tensor in reversed(_in_order(result)):
        parts = found.pop(id(tensor), None)
        if parts is None:
            continue
        gradient = parts[0] if len(parts) == 1 else tf.add_n(parts)
        if isinstance(tensor, Leaf):
            by_variable.setdefault(id(tensor.variable), []).append(gradient)
        for parent, back in tensor.parents:
            found.setdefault(id(parent), []).append(back(gradient))
    return [_sum(by_variable.get(id(v), []), v) for v in variables]


def _sum(parts: list[Any], variable: Any) -> Any:
    tf = tensorflow()
    if not parts:
        return tf.zeros_like(variable)
    shaped = [tf.reshape(part, tf.shape(variable)) for part in parts]
    return shaped[0] if len(shaped) == 1 else tf.add_n(shaped)


def _in_order(result: Tensor) -> list[Tensor]:
    """Operands before results, without recursion."""
    order: list[Tensor] = []
    seen: set[int] = set()
    stack: list[tuple[Tensor, bool]] = [(result, False)]
    while stack:
        tensor, ready = stack.pop()
        if ready:
            order.append(tensor)
            continue
        if id(tensor) in seen:
            continue
        seen.add(id(tensor))
        stack.append((tensor, True))
        stack.extend((parent, False) for parent, _ in tensor.parents if id(parent) not in seen)
    return order
