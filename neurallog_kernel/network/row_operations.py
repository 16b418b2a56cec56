"""Vectors of each row as a whole: sums of rows, rows times matrices, numbers across rows."""

from __future__ import annotations

from typing import Any

from neurallog_kernel.network.autodiff import FLAT, ONE, ROW, Tensor


def across(numbers: Tensor, size: int) -> Tensor:
    """A number for each row as a row that has it everywhere."""
    arrays, x = numbers.arrays, numbers.x
    ones = arrays.reshape(arrays.ones(size, x.dtype), -1, 1)
    return Tensor(ones, ROW) * numbers


def row_sums(rows: Tensor) -> Tensor:
    """The sum of each row."""
    arrays, x = rows.arrays, rows.x
    shape = ONE if rows.shape == ROW else FLAT
    return Tensor(arrays.sums(x, 0), shape, [(rows, lambda g: arrays.broadcast_like(g, x))])


def weighted_row_sums(rows: Tensor, weights: Any) -> Tensor:
    """The sum of each row, each entry times its weight [entries, 1]."""
    arrays = rows.arrays
    sums = arrays.matmul(weights, rows.x, turn_a=True)
    shape = ONE if rows.shape == ROW else FLAT
    return Tensor(arrays.reshape(sums, -1), shape, [(rows, lambda g: weights * g)])


def times_matrix(rows: Tensor, matrix: Tensor) -> Tensor:
    """Rows times a matrix [entries, results]."""
    arrays, a, b = rows.arrays, rows.x, matrix.x
    return Tensor(
        arrays.matmul(b, a, turn_a=True),
        rows.shape,
        [
            (rows, lambda g: arrays.matmul(b, g)),
            (matrix, lambda g: arrays.matmul(a, g, turn_b=True)),
        ],
    )


def times_sparse(rows: Tensor, matrix: Any) -> Tensor:
    """Rows times a sparse matrix of constants [entries, results]."""
    times = rows.arrays.sparse_times
    return Tensor(
        times(matrix, rows.x, turned=True), rows.shape, [(rows, lambda g: times(matrix, g))]
    )


def picked(rows: Tensor, index: Any, matrix: Any) -> Tensor:
    """Entries of vectors by position: those that a sparse matrix of ones [entries, results] picks.
    That matrix is the way back: whole entries are added up far more slowly one by one."""
    arrays = rows.arrays
    return Tensor(
        arrays.gather(rows.x, index),
        rows.shape,
        [(rows, lambda g: arrays.sparse_times(matrix, g))],
    )


def times_turned(rows: Tensor, matrix: Tensor) -> Tensor:
    """Rows times a matrix [results, entries]."""
    arrays, a, b = rows.arrays, rows.x, matrix.x
    return Tensor(
        arrays.matmul(b, a),
        rows.shape,
        [
            (rows, lambda g: arrays.matmul(b, g, turn_a=True)),
            (matrix, lambda g: arrays.matmul(g, a, turn_b=True)),
        ],
    )


def times_numbers(coefficients: Any, numbers: Tensor, shape: str = FLAT) -> Tensor:
    """A matrix of constants times the numbers; one row of it gives one number."""
    times = numbers.arrays.matvec
    return Tensor(
        times(coefficients, numbers.x),
        shape,
        [(numbers, lambda g: times(coefficients, g, turned=True))],
    )
