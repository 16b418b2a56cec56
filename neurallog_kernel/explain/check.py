"""The program check: where the network may not be what the logic seems to say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neurallog_kernel.errors import Notice
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.explain import (
    check_cost,
    check_depth,
    check_learning,
    check_rules,
    check_values,
)
from neurallog_kernel.language.syntax import Rule
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

IMPORTANT = frozenset(
    (
        "unknown_predicate",
        "disconnected",
        "separate_sums",
        "negated_sum",
        "function_on_ones",
        "function_at_zero",
        "unused_literal",
        "never_fires",
        "cut_recursion",
        "unsettled_recursion",
    )
)
"""What is also shown, in one line, under the cell that caused it."""


@dataclass(frozen=True)
class Findings(Tabular):
    """What a check found, in the order of the program. Each has a kind (its name), a place, a
    sentence that says why, and a hint that says what to do."""

    found: tuple[Notice, ...]

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Notice]:
        return iter(self.found)

    def __getitem__(self, which: int) -> Notice:
        return self.found[which]

    @property
    def kinds(self) -> set[str]:
        """The names of what was found."""
        return {finding.kind for finding in self.found}

    @property
    def important(self) -> Findings:
        """Those that most often mean a mistake."""
        return Findings(tuple(f for f in self.found if f.kind in IMPORTANT))

    def __str__(self) -> str:
        if not self.found:
            return "No problems found."
        lines = []
        for finding in self.found:
            place = f"{finding.span.source}:{finding.span.line}: " if finding.span else ""
            lines.append(f"{place}{finding.kind}: {finding.message}")
            lines += [f"    {finding.hint}"] if finding.hint else []
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def to_pandas(self) -> pd.DataFrame:
        """One row a finding."""
        import pandas as pd

        rows = [
            (
                f.kind,
                f.span.source if f.span else "",
                f.span.line if f.span else 0,
                f.message,
                f.hint,
            )
            for f in self.found
        ]
        return pd.DataFrame(rows, columns=["finding", "source", "line", "why", "fix"])


@dataclass
class Checked:
    """What the checks look at; `quick` leaves out what may take long to compute."""

    evaluator: Evaluator
    quick: bool = False

    def __post_init__(self) -> None:
        self.program = self.evaluator.program
        self.planner = self.evaluator.planner

    def rules(self, source: str | None) -> Iterator[Rule]:
        """The rules of a source, or all."""
        for rule in self.program.rules():
            if source is None or (rule.span is not None and rule.span.source == source):
                yield rule


ProgramCheck = Callable[[Checked, Sequence[Rule]], Iterator[Notice]]
CHECKS: tuple[ProgramCheck, ...] = (
    check_rules.unknown_predicates,
    check_rules.single_variables,
    check_rules.negated_sums,
    check_rules.graph_findings,
    check_rules.separate_calls,
    check_rules.functions_at_zero,
    check_rules.counted_twice,
    check_values.disconnected,
    check_values.empty_types,
    check_values.never_fires,
    check_depth.cut_recursion,
    check_depth.unsettled_recursion,
    check_cost.expensive_questions,
    check_learning.targets,
    check_learning.unreached,
)


def check(checked: Checked, source: str | None = None) -> Findings:
    """All findings, or those about the rules of one source."""
    rules = list(checked.rules(source))
    found: dict[tuple, Notice] = {}
    for look in CHECKS:
        for finding in look(checked, rules):
            place = finding.span.source if finding.span else None
            if source is None or place == source:
                found.setdefault((finding.kind, finding.message, finding.span), finding)
    order = {name: place for place, name in enumerate(checked.program.sources)}

    def key(finding: Notice) -> tuple:
        span = finding.span
        return (order.get(span.source, len(order)), span.line, span.column) if span else (-1, 0, 0)

    return Findings(tuple(sorted(found.values(), key=key)))
