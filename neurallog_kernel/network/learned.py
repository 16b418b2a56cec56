"""Which expressions a learned weight reaches; what none reaches is folded."""

from __future__ import annotations

from collections.abc import Iterator

from neurallog_kernel.network.parameters import LearnedPredicates, Parameter
from neurallog_kernel.plan import exprs
from neurallog_kernel.plan.exprs import Expr, walk


class Learned:
    """What the parameters of a network mean for the expressions of its plans."""

    def __init__(self, parameters: LearnedPredicates) -> None:
        self.parameters = parameters
        self._reached: dict[Expr, bool] = {}

    def reaches(self, root: Expr) -> bool:
        """Whether a learned weight reaches the expression."""
        if root in self._reached:
            return self._reached[root]
        for expr in walk(root, inside=True):
            if expr not in self._reached:
                below = any(self._reached[child] for child in expr.children)
                self._reached[expr] = self._is_learned(expr) or below
        return self._reached[root]

    def _is_learned(self, expr: Expr) -> bool:
        if isinstance(expr, exprs.Apply):
            return expr.function.model is not None
        return self.parameter(expr) is not None

    def parameter(self, expr: Expr) -> Parameter | None:
        """The parameter an expression reads, if it does."""
        if isinstance(
            expr,
            exprs.FactWeight | exprs.NumericFact | exprs.Facts | exprs.Attribute | exprs.Product,
        ):
            return self.parameters.get(expr.scan.signature)
        if isinstance(expr, exprs.RuleWeight):
            return self.parameters.of_rules(expr.rule.head.signature)
        return None

    def folded_parts(self, root: Expr) -> Iterator[Expr]:
        """Through what an expression depends on its inputs: the largest parts to be folded."""
        seen: set[Expr] = set()
        stack = [root]
        while stack:
            node = stack.pop()
            if node in seen or not node.uses_input:
                continue
            seen.add(node)
            if self.reaches(node):
                stack.extend(node.operands)
            else:
                yield node
