"""From counted bodies to weighed rows: those of every head are compared, within a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from neurallog_kernel.induction.clock import COMPARING, FITTING, SHOWING, Deadline, Ended
from neurallog_kernel.induction.columns import Columns
from neurallog_kernel.induction.findings import Found
from neurallog_kernel.induction.gate import TRAINED, Ranked, StoppableFit, Task, choose
from neurallog_kernel.induction.heads import Head
from neurallog_kernel.induction.judging import Judged, Judges
from neurallog_kernel.induction.options import LearnOptions, fitted_within, pairs_within
from neurallog_kernel.induction.ranking import Shown, judged_once, rows_of

LEAST_SHARE = 0.01  # of the negatives, on which weights are fitted
FEW_HEADS = 3  # for more, what each rule adds to the others is not measured


@dataclass(frozen=True)
class ComparedHeads:
    """The heads whose bodies were compared, by their numbers, and what was sampled, in words."""

    ranked: dict[int, Ranked] = field(default_factory=dict)
    shown: dict[int, Shown] = field(default_factory=dict)
    cut: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class HeadComparison:
    """What bodies are compared by."""

    columns: Columns
    heads: Sequence[Head]
    options: LearnOptions
    fit: StoppableFit | None
    strength: float
    known: set  # rules that the program has

    def of(
        self, found: Sequence[Sequence[Found]], rows: np.ndarray | None, clock: Deadline
    ) -> ComparedHeads:
        """The best bodies of each head; `rows` are the entities that a search was content with."""
        judged: list[Judged] = []
        judges: list[Judges] = []
        most = pairs_within(clock.seconds, len(self.heads)) if clock.is_bounded else None
        try:
            for head, own in zip(self.heads, found, strict=True):
                clock.check(COMPARING)
                judge = Judges.of(self.columns, own, rows, head.name, self.options.seed, most)
                judged.append(self._judged(judge, head, own, clock))
                judges.append(judge)
        except Ended:
            if clock.should_stop():
                return ComparedHeads()
        cut = [judge.cut for judge in judges if judge.cut]
        ranked = self._weighed(judged, clock, cut)
        shown = self._shown(ranked, judges, clock)
        if len(shown) < len(self.heads):
            number = len(self.heads) - len(shown)
            heads = "1 head" if number == 1 else f"{number:,} heads"
            cut.append(f"rules of {heads}: no time was left to compare them with each other")
        return ComparedHeads({n: ranked[n] for n in shown}, shown, tuple(cut))

    def _judged(
        self, judges: Judges, head: Head, found: Sequence[Found], clock: Deadline
    ) -> Judged:
        least = max(1, int(self.options.min_support * judges.share))
        return judged_once(judges.columns, head, found, least, lambda: clock.check(COMPARING))

    def _weighed(self, judged: Sequence[Judged], clock: Deadline, cut: list[str]) -> list[Ranked]:
        """With fitted weights where there is time for them: weights that are not done are none."""
        fit, most = self.fit, self.options.shown
        if fit is None:
            return choose(judged, None, self.strength, most)
        share = _affordable(judged, clock)

        def within(tasks: Sequence[Task]) -> Sequence[np.ndarray]:
            clock.check(FITTING)
            some = [sampled(task, share, self.options.seed) for task in tasks]
            found = fit(some, lambda: clock.should_stop() or clock.is_past(FITTING))
            clock.check(FITTING)
            return found

        try:
            found = choose(judged, within, self.strength, most)
        except Ended:
            if not clock.should_stop():
                cut.append("weights: no time was left to fit them")
            return choose(judged, None, self.strength, most)
        if share < 1.0 and any(one.way in TRAINED for one in found):
            cut.append(
                f"pairs that are no examples: weights were fitted on {share:.1%} of them, "
                f"drawn with seed {self.options.seed}"
            )
        return found

    def _shown(
        self, ranked: Sequence[Ranked], judges: Sequence[Judges], clock: Deadline
    ) -> dict[int, Shown]:
        shown: dict[int, Shown] = {}
        with_gain = len(self.heads) <= FEW_HEADS
        for number, (one, judge) in enumerate(zip(ranked, judges, strict=True)):
            if clock.is_past(SHOWING):
                break
            shown[number] = rows_of(judge.columns, one, self.options.shown, self.known, with_gain)
        return shown


def _affordable(judged: Sequence[Judged], clock: Deadline) -> float:
    """The share of the negatives on which there is time to fit weights."""
    right = sum(int(one.right.nnz) for one in judged)
    others = sum(int(one.others.nnz) for one in judged)
    most = fitted_within(clock.seconds) if clock.is_bounded else right + others
    return float(np.clip((most - right) / max(1, others), LEAST_SHARE, 1.0))


def sampled(task: Task, share: float, seed: int) -> Task:
    """A task with a share of its negatives. Fewer of them change how likely an example is, which is
    the bias of a head, and not what a rule says about it."""
    if share >= 1.0:
        return task
    generator = np.random.default_rng([seed, *task.judged.head.name.encode()])
    return replace(task, others=task.others & (generator.random(len(task.others)) < share))
