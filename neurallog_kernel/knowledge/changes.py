"""What a change did to the program: how much came and went, and what was taken back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from neurallog_kernel.errors import Notice
from neurallog_kernel.functions import Registry
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.describe import stated_atom
from neurallog_kernel.knowledge.loaded import Loaded
from neurallog_kernel.knowledge.sources import SourceContents
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import Example, Fact, Query

_SHOWN_RETRACTED = 20  # clauses that a change lists as taken back


@dataclass(frozen=True)
class Change:
    """What an `add` or `remove` did to the program."""

    source: str
    facts_added: int = 0
    facts_removed: int = 0
    rules_added: int = 0
    rules_removed: int = 0
    examples_added: int = 0
    examples_removed: int = 0
    predicates: tuple[str, ...] = ()  # what has to be computed anew
    notices: tuple[Notice, ...] = ()
    queries: tuple[Query, ...] = ()
    seconds: float = 0.0
    directives_added: int = 0
    directives_removed: int = 0
    retracted: tuple[str, ...] = ()  # the first clauses that were taken back, as text
    tables: tuple[Loaded, ...] = ()  # what each table became
    functions_added: int = 0  # by taking a registration back
    functions_removed: int = 0
    rule_weights_added: int = 0  # learned ones
    rule_weights_removed: int = 0
    attached_added: int = 0  # facts that are in tables
    attached_removed: int = 0

    def __str__(self) -> str:
        parts = [
            f"{sign}{number:,} {noun}{'s' if number != 1 else ''}"
            for sign, number, noun in (
                ("+", self.facts_added, "fact"),
                ("-", self.facts_removed, "fact"),
                ("+", self.attached_added, "attached fact"),
                ("-", self.attached_removed, "attached fact"),
                ("+", self.rules_added, "rule"),
                ("-", self.rules_removed, "rule"),
                ("+", self.examples_added, "example"),
                ("-", self.examples_removed, "example"),
                ("+", self.directives_added, "directive"),
                ("-", self.directives_removed, "directive"),
                ("+", self.functions_added, "function"),
                ("-", self.functions_removed, "function"),
                ("+", self.rule_weights_added, "rule weight"),
                ("-", self.rule_weights_removed, "rule weight"),
            )
            if number
        ]
        return f"{self.source}: " + (", ".join(parts) or "nothing changed")


def changes(
    source: str,
    old: SourceContents | None,
    new: SourceContents | None,
    symbols: SymbolTable,
    **also: Any,
) -> Change:
    """The change from what a source was to what it is; `also` gives what only the caller knows."""
    return Change(
        source,
        **_counted("facts", *_count_blocks(_blocks(old, "facts"), _blocks(new, "facts"))),
        **_counted("rules", *_count(old, new, "rules", "templates")),
        **_counted("examples", *_count_examples(old, new)),
        **_counted("directives", *_count(old, new, "directives")),
        **_counted("rule_weights", *_count_rule_weights(old, new)),
        **_counted("attached", *_count_attached(old, new)),
        queries=new.queries if new else (),
        retracted=tuple(islice(_lost(old, new, symbols), _SHOWN_RETRACTED)) if old else (),
        **also,
    )


def counted_functions(before: Registry, after: Registry) -> dict[str, int]:
    """How many functions came and went; a model with other variables is the same function."""
    old, new = (
        {(f.name, id(f.model), *map(id, f.given)) for f in table} for table in (before, after)
    )
    return _counted("functions", len(new - old), len(old - new))


def _counted(noun: str, added: int, removed: int) -> dict[str, int]:
    return {f"{noun}_added": added, f"{noun}_removed": removed}


def _count(old: SourceContents | None, new: SourceContents | None, *kinds: str) -> tuple[int, int]:
    before, after = (
        Counter(clause for kind in kinds for clause in getattr(contents, kind))
        if contents
        else Counter()
        for contents in (old, new)
    )
    return (after - before).total(), (before - after).total()


def _count_rule_weights(old: SourceContents | None, new: SourceContents | None) -> tuple[int, int]:
    before, after = (
        {item for table in contents.rule_weights.values() for item in table.items()}
        if contents
        else set()
        for contents in (old, new)
    )
    return len(after - before), len(before - after)


def _count_attached(old: SourceContents | None, new: SourceContents | None) -> tuple[int, int]:
    before, after = (
        sum(table.count for table in contents.attached.values()) if contents else 0
        for contents in (old, new)
    )
    return after, before


def _count_examples(old: SourceContents | None, new: SourceContents | None) -> tuple[int, int]:
    plus, minus = _count_blocks(_blocks(old, "examples"), _blocks(new, "examples"))
    more, fewer = _count(old, new, "open_examples")
    return plus + more, minus + fewer


def _blocks(contents: SourceContents | None, kind: str) -> Mapping[Any, Block]:
    return getattr(contents, kind) if contents else {}


def _count_blocks(old: Mapping[Any, Block], new: Mapping[Any, Block]) -> tuple[int, int]:
    plus = minus = 0
    for key in {**old, **new}:
        before, after = old.get(key), new.get(key)
        same = int(_unchanged_rows(before, after).sum()) if before is not None else 0
        plus += (len(after) if after is not None else 0) - same
        minus += (len(before) if before is not None else 0) - same
    return plus, minus


def _lost(old: SourceContents, new: SourceContents | None, symbols: SymbolTable) -> Iterator[str]:
    for kind in ("rules", "templates", "directives", "open_examples"):
        kept = set(getattr(new, kind)) if new else set()
        yield from (format_clause(clause) for clause in getattr(old, kind) if clause not in kept)
    for _, fact in _lost_atoms(old.facts, new.facts if new else {}, symbols):
        yield format_clause(fact)
    for key, fact in _lost_atoms(old.examples, new.examples if new else {}, symbols):
        yield format_clause(Example(fact.atom, fact.weight, key[0]))


def _lost_atoms(old: Mapping, new: Mapping, symbols: SymbolTable) -> Iterator[tuple[tuple, Fact]]:
    for key, before in old.items():
        for row in np.flatnonzero(~_unchanged_rows(before, new.get(key))).tolist():
            yield key, Fact(stated_atom(before, row, symbols), float(before.weights[row]))


def _unchanged_rows(before: Block, after: Block | None) -> np.ndarray:
    """For each row of `before`, whether `after` has it with the same weight and numbers."""
    if after is None or before.numeric != after.numeric:
        return np.zeros(len(before), dtype=bool)
    rows = after.rows_with(before.keys)
    same = rows >= 0
    same[same] = after.weights[rows[same]] == before.weights[same]
    for first, second in zip(before.numbers, after.numbers, strict=True):
        same[same] = second[rows[same]] == first[same]
    return same
