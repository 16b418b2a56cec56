"""What a function from Python gives is looked at: values of another shape would be taken for the
wrong entities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.functions.function import Array, FunctionKind

Shape: TypeAlias = Sequence[int | None]  # None: a size that is not known yet

_GIVES = {
    FunctionKind.ELEMENTWISE: "gives a number for each number",
    FunctionKind.ROWWISE: "gives a row of the same length for each row",
    FunctionKind.AGGREGATE: "gives one number for each row",
}


def on_arrays(name: str, kind: FunctionKind, function: Callable[..., Any]) -> Callable[..., Array]:
    """The function with its result as an array of numbers of the right shape."""

    def call(*arrays: Array) -> Array:
        given = function(*arrays)
        try:
            result = np.asarray(given, dtype=float)
        except (TypeError, ValueError) as error:
            found = type(given).__name__
            what = f"the function {name} gives {found}, which is not an array of numbers"
            raise ParameterError(what) from error
        check_shape(name, kind, [np.shape(array) for array in arrays], result.shape)
        return result

    return call


def check_shape(name: str, kind: FunctionKind, inputs: Sequence[Shape], result: Shape) -> None:
    """Whether a result has the shape that the kind of its function says."""
    rows = [None if None in sizes else max(sizes) for sizes in zip(*inputs, strict=True)]
    wanted = rows[:-1] if kind is FunctionKind.AGGREGATE else rows
    if len(result) == len(wanted) and all(map(_agree, wanted, result)):
        return
    raise ParameterError(
        f"the function {name} is {kind.value}, so it {_GIVES[kind]}; "
        f"for {_shown(rows)} it gave {_shown(result)}",
        hint=_advice(kind, wanted),
    )


def _agree(one: int | None, other: int | None) -> bool:
    return one is None or other is None or one == other


def _shown(shape: Shape) -> str:
    if not shape:
        return "one number"
    sizes = " x ".join("?" if size is None else str(size) for size in shape)
    return f"an array of {sizes}"


def _advice(kind: FunctionKind, wanted: Shape) -> str:
    if kind is FunctionKind.ROWWISE and wanted and wanted[-1] is not None:
        size = wanted[-1]
        return f"a row has an entry for each entity, here {size}: a layer as Dense({size}) fits"
    return "say with kind what it is: elementwise, rowwise or aggregate"
