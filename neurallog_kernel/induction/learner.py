"""A search for rules: mines, ranks and shows the best so far at any time; it can go on later."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.induction.bodies import end_of, rule_of
from neurallog_kernel.induction.candidates import Candidate, Candidates, HeadReport, Snapshot
from neurallog_kernel.induction.clock import COUNTING, LOADING, Deadline
from neurallog_kernel.induction.columns import Columns
from neurallog_kernel.induction.comparing import ComparedHeads, HeadComparison
from neurallog_kernel.induction.findings import BestBodies, Family, Found
from neurallog_kernel.induction.gate import STRENGTH, Ranked, StoppableFit
from neurallog_kernel.induction.graph import graph_of
from neurallog_kernel.induction.heads import (
    Head,
    heads_left_out,
    heads_of,
    named_signatures,
    wanted_bodies,
)
from neurallog_kernel.induction.metarules import metarules
from neurallog_kernel.induction.options import LearnOptions
from neurallog_kernel.induction.own_rules import own_figure
from neurallog_kernel.induction.ranking import Shown, report_of
from neurallog_kernel.induction.search import BodySearch
from neurallog_kernel.induction.written import as_read
from neurallog_kernel.knowledge.rule_weights import rule_key
from neurallog_kernel.language.printer import format_clause

SHOW_EVERY = 0.25  # seconds between two snapshots
WEIGHING = "weights"  # the stage after the search
NEAREST = 3  # candidates that are named where there is no rule


def learn_rules(
    evaluator: Evaluator, options: LearnOptions, fit: StoppableFit | None = None
) -> Iterator[Snapshot]:
    """Search for rules and show the best so far; the last snapshot is `finished`."""
    yield from RuleLearner(evaluator, options, fit).run()


class RuleLearner:
    """One search. `run` may be called again: it goes on where it was.

    An interrupt ends `run` with a last snapshot; `candidates` gives the best so far at any time.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        options: LearnOptions,
        fit: StoppableFit | None = None,
        strength: float = STRENGTH,
    ) -> None:
        loading = Deadline(options.budget)
        self.evaluator, self.options = evaluator, options
        self.fit = fit
        program = evaluator.program
        self.heads = heads_of(evaluator, options)
        bodies = wanted_bodies(program, options.bodies)
        self.graph = graph_of(
            evaluator,
            lambda signature: bodies is None or signature in bodies,
            [column for head in self.heads for column in (*head.right, *head.wrong)],
            options.most_relations,
            lambda: loading.is_past(LOADING),
        )
        self._left_out = heads_left_out(evaluator, options)
        self._forms = metarules(options.metarules)
        self._constants = set(named_signatures(program, options.constants))
        self._each = set(named_signatures(program, options.each))
        self.columns = Columns(self.graph)
        self.seconds = 0.0
        self.rejected: set[str] = set()
        self._known = as_read(program)
        self._comparison = HeadComparison(
            self.columns, self.heads, options, fit, strength, self._known
        )
        # asked between pieces of work: an exception inside one loses what was counted
        self.should_stop: Callable[[], bool] = lambda: False
        self.compared = ComparedHeads()
        self._paid = 0  # walks, by all budgets
        self._begin()
        self._loaded = loading.used  # seconds that the first budget pays for, too

    @property
    def ranked(self) -> dict[int, Ranked]:
        """By the number of the head."""
        return self.compared.ranked

    def _begin(self) -> None:
        """Make ready to search from the beginning."""
        options = self.options
        self.findings = BestBodies(self.graph, self.heads, options.min_support, options.kept)
        self.search = BodySearch(
            self.graph, self.heads, self.findings, options, self._constants, self._each
        )
        self._work = self.search.run()

    def run(self, seconds: float | None = None) -> Iterator[Snapshot]:
        """Search for `seconds` more (by default the budget of the options)."""
        budget = self.options.budget if seconds is None else seconds
        more = replace(self.options, budget=budget).work
        self._paid += more
        search = self.search
        if search.broken or search.unaffordable or not search.exact:
            # after an interrupt within a piece of work its counts are not whole; and what was
            # sampled or left out for a small budget deserves a larger sample
            self._begin()
            more = self._paid
        self.search.allow(more)
        clock = Deadline(budget, self._loaded, lambda: self.should_stop())
        self._loaded, self.compared = 0.0, ComparedHeads()
        before, stopped = self.seconds, ""
        shown, pause = clock.used, SHOW_EVERY
        try:
            while not (self.search.finished or stopped):
                stopped = self._step(clock)
                self.seconds = before + clock.used
                if not stopped and clock.used - shown >= pause:
                    snapshot = Snapshot(self.candidates(), self.search.stage, self.search.done)
                    now = clock.used
                    shown, pause = now, max(SHOW_EVERY, 10 * (now - self.seconds + before))
                    yield snapshot
            if stopped != "interrupted":  # whoever interrupts does not wait; `refit` ranks
                found = self.search.stage
                if self.fit is not None:
                    self.search.stage = WEIGHING
                    yield Snapshot(self.candidates(), WEIGHING, self.search.done)
                self.seconds = before + clock.used  # of counting, not of weighing
                self._compare(clock)
                self.search.stage = found
                if self.should_stop():
                    stopped = "interrupted"
        except KeyboardInterrupt:
            stopped = "interrupted"
        done = 1.0 if self.search.finished else self.search.done
        yield Snapshot(self.candidates(), self.search.stage, done, True, stopped)

    def _step(self, clock: Deadline) -> str:
        """One piece of work; why it is the last one, or "" where it need not be."""
        if self.search.spent:
            return "budget"
        if self.should_stop():
            return "interrupted"
        if clock.is_past(COUNTING):
            self.search.late = True
            return "budget"
        self.search.broken = True
        next(self._work, None)
        self.search.broken = False
        return ""

    def search_only(self) -> Iterator[int]:
        """Search for the budget of the options, and leave the weighing to `refit`."""
        self.search.allow(self.options.work)
        while not (self.search.finished or self.search.spent):
            yield next(self._work, 0)

    def reject(self, text: str) -> None:
        """Leave a rule out from now on; `refit` ranks the others without it."""
        self.rejected.add(text)

    def refit(self) -> Candidates:
        """Judge and weigh again, without the rules that were rejected."""
        self._compare(Deadline(should_stop=lambda: self.should_stop()))
        return self.candidates()

    def _compare(self, clock: Deadline) -> None:
        found = [self._left(number) for number in range(len(self.heads))]
        self.compared = self._comparison.of(found, self.search.rows, clock)

    def _left(self, number: int) -> list[Found]:
        """The best bodies of a head, those that were rejected or have another form left out."""
        members = [one for family in self.findings.families[number] for one in family.members]
        best = self._allowed(number, [*self.findings.best(number), *members])
        if not self.rejected:
            return best
        return [found for found in best if self._text(number, found) not in self.rejected]

    def _allowed(self, number: int, found: list[Found]) -> list[Found]:
        if not self._forms:
            return found
        head = self.heads[number].signature
        return [
            one
            for one in found
            if any(form.allows(rule_of(self.graph, head, one.body)) for form in self._forms)
        ]

    def _text(self, number: int, found: Found) -> str:
        return format_clause(rule_of(self.graph, self.heads[number].signature, found.body))

    # -- what was found -------------------------------------------------------------------------

    def candidates(self) -> Candidates:
        """The best so far."""
        shown = [self._shown(number) for number in range(len(self.heads))]
        rows = [row for one in shown for row in one.rows if row.text not in self.rejected]
        return Candidates(
            tuple(replace(row, number=place) for place, row in enumerate(rows, start=1)),
            self.options,
            tuple(self._report(number, one) for number, one in enumerate(shown)),
            exact=self.search.exact,
            cut=(*self._left_out, *self.graph.left_out, *self.search.cut, *self.compared.cut),
            seconds=self.seconds,
            rejected=tuple(sorted(self.rejected)),
        )

    def _report(self, number: int, shown: Shown) -> HeadReport:
        head = self.heads[number]
        before = own_figure(self.evaluator, head) if shown.ranked else None
        report = report_of(head, self.findings.counted, self._others(head), shown, before)
        return report if shown.rows else replace(report, nearest=self._nearest(number))

    def _nearest(self, number: int) -> tuple[str, ...]:
        """The best of what was cut, and by which limit."""
        least = self.options.min_support
        few = [
            f"{one.right} of {one.fires:,} right, min_support asks for {least}: "
            + self._text(number, one)
            for one in self.findings.nearest(number, NEAREST)
        ]
        other = [
            f"no metarule allows it: {self._text(number, one)}"
            for one in self.findings.best(number)[:NEAREST]
            if self._forms and not one.against
        ]
        return (*other, *few)[:NEAREST]

    def _shown(self, number: int) -> Shown:
        if number in self.compared.shown:
            return self.compared.shown[number]
        best = self._allowed(number, self.findings.best(number))
        best = _without_repetitions([found for found in best if not found.against])
        families = [
            self._first_family(number, family)
            for family in self.findings.families[number]
            if self._allowed(number, [family.whole])
        ]
        shown = best[: max(0, self.options.shown - len(families))]
        return Shown((*families, *(self._first_look(number, found) for found in shown)))

    def _first_family(self, number: int, family: Family) -> Candidate:
        """A row with a weight for each entity, each by its own counts."""
        found = [(one, -math.log1p(-one.confidence)) for one in family.members if not one.against]
        weights = tuple((self.graph.name(end_of(one.body)), weight) for one, weight in found)
        return replace(self._first_look(number, family.whole), weight=1.0, weights=weights)

    def _first_look(self, number: int, found: Found) -> Candidate:
        """A row while the search runs: its counts, not yet compared with the others."""
        rule = rule_of(self.graph, self.heads[number].signature, found.body)
        confidence = found.confidence
        return Candidate(
            0,
            rule,
            -math.log1p(-confidence),
            found.right,
            found.fires,
            confidence,
            found.right / max(1, found.fires),
            new=found.fires - found.right,
            known=rule_key(rule)[1] in self._known,
        )

    def _others(self, head: Head) -> int:
        """Pairs of the entities that stand at the places of the examples, examples left out."""
        number = math.prod(len(np.unique(column)) for column in head.right)
        return number - head.count if len(head.right) > 1 else self.graph.size - head.count


def _without_repetitions(best: list[Found]) -> list[Found]:
    """Without longer bodies that have the counts of a shorter one: mostly it is said again, with a
    literal more. Whether it is, is seen when the search has ended."""
    shortest: dict[tuple[int, ...], int] = {}
    for one in best:
        counts = (one.right, one.fires, one.held_right, one.held_fires)
        length = one.body.length
        shortest[counts] = min(length, shortest.get(counts, length))
    return [
        one
        for one in best
        if one.body.length == shortest[one.right, one.fires, one.held_right, one.held_fires]
    ]
