"""Learning of a session: training, evaluation, labels of sequences, negative examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Any, Unpack

from neurallog_kernel.arguments import Count, whole
from neurallog_kernel.depth import deep
from neurallog_kernel.errors import ParameterError
from neurallog_kernel.interrupts import Interrupts, held_back
from neurallog_kernel.knowledge.changes import Change
from neurallog_kernel.knowledge.example_sets import set_sizes
from neurallog_kernel.knowledge.learned import LEARNED, members_of
from neurallog_kernel.knowledge.update import without_source
from neurallog_kernel.observing import TRAINING_VIEWS
from neurallog_kernel.session.edits import uncalibrated
from neurallog_kernel.session.sharing import shared_with
from neurallog_kernel.session.sources import SessionSources
from neurallog_kernel.state import in_turn

if TYPE_CHECKING:
    from neurallog_kernel.learning.choices.keywords import EvaluateKeywords, TrainKeywords
    from neurallog_kernel.learning.ensemble import Ensemble
    from neurallog_kernel.learning.figures.evaluation import Metrics
    from neurallog_kernel.learning.history import History
    from neurallog_kernel.learning.resuming import Checkpoint
    from neurallog_kernel.learning.runs import RunComparison, Runs
    from neurallog_kernel.learning.selecting.cross_validation import CrossValidation
    from neurallog_kernel.learning.selecting.selection import Selection
    from neurallog_kernel.learning.sequences.decoding import Decoded
    from neurallog_kernel.learning.sharing.workers import Workers
    from neurallog_kernel.learning.training import Training


class SessionLearning(SessionSources):
    """The part of a session that learns, and measures what was learned."""

    @deep
    def train(
        self,
        callbacks: list[Any] | None = None,
        resume: bool = False,
        checkpoint: str | Path | None = None,
        every: int = 1,
        tensorboard: str | Path | None = None,
        **options: Unpack[TrainKeywords],
    ) -> History:
        """Learn the weights of the `learn` predicates from a set of examples.

        Options are those of `TrainOptions` (epochs, seed, batch_size, optimizer, learning_rate,
        loss, unlisted, validation, patience, ...); what is not given comes from the program's
        parameters. Ctrl-C ends it after the step at hand and keeps what was learned; a second one
        ends the cell or script too. `resume=True` goes on from there.

        With `checkpoint="run.nlz"` that file is written after every `every` epochs. The same call
        goes on from the file, if it is there: after a crash as well, and with the weights that a
        training without it would have. Then `epochs` counts from the beginning. `tensorboard` is a
        folder for TensorBoard's event files.

        With `seeds=10` ten members are trained, from this seed and the nine next ones, in one
        compiled network. Answers are then the means of the members, with their spread; `explain`
        says which members agree; `save` keeps all. A learned fact that is stated anew is the same
        for all members. The next training ends the ensemble.

        With `workers="host:port,..."` the examples are shared with processes that wait there
        (`neurallog worker host:port`); the weights are those of one process, up to rounding.
        """
        from neurallog_kernel.learning.choices.option_checks import (
            a_choice,
            a_path,
            check_callbacks,
        )

        called = [] if callbacks is None else callbacks
        check_callbacks("callbacks", called)
        a_choice("resume", resume)
        if checkpoint is not None:
            a_path("checkpoint", checkpoint)
        if tensorboard is not None:
            from neurallog_kernel.learning.tensorboard import EventWriter

            a_path("tensorboard", tensorboard)
            called = [*called, EventWriter(tensorboard)]
        with ExitStack() as shown:
            views = [shown.enter_context(make(self, resume)) for make in TRAINING_VIEWS]
            watching = [*(one for view in views for one in view.callbacks), *called]
            history = self._train(watching, resume, checkpoint, every, options)
            for view in views:
                view.done(history)
        return history

    def _train(
        self,
        called: list[Any],
        resume: bool,
        checkpoint: str | Path | None,
        every: int,
        options: Mapping[str, Any],
    ) -> History:
        from neurallog_kernel.learning import ensemble
        from neurallog_kernel.learning.restarts import best_of, check_alone

        with held_back() as interrupts, shared_with(self, options, checkpoint) as workers:
            training = self._training(options, resume, workers)
            if training.plan.restarts > 1:
                check_alone(resume, checkpoint)
            if training.plan.seeds > 1:
                ensemble.check_alone(training.plan.restarts, resume, checkpoint)
                members = ensemble.Ensemble(training)
                return self._train_ensemble(members, called, interrupts, options)
            keeping = self._checkpoint(checkpoint, every, training, resume)
            interrupts.check()
            with interrupts.bearing(inf):  # from here on there is something to lose
                with self._at_work(training):
                    if training.plan.restarts > 1:
                        training = best_of(training, called, interrupts)
                        history = training.trainer.history
                    else:
                        history = training.run(called, interrupts, keeping)
                self._take_in(training, options)
                if interrupts.count > history.interrupted:
                    raise KeyboardInterrupt  # a second one means more than the training
        return history

    def _train_ensemble(
        self,
        ensemble: Ensemble,
        callbacks: list[Any],
        interrupts: Interrupts,
        options: Mapping[str, Any],
    ) -> History:
        interrupts.check()
        with interrupts.bearing(inf):
            with self._at_work(ensemble.training):
                history = ensemble.run(callbacks, interrupts)
            self._take_in_ensemble(ensemble, history, options)
            if interrupts.count > history.interrupted:
                raise KeyboardInterrupt
        return history

    @in_turn
    def _take_in_ensemble(
        self, ensemble: Ensemble, history: History, options: Mapping[str, Any]
    ) -> None:
        """Take the members into the program as it is now; there is nothing to go on from."""
        from neurallog_kernel.learning.runs import with_run

        state = uncalibrated(self._state, self._symbols)
        _tell_uncalibrated(history, state is not self._state)
        program = ensemble.learned_in(state.program)
        after = state.undoable(LEARNED).changed(program, "training")
        runs = with_run(state.runs, options, set_sizes(program), history, program, self._symbols)
        self._adopt(replace(after, history=history, trainer=None, runs=runs))

    @property
    def members(self) -> int:
        """How many members the ensemble has that answers; 0 where there is none."""
        return len(members_of(self._program))

    @in_turn
    def _training(
        self, options: Mapping[str, Any], resume: bool, workers: Workers | None
    ) -> Training:
        from neurallog_kernel.learning.training import Training

        earlier = self._state.trainer if resume else None
        return Training(self._evaluator, options, earlier, workers=workers)

    def _checkpoint(
        self, path: str | Path | None, every: int, training: Training, resume: bool
    ) -> Checkpoint | None:
        from neurallog_kernel.learning.resuming import Checkpoint

        if path is None:
            return None
        if resume:
            hint = "leave out resume: a training with a checkpoint goes on from it by itself"
            raise ParameterError("resume and checkpoint cannot go together", hint=hint)
        return Checkpoint(path, every, training, self._own_values())

    @contextmanager
    def _at_work(self, training: Training) -> Iterator[None]:
        """Inside, `save` in this thread, so in a callback, saves what the training has learned."""
        thread = get_ident()
        outer = self._trainings.get(thread)
        self._trainings[thread] = training
        try:
            yield
        finally:
            if outer is None:
                del self._trainings[thread]
            else:
                self._trainings[thread] = outer

    @in_turn
    def _take_in(self, training: Training, options: Mapping[str, Any]) -> None:
        """Take what was learned into the program as it is now."""
        from neurallog_kernel.learning.runs import with_run

        state, trainer = uncalibrated(self._state, self._symbols), training.trainer
        _tell_uncalibrated(trainer.history, state is not self._state)
        program = training.learned_in(state.program)
        state = replace(state, program=training.begun_in(state.program))
        after = state.undoable(LEARNED).changed(program, "training")
        data = set_sizes(program)
        runs = with_run(state.runs, options, data, trainer.history, program, self._symbols)
        self._adopt(replace(after, history=trainer.history, trainer=trainer, runs=runs))

    @property
    def runs(self) -> Runs:
        """The trainings so far: settings, data, seconds, losses, weights. They are saved with the
        session."""
        from neurallog_kernel.learning.runs import Runs

        return Runs(self._state.runs)

    @deep
    @in_turn
    def compare_runs(
        self, first: int, second: int, query: str | None = None, top: Count = 10
    ) -> RunComparison:
        """Two trainings by their numbers: the weights that differ most, and the answers that differ
        in the program as it is now, with the rules behind them; of `query` only its answers."""
        from neurallog_kernel.learning.runs import compare

        return compare(self._evaluator, self.runs[first], self.runs[second], query, top)

    @in_turn
    def back_to(self, number: int) -> None:
        """Take the weights of an earlier training again; `undo` takes this back."""
        from neurallog_kernel.learning.runs import program_of

        run, state = self.runs[number], uncalibrated(self._state, self._symbols)
        program = program_of(state.program, run, self._symbols)
        after = state.undoable(LEARNED).changed(program, f"run {number}")
        self._adopt(replace(after, history=run.history, trainer=None))

    @property
    def history(self) -> History | None:
        """Of the last training."""
        return self._state.history

    @deep
    @in_turn
    def evaluate(self, set: str = "test", **options: Unpack[EvaluateKeywords]) -> Metrics:
        """Compare answers with a set of examples: ROC AUC, average precision, ranks.

        `ranks=False` leaves the ranks out; `filtered=False` ranks against the other true answers
        too; `ties` says which place an answer has among equal weights: "expected" (over random
        order; the best and the worst stand beside it where they differ by more than 0.005),
        "average", "optimistic" or "pessimistic"; `hits` are the numbers k of hits@k; `inverse`
        asks the targets in the other direction too; `place` is the argument that is asked for,
        counted from 1.
        """
        from neurallog_kernel.learning.figures.evaluation import evaluate

        return evaluate(self._evaluator, set, **options)

    # -- choosing -------------------------------------------------------------------------------

    @deep
    def cross_validate(
        self,
        folds: int = 5,
        groups: str = "connected",
        metric: str = "roc_auc",
        fold_seed: int = 0,
        **options: Any,
    ) -> CrossValidation:
        """How good a training is on training examples that it did not see.

        The examples of the training set are divided into folds; examples of one group stay together
        (`connected`: those that share entities, `subject`: those with the same first argument,
        `example`: each by itself, or a predicate such as `school/2`). Options are those of `train`.
        The session stays as it is: nothing that was learned before is used, nothing is kept.
        """
        from neurallog_kernel.learning.selecting.cross_validation import FoldOptions, cross_validate

        chosen = {"folds": folds, "groups": groups, "metric": metric, "seed": fold_seed}
        checked = FoldOptions.of(chosen, "cross_validate")
        with held_back() as interrupts, interrupts.bearing(1):
            return cross_validate(self._evaluator, checked, options, interrupts)

    @deep
    def select(
        self,
        space: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        folds: int = 5,
        groups: str = "connected",
        metric: str = "roc_auc",
        tries: int | None = None,
        halving: bool = False,
        search: str | None = None,
        fold_seed: int = 0,
        progress: Callable[[int, int], None] | None = None,
        **options: Any,
    ) -> Selection:
        """Choose the settings of a training by cross-validation over the training examples.

        `space` has a list of values for each option of `train` (every combination is tried, or
        `tries` of them drawn at random), or it is a list of settings. With `halving` the worse half
        of the settings is dropped before each further fold. No other set of examples is looked at.
        The result is a table; `train(**selection.best)` takes the winner, and `selection.program()`
        is the same as text. An interrupt keeps what was measured. With `search="optuna"` (extra
        `search`) Optuna proposes `tries` settings, each by what was measured of those before; an
        option may then have a range, `{"from": 0.001, "to": 0.3, "log": True}`.
        """
        from neurallog_kernel.learning.selecting.choosing import chosen_settings
        from neurallog_kernel.learning.selecting.cross_validation import FoldOptions

        chosen = {"folds": folds, "groups": groups, "metric": metric, "seed": fold_seed}
        checked = FoldOptions.of(chosen, "select")
        if tries is not None:
            whole(1)("tries", tries)
        run = chosen_settings(space, tries, search, fold_seed)
        with held_back() as interrupts, interrupts.bearing(1):
            return run(self._evaluator, checked, options, halving, interrupts, progress)

    @deep
    @in_turn
    def decode(
        self,
        predicate: str,
        sequences: Sequence[Any] | None = None,
        *,
        set: str | None = None,
        transition: str | None = None,
        initial: str | None = None,
        probabilities: bool = False,
        unknown: str | None = None,
    ) -> Decoded:
        """Give every step of a sequence its label: the best sequence as a whole (Viterbi).

        The predicate has the inputs of a step first and the label last. `sequences` is a list of
        names, one a step, or several such lists; `set` takes the mega examples of a set instead.
        `transition` names the predicate that weighs a label and the next one, `initial` the one
        that weighs the first label; without them the program's `transition_predicate` and
        `initial_predicate` count, and if there is none each step is labelled by itself.

        Weights are scores that are added, as the loss `crf` learns them; with `probabilities` they
        are multiplied. `unknown` names the entity that stands for names the program does not know.

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> facts = "pos(the, det). 0.6::pos(run, verb). 0.5::pos(run, noun). next(det, noun)."
        >>> print(s.add(facts))
        input-1: +4 facts
        >>> print(s.decode("pos", ["the", "run"]))
        1: the/det run/verb
        >>> print(s.decode("pos", ["the", "run"], transition="next"))
        1: the/det run/noun
        """
        from neurallog_kernel.learning.sequences.decoding import decode

        return decode(
            self._evaluator, predicate, sequences, set, transition, initial, probabilities, unknown
        )

    @deep
    @in_turn
    def inference(self, set: str = "test") -> str:
        """The examples of a set with the weights the program gives them, as text that reads back
        as facts."""
        from neurallog_kernel.learning.figures.inference import inference

        return inference(self._evaluator, set)

    @in_turn
    def sample_negatives(
        self,
        set: str = "train",
        number: Count = 2,
        seed: int = 0,
        source: str | None = None,
        place: int | None = None,
    ) -> Change:
        """Add negative examples to a set: for each subject about `number` objects that the
        relation has elsewhere and that no set lists with it. The object is the last argument, or
        the one at `place`, counted from 1. `remove` takes them back."""
        from neurallog_kernel.learning.sampling import negative_text

        source = source or f"negatives of {set}"
        program = self._program
        if source in program.sources:  # drawn anew, as if those of before had not been
            program = without_source(program, source, self._symbols)
        text = negative_text(program, self._symbols, set, number, seed, place)
        return self.add(text, source, set)


def _tell_uncalibrated(history: History, taken_back: bool) -> None:
    if taken_back:
        said = "the probabilities were taken back: they were fitted to the weights before"
        history.notes = (*history.notes, f"{said}; calibrate again")
