"""Vectors that rest on no input, looked up at some entities without the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from neurallog_kernel.evaluate.rows import Rows, constant, look_up
from neurallog_kernel.functions import FunctionKind
from neurallog_kernel.plan import exprs
from neurallog_kernel.plan.exprs import Expr

if TYPE_CHECKING:
    from neurallog_kernel.evaluate.executor import Executor


@dataclass
class ComputedEntities:
    """The entities of a ForEach that have been computed so far."""

    values: np.ndarray
    known: np.ndarray


class Lookups:
    """A concept is computed for each entity by itself: what is asked for is computed, and kept."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.known = executor.known

    def is_possible(self, node: Expr) -> bool:
        """A vector that can be looked up at some entities without the others."""
        found = self._told(node)
        if found is not None:
            return found
        lazy, stack = self.known.lazy, [node]  # sums of many rules are deep
        while stack:
            operands = stack[-1].operands
            told = [self._told(child) for child in operands]
            if None in told and True not in told:
                stack += [c for c, known in zip(operands, told, strict=True) if known is None]
            else:
                lazy[stack.pop()] = True in told
        return lazy[node]

    def _told(self, node: Expr) -> bool | None:
        """None where it depends on the parts and was not asked before."""
        if node.uses_input or node.domain is None:
            return False
        if isinstance(node, exprs.ForEach):
            return True
        if not isinstance(node, exprs.Combine) and not _is_elementwise(node):
            return False
        return self.known.lazy.get(node)

    def everywhere(self, node: Expr) -> Rows:
        found = self.executor.evaluation({}, {}).value(node)
        return found if isinstance(found, Rows) else constant(self.executor.size(node), found)

    def at(self, node: Expr, columns: np.ndarray) -> np.ndarray:
        """The values at some entities."""
        known: dict[Expr, np.ndarray] = {}
        stack = [node]
        while stack:
            lazy = not isinstance(stack[-1], exprs.ForEach) and self.is_possible(stack[-1])
            missing = [c for c in stack[-1].operands if c not in known] if lazy else []
            if missing and stack[-1] not in known:
                stack += missing
                continue
            here = stack.pop()
            if here not in known:
                known[here] = self._look_up(here, columns, known)
        return known[node]

    def _look_up(
        self, node: Expr, columns: np.ndarray, known: dict[Expr, np.ndarray]
    ) -> np.ndarray:
        if isinstance(node, exprs.ForEach):
            return self._concept_at(node, columns)
        if self.is_possible(node) and isinstance(node, exprs.Combine):
            return node.operation(*(known[side] for side in node.operands))
        if self.is_possible(node) and isinstance(node, exprs.Apply):
            return node.function.numpy(*(known[argument] for argument in node.arguments))
        found = self.executor.evaluation({}, {}).value(node)
        if isinstance(found, np.ndarray):
            return np.broadcast_to(found, columns.shape)
        return look_up(found, columns, 1)

    def _concept_at(self, node: exprs.ForEach, columns: np.ndarray) -> np.ndarray:
        concept, size = self.known.concepts.get(node), self.executor.size(node)
        if concept is None:
            concept = ComputedEntities(np.zeros(size), np.zeros(size, dtype=bool))
            self.known.concepts[node] = concept
        missing = columns[~concept.known[columns]]
        if len(missing):
            concept.values[missing] = self.executor.numbers_for(node.body, size, missing)
            concept.known[missing] = True
        return concept.values[columns]


def _is_elementwise(node: Expr) -> bool:
    return isinstance(node, exprs.Apply) and node.function.kind is FunctionKind.ELEMENTWISE
