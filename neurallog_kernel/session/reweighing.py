"""Other weights for facts and rules, in the texts of the sources that state them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter

import numpy as np

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.explain.lookup import row_that_counts
from neurallog_kernel.explain.whatif import is_rule
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.changes import Change
from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.sources import SourceContents
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.update import with_source, without_source
from neurallog_kernel.language import parse_query
from neurallog_kernel.language.printer import format_clause, format_number
from neurallog_kernel.language.reweigh import reweighed, without_weight
from neurallog_kernel.language.syntax import Constant, Signature
from neurallog_kernel.session.edits import Addition, with_addition, with_program
from neurallog_kernel.state import State

SLIDERS = "sliders"  # the source of weights that no text has a place for


@dataclass
class Reweighing:
    """What becomes of the sources of a state, weight by weight; nothing is live yet."""

    state: State
    symbols: SymbolTable
    strict: bool
    contents: dict[str, SourceContents] = field(default_factory=dict)
    before: dict[str, SourceContents] = field(default_factory=dict)  # what is named has no weight
    texts: dict[str, str] = field(default_factory=dict)
    slides: bool = False  # whether the sliders state a fact that no other text states

    def give(self, name: str, weight: float) -> None:
        """Give a fact or a rule a weight."""
        done = self._rule(name, weight) if is_rule(name) else self._fact(name, weight)
        if done:
            return
        if is_rule(name):
            raise NeuralLogError(
                f"no source has the rule {name} as it stands here",
                hint="a template made it, or it was edited: write its weight there",
            )
        slid = self._text(SLIDERS) or ""
        stated = f"{format_number(weight)}::{without_weight(name)}."
        again = reweighed(slid, name, weight)  # a table that came later states it, too
        self.texts[SLIDERS] = "\n".join(filter(None, (slid, stated))) if again is None else again
        self.slides = True

    def done(self) -> tuple[State, list[Change]]:
        """The state with all of it, and what each source changed."""
        state, changes = self.state, []
        for source, contents in self.contents.items():
            started = perf_counter()
            program = with_source(state.program, contents, self.symbols, self.strict)
            old = self.before[source]  # a learned weight goes even where the text says the same
            state, change = with_program(
                state, program, source, old, contents, self.symbols, started
            )
            state = state.with_text(source, self.texts[source])
            changes.append(change)
        if self.slides:
            state, change = self._slid(state)
            changes.append(change)
        return state, changes

    def _slid(self, state: State) -> tuple[State, Change]:
        """The facts that no text has a place for count when they come last."""
        if SLIDERS in [name for name in state.program.sources if name != LEARNED][:-1]:
            program = without_source(state.program, SLIDERS, self.symbols)
            state = state.undoable(SLIDERS).changed(program, SLIDERS)
        return with_addition(
            state, Addition(SLIDERS, self.texts[SLIDERS]), self.symbols, self.strict
        )

    def _text(self, source: str) -> str | None:
        return self.texts.get(source, self.state.texts.get(source))

    def _own(self, source: str) -> SourceContents:
        return self.contents.get(source) or self.state.program.sources[source]

    def _write(
        self,
        source: str,
        text: str,
        change: Callable[[SourceContents, float], SourceContents],
        weight: float,
    ) -> None:
        self.texts[source] = text
        old = self.before.get(source) or self.state.program.sources[source]
        self.before[source] = change(old, math.nan)
        self.contents[source] = change(self._own(source), weight)

    def _rule(self, name: str, weight: float) -> bool:
        wanted = without_weight(name)
        for source in reversed(list(self.state.program.sources)):
            text, contents = self._text(source), self._own(source)
            labels = [without_weight(format_clause(rule)) for rule in contents.rules]
            written = reweighed(text, name, weight) if text and labels.count(wanted) == 1 else None
            if written is None:
                continue
            at = labels.index(wanted)
            self._write(source, written, partial(_with_rule, at), weight)
            return True
        return False

    def _fact(self, name: str, weight: float) -> bool:
        found = self._that_counts(name)
        if found is None:
            return False
        block, row = found
        text = self._text(block.source)
        line = int(block.lines[row])
        written = reweighed(text, name, weight, line) if text else None
        if written is None:
            return False
        self._write(block.source, written, partial(_with_fact, block.signature, row), weight)
        return True

    def _that_counts(self, name: str) -> tuple[Block, int] | None:
        """Where a fact is stated for the last time; None for one that is nowhere in a text."""
        program = self.state.program
        atom = parse_query(without_weight(name))
        numeric = program.numeric(atom.signature)
        places = [term for term, number in zip(atom.terms, numeric, strict=True) if not number]
        names = [term.name for term in places if isinstance(term, Constant)]
        if len(names) < len(places):
            return None
        facts = program.definition(atom.signature).facts
        stated = [block for block in facts if block.source != LEARNED]
        return row_that_counts(stated, self.symbols, names)


def _with_rule(at: int, contents: SourceContents, weight: float) -> SourceContents:
    rules = list(contents.rules)
    rules[at] = replace(rules[at], weight=weight)
    return replace(contents, rules=tuple(rules))


def _with_fact(
    signature: Signature, row: int, contents: SourceContents, weight: float
) -> SourceContents:
    block = contents.facts[signature]
    weights = np.array(block.weights)
    weights[row] = weight
    changed = replace(block, weights=weights)
    return replace(contents, facts={**contents.facts, signature: changed})


def with_weights(
    state: State, weights: Mapping[str, float], symbols: SymbolTable, strict: bool
) -> tuple[State, list[Change]]:
    """The state in which facts and rules have these weights, and what that changes."""
    reweighing = Reweighing(state, symbols, strict)
    for name, weight in weights.items():
        reweighing.give(name, weight)
    return reweighing.done()
