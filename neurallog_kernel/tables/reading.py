"""From batches to growing columns by predicate: rows without a value go, and are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from neurallog_kernel.errors import BoundError, TableError
from neurallog_kernel.knowledge.loaded import Progress, Skipped
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.tables.columns import (
    MISSING,
    Batch,
    ColumnValues,
    NumberColumn,
    OpenTable,
    Texts,
)
from neurallog_kernel.tables.mapping import TableMap
from neurallog_kernel.tables.pattern import Kind, Resolved
from neurallog_kernel.tables.vocabulary import Bad, Vocabulary, number_of, predicate_name

MOST_PREDICATES = 1_000_000  # that a column may name: some 4 kB for each
WORDS = {  # what a column of labels may say
    **dict.fromkeys(("true", "yes", "positive", "pos", "+"), 1.0),
    **dict.fromkeys(("false", "no", "negative", "neg", "-"), 0.0),
}


@dataclass(frozen=True, eq=False)
class Chunk:
    """One place of some rows: codes of names, or numbers."""

    codes: np.ndarray | None  # int32
    numbers: NumberColumn | None = None
    readable: bool = False  # whether the names may be meant as numbers

    def chosen(self, rows: np.ndarray) -> Chunk:
        codes = None if self.codes is None else self.codes[rows]
        numbers = None if self.numbers is None else self.numbers.chosen(rows)
        return Chunk(codes, numbers, self.readable)


@dataclass(eq=False)
class Growing:
    """The rows of one predicate that were read so far."""

    signature: Signature
    resolved: Resolved
    places: list[list[Chunk]]
    weights: list[np.ndarray | float] = field(default_factory=list)
    sets: list[np.ndarray] = field(default_factory=list)  # codes of the names of example sets
    groups: list[np.ndarray] = field(default_factory=list)  # codes of the ids of mega examples
    rows: list[np.ndarray] = field(default_factory=list)
    lines: list[np.ndarray] = field(default_factory=list)

    def __len__(self) -> int:
        return sum(map(len, self.rows))

    def take(self, whole: Growing, rows: np.ndarray) -> None:
        """Add some of the rows of one batch."""
        for place, (chunk,) in zip(self.places, whole.places, strict=True):
            place.append(chunk.chosen(rows))
        (weight,) = whole.weights
        self.weights.append(weight[rows] if isinstance(weight, np.ndarray) else weight)
        self.sets += [codes[rows] for codes in whole.sets]
        self.groups += [codes[rows] for codes in whole.groups]
        self.rows += [numbers[rows] for numbers in whole.rows]
        self.lines += [lines[rows] for lines in whole.lines]


@dataclass(frozen=True)
class Chosen:
    """Which columns are used for what."""

    patterns: tuple[Resolved, ...]
    weight: int | None
    weight_is_label: bool
    set: int | None
    constant: float = 1.0
    group: int | None = None

    @property
    def wanted(self) -> list[int]:
        """The columns to read, ascending."""
        found = {c for p in self.patterns for c in (*p.columns, p.predicate_column)}
        others = {self.weight, self.set, self.group}
        return sorted(c for c in (found | others) if c is not None)


class Reader:
    """Goes through the batches of a table."""

    def __init__(
        self, table: OpenTable, mapping: TableMap, chosen: Chosen, symbols: SymbolTable
    ) -> None:
        self.table, self.mapping, self.chosen = table, mapping, chosen
        shared = symbols if table.typed else None
        self.vocabulary = Vocabulary(mapping.na, mapping.longest, shared)
        self.growing: dict[tuple[int, str, int], Growing] = {}
        self.skipped: dict[str, Skipped] = {}
        self.predicates: dict[str, str] = {}  # texts that name a predicate
        self._named_by: dict[str, str] = {}  # which of them took a name
        self._seen: set[int] = set()  # codes of texts that name a predicate
        self._waiting: list[tuple[int, np.ndarray, Growing]] = []  # with the code of each row
        self.rows = 0

    def read(self, progress: Callable[[Progress], None] | None) -> None:
        wanted = self.chosen.wanted
        for batch in self.table.batches(wanted):
            self._take(_Columns(self, batch, dict(zip(wanted, batch.columns, strict=True))))
            self.rows += len(batch)
            if progress is not None:
                progress(Progress(self.table.name, self.rows, self.table.rows))
        self._divide()

    # -- one batch ------------------------------------------------------------------------------

    def _take(self, columns: _Columns) -> None:
        for number, whole in enumerate(self.chosen.patterns):
            for pattern, keep in self._by_arity(whole, columns):
                self._take_pattern(number, pattern, columns, keep)

    def _by_arity(
        self, pattern: Resolved, columns: _Columns
    ) -> Iterator[tuple[Resolved, np.ndarray]]:
        """The rows of a pattern; those of a ragged table by the number of their values."""
        if not self.table.ragged:
            yield pattern, self._complete(pattern, columns)
            return
        absent = np.stack([columns.absent(column) for column in pattern.columns])
        ends = np.where(absent.any(axis=0), absent.argmax(axis=0), len(pattern.columns))
        for arity in np.unique(ends).tolist():
            shorter = replace(
                pattern,
                columns=pattern.columns[: max(arity, 1)],
                kinds=pattern.kinds[: max(arity, 1)],
            )
            yield shorter, self._complete(shorter, columns, ends == arity)

    def _take_pattern(
        self, number: int, pattern: Resolved, columns: _Columns, keep: np.ndarray
    ) -> None:
        if pattern.predicate_column is None:
            self._grow(number, pattern, pattern.pattern.predicate, columns, keep)
            return
        codes = columns.codes(pattern.predicate_column)[keep]
        self._seen.update(np.unique(codes).tolist())
        self._check_predicates(pattern.predicate_column)
        whole = self._new(pattern, "")
        self._add(whole, columns, keep)
        self._waiting.append((number, codes, whole))

    def _divide(self) -> None:
        """Give each predicate of a column its rows. It waits until all rows are read: to make a
        predicate takes so long that too many must be refused before the first of them is made."""
        self._waiting.reverse()
        while self._waiting:  # each is let go of when it is divided
            number, codes, whole = self._waiting.pop()
            for code, rows in _groups(codes):
                name = self._predicate(self.vocabulary.name(code))
                self._grown(number, whole.resolved, name).take(whole, rows)

    def _complete(
        self, pattern: Resolved, columns: _Columns, among: np.ndarray | None = None
    ) -> np.ndarray:
        """The rows with a value in every column of the pattern; the others are counted."""
        chosen = self.chosen
        used = [*pattern.columns, pattern.predicate_column, chosen.weight, chosen.set, chosen.group]
        keep = np.ones(len(columns.batch), dtype=bool) if among is None else among
        columns_used = list(dict.fromkeys(c for c in used if c is not None))
        if self.mapping.missing == "error":
            self._refuse_missing(columns, columns_used, keep)
        for column in columns_used:
            gone = keep & columns.absent(column)
            if gone.any():
                self._skip(columns, column, np.flatnonzero(gone))
                keep &= ~gone
        if self.table.with_false and not self.mapping.is_example:
            false = keep & (columns.weights(self.chosen.weight or 0) == 0)
            if false.any():
                rows = np.flatnonzero(false)
                self.skip("stated as false", len(rows), columns.place(int(rows[0])))
                keep &= ~false
        return np.flatnonzero(keep)

    @staticmethod
    def _refuse_missing(columns: _Columns, used: list[int], keep: np.ndarray) -> None:
        absent = np.stack([columns.absent(column) & keep for column in used])
        if absent.any():
            row = int(absent.any(axis=0).argmax())
            column = used[int(absent[:, row].argmax())]
            raise TableError(
                f"{columns.place(row, column)}: there is no value",
                hint='missing="skip" leaves such rows out and says how many',
            )

    def _skip(self, columns: _Columns, column: int, rows: np.ndarray) -> None:
        name, first = self.table.columns[column], columns.place(int(rows[0]))
        self.skip(f"without a value in {name}", len(rows), first)

    def skip(self, reason: str, rows: int, first: str) -> None:
        """Count rows that are left out."""
        before = self.skipped.get(reason)
        if before is not None:
            rows, first = before.rows + rows, before.first
        self.skipped[reason] = Skipped(reason, rows, first)

    def _grow(
        self,
        number: int,
        pattern: Resolved,
        predicate: str,
        columns: _Columns,
        rows: np.ndarray,
    ) -> None:
        if len(rows):
            self._add(self._grown(number, pattern, predicate), columns, rows)

    def _grown(self, number: int, pattern: Resolved, predicate: str) -> Growing:
        """What was read of a predicate so far."""
        key = (number, predicate, len(pattern.columns))
        if key not in self.growing:
            self.growing[key] = self._new(pattern, predicate)
        return self.growing[key]

    @staticmethod
    def _new(pattern: Resolved, predicate: str) -> Growing:
        arity = len(pattern.columns)
        return Growing((predicate, arity), pattern, [[] for _ in range(arity)])

    def _add(self, grown: Growing, columns: _Columns, rows: np.ndarray) -> None:
        """Add rows of a batch."""
        pattern, arity = grown.resolved, len(grown.places)
        for place, column in enumerate(pattern.columns):
            grown.places[place].append(
                columns.chunk(column, rows, self._kind(pattern, place, arity))
            )
        if self.chosen.weight is not None:
            grown.weights.append(columns.weights(self.chosen.weight)[rows])
        else:
            grown.weights.append(self.chosen.constant)
        if self.chosen.set is not None:
            grown.sets.append(columns.codes(self.chosen.set)[rows])
        if self.chosen.group is not None:
            grown.groups.append(columns.codes(self.chosen.group)[rows])
        grown.rows.append(columns.batch.numbers[rows])
        if columns.batch.lines is not None:
            grown.lines.append(columns.batch.lines[rows].astype(np.int32))

    def _kind(self, pattern: Resolved, place: int, arity: int) -> Kind | None:
        """What a place holds, where it is known before its values are."""
        said = pattern.kinds[place]
        if said is not None:
            return said
        owner = place < arity - 1 or arity != 2
        return "entity" if owner or self.mapping.is_example or self.table.entities else None

    def _predicate(self, text: str) -> str:
        """The predicate that a text of a column names."""
        name = self.predicates.get(text)
        if name is None:
            name = predicate_name(text)
            other = self._named_by.setdefault(name, text)
            if other != text:
                raise TableError(
                    f"{self.table.name}: {other} and {text} would both be the predicate {name}",
                    hint="rename one of them in the table, or load them one by one",
                )
            self.predicates[text] = name
        return name

    def _check_predicates(self, column: int) -> None:
        if len(self._seen) > MOST_PREDICATES:
            raise BoundError(
                f"{self.table.name}: the column {self.table.columns[column]} names more than "
                f"{MOST_PREDICATES:,} predicates",
                hint="is it the column of predicates? Names of entities are arguments: "
                "they go into the brackets of the pattern",
            )


class _Columns:
    """The columns of one batch, each converted once, whatever the number of patterns."""

    def __init__(self, reader: Reader, batch: Batch, values: dict[int, ColumnValues]) -> None:
        self.reader, self.batch, self.values = reader, batch, values
        self._codes: dict[int, np.ndarray] = {}
        self._weights: dict[int, np.ndarray] = {}

    def place(self, row: int, column: int | None = None) -> str:
        """The row (and column) for a message."""
        table, lines = self.reader.table, self.batch.lines
        line = None if lines is None else int(lines[row])
        name = None if column is None else table.columns[column]
        return table.place(int(self.batch.numbers[row]), line, name)

    def absent(self, column: int) -> np.ndarray:
        values = self.values[column]
        return values.absent if isinstance(values, NumberColumn) else self.codes(column) == MISSING

    def codes(self, column: int) -> np.ndarray:
        """The names of a column as codes of the vocabulary."""
        made = self._codes.get(column)
        if made is None:
            values = self.values[column]
            texts = values.texts() if isinstance(values, NumberColumn) else values
            try:
                made = self._codes[column] = self.reader.vocabulary.codes(texts)
            except Bad as bad:
                row = int(np.flatnonzero(texts.codes == bad.code)[0])
                raise TableError(f"{self.place(row, column)}: {bad.why}", hint=bad.hint) from None
        return made

    def chunk(self, column: int, rows: np.ndarray, kind: Kind | None) -> Chunk:
        values = self.values[column]
        if isinstance(values, Texts):
            return Chunk(self.codes(column)[rows], None, values.readable or kind == "number")
        if kind == "entity" or values.values.dtype.kind == "b":
            return Chunk(self.codes(column)[rows])
        return Chunk(None, values.chosen(rows))

    def weights(self, column: int) -> np.ndarray:
        """A column of weights or labels as numbers."""
        made = self._weights.get(column)
        if made is None:
            values = self.values[column]
            if isinstance(values, NumberColumn):
                made = values.values.astype(np.float64)
                wrong = ~np.isfinite(made) & ~values.absent
            else:
                made = self._from_texts(self.codes(column))
                wrong = ~np.isfinite(made) & (self.codes(column) != MISSING)
            if wrong.any():
                raise self._no_weight(column, int(np.flatnonzero(wrong)[0]))
            self._weights[column] = made
        return made

    def _from_texts(self, codes: np.ndarray) -> np.ndarray:
        distinct, inverse = np.unique(codes, return_inverse=True)
        words = WORDS if self.reader.chosen.weight_is_label else {}
        numbers = [
            np.nan if code == MISSING else self._from_text(self.reader.vocabulary.name(code), words)
            for code in distinct.tolist()
        ]
        return np.array(numbers, dtype=np.float64)[inverse.reshape(-1)]

    @staticmethod
    def _from_text(text: str, words: dict[str, float]) -> float:
        found = words.get(text.strip().lower())
        if found is None:
            found = number_of(text)
        return np.nan if found is None else found

    def _no_weight(self, column: int, row: int) -> TableError:
        values = self.values[column]
        if isinstance(values, NumberColumn):
            found = repr(values.values[row].item())
        else:
            found = repr(self.reader.vocabulary.name(int(self.codes(column)[row])))
        label = self.reader.chosen.weight_is_label
        what = "a label" if label else "a weight"
        hint = "a label is a number, or one of true, false, yes, no, +, -" if label else ""
        return TableError(
            f"{self.place(row, column)}: {found} is not {what}",
            hint=hint or "a weight is a finite number",
        )


def _groups(codes: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """The rows of each code."""
    order = np.argsort(codes, kind="stable")
    cuts = np.flatnonzero(np.diff(codes[order])) + 1
    for rows in np.split(order, cuts) if len(codes) else ():
        yield int(codes[rows[0]]), rows


def joined(chunks: Sequence[np.ndarray]) -> np.ndarray:
    return chunks[0] if len(chunks) == 1 else np.concatenate(chunks)
