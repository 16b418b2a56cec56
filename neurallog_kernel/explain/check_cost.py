"""The check of costs: predicates of which a question goes through more than the budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from neurallog_kernel.errors import NeuralLogError, Notice
from neurallog_kernel.evaluate.cost import cost
from neurallog_kernel.language.syntax import Rule

if TYPE_CHECKING:
    from neurallog_kernel.explain.check import Checked


def expensive_questions(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """Predicates that cost more than `question_budget`, estimated without asking anything."""
    if checked.quick:  # it plans every predicate
        return
    program, evaluator = checked.program, checked.evaluator
    for signature in dict.fromkeys(rule.head.signature for rule in rules):
        budget = program.parameters.get("question_budget", signature)
        assert isinstance(budget, float)
        try:
            found = cost(evaluator.layer(signature).result, evaluator.storage)
        except NeuralLogError:
            continue  # what cannot be planned is another check's finding, or the question's error
        if found.entries > budget:
            name = f"{signature[0]}/{signature[1]}"
            yield Notice(
                "expensive_question",
                f"{name} goes through {found}; question_budget is {round(budget):,}",
                program.definition(signature).rules[0].span,
                "set a smaller recursion_depth, or ask a predicate that it calls; an interrupt "
                "ends a question at any time",
            )
