"""One load from end to end: open a table, read it, make facts of its rows, add them to a source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from neurallog_kernel.arguments import wrong
from neurallog_kernel.errors import NeuralLogError, TableError
from neurallog_kernel.knowledge.loaded import Loaded, Progress
from neurallog_kernel.knowledge.sources import ContentsBuilder
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language.syntax import Constant, Literal, MegaExample
from neurallog_kernel.tables.columns import OpenTable
from neurallog_kernel.tables.mapping import TableMap
from neurallog_kernel.tables.pattern import ArgumentColumn, Pattern, Resolved, column_named, resolve
from neurallog_kernel.tables.readers import open_table
from neurallog_kernel.tables.reading import Chosen, Reader
from neurallog_kernel.tables.rows import ReadFacts
from neurallog_kernel.tables.to_facts import Finisher, Known
from neurallog_kernel.tables.vocabulary import Vocabulary, predicate_name

WEIGHT = "weight"  # a column of this name is the weight, unless the pattern or the call says else


@dataclass(frozen=True, eq=False)
class MappedTable:
    """A table whose columns are known, and which has not been read yet."""

    table: OpenTable
    mapping: TableMap
    chosen: Chosen

    @property
    def source(self) -> str:
        """The name under which the rows go, if the user gives none."""
        patterns = self.chosen.patterns
        names = dict.fromkeys(
            f"{p.pattern.predicate}/{len(p.columns)}" for p in patterns if not p.pattern.by_column
        )
        if self.mapping.key is not None:
            what = f"columns by {self.mapping.key}"
        else:
            what = ", ".join(names)
        if self.mapping.is_example:
            what = f"examples of {what}" if what else "examples"
            what += f" ({self.mapping.set})" if self.mapping.set else ""
        what = what or "facts"
        return f"{what} from {self.table.name}"

    def read(
        self,
        builder: ContentsBuilder,
        symbols: SymbolTable,
        known: Known,
        progress: Callable[[Progress], None] | None = None,
    ) -> Loaded:
        """Add all rows to the contents of a source."""
        reader = Reader(self.table, self.mapping, self.chosen, symbols)
        reader.read(progress)
        finisher = Finisher(reader, symbols, known)
        made = finisher.run()
        self._check_header(reader)
        for rows in made:
            _add(builder, rows, reader.vocabulary, symbols)
        return self._report(builder.source, reader, finisher, made)

    def _check_header(self, reader: Reader) -> None:
        """Columns by position, under a first row that looks like the others, are suspicious."""
        table = self.table
        if not table.header or not any(p.by_position for p in self.chosen.patterns):
            return
        for pattern in self.chosen.patterns:
            names = [table.columns[column] for column in pattern.columns]
            if names and all(reader.vocabulary.knows(name) for name in names):
                raise TableError(
                    f"{table.name}: the first row ({', '.join(names)}) was taken as the names of "
                    "the columns, and the same names stand in other rows",
                    hint="if it is data: header=False; if not, name the columns in the pattern",
                )

    def _weight_reading(self) -> list[str]:
        """A column that is the weight because of its name only is mentioned."""
        column = self.chosen.weight
        said = self.mapping.weight is not None or self.table.weight is not None
        if column is None or said or self.chosen.weight_is_label:
            return []
        name = self.table.columns[column]
        return [f"the column {name} is the weight of the rows"]

    def _report(
        self, source: str, reader: Reader, finisher: Finisher, made: list[ReadFacts]
    ) -> Loaded:
        examples: dict[str, int] = {}
        for rows in made:
            if rows.example:
                assert rows.set is not None
                examples[rows.set] = examples.get(rows.set, 0) + len(rows)
        renamed = {old: new for old, new in reader.predicates.items() if old != new}
        if self.mapping.key is not None:
            for one in self.chosen.patterns:
                column = self.table.columns[one.columns[1]]
                if column != one.pattern.predicate:
                    renamed[column] = one.pattern.predicate
        return Loaded(
            source,
            self.table.name,
            rows=reader.rows,
            facts=sum(len(rows) for rows in made if not rows.example),
            examples=examples,
            duplicates=finisher.duplicates,
            conflicts=finisher.conflicts,
            skipped=tuple(reader.skipped.values()),
            readings=(*self._weight_reading(), *finisher.readings),
            renamed=renamed,
            notices=tuple(finisher.notices),
        )


def _add(
    builder: ContentsBuilder, rows: ReadFacts, vocabulary: Vocabulary, symbols: SymbolTable
) -> None:
    if rows.groups is not None:
        builder.add_mega_examples(_mega_examples(rows, vocabulary, symbols), rows.set)
    elif len(rows):
        builder.add_columns(
            rows.signature,
            rows.numeric,
            rows.places,
            rows.weights,
            rows.lines,
            rows.set if rows.example else None,
        )


def _mega_examples(
    rows: ReadFacts, vocabulary: Vocabulary, symbols: SymbolTable
) -> Iterator[MegaExample]:
    """The steps of the groups, in the order of the rows."""
    assert rows.groups is not None
    columns = [symbols.names(place.tolist()) for place in rows.places]
    for group, weight, *terms in zip(
        vocabulary.names(rows.groups), rows.weights.tolist(), *columns, strict=True
    ):
        atom = Literal(rows.signature[0], tuple(map(Constant, terms)))
        yield MegaExample(group, atom, weight)


def open_all(tables: Any) -> list[MappedTable]:
    """Open several tables, each with its map and the name that messages call it by."""
    for one in tables if isinstance(tables, list | tuple) else [tables]:
        fits = isinstance(one, list | tuple) and len(one) in (2, 3)
        if not fits or not isinstance(one[1], TableMap) or not isinstance(one[-1], str | TableMap):
            raise wrong("each of tables", "a table, its TableMap and its name", one)
    return [open_mapped(*one) for one in tables]


def open_mapped(table: Any, mapping: TableMap, name: str = "the table") -> MappedTable:
    """Open a table and find the columns that the mapping names."""
    opened = open_table(table, mapping, name)
    if mapping.pattern is None and mapping.key is None and opened.pattern is not None:
        mapping = replace(mapping, pattern=opened.pattern)
    if opened.example and not mapping.is_example:
        mapping = replace(mapping, set=mapping.set_name)
    if mapping.pattern is None and mapping.key is None:
        columns = ", ".join(opened.columns[:2])
        raise TableError(
            f"which facts are the rows of {opened.name}?",
            hint=f"give a pattern, as in friends({columns}); in a notebook after --as, in a shell "
            "after -i",
        )
    patterns = _key_patterns(opened, mapping.key) if mapping.key else mapping.patterns
    weight, constant = _weight(opened, mapping, patterns)
    by_name = isinstance(mapping.split, str)
    set_column = column_named(mapping.split, opened) if isinstance(mapping.split, str) else None
    group = None if mapping.group is None else column_named(mapping.group, opened)
    taken = [c for c in (weight, set_column, group) if c is not None]
    resolved = tuple(resolve(pattern, opened, taken) for pattern in patterns)
    if by_name and mapping.set is not None:
        raise TableError("set= names one set, and split= a column of sets; give one of them")
    is_label = mapping.label is not None or (opened.label is not None and mapping.is_example)
    chosen = Chosen(resolved, weight, is_label, set_column, constant, group)
    _check_places(resolved, opened)
    return MappedTable(opened, mapping, chosen)


def _check_places(resolved: tuple[Resolved, ...], table: OpenTable) -> None:
    for one in resolved:
        if not one.columns:
            raise TableError(f"{table.name} has no column left for {one.pattern}")


def _key_patterns(table: OpenTable, key: str) -> tuple[Pattern, ...]:
    """A predicate for every column but the key, whose name it has."""
    number = column_named(key, table)
    others = [c for place, c in enumerate(table.columns) if place != number]
    names: dict[str, str] = {}
    for column in others:
        name = predicate_name(column)
        if name in names:
            raise TableError(
                f"{table.name}: the columns {names[name]} and {column} would both be {name}",
                hint="rename one, or give patterns instead of a key",
            )
        names[name] = column
    if not others:
        raise TableError(f"{table.name} has no column beside the key {key}")
    return tuple(
        Pattern(name, (ArgumentColumn(key), ArgumentColumn(column)))
        for name, column in names.items()
    )


def _weight(
    table: OpenTable, mapping: TableMap, patterns: tuple[Pattern, ...]
) -> tuple[int | None, float]:
    """The column of the weights (or labels), and the weight of all rows where there is none."""
    if mapping.label is not None:
        if mapping.weight is not None:
            raise NeuralLogError("an example's weight is its label: give weight= or label=")
        return column_named(mapping.label, table), 1.0
    weight = mapping.weight
    if isinstance(weight, int | float):
        return None, float(weight)
    if weight is not None:
        return column_named(weight, table), 1.0
    if table.weight is not None:
        return table.columns.index(table.weight), 1.0
    named = {place.column for pattern in patterns for place in pattern.places or ()}
    if WEIGHT in table.columns and WEIGHT not in named and mapping.key is None:
        return table.columns.index(WEIGHT), 1.0
    return None, 1.0
