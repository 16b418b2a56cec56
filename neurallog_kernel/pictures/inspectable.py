"""What pictures ask of a session; so they need not know it."""

from __future__ import annotations

from typing import Protocol

from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.evaluate.rule_view import RuleView


class Inspectable(Protocol):
    """A live program whose rules, plans and numbers can be looked at."""

    def rules(self, predicate: str | None = None) -> list[RuleView]: ...

    def plan(self, predicate: str, output: int | None = None) -> str: ...

    def inspect(self) -> Inspector: ...
