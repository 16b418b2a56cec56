"""The live session: every front end goes through it. Sources in, answers out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path as FilePath
from threading import get_ident
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from neurallog_kernel.answers import Answers
from neurallog_kernel.depth import deep
from neurallog_kernel.errors import (
    LoadError,
    NeuralLogError,
    ParameterError,
    did_you_mean,
)
from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.evaluate.questions import Questions
from neurallog_kernel.evaluate.rule_view import RuleView
from neurallog_kernel.explain.why import Why
from neurallog_kernel.export.taking import Taking
from neurallog_kernel.functions import Function
from neurallog_kernel.interrupts import held_back
from neurallog_kernel.knowledge import describe
from neurallog_kernel.knowledge.changes import Change, changes, counted_functions
from neurallog_kernel.knowledge.example_sets import set_sizes
from neurallog_kernel.knowledge.learned import LEARNED, without_restated
from neurallog_kernel.knowledge.listing import listing
from neurallog_kernel.knowledge.loaded import Loaded, Progress
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.sources import Unit, UnitBuilder
from neurallog_kernel.knowledge.update import (
    with_functions,
    with_source_as_before,
    with_unit,
    without_source,
)
from neurallog_kernel.language import parse, parse_query
from neurallog_kernel.language.syntax import Query
from neurallog_kernel.paths import path_of
from neurallog_kernel.plan.show import show_layer
from neurallog_kernel.profiling.clock import Clock
from neurallog_kernel.profiling.live import CHECK, COLUMNS, PARSE, Profiling
from neurallog_kernel.rulegraph import check_paths
from neurallog_kernel.state import State, in_turn
from neurallog_kernel.tables.loading import Opened, open_mapped
from neurallog_kernel.tables.mapping import TableMap, read_maps
from neurallog_kernel.unpacking import TIMES

if TYPE_CHECKING:
    from neurallog_kernel.learning.evaluation import Metrics
    from neurallog_kernel.learning.history import History
    from neurallog_kernel.learning.resuming import Checkpoint
    from neurallog_kernel.learning.training import Training

_KEPT_TEXT = 1_000_000  # characters of a source kept, so that later errors can show its lines


class Session(Why, Taking, Profiling):
    """A live program.

    >>> s = Session()
    >>> print(s.add("parent(ann, bob). parent(bob, cid)."))
    input-1: +2 facts
    >>> print(s.add("grandparent(X, Z) :- parent(X, Y), parent(Y, Z).", source="rules"))
    rules: +1 rule
    >>> s.query("grandparent(ann, Who)").weights
    {('cid',): 1.0}
    """

    def __init__(self, strict: bool = False) -> None:
        super().__init__()
        self.strict = strict
        self._trainings: dict[int, Training] = {}  # at work, by thread

    # -- the program ----------------------------------------------------------------------------

    @in_turn
    def add(
        self,
        text: str,
        source: str | None = None,
        set: str | None = None,
        tables: Sequence[tuple[Any, TableMap, str]] = (),
    ) -> Change:
        """Add clauses under a source name; a second add under that name replaces the first.

        Without a name, each call is a source of its own. With `set`, plain atoms are examples too,
        and all examples are of that set, until an `example_set(...)` in the text names another. A
        text with an error changes nothing. `tables` (each with its map and what
        messages call it) go in with the text, under the same name.
        """
        opened = [open_mapped(*one) for one in tables]
        state = self._state
        if source is None:
            state = replace(state, unnamed=state.unnamed + 1)
            source = f"input-{state.unnamed}"
        state, change = self._added(state, text, source, set, opened)
        self._adopt(state)
        return change

    @in_turn
    def load(
        self, path: str | FilePath, set: str | None = None, source: str | None = None
    ) -> Change:
        """Add a file of program text; with `set` its atoms are examples of that set."""
        file = path_of(path)
        try:
            text = file.read_text(encoding="utf-8-sig")  # some editors write a mark before it
        except OSError as error:
            reason = error.strerror or "cannot be read"
            raise LoadError(f"{file}: {reason}") from error
        except UnicodeDecodeError as error:
            raise LoadError(
                f"{file}: not UTF-8 text at byte {error.start}", hint="save the file as UTF-8"
            ) from error
        state, change = self._added(self._state, text, source or str(file), set)
        self._adopt(state)
        return change

    @in_turn
    def load_table(
        self,
        table: Any,
        pattern: str | Sequence[str] | TableMap | None = None,
        *,
        weight: str | float | None = None,
        label: str | None = None,
        set: str | None = None,
        split: str | Sequence[float] | Mapping[str, float] | None = None,
        seed: int = 0,
        negatives: int = 0,
        key: str | None = None,
        missing: str = "skip",
        na: Sequence[str] = (),
        source: str | None = None,
        progress: Callable[[Progress], None] | None = None,
        called: str = "the table",
        **reading: Any,
    ) -> Loaded:
        """Add the rows of a table as facts, or as examples; loading it again replaces them.

        The table is a dataframe (pandas, polars, pyarrow, ...), a list of tuples or of
        dictionaries, the path of a file (CSV, TSV, JSON lines, Parquet, RDF, ...), or a query:

        >>> s = Session()
        >>> friends = [("ann", "bob", 0.9), ("bob", "cid", 0.5), ("cid", None, 1.0)]
        >>> s.load_table(friends, "friends(a, b)", weight="w", columns=("a", "b", "w"))
        friends/2 from the table: 3 rows, 2 facts, 1 skipped
          1 row without a value in b (the first: the table, row 3)
        >>> s.query("friends(ann, X)").weights
        {('bob',): 0.9}

        **The pattern** names a predicate and columns. If none of its names is a column, the columns
        are taken in order. Several patterns, as in `["age(id, age)", "lives(id, city)"]`, take
        several facts from each row; `key="id"` is a pattern for every other column; `{rel}(a, b)`
        takes the predicate of each row from the column `rel`; a bare `friends` means all columns.
        In the last place of two, a column of numbers makes an attribute; everywhere else values
        are names of entities. `friends(a, b: entity)` and `b: number` say it otherwise.

        **The weight** is a column, or one number for all rows; a column named
        `weight` is used automatically. Rows without a value are counted and left out
        (`missing="error"` refuses them); `na` lists more texts that stand for no value.

        **Examples**: `set="train"` makes the rows examples of that set, `label` is the column of
        their labels. `split=(0.8, 0.1, 0.1)` divides them into train, validation and test by
        `seed`, each label in the same proportion; `split="column"` reads the set from a column.
        `negatives=2` draws so many false examples for each subject (local closed world).

        `reading` says how to read the table, where it must be said: `format`, `columns`, `header`,
        `delimiter`, `database`, `names`, `longest`. Whatever is wrong is an error that names table,
        row and column, and nothing is changed. `progress` is called after every batch of rows;
        messages call a table that is not a file as `called` says.
        """
        if isinstance(pattern, TableMap):
            mapping = pattern
        else:
            options = {
                "weight": weight,
                "label": label,
                "set": set,
                "split": split,
                "seed": seed,
                "negatives": negatives,
                "key": key,
                "missing": missing,
                "na": na,
            }
            mapping = TableMap.of(pattern, options | reading)
        opened = open_mapped(table, mapping, called)
        state, loaded = self._loaded_table(self._state, opened, source, progress)
        self._adopt(state)
        return loaded

    @in_turn
    def load_tables(self, path: str | FilePath) -> list[Loaded]:
        """Load every table that a map file names with `file = ...`: all of them, or none."""
        loaded: list[Loaded] = []
        state = self._state
        for one in read_maps(path).values():
            if one.file:
                state, table = self._loaded_table(state, open_mapped(FilePath(one.file), one))
                loaded.append(table)
        self._adopt(state)
        return loaded

    def _loaded_table(
        self,
        state: State,
        opened: Opened,
        source: str | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> tuple[State, Loaded]:
        state, change = self._added(state, "", source or opened.source, None, [opened], progress)
        (loaded,) = change.tables
        gone = change.facts_removed + change.examples_removed
        notices = (*loaded.notices, *change.notices)
        return state, replace(loaded, replaced=gone, notices=notices, seconds=change.seconds)

    @in_turn
    def remove(self, source: str) -> Change:
        """Take back what a source contributed."""
        if source not in self._program.units:
            raise NeuralLogError(
                f"there is no source {source}", hint=did_you_mean(source, self._program.units)
            )
        started = perf_counter()
        state = self._state
        program = without_source(state.program, source, self._symbols)
        old = state.program.units[source]
        state, change = self._swapped(state, program, source, old, None, started)
        self._adopt(state.with_text(source, None))
        return change

    @in_turn
    def undo(self) -> Change:
        """Take back the last change: an `add`, a `load`, a `remove`, a `train`, weights that were
        loaded, a function that was registered."""
        started = perf_counter()
        state = self._state
        if not state.changes:
            raise NeuralLogError("there is no change to take back")
        *earlier, last = state.changes
        program = with_source_as_before(
            state.program, last.source, last.unit, last.order, self._symbols, last.registry
        )
        now = state.program.units.get(last.source)
        after, change = self._swapped(state, program, last.source, now, last.unit, started)
        after = after.with_text(last.source, last.text)
        if change.functions_added or change.functions_removed:
            change = replace(change, source="functions")
        self._adopt(replace(after, changes=tuple(earlier)))  # nothing that could be taken back
        return change

    def _added(
        self,
        state: State,
        text: str,
        source: str,
        example_set: str | None,
        tables: Sequence[Opened] = (),
        progress: Callable[[Progress], None] | None = None,
    ) -> tuple[State, Change]:
        """The state with a source added; nothing is live yet."""
        started = perf_counter()
        clock = Clock()
        try:
            with clock.stage(PARSE):
                clauses = parse(text, source)
            with clock.stage(COLUMNS):
                builder = UnitBuilder(source, self._symbols)
                builder.add(clauses, example_set)
                known = state.program.without_evidence_of(source)
                loaded = [one.read(builder, self._symbols, known, progress) for one in tables]
                unit = builder.build()
                for number, one in enumerate(tables):
                    unit, loaded[number] = self._with_negatives(
                        state.program, unit, one, loaded[number]
                    )
            with clock.stage(CHECK):
                check_paths(unit.rules)
                program = with_unit(state.program, unit, self._symbols, self.strict)
        except NeuralLogError as error:
            place = error.span.source if error.span else source
            known_text = text if place == source else state.texts.get(place, "")
            raise error.with_text(known_text) from None
        old = state.program.units.get(source)
        state, change = self._swapped(state, program, source, old, unit, started)
        state = replace(state, loading={**state.loading, source: clock})
        if len(text) <= _KEPT_TEXT:
            state = state.with_text(source, text)
        return state, replace(change, tables=tuple(loaded)) if tables else change

    def _with_negatives(
        self, program: Program, unit: Unit, table: Opened, loaded: Loaded
    ) -> tuple[Unit, Loaded]:
        """The unit with the negative examples that a table's map asks for."""
        mapping = table.mapping
        if not mapping.negatives:
            return unit, loaded
        from neurallog_kernel.learning.sampling import unit_with_negatives

        unit, drawn = unit_with_negatives(
            program, unit, self._symbols, loaded.examples, mapping.negatives, mapping.seed
        )
        examples = {name: number + drawn[name] for name, number in loaded.examples.items()}
        return unit, replace(loaded, examples=examples, negatives=sum(drawn.values()))

    def _swapped(
        self,
        state: State,
        program: Program,
        source: str,
        old: Unit | None,
        new: Unit | None,
        started: float,
    ) -> tuple[State, Change]:
        """The state with a program in which a source is `new`, and what that changes."""
        notices, affected = program.notices, program.changed
        restated = without_restated(program, old, new)
        if restated is not None:
            program = with_unit(program, restated, self._symbols, strict=False)
            affected |= program.changed
        change = changes(
            source,
            old,
            new,
            self._symbols,
            predicates=tuple(f"{name}/{arity}" for name, arity in sorted(affected)),
            notices=notices,
            seconds=perf_counter() - started,
            **counted_functions(state.program.registry, program.registry),
        )
        return state.undoable(source).changed(program, source), change

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the sources, in order."""
        return tuple(self._program.units)

    @property
    def version(self) -> int:
        """A number that grows with every change of the program."""
        return self._program.version

    @in_turn
    def program(self) -> str:
        """The text of the live program; adding it to a new session gives the same answers."""
        return listing(self._program, self._symbols)

    @in_turn
    def predicates(self) -> tuple[describe.PredicateStatus, ...]:
        """What the session holds of each predicate."""
        return describe.predicate_statuses(self._program)

    def examples(self) -> Iterator[describe.ExampleStatus]:
        """The examples of all sets, source by source."""
        return describe.examples(self._program, self._symbols)

    def example_sets(self) -> dict[str, int]:
        """The names of the sets of examples, each with the number of its examples."""
        return set_sizes(self._program)

    def settings(self) -> dict[str, str]:
        """The parameters that the program sets for all predicates."""
        return describe.settings(self._program)

    @in_turn
    def constants(
        self, prefix: str = "", limit: int = 100, place: tuple[str, int] | None = None
    ) -> list[str]:
        """Entities that begin so; first those of a place, such as `("parent", 0)`."""
        return describe.constants(self._program, self._symbols, prefix, limit, place)

    def __repr__(self) -> str:
        found = self._program.definitions.values()
        facts, rules = sum(d.fact_count for d in found), sum(len(d.rules) for d in found)
        sources = len(self._program.units)
        parts = [(sources, "source"), (facts, "fact"), (rules, "rule")]
        return f"<Session: {', '.join(f'{n:,} {noun}{_s(n)}' for n, noun in parts)}>"

    # -- questions ------------------------------------------------------------------------------

    @deep
    @in_turn
    def query(self, text: str | Query, top: int | None = None) -> Answers:
        """Ask, in text or with one of the queries of a `Change`; `top` keeps the best answers."""
        asked = text if isinstance(text, Query) else None
        try:
            atom = asked.atom if asked else parse_query(str(text))
            return Questions(self._evaluator).answer(atom, top)
        except NeuralLogError as error:
            if asked is None and (error.span is None or error.span.source == "query"):
                error.with_text(str(text))
            elif error.span is not None and error.span.source in self._texts:
                error.with_text(self._texts[error.span.source])
            raise error from None

    @in_turn
    def rules(self, predicate: str | None = None) -> list[RuleView]:
        """The rules of a predicate (`"p/2"`, or `"p"` for every arity), or all rules."""
        chosen = describe.named(self._program, predicate)
        return [
            RuleView(rule, None, self._evaluator)
            for signature in chosen
            for rule in self._program.definition(signature).rules
        ]

    @deep
    @in_turn
    def plan(self, predicate: str, output: int | None = None) -> str:
        """What is computed for a predicate, as text; `output` is the open place (0 the first)."""
        signature = describe.one_named(self._program, predicate)
        return show_layer(self._evaluator.layer(signature, output))

    # -- looking inside -------------------------------------------------------------------------

    @in_turn
    def inspect(self) -> Inspector:
        """Predicates, facts, types and the numbers inside rules, as plain data."""
        return Inspector(self._evaluator)

    def explore(self, target: str | None = None, **options):
        """An interactive picture of a rule or a predicate, for notebooks."""
        try:
            from neurallog_magics.widgets import explore
        except ImportError as error:
            hint = "pip install 'neurallog[notebook]'"
            raise NeuralLogError("the explorer needs the notebook packages", hint=hint) from error
        return explore(self, target, **options)

    # -- learning -------------------------------------------------------------------------------

    @deep
    def train(
        self,
        callbacks: list[Any] | None = None,
        resume: bool = False,
        checkpoint: str | FilePath | None = None,
        every: int = 1,
        **options: Any,
    ) -> History:
        """Learn the weights of the `learn` predicates from a set of examples.

        Options are those of `TrainOptions` (epochs, seed, batch_size, optimizer, learning_rate,
        loss, unlisted, validation, patience, ...); what is not given comes from the program's
        parameters. Ctrl-C ends it after the step at hand and keeps what was learned; a second one
        ends the cell or script too. `resume=True` goes on from there.

        With `checkpoint="run.nlz"` that file is written after every `every` epochs. The same call
        goes on from the file, if it is there: after a crash as well, and with the weights that a
        training without it would have. Then `epochs` counts from the beginning.
        """
        from neurallog_kernel.learning.option_checks import a_choice, a_path, check_callbacks

        called = [] if callbacks is None else callbacks
        check_callbacks("callbacks", called)
        a_choice("resume", resume)
        if checkpoint is not None:
            a_path("checkpoint", checkpoint)
        with held_back() as interrupts:
            training = self._training(options, resume)
            keeping = self._checkpoint(checkpoint, every, training, resume)
            interrupts.check()
            with interrupts.bearing(inf):  # from here on there is something to lose
                with self._at_work(training):
                    history = training.run(called, interrupts, keeping)
                self._take_in(training)
                if interrupts.count > history.interrupted:
                    raise KeyboardInterrupt  # a second one means more than the training
        return history

    @in_turn
    def _training(self, options: Mapping[str, Any], resume: bool) -> Training:
        from neurallog_kernel.learning.training import Training

        earlier = self._state.trainer if resume else None
        return Training(self._evaluator, options, earlier)

    def _checkpoint(
        self, path: str | FilePath | None, every: int, training: Training, resume: bool
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
    def _take_in(self, training: Training) -> None:
        """Take what was learned into the program as it is now."""
        state, trainer = self._state, training.trainer
        program = training.learned_in(state.program)
        state = replace(state, program=training.begun_in(state.program))
        after = state.undoable(LEARNED).changed(program, "training")
        self._adopt(replace(after, history=trainer.history, trainer=trainer))

    @property
    def history(self) -> History | None:
        """Of the last training."""
        return self._state.history

    @deep
    @in_turn
    def evaluate(self, set: str = "test", **options: Any) -> Metrics:
        """Compare answers with a set of examples: ROC AUC, average precision, ranks."""
        from neurallog_kernel.learning.evaluation import evaluate

        return evaluate(self._evaluator, set, **options)

    @deep
    @in_turn
    def inference(self, set: str = "test") -> str:
        """The examples of a set with the weights the program gives them, as text that reads back
        as facts."""
        from neurallog_kernel.learning.inference import inference

        return inference(self._evaluator, set)

    @in_turn
    def sample_negatives(
        self, set: str = "train", number: int = 2, seed: int = 0, source: str | None = None
    ) -> Change:
        """Add negative examples to a set: for each subject about `number` objects that the
        relation has elsewhere and that no set lists with it. `remove` takes them back."""
        from neurallog_kernel.learning.sampling import negative_text

        source = source or f"negatives of {set}"
        program = self._program
        if source in program.units:  # drawn anew, as if those of before had not been
            program = without_source(program, source, self._symbols)
        text = negative_text(program, self._symbols, set, number, seed)
        state, change = self._added(self._state, text, source, set)
        self._adopt(state)
        return change

    # -- files ----------------------------------------------------------------------------------

    @in_turn
    def save(self, path: str | FilePath) -> None:
        """Write the program, its learned weights and the last history to one file (.nlz). In a
        callback of `train` they are those of that moment."""
        from neurallog_kernel.learning.checkpoint import save

        program, history = self._program, self.history
        training = self._trainings.get(get_ident())
        if training is not None:
            program, history = training.learned_in(program), training.trainer.history
        save(path, program, self._symbols, history, self._own_values())

    def _own_values(self) -> dict[str, Any]:
        return {"strict": self.strict, "unnamed": self._state.unnamed}

    @classmethod
    def open(
        cls,
        path: str | FilePath,
        functions: Mapping[str, Any] | None = None,
        unpacked: int | None = TIMES,
    ) -> Session:
        """A saved session. Registered functions are Python, which is not saved: give those that
        the program uses again, as in `functions={"encoder": layer}`. A file that unpacks to more
        than `unpacked` times its size is refused; None takes any."""
        from neurallog_kernel.learning.restore import open_saved

        session = cls()
        opened = open_saved(path, session._symbols, functions or {}, unpacked)
        state = session._state.changed(opened.program, "opening")
        more = {"texts": dict(opened.texts), "history": opened.history, "unnamed": opened.unnamed}
        session._adopt(replace(state, **more))
        session.strict = opened.strict
        return session

    @in_turn
    def load_weights(
        self,
        path: str | FilePath,
        functions: Mapping[str, Any] | None = None,
        unpacked: int | None = TIMES,
    ) -> None:
        """Take the learned weights of a saved session into this program; see `open`."""
        from neurallog_kernel.learning.restore import load_weights

        program = load_weights(path, self._program, self._symbols, functions or {}, unpacked)
        self._adopt(self._state.undoable(LEARNED).changed(program, "loading weights"))

    # -- functions ------------------------------------------------------------------------------

    @in_turn
    def register(
        self,
        name: str,
        function: Callable[..., np.ndarray],
        kind: str = "elementwise",
        formula: str = "",
        inputs: int = 1,
        tensorflow: Callable[..., Any] | None = None,
    ) -> Function:
        """Let programs use a Python function of NumPy arrays by name; `tensorflow` is the same for
        tensors, where it cannot be written for both with `keras.ops`.

        Rules that use the name are computed anew, whether they came before or after it. Another
        function under the name replaces the first; the same one again changes nothing.
        """
        state = self._state
        registry = self.registry.registered(name, function, kind, formula, inputs, tensorflow)
        if registry is not self.registry:
            try:
                program = with_functions(state.program, registry, self._symbols)
            except NeuralLogError as error:
                place = error.span.source if error.span else ""
                raise error.with_text(state.texts.get(place, "")) from None
            self._adopt(state.undoable(LEARNED).changed(program, f"registering {name}"))
        return registry[name]


def _s(number: int) -> str:
    return "" if number == 1 else "s"
