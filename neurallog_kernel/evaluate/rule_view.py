"""A rule as a user looks at it: its text, its graph, its paths and what they approximate."""

from __future__ import annotations

from dataclasses import dataclass, replace

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.executor import Executor
from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.language.printer import brief_clause
from neurallog_kernel.language.syntax import Rule
from neurallog_kernel.rulegraph.graph import Dag
from neurallog_kernel.rulegraph.report import Finding, report
from neurallog_kernel.rulegraph.tree import PathTree, path_tree


@dataclass(frozen=True)
class RuleView:
    """A rule of the program, with its graph for any output."""

    rule: Rule
    output: int | None
    _evaluator: Evaluator

    @property
    def dag(self) -> Dag:
        """The rule's DAG (the left half of the paper's Figure 1)."""
        return self._evaluator.planner.dag(self._evaluator.program, self.rule, self.output)

    @property
    def path_tree(self) -> PathTree:
        """Its paths as a tree (the right half)."""
        return path_tree(self.dag)

    @property
    def report(self) -> tuple[Finding, ...]:
        """Where the network is not what the logic says."""
        program = self._evaluator.program
        return report(self.dag, lambda signature: program.function(signature) is not None)

    def inspect(self) -> Inspector:
        """What the rule's predicates are, and its numbers for a question."""
        return Inspector(replace(self._evaluator, engine=Executor(self._evaluator.storage)))

    def towards(self, output: int) -> RuleView:
        """The same rule with another head term as the output (0 is the first)."""
        if not 0 <= output < self.rule.head.arity:
            raise ValueError(f"the head has {self.rule.head.arity} places, counted from 0")
        return RuleView(self.rule, output, self._evaluator)

    def __str__(self) -> str:
        return brief_clause(self.rule)

    def __repr__(self) -> str:
        return f"<rule {self}>"
