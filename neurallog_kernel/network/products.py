"""Vectors times relations in TensorFlow: along the paths on sparse values, by matrices on dense."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.knowledge.relations import Relation
from neurallog_kernel.network.frames import Pattern
from neurallog_kernel.network.parameters import Parameter, indexed
from neurallog_kernel.network.tensorflow import tensorflow
from neurallog_kernel.network.values import Make, Step, Vector, dense, entries_at, item_feed

MAXIMUM_PATHS = 20_000_000  # index arrays of more than this cost more memory than dense products
DENSE_MATRIX = 4_000_000  # cells up to which a constant matrix is written out


def product(
    vector: Vector,
    relation: Relation,
    inverted: bool,
    size: int,
    parameter: Parameter | None,
) -> Vector:
    """The vector times the relation (or its transpose); `parameter` if its weights are learned."""
    matrix = _matrix(relation, inverted, (vector.size, size), parameter)
    if vector.is_sparse:
        paths = _path_count(vector, matrix)
        assert vector.pattern is not None
        rows = vector.pattern.frame.rows
        if paths <= MAXIMUM_PATHS and paths * 4 <= rows * max(matrix.nnz, 1):
            return _along_paths(vector, matrix, size, parameter)
    if vector.frame is None:
        return _once(dense(vector), matrix, size, parameter)
    return _by_matrix(dense(vector), matrix, size, parameter)


def _matrix(
    relation: Relation, inverted: bool, shape: tuple[int, int], parameter: Parameter | None
) -> sp.csr_array:
    """The weights, or (for a learned relation) 1 + the place of each fact in its parameter."""
    if parameter is not None:
        return indexed(relation, inverted, shape)
    parts = relation.transposed_parts() if inverted else relation.parts
    found = [sp.coo_array(part.csr) for part in parts]
    rows = np.concatenate([f.coords[0] for f in found])
    columns = np.concatenate([f.coords[1] for f in found])
    data = np.concatenate([f.data for f in found])
    matrix = sp.csr_array(sp.coo_array((data, (rows, columns)), shape=shape))
    matrix.sort_indices()
    return matrix


def _path_count(vector: Vector, matrix: sp.csr_array) -> int:
    assert vector.pattern is not None
    columns = vector.pattern.columns
    return int((matrix.indptr[columns + 1] - matrix.indptr[columns]).sum())


def _along_paths(
    vector: Vector, matrix: sp.csr_array, size: int, parameter: Parameter | None
) -> Vector:
    """Every entry goes along its facts; what arrives at one entity is added up."""
    tf = tensorflow()
    own = vector.pattern
    assert own is not None
    first = matrix.indptr[own.columns]
    lengths = matrix.indptr[own.columns + 1] - first
    paths = int(lengths.sum())
    ends = np.cumsum(lengths)
    at = np.repeat(first - (ends - lengths), lengths) + np.arange(paths)
    item = np.repeat(np.arange(len(own)), lengths)
    item_rows = own.rows
    keys = np.repeat(item_rows * size, lengths) + matrix.indices[at]
    found = np.unique(keys)
    pattern = Pattern.of_keys(own.frame, size, found)
    target = np.searchsorted(found, keys)
    pointers = np.concatenate(
        [[0], np.cumsum(np.bincount(item_rows, weights=lengths, minlength=own.frame.rows))]
    ).astype(np.int64)
    path_rows = np.repeat(item_rows, lengths)
    source_feed = own.frame.feed(
        data=item - own.pointers[path_rows], pointers=pointers, base=own
    )
    target_feed = own.frame.feed(
        data=target - pattern.pointers[path_rows], pointers=pointers, base=pattern
    )
    counter = item_feed(pattern, np.zeros(len(pattern), dtype=np.int32))
    weights = _path_weights(matrix.data[at], own, pointers, parameter)
    entries = entries_at(vector, own)

    def make(step: Step) -> Any:
        arriving = tf.gather(entries(step), step.feeds[source_feed]) * weights(step)
        number = tf.shape(step.feeds[counter])[0]
        return tf.math.unsorted_segment_sum(arriving, step.feeds[target_feed], number)

    return Vector(own.frame, size, make, pattern)


def _path_weights(
    data: np.ndarray, own: Pattern, pointers: np.ndarray, parameter: Parameter | None
) -> Make:
    tf = tensorflow()
    if parameter is None:
        feed = own.frame.feed(data=data.astype(np.float64), pointers=pointers)
        return lambda step: step.feeds[feed]
    places = own.frame.feed(data=data.astype(np.int64) - 1, pointers=pointers)
    variable = parameter.variable
    return lambda step: tf.gather(variable, step.feeds[places])


def _weights(matrix: sp.csr_array, parameter: Parameter | None) -> Make:
    """The weights of the matrix's entries in CSR order."""
    tf = tensorflow()
    if parameter is None:
        data = matrix.data
        return lambda step: step.constant(data)
    places = matrix.data.astype(np.int64) - 1
    variable = parameter.variable
    return lambda step: tf.gather(variable, step.constant(places))


def _once(
    vector: Vector, matrix: sp.csr_array, size: int, parameter: Parameter | None
) -> Vector:
    """One vector for all rows: a gather and a sum over the facts."""
    tf = tensorflow()
    sources = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    targets, weights = matrix.indices.astype(np.int64), _weights(matrix, parameter)

    def make(step: Step) -> Any:
        arriving = tf.gather(step.get(vector)[0], step.constant(sources)) * weights(step)
        return tf.math.unsorted_segment_sum(arriving, step.constant(targets), size)[None, :]

    return Vector(None, size, make)


def _by_matrix(
    vector: Vector, matrix: sp.csr_array, size: int, parameter: Parameter | None
) -> Vector:
    """Dense rows times a matrix: written out if it is small, else sparse."""
    tf = tensorflow()
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    columns = matrix.indices.astype(np.int64)
    weights = _weights(matrix, parameter)
    if matrix.shape[0] * size <= DENSE_MATRIX:
        if parameter is None:
            written = matrix.toarray()
            return Vector(
                vector.frame,
                size,
                lambda step: tf.matmul(step.get(vector), step.constant(written)),
            )
        where, cells = rows * size + columns, matrix.shape[0] * size

        def write_out(step: Step) -> Any:
            flat = tf.math.unsorted_segment_sum(weights(step), where, cells)
            return tf.matmul(step.get(vector), tf.reshape(flat, [-1, size]))

        return Vector(vector.frame, size, write_out)
    transposed = np.column_stack([columns, rows])
    order = np.lexsort((rows, columns))
    shape = [size, matrix.shape[0]]

    def sparse(step: Step) -> Any:
        left = tf.SparseTensor(transposed[order], tf.gather(weights(step), order), shape)
        result = tf.sparse.sparse_dense_matmul(left, step.get(vector), adjoint_b=True)
        return tf.transpose(result)

    return Vector(vector.frame, size, sparse)
