"""Calls that are planned once: evaluated for each vector, or as a matrix whose rows are kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from neurallog_kernel.errors import BoundError
from neurallog_kernel.evaluate.rows import Rows, constant, from_dense, one_hot, product, sparse
from neurallog_kernel.knowledge.matrices import LoadedRelation, Matrix, matrix_of
from neurallog_kernel.knowledge.symbols import distinct
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.plan.exprs import Call, Expr, everything, walk
from neurallog_kernel.threads import times

if TYPE_CHECKING:
    from neurallog_kernel.evaluate.engine import EngineValue
    from neurallog_kernel.evaluate.executor import Executor

FEW_STEPS = 100  # nodes to compute for one vector, up to which no matrix is made
STEPS_A_NODE = 4  # the same, for each node of a large plan
MOST_ENTRIES = 30_000_000  # of all matrices together: about half a gigabyte
CELLS_A_PATH = 100  # a path along sparse entries costs as much as so many cells written out
SMALL_TABLE = 1_000_000  # cells up to which all rows are computed as soon as one is needed
PARTS_A_TABLE = 8


class Calls:
    """What is known of calls, by their bodies.

    A body is linear in its input, so two ways give the same numbers: to compute it for the vector
    at hand, or to add up its rows, each computed once for all callers. The first is cheap where a
    call opens few others, the second where they are opened very often.
    """

    def __init__(self) -> None:
        self._steps: WeakKeyDictionary[Expr, int] = WeakKeyDictionary()
        self._nodes = 0  # of all bodies whose steps were counted: no body has more below it
        self._direct: WeakKeyDictionary[Expr, bool] = WeakKeyDictionary()
        self._tables: WeakKeyDictionary[Expr, _Table] = WeakKeyDictionary()
        self._entries = 0  # of all tables, those that are gone included

    def value(self, executor: Executor, node: Call, vector: Rows) -> Rows:
        """The vector times the matrix of the call."""
        size = executor.size(node)
        if self._is_direct(executor, node, vector):
            found = executor.evaluate(node.body, {node.place: vector})
            return found if isinstance(found, Rows) else constant(size, found)
        if node.inverted:
            parts = tuple(part.transposed for part in self.matrix(executor, node))
        else:
            needed = distinct(vector.columns()) if vector.is_sparse else None
            parts = self.matrix(executor, node, needed)
        return _times(vector, parts, size)

    def matrix(
        self, executor: Executor, node: Call, needed: np.ndarray | None = None
    ) -> tuple[Matrix, ...]:
        """The matrix of the call (not turned round), with the needed rows at least."""
        table = self._tables.get(node.body)
        if table is None:
            table = self._tables[node.body] = _Table(*_shape(executor, node))
        if table.rows * table.columns <= SMALL_TABLE:
            needed = None
        wanted = np.arange(table.rows) if needed is None else needed
        missing = wanted[~table.known[wanted]]
        step = batch_size(max(table.rows, table.columns))
        for start in range(0, len(missing), step):
            chosen = missing[start : start + step]
            given = {node.place: one_hot(table.rows, chosen)}
            known = self._known(node.body) if len(chosen) == table.rows else {}
            found = executor.evaluation(given, known).value(node.body)
            assert isinstance(found, Rows)
            before = table.entries
            table.add(chosen, found)
            self._entries += table.entries - before
            self._check(node.signature)
        return table.parts

    def _known(self, body: Expr) -> dict[Expr, EngineValue]:
        """What is there already of a body for the one-hot vectors of all entities: rules begin with
        calls, written out, whose matrix another caller asked for."""
        found: dict[Expr, EngineValue] = {}
        stack, seen = [*body.operands], {body}
        while stack:
            node = stack.pop()
            if node in seen or not node.uses_input:
                continue
            seen.add(node)
            table = self._tables.get(node)
            if table is not None and table.known.all():
                found[node] = table.all_rows()
            else:
                stack += node.operands
        return found

    def _check(self, signature: Signature) -> None:
        if self._entries <= MOST_ENTRIES:
            return
        self._entries = sum(table.entries for table in self._tables.values())
        if self._entries > MOST_ENTRIES:
            raise BoundError(
                f"the rules below {signature[0]}/{signature[1]} give more than {MOST_ENTRIES:,} "
                "pairs of entities on the way to the answer",
                hint="set a smaller recursion_depth, or ask a predicate that is called here",
            )

    def _is_direct(self, executor: Executor, node: Call, vector: Rows) -> bool:
        """Whether to compute the body for the vector. A matrix that has hardly more rows than the
        vector costs no more, and is there for the next caller."""
        rows, columns = _shape(executor, node)
        if node.inverted or (2 * vector.batch >= rows and rows * columns <= SMALL_TABLE):
            return False
        found = self._direct.get(node.body)
        if found is None:
            found = self._direct[node.body] = self._has_few_steps(node.body)
        return found

    def _has_few_steps(self, body: Expr) -> bool:
        steps = self.steps(body)
        if steps <= FEW_STEPS or steps > STEPS_A_NODE * self._nodes:
            return steps <= FEW_STEPS
        return steps <= STEPS_A_NODE * len(everything([body]))

    def steps(self, body: Expr) -> int:
        """How many nodes are computed for one vector, those of the calls below each time."""
        found = self._steps.get(body)
        if found is None:
            nodes = list(walk(body, known=self._steps))  # a body may begin with another
            calls = (node.body for node in nodes if isinstance(node, Call))
            begun = (self._steps.get(node, 1) for node in nodes)
            found = self._steps[body] = sum(begun) + sum(map(self.steps, calls))
            self._nodes += len(nodes)
        return found


def _times(vector: Rows, parts: tuple[Matrix, ...], size: int) -> Rows:
    """The vector times the sum of the parts; well filled ones are written out."""
    if vector.is_sparse:
        columns = vector.columns()
        paths = sum(int((p.starts[columns + 1] - p.starts[columns]).sum()) for p in parts)
        cells = vector.batch * vector.size * size
        numbers = [vector.values, *(part.weights for part in parts)]
        if cells < CELLS_A_PATH * paths and all(np.isfinite(n).all() for n in numbers):
            with np.errstate(over="ignore"):
                return from_dense(times(vector.dense(), sum(part.csr.toarray() for part in parts)))
    return product(vector, LoadedRelation(("", 2), parts), False, size)


def batch_size(size: int) -> int:
    """How many rows over `size` entities are computed at once."""
    return int(np.clip(ENTRIES_A_BATCH // max(size, 1), 16, 4096))


ENTRIES_A_BATCH = 4_000_000  # upper bound for batch * entities when trying entities one by one


@dataclass
class _Table:
    """The rows of a call's matrix that have been computed so far."""

    rows: int
    columns: int
    parts: tuple[Matrix, ...] = ()
    known: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.known = np.zeros(self.rows, dtype=bool)

    @property
    def entries(self) -> int:
        return sum(part.count for part in self.parts)

    def all_rows(self) -> Rows:
        """The matrix as the rows of a batch."""
        if not self.parts:
            return constant(self.columns, np.zeros(self.rows))
        whole = self.parts[0] if len(self.parts) == 1 else _together(self.parts)
        keys = np.repeat(np.arange(self.rows) * self.columns, np.diff(whole.starts)) + whole.columns
        return sparse(self.rows, self.columns, keys, whole.weights)

    def add(self, chosen: np.ndarray, found: Rows) -> None:
        """Note what was found for the entities, which are ascending."""
        made = _matrix(chosen, found, (self.rows, self.columns))
        self.known[chosen] = True
        if made.count:
            self.parts = (*self.parts, made)
        if len(self.parts) > PARTS_A_TABLE:
            self.parts = (_together(self.parts),)


def _matrix(chosen: np.ndarray, found: Rows, shape: tuple[int, int]) -> Matrix:
    if found.is_sparse and found.batch == len(chosen):
        there = found.values != 0
        keys, weights = found.keys[there], found.values[there]
    else:
        dense = np.broadcast_to(found.dense(), (len(chosen), shape[1])).reshape(-1)
        keys = np.flatnonzero(dense)
        weights = dense[keys]
    columns = (keys % shape[1]).astype(np.int32) if shape[1] else keys.astype(np.int32)
    rows = chosen[keys // shape[1]] if shape[1] else keys
    return matrix_of(rows, columns, weights, shape, sorted=True)


def _together(parts: tuple[Matrix, ...]) -> Matrix:
    """Parts with different rows as one."""
    rows = np.concatenate([np.repeat(np.arange(p.shape[0]), np.diff(p.starts)) for p in parts])
    columns = np.concatenate([part.columns for part in parts])
    weights = np.concatenate([part.weights for part in parts])
    order = np.lexsort((columns, rows))
    return matrix_of(rows[order], columns[order], weights[order], parts[0].shape, sorted=True)


def _shape(executor: Executor, node: Call) -> tuple[int, int]:
    """Entities of the input and of the result of the call's body."""
    given, result = executor.size(node.vector), executor.size(node)
    return (result, given) if node.inverted else (given, result)
