"""Vectors times relations: along the paths on sparse values, by matrices on dense."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.functions import MULTIPLY
from neurallog_kernel.knowledge.relations import Relation
from neurallog_kernel.knowledge.symbols import distinct
from neurallog_kernel.network.arithmetic import as_vector, combine, total
from neurallog_kernel.network.autodiff import (
    DENSE,
    FLAT,
    ROW,
    Tensor,
    add_up,
    reshaped,
    spread,
    take,
)
from neurallog_kernel.network.deferred import (
    BatchStep,
    DeferredVector,
    Make,
    entries_at,
    row_feed,
)
from neurallog_kernel.network.dense_vectors import dense, pick
from neurallog_kernel.network.equal_entities import equal_columns, summed_rows
from neurallog_kernel.network.parameters import Parameter, indexed
from neurallog_kernel.network.row_operations import times_matrix, times_sparse, times_turned
from neurallog_kernel.network.sparsity import SparsityPattern

MAXIMUM_PATHS = 20_000_000  # index arrays of more than this cost more memory than dense products
SPARSE_FROM = 4096  # cells up to which a matrix is always written out
FILLED = 0.5  # the share of entries from which a vector is written out
DENSE_FROM = 12  # cells a fact up to which a larger one is written out


def product(
    vector: DeferredVector,
    relation: Relation,
    inverted: bool,
    size: int,
    parameter: Parameter | None,
) -> DeferredVector:
    """The vector times the relation (or its transpose); `parameter` if its weights are learned."""
    reached = None if vector.pattern is None else vector.pattern.columns
    matrix = relation_matrix(relation, inverted, (vector.size, size), parameter, reached)
    if vector.is_sparse:
        paths = _path_count(vector, matrix)
        assert vector.pattern is not None
        rows = vector.pattern.frame.rows
        if paths <= MAXIMUM_PATHS and paths * 4 <= rows * max(matrix.nnz, 1):
            found = _along_paths(vector, matrix, size, parameter)
            return dense(found) if _is_filled(found) else found
    if vector.frame is None:
        return _once(dense(vector), matrix, size, parameter)
    if parameter is not None:
        return _by_matrix(dense(vector), matrix, size, parameter)
    return _by_classes(vector if vector.is_dense else dense(vector), matrix, size)


def times_vectors(
    vector: DeferredVector, matrix: DeferredVector, inverted: bool, size: int
) -> DeferredVector:
    """The vector times a computed matrix: the vectors of a frame that has a row for each entity, or
    one vector that is the same for all of them."""
    if matrix.frame is None and inverted:
        return as_vector(total(combine(MULTIPLY, vector, matrix)), size)
    if matrix.frame is None:
        return combine(MULTIPLY, as_vector(total(vector), size), matrix)
    given, turned = dense(vector), dense(matrix)
    times = times_matrix if inverted else times_turned
    return DeferredVector(given.frame, size, lambda step: times(step.get(given), step.get(turned)))


def _by_classes(vector: DeferredVector, matrix: sp.csr_array, size: int) -> DeferredVector:
    """Dense rows times weights that are not learned: what is alike on either side is one entry."""
    if vector.classes is not None:
        matrix = summed_rows(matrix, vector.classes)
    classes = equal_columns(matrix)
    if classes is not None:
        matrix = sp.csr_array(matrix[:, classes.first])
    count = size if classes is None else classes.count
    picked = _picked(matrix, count)
    if picked is not None:
        result = _pick(vector, picked, _entries(matrix))
    else:
        result = _by_matrix(vector, matrix, count, None)
    return replace(result, size=size, classes=classes)


def _picked(matrix: sp.csr_array, count: int) -> np.ndarray | None:
    """The one entry that each column picks, if it has weight 1 and there is no other."""
    if matrix.nnz != count or not (matrix.data == 1.0).all():
        return None
    by_column = sp.csc_array(matrix)
    if not (np.diff(by_column.indptr) == 1).all():
        return None
    return by_column.indices.astype(np.int64)


def _entries(matrix: sp.csr_array) -> int:
    """How many entries a vector has that is multiplied by the matrix."""
    return len(matrix.indptr) - 1


def _pick(vector: DeferredVector, places: np.ndarray, entries: int) -> DeferredVector:
    if len(places) == entries and np.array_equal(places, np.arange(entries)):
        return DeferredVector(vector.frame, len(places), lambda step: step.get(vector))
    return DeferredVector(vector.frame, len(places), pick(vector, places, entries))


def relation_matrix(
    relation: Relation,
    inverted: bool,
    shape: tuple[int, int],
    parameter: Parameter | None,
    reached: np.ndarray | None = None,
) -> sp.csr_array:
    """The weights, or (for a learned relation) 1 + the place of each fact in its parameter; those
    of the entities that are `reached` at least."""
    if parameter is not None:
        return indexed(relation, inverted, shape)
    parts = relation.matrices(inverted) if reached is None else relation.rows_of(reached, inverted)
    found = [sp.coo_array(part.csr) for part in parts]
    rows = np.concatenate([f.coords[0] for f in found])
    columns = np.concatenate([f.coords[1] for f in found])
    data = np.concatenate([f.data for f in found])
    matrix = sp.csr_array(sp.coo_array((data, (rows, columns)), shape=shape))
    matrix.sort_indices()
    return matrix


def _is_filled(vector: DeferredVector) -> bool:
    """Whether a list of the entries is hardly shorter than all of them."""
    assert vector.pattern is not None
    return len(vector.pattern) > FILLED * vector.pattern.frame.rows * vector.size


def _path_count(vector: DeferredVector, matrix: sp.csr_array) -> int:
    assert vector.pattern is not None
    columns = vector.pattern.columns
    return int((matrix.indptr[columns + 1] - matrix.indptr[columns]).sum())


def _along_paths(
    vector: DeferredVector, matrix: sp.csr_array, size: int, parameter: Parameter | None
) -> DeferredVector:
    """Every entry goes along its facts; what arrives at one entity is added up."""
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
    found = distinct(keys)
    pattern = SparsityPattern.of_keys(own.frame, size, found)
    target = np.searchsorted(found, keys)
    pointers = np.concatenate(
        [[0], np.cumsum(np.bincount(item_rows, weights=lengths, minlength=own.frame.rows))]
    ).astype(np.int64)
    path_rows = np.repeat(item_rows, lengths)
    source_feed = own.frame.feed(data=item - own.pointers[path_rows], pointers=pointers, base=own)
    target_feed = own.frame.feed(
        data=target - pattern.pointers[path_rows], pointers=pointers, base=pattern
    )
    counter, own_rows = row_feed(pattern), row_feed(own)
    weights = _path_weights(matrix.data[at], own, pointers, parameter)
    entries = entries_at(vector, own)

    def make(step: BatchStep) -> Tensor:
        values = spread(entries(step), step.size(own_rows))
        leaving = take(values, step.feeds[source_feed], step.size(own_rows))
        return add_up(leaving * weights(step), step.feeds[target_feed], step.size(counter))

    return DeferredVector(own.frame, size, make, pattern)


def _path_weights(
    data: np.ndarray, own: SparsityPattern, pointers: np.ndarray, parameter: Parameter | None
) -> Make:
    if parameter is None:
        feed = own.frame.feed(data=data.astype(np.float64), pointers=pointers)
        return lambda step: step.fed(feed)
    places = own.frame.feed(data=data.astype(np.int64) - 1, pointers=pointers)
    variable, size = parameter.variable, parameter.size
    return lambda step: take(step.leaf(variable), step.feeds[places], size)


def _weights(matrix: sp.csr_array, parameter: Parameter | None) -> Make:
    """The weights of the matrix's entries in CSR order."""
    if parameter is None:
        data = matrix.data
        return lambda step: Tensor(step.constant(data), FLAT)
    places = matrix.data.astype(np.int64) - 1
    variable, size = parameter.variable, parameter.size
    return lambda step: take(step.leaf(variable), step.constant(places), size)


def _once(
    vector: DeferredVector, matrix: sp.csr_array, size: int, parameter: Parameter | None
) -> DeferredVector:
    """One vector for all rows: a gather and a sum over the facts."""
    sources = np.repeat(np.arange(vector.size), np.diff(matrix.indptr))
    targets, weights = matrix.indices.astype(np.int64), _weights(matrix, parameter)

    def make(step: BatchStep) -> Tensor:
        flat = reshaped(step.get(vector), FLAT)
        leaving = take(flat, step.constant(sources), vector.size)
        arriving = add_up(leaving * weights(step), step.constant(targets), size)
        return reshaped(arriving, ROW)

    return DeferredVector(None, size, make)


def _by_matrix(
    vector: DeferredVector, matrix: sp.csr_array, size: int, parameter: Parameter | None
) -> DeferredVector:
    """Dense rows times a matrix: written out if it is well filled, else by its entries."""
    entries = _entries(matrix)
    cells = entries * size
    if cells > max(SPARSE_FROM, DENSE_FROM * matrix.nnz):
        return _by_entries(vector, matrix, size, parameter)
    if parameter is None:
        written = matrix.toarray()
        return DeferredVector(
            vector.frame,
            size,
            lambda step: times_matrix(step.get(vector), Tensor(step.constant(written), DENSE)),
        )
    rows = np.repeat(np.arange(entries), np.diff(matrix.indptr))
    where = rows * size + matrix.indices
    weights = _weights(matrix, parameter)

    def write_out(step: BatchStep) -> Tensor:
        flat = add_up(weights(step), step.constant(where), cells)
        return times_matrix(step.get(vector), reshaped(flat, DENSE, entries))

    return DeferredVector(vector.frame, size, write_out)


def _by_entries(
    vector: DeferredVector, matrix: sp.csr_array, size: int, parameter: Parameter | None
) -> DeferredVector:
    """Dense rows times a sparse matrix."""
    if parameter is None:
        return DeferredVector(
            vector.frame,
            size,
            lambda step: times_sparse(step.get(vector), step.matrix(matrix)),
        )
    rows = np.repeat(np.arange(_entries(matrix)), np.diff(matrix.indptr)).astype(np.int64)
    columns, weights = matrix.indices.astype(np.int64), _weights(matrix, parameter)

    def make(step: BatchStep) -> Tensor:
        arrays, values, given = step.arrays, weights(step), step.get(vector)

        def times(x: Any, turned: bool) -> Any:
            return arrays.sparse_times(step.matrix(matrix), x, turned, values.x)

        def to_weights(g: Any) -> Any:
            arrived = arrays.gather(g, step.constant(columns))
            return arrays.sums(arrived * arrays.gather(given.x, step.constant(rows)), 1)

        return Tensor(
            times(given.x, True),
            given.shape,
            [(given, lambda g: times(g, False)), (values, to_weights)],
        )

    return DeferredVector(vector.frame, size, make)
