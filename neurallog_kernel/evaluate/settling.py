"""`recursion_depth = until_stable`: how deep recursion is followed until the values stay.

The depth is doubled until all values of the predicate are the same at two depths, up to a
tolerance. What is found is a number like one that somebody wrote: questions, explanations,
training, export and databases all use it. It is looked for again when facts or rules below change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from neurallog_kernel.errors import BoundError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.executor import Executor
from neurallog_kernel.evaluate.rows import Rows, one_hot
from neurallog_kernel.knowledge.program import Program, Settled
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.plan.planner import Planner
from neurallog_kernel.plan.recursion import Group, RecursiveGroups

TOLERANCE = 1e-6  # of a value, or of 1 where it is smaller
DEEPEST = 64
MOST_ROWS = 1_000  # questions that are looked at: all, or so many of them


@dataclass(frozen=True, eq=False)
class _AtDepth(Program):
    """A program in which the predicates of a group are followed to a depth."""

    group: Group = frozenset()
    deep: int = 0

    def depth(self, signature: Signature) -> int:
        return self.deep if signature in self.group else super().depth(signature)


def settle(evaluator: Evaluator) -> None:
    """Find the depths that are to be found, and note them in the program."""
    program = evaluator.program
    if not program.has_open_depths:
        return
    groups = RecursiveGroups()
    for group in _recursive(program, groups):
        stamps = {one: program.stamp(one) for one in group}
        known = [program.settled.get(one) for one in group]
        if all(
            k is not None and k.stamp == stamps[one] for one, k in zip(group, known, strict=True)
        ):
            continue
        depth, change = _stable(evaluator, group)
        for one in group:
            program.settled[one] = Settled(stamps[one], depth, change)


def _recursive(program: Program, groups: RecursiveGroups) -> Iterator[Group]:
    """The groups of recursive predicates without a depth, those that others call first."""
    seen: set[Signature] = set()
    for signature in list(program.definitions):
        stack = [(signature, False)]
        while stack:
            one, ready = stack.pop()
            if ready:
                group = groups.of(program, one)
                first = one == min(group) and program.is_recursive(one, group)
                if first and any(program.is_open(member) for member in group):
                    yield group
            elif one not in seen:
                seen.add(one)
                stack.append((one, True))
                rules = program.definition(one).rules
                stack += [(x.signature, False) for rule in rules for x in rule.body]


def _stable(evaluator: Evaluator, group: Group) -> tuple[int, float]:
    """The depth from which on the values stay, and by how much they still change there."""
    depth, values, change = 1, _values(evaluator, group, 1), np.inf
    while depth < DEEPEST:
        try:
            deeper = _values(evaluator, group, 2 * depth)
        except BoundError:  # what is deeper cannot be computed
            return depth, change
        change = _change(values, deeper)
        if change <= TOLERANCE:
            return depth, 0.0
        if np.isinf(change):  # what is deeper has no numbers any more
            return depth, change
        depth, values = 2 * depth, deeper
    return depth, change


def _values(evaluator: Evaluator, group: Group, depth: int) -> list[np.ndarray]:
    """All values of the predicates of a group at a depth, or those of some questions."""
    own = evaluator.program
    known = {field.name: getattr(own, field.name) for field in fields(own)}
    program = _AtDepth(**known, group=frozenset(filter(own.is_open, group)), deep=depth)
    deeper = Evaluator(Planner(), Executor(evaluator.storage.of(program)))
    return [_of_predicate(deeper, signature) for signature in sorted(group)]


def _of_predicate(evaluator: Evaluator, signature: Signature) -> np.ndarray:
    layer = evaluator.layer(signature)
    sizes = [len(evaluator.domain(signature, place)) for place in range(signature[1] - 1)]
    inputs = {}
    if sizes and all(sizes):
        number = min(MOST_ROWS, int(np.prod(sizes, dtype=float)))
        if len(sizes) == 1:
            chosen = [np.linspace(0, sizes[0] - 1, number).astype(np.int64)]
        else:
            drawn = np.random.default_rng(0)
            chosen = [drawn.integers(0, size, number) for size in sizes]
        inputs = {p: one_hot(sizes[p], column) for p, column in enumerate(chosen)}
    with np.errstate(all="ignore"):
        found = evaluator.value(layer.result, inputs)
    return found.dense() if isinstance(found, Rows) else np.asarray(found)


def _change(one: list[np.ndarray], other: list[np.ndarray]) -> float:
    """The largest difference; infinite where a value is no number any more."""
    with np.errstate(all="ignore"):
        found = [
            np.abs(b - a) / np.maximum(1.0, np.abs(b)) for a, b in zip(one, other, strict=True)
        ]
    largest = max((float(np.max(part, initial=0.0)) for part in found), default=0.0)
    return largest if np.isfinite(largest) else np.inf
