"""What a question will cost, estimated from its plan and the counts of facts without asking it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from neurallog_kernel.functions import MULTIPLY
from neurallog_kernel.knowledge.references import FactForm
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.plan import exprs
from neurallog_kernel.plan.exprs import Expr, walk


@dataclass(frozen=True)
class Cost:
    """About how many facts and entries a question with named entities goes through."""

    entries: float

    def __str__(self) -> str:
        return f"about {round(self.entries):,} entries a question"


def cost(root: Expr, storage: Storage) -> Cost:
    """The cost of an expression whose inputs are one entity each. Facts are taken to be spread
    evenly: what begins at a hub costs more."""
    return Cost(_Estimate(storage).work(root))


class _Estimate:
    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._bodies: dict[Expr, float] = {}  # of calls, which are computed once

    def work(self, root: Expr) -> float:
        """What is gone through for all nodes, each of them once."""
        filled: dict[Expr, float] = {}
        total = 0.0
        for node in walk(root):
            filled[node], own = self._node(node, filled)
            total += own
        return total

    def _node(self, node: Expr, filled: dict[Expr, float]) -> tuple[float, float]:
        """How many entries a value has, and what it takes to compute them."""
        size = 1.0 if node.domain is None else float(self._storage.size(node.domain))
        match node:
            case exprs.Facts() | exprs.Attribute() | exprs.Compared():
                count = float(min(size, self._facts(node)))
                return count, count
            case exprs.Product():
                paths = self._paths(node, filled[node.vector])
                return min(size, paths), paths
            case exprs.Combine():
                sides = filled[node.left], filled[node.right]
                both = node.operation is MULTIPLY and node.left.domain and node.right.domain
                count = min(sides) if both else min(size, sum(sides))
                return count, count
            case exprs.Apply() | exprs.Aggregate():
                given = sum(filled[part] for part in node.operands)
                return min(size, given), given
            case exprs.ForEach():
                body = node.body if node.whole is None else node.whole
                return size, self.work(body) * (size if node.whole is None else 1.0)
            case exprs.Call():
                return size, self._call(node)
            case exprs.Ones():
                return size, size
            case (
                exprs.Input()
                | exprs.Zero()
                | exprs.OneHot()
                | exprs.Weight()
                | exprs.FactWeight()
                | exprs.NumericFact()
                | exprs.RuleWeight()
                | exprs.Expand()
            ):
                return 1.0, 1.0
            case _:
                assert_never(node)

    def _facts(self, node: exprs.Facts | exprs.Attribute | exprs.Compared) -> int:
        if node.scan.form is FactForm.VECTOR:
            return len(self._storage.vector(node.scan).indexes)
        return self._storage.relation(node.scan).count

    def _paths(self, node: exprs.Product, given: float) -> float:
        assert node.vector.domain is not None
        entities = max(1, self._storage.size(node.vector.domain))
        return given * self._storage.relation(node.scan).count / entities

    def _call(self, node: exprs.Call) -> float:
        """The rows of its matrix, each computed once however many call it."""
        if node.body in self._bodies:
            return 0.0
        self._bodies[node.body] = 0.0
        assert node.vector.domain is not None
        self._bodies[node.body] = self._storage.size(node.vector.domain) * self.work(node.body)
        return self._bodies[node.body]
