"""Rows of facts that share several entities: found through the rarest, read off at the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from neurallog_kernel.evaluate.rows import Rows, look_up, sparse
from neurallog_kernel.functions import MULTIPLY
from neurallog_kernel.knowledge.fact_rows import Incidence
from neurallog_kernel.plan.exprs import Combine, Expr, Product, is_of_rows

if TYPE_CHECKING:
    from neurallog_kernel.evaluate.evaluation import Evaluation


def leads_to_rows(node: Expr) -> TypeGuard[Product]:
    """Whether it is a vector of entities at the rows that have them: each row has one."""
    return isinstance(node, Product) and node.scan.of is not None and node.inverted


def joined_sides(node: Expr) -> list[Product]:
    """The factors of a product that can be read off at the rows of the other one."""
    if not isinstance(node, Combine) or node.operation is not MULTIPLY or not is_of_rows(node):
        return []
    return [side for side in (node.left, node.right) if leads_to_rows(side)]


def joined(evaluation: Evaluation, node: Combine) -> Rows | None:
    """A product of such factors: the rows of the rarest entity are computed, the others read off at
    these. None where both factors are there to be multiplied."""
    memo = evaluation.memo
    missing = [side for side in joined_sides(node) if side not in memo]
    if not missing:
        return None
    if len(missing) == 2:
        rarest = _rarest(evaluation, missing)
        evaluation.keep_each([rarest])
        missing.remove(rarest)
    (side,) = missing
    rows = memo[node.right if side is node.left else node.left]
    if isinstance(rows, Rows) and rows.is_sparse and not rows.is_full:
        vector, incidence = evaluation.rows(side.vector), _incidence(evaluation, side)
        batch = max(rows.batch, vector.batch)
        listed = len(rows.keys) * (batch // max(rows.batch, 1))
        if listed <= _cost(vector, incidence, batch):
            evaluation.noted(listed)
            return _read_off(rows, vector, incidence)
    evaluation.keep_each([side])
    return None


def _incidence(evaluation: Evaluation, side: Product) -> Incidence:
    found = evaluation.storage.relation(side.scan)
    assert isinstance(found, Incidence)
    return found


def _rarest(evaluation: Evaluation, sides: list[Product]) -> Product:
    batch = max(evaluation.rows(side.vector).batch for side in sides)

    def cost(side: Product) -> int:
        return _cost(evaluation.rows(side.vector), _incidence(evaluation, side), batch)

    return min(sides, key=cost)


def _cost(vector: Rows, incidence: Incidence, batch: int) -> int:
    """How many rows a vector of entities leads to, for a batch of so many questions."""
    times = batch // max(vector.batch, 1)
    if not vector.is_sparse:
        return times * vector.batch * incidence.count
    (turned,) = incidence.transposed_parts()
    columns = vector.columns()
    columns = columns[columns < turned.shape[0]]  # entities may have come after the facts
    return times * int((turned.starts[columns + 1] - turned.starts[columns]).sum())


def _read_off(rows: Rows, vector: Rows, incidence: Incidence) -> Rows:
    """Sparse rows times the vector at the entity of each."""
    keys, values, batch = rows.keys, rows.values, rows.batch
    if batch < vector.batch:  # one question's rows stand for those of all
        batch = vector.batch
        starts = np.arange(batch, dtype=np.int64) * rows.size
        keys = (starts[:, None] + keys[None, :]).reshape(-1)
        values = np.tile(values, batch)
    at = incidence.entities[keys % rows.size if batch > 1 else keys].astype(np.int64)
    if vector.batch > 1:
        at += keys // rows.size * vector.size
    products = values * look_up(vector, at, vector.batch)
    there = products != 0
    return sparse(batch, rows.size, keys[there], products[there])
