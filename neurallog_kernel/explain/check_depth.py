"""The check of recursion: chains in the facts that are longer than the depth that is set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from neurallog_kernel.errors import Notice
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.executor import Executor
from neurallog_kernel.evaluate.rows import Rows, one_hot
from neurallog_kernel.explain.check_learning import reach
from neurallog_kernel.knowledge.parameters import DEFAULTS
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import Rule, Signature
from neurallog_kernel.plan.planner import Planner

if TYPE_CHECKING:
    from neurallog_kernel.explain.check import Checked


FEW_ENTITIES = 200  # up to here the answers are counted at once, under the cell that cuts them


@dataclass(frozen=True, eq=False)
class _Deeper(Program):
    """A program in which the predicates of a circle may be opened more often."""

    circle: frozenset[Signature] = frozenset()
    more: int = 0

    def depth(self, signature: Signature) -> int:
        return super().depth(signature) + (self.more if signature in self.circle else 0)


def unsettled_recursion(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """Recursive predicates with `until_stable` whose values do not stay, however deep."""
    program = checked.program
    for signature in dict.fromkeys(rule.head.signature for rule in rules):
        found = program.settled.get(signature) if program.is_open(signature) else None
        if found is None or not found.change:
            continue
        grows = "grow without limit" if np.isinf(found.change) else "still change"
        yield Notice(
            "unsettled_recursion",
            f"{signature[0]}/{signature[1]} does not become stable: at depth {found.depth} "
            f"its values {grows}, and the answers are those of that depth",
            program.definition(signature).rules[0].span,
            "use smaller weights, a combination that keeps values small, such as "
            "set_parameter(literal_combining_function, maximum)., or a number for recursion_depth",
        )


def cut_recursion(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """Recursive predicates whose chains in the facts are longer than the depth that is set."""
    program = checked.program
    for signature in dict.fromkeys(rule.head.signature for rule in rules):
        if signature[1] != 2 or signature not in _called_by(program, signature):
            continue
        if program.is_open(signature):
            continue
        if checked.quick and not _is_said_at_once(program, signature):
            continue
        circle = frozenset(
            s for s in _called_by(program, signature) if signature in _called_by(program, s)
        )
        calls = [
            sum(x.signature in circle for x in rule.body)
            for s in circle
            for rule in program.definition(s).rules
        ]
        if max(calls) > 1:  # unfolded once more it may be too large to compute
            continue
        depth = program.depth(signature)
        more = _answers_with(checked, signature, circle, 1)
        more -= _answers_with(checked, signature, circle, 0)
        if more > 0:
            own = program.definition(signature).rules
            rule = next(r for r in own if any(x.signature in circle for x in r.body))
            yield Notice(
                "cut_recursion",
                f"{signature[0]}/{signature[1]} is followed {depth + 1} calls deep "
                f"(recursion_depth {depth}); one more would reach "
                + ("1 more answer" if more == 1 else f"{more:,} more answers"),
                rule.span,
                f"set_parameter(recursion_depth, {depth + 1}).",
            )


def _is_said_at_once(program: Program, signature: Signature) -> bool:
    """Among few entities, and not of a depth that somebody has chosen."""
    few = len(program.entity_type((*signature, 0))) <= FEW_ENTITIES
    return few and program.depth(signature) == DEFAULTS["recursion_depth"]


def _called_by(program: Program, signature: Signature) -> set[Signature]:
    """The predicates that its rules call, directly or not."""
    rules = program.definition(signature).rules
    return {s for rule in rules for x in rule.body for s in reach(program, x.signature)}


def _answers_with(
    checked: Checked, signature: Signature, circle: frozenset[Signature], more: int
) -> int:
    """How many pairs have a weight so much deeper, looking from the first thousand entities."""
    known = {field.name: getattr(checked.program, field.name) for field in fields(checked.program)}
    program = _Deeper(**known, circle=circle, more=more)
    deeper = Evaluator(Planner(), Executor(checked.evaluator.storage.of(program)))
    size = len(deeper.domain(signature, 0))
    inputs = {0: one_hot(size, np.arange(min(size, 1000)))}
    found = deeper.value(deeper.layer(signature).result, inputs)
    if not isinstance(found, Rows) or not found.is_sparse:
        return 0
    return int(np.count_nonzero(found.values))
