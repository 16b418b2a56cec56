"""What computes plans: the one thing that questions, explanations and learning ask of an engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeAlias

from neurallog_kernel.evaluate.rows import Numbers, Rows
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.plan.exprs import Expr

EngineValue: TypeAlias = Rows | Numbers
Bindings: TypeAlias = Mapping[int, Rows]  # the rows given for each input place


class Engine(Protocol):
    """Computes the expressions of a plan, with the facts and entities that they name."""

    @property
    def storage(self) -> Storage:
        """Where those are."""
        ...

    def bind(self, storage: Storage) -> Engine:
        """The same engine for plans of another program."""
        ...

    def evaluate(
        self, expr: Expr, bindings: Bindings | None = None, key: object = None
    ) -> EngineValue:
        """The value for these inputs. What is computed on the way may be kept for other
        expressions with the same `key`, which stands for the inputs."""
        ...

    def supports(self, expr: Expr) -> str | None:
        """The first part of a plan that the engine cannot do, in words; None: it can do all."""
        ...
