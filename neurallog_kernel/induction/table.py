"""The live table of learned rules: a search, and what a human decides about what it found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from neurallog_kernel.errors import NeuralLogError, ParameterError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.induction.candidates import Candidate, Candidates, HeadReport, Snapshot
from neurallog_kernel.induction.fitting import fit_weights
from neurallog_kernel.induction.heads import Head
from neurallog_kernel.induction.learner import RuleLearner
from neurallog_kernel.induction.options import LearnOptions
from neurallog_kernel.induction.proofs import Prover
from neurallog_kernel.induction.reasons import Misses, RowReasons, misses, reasons
from neurallog_kernel.induction.revision import Reviser, Revision, Weighed
from neurallog_kernel.induction.text import Section, as_text, sections
from neurallog_kernel.interrupts import held_back
from neurallog_kernel.knowledge.changes import Change
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 5  # instances of a rule, examples that are missed


@dataclass
class RuleTable(Tabular):
    """Candidates for rules, best first, and the search that found them.

    `accept` puts rows into the program; nothing enters it otherwise. `reject` takes rows out, for
    good. `explain` shows instances of a row, `misses` the examples that no ticked row reaches,
    `more_time` goes on searching.
    """

    options: LearnOptions
    evaluator: Evaluator = field(repr=False)
    add: Callable[[str, str], Change] = field(repr=False)
    version: Callable[[], int] = field(repr=False)
    stage: str = ""
    stopped: str = ""
    done: float = 0.0
    finished: bool = False

    def __post_init__(self) -> None:
        self.learner = RuleLearner(self.evaluator, self.options, fit_weights)
        self.candidates: Candidates = self.learner.candidates()
        self._ticks: dict[str, bool] = {}  # by the text of a rule: rows move, their rules stay
        self._began = self.version()

    # -- the search -----------------------------------------------------------------------------

    def search(
        self, seconds: float | None = None, progress: Callable[[Snapshot], None] | None = None
    ) -> RuleTable:
        """Search on, and show the best so far again and again. An interrupt ends the search, not
        the cell: what was found until then stays."""
        self.finished, self.stopped = False, ""
        with held_back() as interrupts, interrupts.bearing(1):  # a second one means it
            self.learner.should_stop = lambda: interrupts.count > 0
            try:
                for snapshot in self.learner.run(seconds):
                    self._take(snapshot)
                    if progress is not None:
                        progress(snapshot)
            except KeyboardInterrupt:
                self._begin_again()
        return self

    def _begin_again(self) -> None:
        """What was found stays; a search that was broken off inside a step cannot go on there."""
        rejected, kept = self.learner.rejected, self.learner.candidates()
        self.learner = RuleLearner(self.evaluator, self.options, fit_weights)
        self.learner.rejected = rejected
        self.candidates, self.finished, self.stopped = kept, True, "interrupted"

    def _take(self, snapshot: Snapshot) -> None:
        self.candidates, self.stage = snapshot.candidates, snapshot.stage
        self.done, self.finished, self.stopped = snapshot.done, snapshot.finished, snapshot.stopped

    def more_time(self, seconds: float = 10.0) -> RuleTable:
        """Go on where the search stopped."""
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
            raise ParameterError(f"more_time takes a number of seconds above 0, not {seconds}")
        return self.search(float(seconds))

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left that more time would look at."""
        search = self.learner.search
        return search.finished and search.exact and not (search.broken or search.unaffordable)

    @property
    def is_stale(self) -> bool:
        """Whether the program has changed since the search began."""
        return self.version() != self._began

    @property
    def not_looked_at(self) -> tuple[str, ...]:
        """What the search left out, in words."""
        left = list(self.candidates.cut)
        if self.finished and self.stopped:
            why = "interrupted" if self.stopped == "interrupted" else "the budget is used up"
            left = [line for line in left if line != self.learner.search.ended]  # says the same
            left.insert(0, f"{why} at {self.stage}: what comes after that; more_time goes on")
        return tuple(left)

    # -- rows -----------------------------------------------------------------------------------

    @property
    def rows(self) -> tuple[Candidate, ...]:
        return self.candidates.rows

    @property
    def heads(self) -> tuple[HeadReport, ...]:
        return self.candidates.heads

    def __len__(self) -> int:
        return len(self.candidates)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.candidates)

    def __getitem__(self, number: int) -> Candidate:
        return self.candidates[number]

    def to_pandas(self) -> pd.DataFrame:
        """One row per rule; `ticked` is what `accept` takes."""
        frame = self.candidates.to_pandas()
        frame.insert(0, "ticked", [self.is_ticked(row) for row in self.rows])
        return frame

    def is_ticked(self, row: Candidate) -> bool:
        """Whether a row is chosen: as a human said, or else if fitting kept it."""
        return self._ticks.get(row.text, row.kept and not row.known)

    @property
    def ticked(self) -> tuple[int, ...]:
        return tuple(row.number for row in self.rows if self.is_ticked(row))

    def tick(self, *numbers: int) -> None:
        """Choose rows."""
        self._ticks |= {self[number].text: True for number in numbers}

    def untick(self, *numbers: int) -> None:
        """Choose these rows no longer."""
        self._ticks |= {self[number].text: False for number in numbers}

    # -- decisions ------------------------------------------------------------------------------

    def text(self, numbers: Iterable[int] | None = None) -> str:
        """The rows (by default the ticked ones) as the text of a cell."""
        chosen = self.ticked if numbers is None else self._checked(numbers)
        if not chosen:
            raise NeuralLogError(
                "no row is chosen", hint="name rows, as in accept([1, 3]), or tick some"
            )
        names = [name for name, _ in self.evaluator.program.predicates()]
        return self.candidates.accept(chosen, names)

    def accept(self, numbers: Iterable[int] | None = None, source: str | None = None) -> Change:
        """Add rows (by default the ticked ones) to the program, as a source of its own. `undo`
        takes it back; a second `accept` under the same name replaces the first."""
        text = self.text(numbers)
        named = ", ".join(f"{head.head[0]}/{head.head[1]}" for head in self.heads)
        change = self.add(text, source or f"learned {named}")
        self._began = self.version()
        return change

    def reject(self, numbers: int | Iterable[int]) -> RuleTable:
        """Take rows out of the table for good; the others are fitted again without them."""
        chosen = self._checked([numbers] if isinstance(numbers, int) else numbers)
        self.learner.rejected |= {self[number].text for number in chosen}
        return self.refit()

    def refit(self) -> RuleTable:
        """Rank and weigh the rows again, without those that were rejected."""
        self.candidates = self.learner.refit()
        return self

    def _checked(self, numbers: Iterable[int]) -> list[int]:
        if isinstance(numbers, str):
            raise ParameterError("rows are named by their numbers", hint="as in accept([1, 3])")
        chosen = list(numbers)
        for number in chosen:
            if isinstance(number, bool) or not isinstance(number, int):
                raise ParameterError(
                    f"{number!r} is not the number of a row", hint="as in accept([1, 3])"
                )
        return [self[number].number for number in chosen]

    # -- reasons --------------------------------------------------------------------------------

    @cached_property
    def prover(self) -> Prover:
        return Prover(self.evaluator, self.learner.graph)

    def explain(self, number: int, top: int = SHOWN) -> RowReasons:
        """Instances of a row with the lines of their facts: right ones and wrong ones."""
        row = self[self._checked([number])[0]]
        return reasons(self.prover, self._head(row.head), row, top)

    def misses(self, head: str | None = None, top: int = SHOWN) -> Misses:
        """The examples that no ticked row reaches, with the shortest ways that connect their
        arguments; `head` says of which predicate, where there are several."""
        found = self._named(head)
        chosen = [
            row.proved for row in self.rows if self.is_ticked(row) and row.head == found.signature
        ]
        return misses(self.prover, found, chosen, self.rows, top)

    def revise(self, head: str | None = None) -> Revision:
        """What each change would move, on examples: to take a rule out (a ticked row, or one of the
        program's own), to drop or add a literal, to take another row in."""
        found = self._named(head)
        own = self.evaluator.program.definition(found.signature).rules
        rules = [Weighed(rule, rule.weight) for rule in own]
        rows = self.candidates.of(found.signature)
        rules += [_weighed(row) for row in rows if self.is_ticked(row) and not row.known]
        others = [_weighed(row) for row in rows if not self.is_ticked(row) and not row.known]
        return Reviser(self.prover, found, self.options.seed).revise(rules, others)

    def _named(self, head: str | None) -> Head:
        """The head that a text names; without one the first."""
        known = {f"{h.signature[0]}/{h.signature[1]}": h for h in self.learner.heads}
        if head is None:
            head = next(iter(known))
        if head not in known:
            raise ParameterError(f"the search was not about {head}", hint=f"but {', '.join(known)}")
        return known[head]

    def _head(self, signature: tuple[str, int]) -> Head:
        return next(head for head in self.learner.heads if head.signature == signature)

    # -- as text --------------------------------------------------------------------------------

    def sections(self) -> tuple[Section, ...]:
        """The table as texts, head by head."""
        return sections(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """What else a reader should know: what was left out, that the program has changed."""
        said = [f"not looked at: {line}" for line in self.not_looked_at]
        return (*said, *(["the program has changed since this search"] if self.is_stale else []))

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return as_text(self)


def _weighed(row: Candidate) -> Weighed:
    return Weighed(row.rule, row.weight, row.number, dict(row.weights))
