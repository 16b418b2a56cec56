"""Tensors that know how to send gradients back, with no more operations than that takes.

TensorFlow's own gradients must be ready for any shape: every product brings broadcasting logic,
every gather a sparse gradient. Here a step is thousands of small operations over index arrays whose
shapes are known by construction, and that logic was nine tenths of the work. So the few operations
a network is made of carry their own derivatives; what is not among them (a Keras layer, a rare
function) goes through TensorFlow's tape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from neurallog_kernel.network.tensorflow import tensorflow

Back = Callable[[Any], Any]  # the gradient of the result to the gradient of an operand

# What a tensor stands for decides how two of them combine: one number [1], numbers of rows or
# entries [n], one vector for all rows [n, 1], a vector for each row [n, batch]. Rows of the batch
# are columns of the tensor: a sparse matrix multiplies from the left, turning it round at every
# product would cost more than the product, and numbers of rows combine with vectors as they are.
ONE, FLAT, ROW, DENSE = "one", "flat", "row", "dense"


@cache
def whole(*numbers: int) -> Any:
    """Small whole numbers, such as a shape or an axis: a graph then has each of them once."""
    tf = tensorflow()
    with tf.init_scope():
        return tf.constant(numbers, dtype=tf.int32)


@cache
def axis(number: int) -> Any:
    tf = tensorflow()
    with tf.init_scope():
        return tf.constant(number, dtype=tf.int32)


def _gather(x: Any, index: Any) -> Any:
    return tensorflow().raw_ops.GatherV2(params=x, indices=index, axis=axis(0))


def _added_up(x: Any, index: Any, size: Any) -> Any:
    number = axis(size) if isinstance(size, int) else size
    return tensorflow().raw_ops.UnsortedSegmentSum(data=x, segment_ids=index, num_segments=number)


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

    def __add__(self, other: Tensor | float) -> Tensor:
        if not isinstance(other, Tensor):
            return Tensor(self.x + other, self.shape, [(self, lambda g: g)])
        return _binary(self, other, tensorflow().add, lambda g, a, b: g, lambda g, a, b: g)

    def __sub__(self, other: Tensor | float) -> Tensor:
        if not isinstance(other, Tensor):
            return self + -other
        tf = tensorflow()
        return _binary(self, other, tf.subtract, lambda g, a, b: g, lambda g, a, b: -g)

    def __mul__(self, other: Tensor | float) -> Tensor:
        if not isinstance(other, Tensor):
            return self.scaled(other)
        tf = tensorflow()
        return _binary(self, other, tf.multiply, lambda g, a, b: g * b, lambda g, a, b: g * a)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Tensor:
        return self.scaled(-1.0)

    def __rsub__(self, other: float) -> Tensor:
        return -self + other

    def scaled(self, factor: Any) -> Tensor:
        """Times a constant of the same shape, or a plain number."""
        return Tensor(self.x * factor, self.shape, [(self, lambda g: g * factor)])


def times_constant(values: Tensor, constant: Tensor) -> Tensor:
    """A product that is zero where the constant is: what has no fact is not there, even if the
    other factor is infinite."""
    tf = tensorflow()
    b = constant.x
    shape = wider(values.shape, constant.shape)
    return Tensor(
        tf.raw_ops.MulNoNan(x=values.x, y=b),
        shape,
        [(values, lambda g: _narrowed(tf.raw_ops.MulNoNan(x=g, y=b), values.shape, shape))],
    )


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
    frozenset((ONE, ROW)): ROW,
    frozenset((ONE, DENSE)): DENSE,
    frozenset((FLAT, ROW)): DENSE,
    frozenset((FLAT, DENSE)): DENSE,
    frozenset((ROW, DENSE)): DENSE,
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
        flat = gradient if result == FLAT else tf.reshape(gradient, whole(-1))
        return _sums(flat, 0, keep=True)
    return _sums(gradient, 0) if own == FLAT else _sums(gradient, 1, keep=True)


def _sums(x: Any, along: int, keep: bool = False) -> Any:
    return tensorflow().raw_ops.Sum(input=x, axis=axis(along), keep_dims=keep)


# -- moving entries -------------------------------------------------------------------------------


def take(values: Tensor, index: Any, size: Any, shape: str = FLAT) -> Tensor:
    """Entries of a flat tensor of `size` entries, by position."""
    return Tensor(_gather(values.x, index), shape, [(values, lambda g: _added_up(g, index, size))])


def add_up(values: Tensor, index: Any, size: Any) -> Tensor:
    """Entries added up at the positions they go to."""
    return Tensor(_added_up(values.x, index, size), FLAT, [(values, lambda g: _gather(g, index))])


def take_rows(values: Tensor, index: Any, size: int) -> Tensor:
    """Entries of vectors of `size` entries, by position."""
    return take(values, index, size, values.shape)


def reshaped(values: Tensor, shape: str, size: int = -1) -> Tensor:
    """The same numbers as a flat tensor, one vector, or vectors of `size` entries."""
    tf = tensorflow()
    new = {ONE: whole(1), FLAT: whole(-1), ROW: whole(-1, 1), DENSE: whole(size, -1)}[shape]
    back = {ONE: whole(1), FLAT: whole(-1), ROW: whole(-1, 1)}.get(values.shape)
    if back is None:
        back = whole(int(values.x.shape[0]), -1)
    return Tensor(tf.reshape(values.x, new), shape, [(values, lambda g: tf.reshape(g, back))])


def total(values: Tensor) -> Tensor:
    """All numbers of a flat tensor as one."""
    tf = tensorflow()
    x = values.x
    return Tensor(
        _sums(x, 0, keep=True), ONE, [(values, lambda g: tf.broadcast_to(g, tf.shape(x)))]
    )


def spread(value: Tensor, number: Any) -> Tensor:
    """One number, as often as asked for; numbers that are many already stay."""
    if value.shape != ONE:
        return value
    tf = tensorflow()
    return Tensor(
        tf.broadcast_to(value.x, tf.reshape(number, whole(1))),
        FLAT,
        [(value, lambda g: _sums(g, 0, keep=True))],
    )


def joined(parts: Sequence[Tensor]) -> Tensor:
    """Flat tensors one after the other."""
    if len(parts) == 1:
        return parts[0] if parts[0].shape == FLAT else Tensor(parts[0].x, FLAT, [(parts[0], _same)])
    tf = tensorflow()
    sizes = [int(part.x.shape[0]) for part in parts]
    pieces: list[Any] = []

    def back(place: int) -> Back:
        def piece(g: Any) -> Any:
            if not pieces:  # all parts ask with the same gradient of the whole
                pieces.extend(tf.split(g, whole(*sizes)))
            return pieces[place]

        return piece

    x = tf.concat([part.x for part in parts], axis(0))
    return Tensor(x, FLAT, [(part, back(place)) for place, part in enumerate(parts)])


def _same(gradient: Any) -> Any:
    return gradient


# -- rows -----------------------------------------------------------------------------------------


def across(numbers: Tensor, size: int) -> Tensor:
    """A number for each row as a row that has it everywhere."""
    tf = tensorflow()
    ones = tf.ones(whole(size, 1), numbers.x.dtype)
    return Tensor(ones, ROW) * numbers


def row_sums(rows: Tensor) -> Tensor:
    """The sum of each row."""
    tf = tensorflow()
    x = rows.x
    shape = ONE if rows.shape == ROW else FLAT
    return Tensor(_sums(x, 0), shape, [(rows, lambda g: tf.broadcast_to(g, tf.shape(x)))])


def weighted_row_sums(rows: Tensor, weights: Any) -> Tensor:
    """The sum of each row, each entry times its weight [entries, 1]."""
    tf = tensorflow()
    sums = tf.matmul(weights, rows.x, transpose_a=True)
    shape = ONE if rows.shape == ROW else FLAT
    return Tensor(tf.reshape(sums, whole(-1)), shape, [(rows, lambda g: weights * g)])


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


def times_turned(rows: Tensor, matrix: Tensor) -> Tensor:
    """Rows times a matrix [results, entries]."""
    tf = tensorflow()
    a, b = rows.x, matrix.x
    return Tensor(
        tf.matmul(b, a),
        rows.shape,
        [
            (rows, lambda g: tf.matmul(b, g, transpose_a=True)),
            (matrix, lambda g: tf.matmul(g, a, transpose_b=True)),
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


def gradients(result: Tensor) -> dict[int, Any]:
    """The gradient of one number with respect to each variable it rests on, by the id of that."""
    tf = tensorflow()
    found: dict[int, list[Any]] = {id(result): [tf.ones_like(result.x)]}
    by_variable: dict[int, list[Any]] = {}
    for tensor in reversed(_in_order(result)):
        parts = found.pop(id(tensor), None)
        if parts is None:
            continue
        gradient = parts[0] if len(parts) == 1 else tf.add_n(parts)
        if isinstance(tensor, Leaf):
            shaped = _shaped(gradient, tensor.variable)
            by_variable.setdefault(id(tensor.variable), []).append(shaped)
        for parent, back in tensor.parents:
            found.setdefault(id(parent), []).append(back(gradient))
    return {v: parts[0] if len(parts) == 1 else tf.add_n(parts) for v, parts in by_variable.items()}


def _shaped(gradient: Any, variable: Any) -> Any:
    tf = tensorflow()
    if gradient.shape == variable.shape:
        return gradient
    return tf.reshape(gradient, tf.shape(variable))


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
