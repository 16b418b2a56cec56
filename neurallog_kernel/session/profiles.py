"""The session's questions about its own time and memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from neurallog_kernel.arguments import Count
from neurallog_kernel.depth import deep
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.profiling.profile import Profile, StageCost
from neurallog_kernel.state import LiveState, in_turn

if TYPE_CHECKING:
    from neurallog_kernel.learning.choices.keywords import TrainKeywords
    from neurallog_kernel.profiling.device import DeviceReport

PARSE, COLUMNS, CHECK = "parse", "facts to columns", "check and types"


class SessionProfiles(LiveState):
    """The part of a session that says where time and memory go."""

    @deep
    @in_turn
    def profile(self, query: str, top: Count | None = None) -> Profile:
        """Where the time and memory of a question go, by stage and by rule (most expensive first).

        The question is answered as if for the first time: nothing is remembered but the matrices
        of facts. Session and caches stay as they are.

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> _ = s.add("parent(ann, bob). parent(bob, cid). parent(bob, dee).", source="family")
        >>> _ = s.add("grandparent(X, Z) :- parent(X, Y), parent(Y, Z).", source="rules")
        >>> found = s.profile("grandparent(ann, Who)")
        >>> [(row.rule, row.place, row.facts, row.entries) for row in found.rules if row.place]
        [('grandparent(X, Z) :- parent(X, Y), parent(Y, Z).', 'rules:1', 3, 3)]
        """
        from neurallog_kernel.profiling.question import profile_question

        asked = query.strip().removeprefix("?-").strip().removesuffix(".")
        try:
            return profile_question(
                self._program, self._symbols, self._relations, asked, top, self._loaded()
            )
        except NeuralLogError as error:
            place = error.span.source if error.span else "query"
            raise error.with_text(self._texts.get(place, asked)) from None

    @deep
    @in_turn
    def profile_training(self, **options: Unpack[TrainKeywords]) -> Profile:
        """Where the time of a training goes: the stages before the first step, the first epoch and
        the later ones, and what each rule takes.

        Options are those of `train`; by default there are three epochs. Nothing is learned: the
        program stays as it is.
        """
        from neurallog_kernel.profiling.training import profile_training

        return profile_training(
            self._program, self._symbols, self._relations, options, self._loaded()
        )

    @deep
    def explain_device(self, **options: Unpack[TrainKeywords]) -> DeviceReport:
        """What a GPU or XLA would need to run a training: the operations of one step, which of
        them have no kernel there, and the sizes that each batch decides anew.

        Options are those of `train`. Nothing is learned, and no such device is needed.
        """
        from neurallog_kernel.profiling.device import explain_device

        return explain_device(self._evaluator, options)

    def _loaded(self) -> tuple[StageCost, ...]:
        """How long it took to add the sources that are there now."""
        clocks = [
            clock for name, clock in self._state.loading.items() if name in self._program.sources
        ]
        return tuple(
            StageCost(stage, seconds)
            for stage in (PARSE, COLUMNS, CHECK)
            if (seconds := sum(_seconds(clock.stages, stage) for clock in clocks))
        )


def _seconds(stages: Mapping[str, Any], stage: str) -> float:
    return stages[stage].seconds if stage in stages else 0.0
