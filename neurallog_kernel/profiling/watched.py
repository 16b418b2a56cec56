"""The planner and the executor with a stopwatch: subclasses, so that nobody else pays for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from neurallog_kernel.evaluate.executor import Bindings, Evaluation, Executor, Value
from neurallog_kernel.evaluate.rows import Rows
from neurallog_kernel.knowledge.matrices import Matrix
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import FactVector, Relation, Relations
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language.syntax import Rule, Signature
from neurallog_kernel.plan.build import Chain, Inputs, Planner
from neurallog_kernel.plan.exprs import Attribute, Expr, Facts, Product
from neurallog_kernel.plan.network import LiteralLayer
from neurallog_kernel.profiling.clock import Clock
from neurallog_kernel.rulegraph.graph import Dag

PLAN, GRAPHS, MATRICES, EVALUATE = "plan", "rule graphs", "facts to matrices", "evaluate"


class WatchedRelations(Relations):
    """The matrices of a session; those that are made now are a stage of their own."""

    def __init__(self, kept: Relations, clock: Clock) -> None:
        super().__init__()
        self._kept, self._large = kept._kept, kept._large
        self.clock = clock

    def relation(self, program: Program, signature: Signature) -> Relation:
        with self.clock.stage(MATRICES):
            return super().relation(program, signature)

    def vector(self, program: Program, signature: Signature) -> FactVector:
        with self.clock.stage(MATRICES):
            return super().vector(program, signature)


class WatchedPlanner(Planner):
    """A planner that knows nothing yet, and which layers it was asked for from outside."""

    def __init__(self, symbols: SymbolTable, relations: Relations, clock: Clock) -> None:
        super().__init__(symbols, WatchedRelations(relations, clock))
        self.clock = clock
        self.asked: list[LiteralLayer] = []
        self._depth = 0

    def dag(self, rule: Rule, output: int | None) -> Dag:
        if (rule, output) in self._dags:
            return super().dag(rule, output)
        with self.clock.stage(GRAPHS):
            return super().dag(rule, output)

    def literal(
        self,
        program: Program,
        signature: Signature,
        output: int | None,
        inputs: Inputs,
        chain: Chain,
    ) -> LiteralLayer:
        if self._depth:
            return super().literal(program, signature, output, inputs, chain)
        self._depth += 1
        try:
            with self.clock.stage(PLAN):
                layer = super().literal(program, signature, output, inputs, chain)
        finally:
            self._depth -= 1
        if layer not in self.asked:
            self.asked.append(layer)
        return layer


@dataclass
class Cost:
    """What computing one node of the plan took, all its calls together.

    `facts` counts the facts a product goes through (an entry of the vector with each fact of its
    row), `entries` the entries of the results, `bytes` their arrays.
    """

    seconds: float = 0.0
    calls: int = 0
    facts: int = 0
    entries: int = 0
    bytes: int = 0


class WatchedExecutor(Executor):
    """An executor that knows nothing yet and notes what each node costs."""

    def __init__(self, clock: Clock, stage: str = EVALUATE) -> None:
        super().__init__()
        self.clock, self.stage = clock, stage
        self.costs: dict[Expr, Cost] = {}
        self.inside = [0.0]  # seconds of the nodes that ran inside each open one

    def evaluate(self, expr: Expr, bindings: Bindings | None = None, key: object = None) -> Value:
        with self.clock.stage(self.stage):
            return super().evaluate(expr, bindings, key)

    def evaluation(self, bindings: Bindings, memo: dict[Expr, Value]) -> Evaluation:
        return _WatchedEvaluation(self, bindings, memo)


class _WatchedEvaluation(Evaluation):
    executor: WatchedExecutor

    def joint(self, terms: list[Expr]) -> list[list[Product]]:
        return []  # each rule by itself, or nobody could say what it takes

    def compute(self, node: Expr) -> Value:
        watch = self.executor
        if isinstance(node, Product) and node.inverted:
            before = perf_counter()
            with watch.clock.stage(MATRICES):
                node.relation.transposed_parts()  # made once, whoever asks first
            watch.inside[-1] += perf_counter() - before
        watch.inside.append(0.0)
        started = perf_counter()
        value = super().compute(node)
        seconds = perf_counter() - started
        own = seconds - watch.inside.pop()
        started = perf_counter()
        cost = watch.costs.setdefault(node, Cost())
        cost.seconds += own
        cost.calls += 1
        cost.facts += self._facts_touched(node)
        if isinstance(value, Rows):
            cost.entries += len(value.keys)
        cost.bytes += value.nbytes
        counting = perf_counter() - started
        watch.clock.leave_out(counting)
        watch.inside[-1] += seconds + counting
        return value

    def _facts_touched(self, node: Expr) -> int:
        if isinstance(node, Facts | Attribute):
            facts = node.facts
            return facts.count if isinstance(facts, Relation) else len(facts.indexes)
        if not isinstance(node, Product):
            return 0
        parts = node.relation.transposed_parts() if node.inverted else node.relation.parts
        return _paths(self.rows(node.vector), parts)


def _paths(rows: Rows, parts: Sequence[Matrix]) -> int:
    """How many facts a product goes through: for each entry those of its row, and all of them once
    where the vector is not zero elsewhere."""
    touched = 0
    for part in parts:
        columns = rows.columns()
        columns = columns[columns < part.shape[0]]
        touched += int((part.starts[columns + 1] - part.starts[columns]).sum(dtype=np.int64))
        touched += 0 if rows.is_sparse else part.count
    return touched
