"""Probabilities of a session: fitted to held-out examples, and how reliable they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neurallog_kernel.depth import deep
from neurallog_kernel.knowledge.calibrated import CALIBRATION
from neurallog_kernel.session.sources import SessionSources
from neurallog_kernel.state import in_turn

if TYPE_CHECKING:
    from neurallog_kernel.learning.figures.calibration import Calibration
    from neurallog_kernel.learning.figures.reliability import Reliability


class SessionProbabilities(SessionSources):
    """The part of a session that says how likely an answer is."""

    @deep
    @in_turn
    def calibrate(
        self, set: str | None = None, method: str = "temperature", predicate: str | None = None
    ) -> Calibration:
        """Make probabilities of the weights of a set's targets, or of one predicate.

        The set holds examples that no training learned from; without a name it is `validation`.
        `temperature` fits 1 / (1 + exp((centre - w) / temperature)), `isotonic` a line that never
        goes down and may have any shape, which needs more examples. Weights stay as they are;
        answers have a `probability` beside them, and `evaluate` a Brier score and a log loss. What
        was fitted is program text in the source `calibration`: `undo` or `remove("calibration")`
        takes it back, `save` keeps it, and the next training ends it.
        """
        from neurallog_kernel.learning.figures.calibration import fit, text_with

        found = fit(self._evaluator, set, method, predicate)
        self.add(text_with(self._texts.get(CALIBRATION, ""), found), source=CALIBRATION)
        return found

    @property
    def is_calibrated(self) -> bool:
        """Whether `calibrate` fitted probabilities that are there."""
        return CALIBRATION in self._program.sources

    @deep
    @in_turn
    def reliability(
        self, set: str = "test", bins: int = 10, predicate: str | None = None
    ) -> Reliability:
        """Of what was said to be so likely, how much is so: the examples of a set in bins, with the
        Brier score and the log loss. Where nothing is calibrated, weights are taken as
        probabilities, those below 0 as 0 and those above 1 as 1."""
        from neurallog_kernel.learning.figures.reliability import reliability

        return reliability(self._evaluator, set, bins, predicate)
