"""The next state of a session, with a source added or another program; nothing is live yet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.knowledge.calibrated import CALIBRATION
from neurallog_kernel.knowledge.changes import Change, changes, counted_functions
from neurallog_kernel.knowledge.learned import LEARNED, without_restated
from neurallog_kernel.knowledge.loaded import Loaded, Progress
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.sources import ContentsBuilder, SourceContents
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.update import with_source, with_source_as_before, without_source
from neurallog_kernel.language import parse
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.profiling.clock import Clock
from neurallog_kernel.rulegraph import check_paths
from neurallog_kernel.session.profiles import CHECK, COLUMNS, PARSE
from neurallog_kernel.state import State
from neurallog_kernel.tables.loading import MappedTable

_KEPT_TEXT = 1_000_000  # characters of a source kept, so that later errors can show its lines


@dataclass(frozen=True)
class Addition:
    """What is to be added under the name of a source: a text, tables, or both."""

    source: str
    text: str = ""
    example_set: str | None = None
    tables: Sequence[MappedTable] = ()
    progress: Callable[[Progress], None] | None = None


def with_addition(
    state: State, addition: Addition, symbols: SymbolTable, strict: bool
) -> tuple[State, Change]:
    """The state with a source added or replaced, and what that changes."""
    started = perf_counter()
    source, text, tables = addition.source, addition.text, addition.tables
    clock = Clock()
    try:
        with clock.stage(PARSE):
            clauses = parse(text, source)
        with clock.stage(COLUMNS):
            builder = ContentsBuilder(source, symbols)
            builder.add(clauses, addition.example_set)
            known = state.program.without_evidence_of(source)
            loaded = [one.read(builder, symbols, known, addition.progress) for one in tables]
            contents = builder.build()
            for number, one in enumerate(tables):
                contents, loaded[number] = _with_negatives(
                    state.program, contents, one, loaded[number], symbols
                )
        with clock.stage(CHECK):
            check_paths(contents.rules)
            program = with_source(state.program, contents, symbols, strict)
    except NeuralLogError as error:
        named = error.span.source if error.span else source
        known_text = text if named == source else state.texts.get(named, "")
        raise error.with_text(known_text) from None
    old = state.program.sources.get(source)
    if old is None and not tables and contents.states_nothing:  # nothing to take back
        seconds = perf_counter() - started
        return state.with_text(source, text), changes(
            source, None, contents, symbols, seconds=seconds
        )
    state, change = with_program(state, program, source, old, contents, symbols, started)
    state = replace(state, loading={**state.loading, source: clock})
    state = state.with_text(source, text if len(text) <= _KEPT_TEXT else None)
    return state, replace(change, tables=tuple(loaded)) if tables else change


def with_program(
    state: State,
    program: Program,
    source: str,
    old: SourceContents | None,
    new: SourceContents | None,
    symbols: SymbolTable,
    started: float,
) -> tuple[State, Change]:
    """The state with a program in which a source is `new`, and what that changes."""
    notices, affected = program.notices, program.changed
    restated = without_restated(program, old, new)
    if restated is not None:
        program = with_source(program, restated, symbols, strict=False)
        affected |= program.changed
    change = changes(
        source,
        old,
        new,
        symbols,
        predicates=_names(affected),
        notices=notices,
        seconds=perf_counter() - started,
        **counted_functions(state.program.registry, program.registry),
    )
    return state.undoable(source).changed(program, source), change


def _names(predicates: Collection[Signature]) -> tuple[str, ...]:
    return tuple(f"{name}/{arity}" for name, arity in sorted(predicates))


def without_last_change(state: State, symbols: SymbolTable) -> tuple[State, Change]:
    """The state before its last change, with what the change made of all that was learned."""
    started = perf_counter()
    *earlier, last = state.changes
    before = state.program
    program = with_source_as_before(
        before, last.source, last.contents, last.order, symbols, last.registry
    )
    notices, affected = program.notices, program.changed
    if program.sources.get(LEARNED) is not last.learned:
        program = with_source_as_before(program, LEARNED, last.learned, last.order, symbols)
        affected |= program.changed
    counted = counted_functions(before.registry, program.registry)
    change = changes(
        "functions" if any(counted.values()) else last.source,
        before.sources.get(last.source),
        last.contents,
        symbols,
        predicates=_names(affected),
        notices=notices,
        seconds=perf_counter() - started,
        **counted,
    )
    if state.history is not last.history:  # there is nothing to go on from
        state = replace(state, history=last.history, trainer=None)
    after = state.changed(program, last.source).with_text(last.source, last.text)
    return replace(after, changes=tuple(earlier)), change


def uncalibrated(state: State, symbols: SymbolTable) -> State:
    """The state before other weights come: probabilities that were fitted to those there are, are
    taken back, as a change of its own."""
    if CALIBRATION not in state.program.sources:
        return state
    program = without_source(state.program, CALIBRATION, symbols)
    return state.undoable(CALIBRATION).changed(program, CALIBRATION).with_text(CALIBRATION, None)


def _with_negatives(
    program: Program,
    contents: SourceContents,
    table: MappedTable,
    loaded: Loaded,
    symbols: SymbolTable,
) -> tuple[SourceContents, Loaded]:
    """What the source says, with the negative examples that a table's map asks for."""
    mapping = table.mapping
    if not mapping.negatives:
        return contents, loaded
    from neurallog_kernel.learning.sampling import contents_with_negatives

    contents, drawn = contents_with_negatives(
        program, contents, symbols, loaded.examples, mapping.negatives, mapping.seed
    )
    examples = {name: number + drawn[name] for name, number in loaded.examples.items()}
    return contents, replace(loaded, examples=examples, negatives=sum(drawn.values()))
