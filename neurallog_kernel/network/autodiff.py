"""Tensors that know how to send gradients back, with no more operations than that takes.

TensorFlow's own gradients must be ready for any shape: every product brings broadcasting logic,
every gather a sparse gradient. Here a step is thousands of small operations over index arrays whose
shapes are known by construction, and that logic was nine tenths of the work. So the few operations
a network is made of carry their own derivatives; what is not among them (a Keras layer, a rare
function) goes through TensorFlow's tape.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from neurallog_kernel.network.arrays import NUMPY, Arrays, arrays_of
from neurallog_kernel.network.tensorflow import tensorflow

Back = Callable[[Any], Any]  # the gradient of the result to the gradient of an operand

# What a tensor stands for decides how two of them combine: one number [1], numbers of rows or
# entries [n], one vector for all rows [n, 1], a vector for each row [n, batch]. Rows of the batch
# are columns of the tensor: a sparse matrix multiplies from the left, turning it round at every
# product would cost more than the product, and numbers of rows combine with vectors as they are.
ONE, FLAT, ROW, DENSE = "one", "flat", "row", "dense"


class Tensor:
    """An array with the operands it came from; none if nothing learned is in it."""

    __slots__ = ("parents", "shape", "x")

    def __init__(self, x: Any, shape: str, parents: Sequence[tuple[Tensor, Back]] = ()) -> None:
        self.x = x
        self.shape = shape
        self.parents = tuple((p, back) for p, back in parents if p.live)

    @property
    def live(self) -> bool:
        """Whether a gradient has to reach it."""
        return bool(self.parents)

    @property
    def arrays(self) -> Arrays:
        return arrays_of(self.x)

    def __add__(self, other: Tensor | float) -> Tensor:
        if not isinstance(other, Tensor):
            return Tensor(self.x + other, self.shape, [(self, lambda g: g)])
        return _binary(self, other, operator.add, lambda g, a, b: g, lambda g, a, b: g)

    def __sub__(self, other: Tensor | float) -> Tensor:
        if not isinstance(other, Tensor):
            return self + -other
        return _binary(self, other, operator.sub, lambda g, a, b: g, lambda g, a, b: -g)

    def __mul__(self, other: Tensor | float) -> Tensor:
        if not isinstance(other, Tensor):
            return self.scaled(other)
        return _binary(self, other, operator.mul, lambda g, a, b: g * b, lambda g, a, b: g * a)

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
    times, b = values.arrays.multiply_no_nan, constant.x
    shape = wider(values.shape, constant.shape)
    return Tensor(
        times(values.x, b),
        shape,
        [(values, lambda g: _narrowed(times(g, b), values.shape, shape))],
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
    arrays = arrays_of(gradient)
    if own == ONE:
        flat = gradient if result == FLAT else arrays.reshape(gradient, -1)
        return arrays.sums(flat, 0, keep=True)
    return arrays.sums(gradient, 0) if own == FLAT else arrays.sums(gradient, 1, keep=True)


# -- moving entries -------------------------------------------------------------------------------


def take(values: Tensor, index: Any, size: Any, shape: str = FLAT) -> Tensor:
    """Entries of a flat tensor of `size` entries, by position."""
    arrays = values.arrays
    return Tensor(
        arrays.gather(values.x, index),
        shape,
        [(values, lambda g: arrays.add_up(g, index, size))],
    )


def take_one(values: Tensor, place: int, size: int) -> Tensor:
    """One entry of a flat tensor."""
    arrays = values.arrays
    x = arrays.gather(values.x, arrays.whole(place))
    return Tensor(x, ONE, [(values, lambda g: _Piece(place, size, g))])


class _Piece(NamedTuple):
    """The gradient of one entry of a flat tensor: those of many entries are put in at once."""

    place: int
    size: int
    gradient: Any


def add_up(values: Tensor, index: Any, size: Any) -> Tensor:
    """Entries added up at the positions they go to."""
    arrays = values.arrays
    return Tensor(
        arrays.add_up(values.x, index, size), FLAT, [(values, lambda g: arrays.gather(g, index))]
    )


def reshaped(values: Tensor, shape: str, size: int = -1) -> Tensor:
    """The same numbers as a flat tensor, one vector, or vectors of `size` entries."""
    arrays = values.arrays
    new = {ONE: (1,), FLAT: (-1,), ROW: (-1, 1), DENSE: (size, -1)}[shape]
    back = {ONE: (1,), FLAT: (-1,), ROW: (-1, 1)}.get(values.shape)
    if back is None:
        back = (int(values.x.shape[0]), -1)
    return Tensor(
        arrays.reshape(values.x, *new), shape, [(values, lambda g: arrays.reshape(g, *back))]
    )


def total(values: Tensor) -> Tensor:
    """All numbers of a flat tensor as one."""
    arrays, x = values.arrays, values.x
    return Tensor(
        arrays.sums(x, 0, keep=True), ONE, [(values, lambda g: arrays.broadcast_like(g, x))]
    )


def spread(value: Tensor, number: Any) -> Tensor:
    """One number, as often as asked for; numbers that are many already stay."""
    if value.shape != ONE:
        return value
    arrays = value.arrays
    return Tensor(
        arrays.broadcast(value.x, number),
        FLAT,
        [(value, lambda g: arrays.sums(g, 0, keep=True))],
    )


def joined(parts: Sequence[Tensor]) -> Tensor:
    """Flat tensors one after the other."""
    if len(parts) == 1:
        return parts[0] if parts[0].shape == FLAT else Tensor(parts[0].x, FLAT, [(parts[0], _same)])
    arrays = parts[0].arrays
    sizes = [int(part.x.shape[0]) for part in parts]
    pieces: list[Any] = []

    def back(place: int) -> Back:
        def piece(g: Any) -> Any:
            if not pieces:  # all parts ask with the same gradient of the whole
                pieces.extend(arrays.split(g, sizes))
            return pieces[place]

        return piece

    x = arrays.concat([part.x for part in parts])
    return Tensor(x, FLAT, [(part, back(place)) for place, part in enumerate(parts)])


def _same(gradient: Any) -> Any:
    return gradient


# -- functions ------------------------------------------------------------------------------------


def apply(
    function: Callable[..., Any],
    arguments: Sequence[Tensor],
    shape: str,
    derivative: Callable[[Any, Any, Any], Any] | None = None,
    variables: Sequence[Any] = (),
) -> Tensor:
    """A function of tensors; without a derivative of its own it is taped by TensorFlow.

    `derivative(x, y, g)` sends the gradient g back through a function of one argument, whose shape
    its result may have or not. `variables` are those of a Keras model, which get their gradients
    too.
    """
    if derivative is not None:
        (argument,) = arguments
        x, y = argument.x, function(argument.x)
        return Tensor(y, shape, [(argument, lambda g: derivative(x, y, g))])
    if any(argument.arrays.name == NUMPY for argument in arguments):
        raise AssertionError("a function without a derivative is none for NumPy")
    return _taped(function, arguments, shape, variables)


def with_slopes(
    function: Callable[..., Any],
    slopes: Callable[..., Sequence[Any]],
    arguments: Sequence[Tensor],
    shape: str,
) -> Tensor:
    """A function of NumPy arrays, entry by entry, with a slope for each argument."""
    given = [argument.x for argument in arguments]
    dtype, found = given[0].dtype, []

    def back(place: int) -> Back:
        def gradient(g: Any) -> Any:
            if not found:
                found.extend(slopes(*given))
            sent = (g * found[place]).astype(dtype, copy=False)
            return _narrowed(sent, arguments[place].shape, shape)

        return gradient

    y = function(*given).astype(dtype, copy=False)
    return Tensor(y, shape, [(argument, back(i)) for i, argument in enumerate(arguments)])


def _taped(
    function: Callable[..., Any],
    arguments: Sequence[Tensor],
    shape: str,
    variables: Sequence[Any],
) -> Tensor:
    tf = tensorflow()
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
    arrays = result.arrays
    found: dict[int, list[Any]] = {id(result): [arrays.ones_like(result.x)]}
    by_variable: dict[int, list[Any]] = {}
    for tensor in reversed(_in_order(result)):
        parts = found.pop(id(tensor), None)
        if parts is None:
            continue
        gradient = _summed(parts, arrays)
        if isinstance(tensor, Leaf):
            shaped = _shaped(gradient, tensor.variable)
            by_variable.setdefault(id(tensor.variable), []).append(shaped)
        for parent, back in tensor.parents:
            found.setdefault(id(parent), []).append(back(gradient))
    return {v: _summed(parts, arrays) for v, parts in by_variable.items()}


def _summed(parts: Sequence[Any], arrays: Arrays) -> Any:
    """What came back to a tensor from all who use it, some of them a single entry."""
    pieces = [part for part in parts if isinstance(part, _Piece)]
    found = [part for part in parts if not isinstance(part, _Piece)]
    if pieces:
        places = arrays.constant(np.array([piece.place for piece in pieces], dtype=np.int32))
        numbers = [piece.gradient for piece in pieces]
        joint = numbers[0] if len(numbers) == 1 else arrays.concat(numbers)
        found.append(arrays.add_up(joint, places, pieces[0].size))
    return found[0] if len(found) == 1 else arrays.add(found)


def _shaped(gradient: Any, variable: Any) -> Any:
    if gradient.shape == variable.shape:
        return gradient
    return arrays_of(gradient).reshape(gradient, *variable.shape)


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
