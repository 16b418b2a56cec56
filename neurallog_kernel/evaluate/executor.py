"""Plan to numbers: the SciPy executor that queries and constant folding run on."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

import numpy as np

from neurallog_kernel.evaluate.calls import Calls, batch_size
from neurallog_kernel.evaluate.engine import Bindings, EngineValue
from neurallog_kernel.evaluate.evaluation import Evaluation
from neurallog_kernel.evaluate.lookups import ComputedEntities
from neurallog_kernel.evaluate.rows import Numbers, one_hot
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.observing import EVALUATE, Observer, stage
from neurallog_kernel.plan.exprs import Expr

KEPT_QUESTIONS = 4  # of how many questions the values on the way are kept


@dataclass
class KnownValues:
    """What was computed before. A node names the version of what it reads, so that its value stays
    right whatever the program becomes. What rests on facts alone is kept as long as its node lives;
    what rests on the inputs is kept for the last few inputs asked."""

    constants: WeakKeyDictionary[Expr, EngineValue] = field(default_factory=WeakKeyDictionary)
    concepts: WeakKeyDictionary[Expr, ComputedEntities] = field(default_factory=WeakKeyDictionary)
    lazy: WeakKeyDictionary[Expr, bool] = field(default_factory=WeakKeyDictionary)
    asked: OrderedDict[object, dict[Expr, EngineValue]] = field(default_factory=OrderedDict)
    calls: Calls = field(default_factory=Calls)

    def values_for(self, key: object) -> dict[Expr, EngineValue]:
        """What was computed for the same inputs before."""
        if key is None:
            return {}
        found = self.asked.setdefault(key, {})
        self.asked.move_to_end(key)
        if len(self.asked) > KEPT_QUESTIONS:
            self.asked.popitem(last=False)
        return found


@dataclass
class Executor:
    """Evaluates expressions whose facts and entities are in `storage`."""

    storage: Storage
    observer: Observer | None = None
    known: KnownValues = field(default_factory=KnownValues)

    def bind(self, storage: Storage) -> Executor:
        """The same executor with another storage; what is known is known to both."""
        return replace(self, storage=storage)

    def evaluate(
        self, expr: Expr, bindings: Bindings | None = None, key: object = None
    ) -> EngineValue:
        """The value of an expression. Results are shared between calls with the same `key`."""
        with stage(self.observer, EVALUATE):
            return self.evaluation(bindings or {}, self.known.values_for(key)).value(expr)

    def supports(self, expr: Expr) -> str | None:
        """It can do every plan: `Evaluation.compute` has a case for each kind of expression."""
        return None

    def evaluation(self, bindings: Bindings, memo: dict[Expr, EngineValue]) -> Evaluation:
        """One evaluation with these inputs."""
        return Evaluation(self, bindings, memo)

    def size(self, expr: Expr) -> int:
        """How many entries a vector has."""
        assert expr.domain is not None
        return self.storage.size(expr.domain)

    def forget(self) -> None:
        """Let go of the last questions, whose plans they would keep; constants go with theirs."""
        self.known.asked.clear()

    def numbers_for(self, body: Expr, size: int, columns: np.ndarray) -> Numbers:
        """The number `body` for the one-hot input of each of the columns, in batches."""
        step = batch_size(size)
        parts = []
        for start in range(0, len(columns), step):
            rows = one_hot(size, columns[start : start + step])
            found = self.evaluate(body, {0: rows})
            assert isinstance(found, np.ndarray)
            parts.append(np.broadcast_to(found, (rows.batch,)))
        return np.concatenate(parts) if parts else np.zeros(0)
