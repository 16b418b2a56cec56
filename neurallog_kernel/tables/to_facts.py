"""From growing columns to rows of symbols and numbers: kinds decided, duplicates out, sets made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from neurallog_kernel.errors import ArityError, Notice, TableError
from neurallog_kernel.knowledge.blocks import last_of_each, row_keys
from neurallog_kernel.knowledge.sources import Slot
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.tables.reading import Chunk, Growing, Reader, joined
from neurallog_kernel.tables.rows import ReadFacts, set_name
from neurallog_kernel.tables.splitting import split_rows
from neurallog_kernel.tables.vocabulary import number_of

Known = Callable[[Slot], bool | None]  # whether a slot of the program holds numbers, if it is known


@dataclass
class Finisher:
    """Makes the rows of a load; what it decided is in `readings`, `notices` and the counts."""

    reader: Reader
    symbols: SymbolTable
    known: Known
    duplicates: int = 0
    conflicts: int = 0
    readings: dict[str, None] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    inferred: list[str] = field(default_factory=list)  # number columns that no pattern named

    def run(self) -> list[ReadFacts]:
        return [
            rows
            for key in list(self.reader.growing)
            for rows in self._finish(self.reader.growing.pop(key))
        ]

    def _finish(self, grown: Growing) -> Iterator[ReadFacts]:
        self._check_numbers(grown)
        self._warn_of_weights(grown)
        numeric = tuple(self._is_number(grown, place) for place in range(len(grown.places)))
        self._note_reading(grown, numeric)
        places, keep = self._places(grown, numeric)
        weights = _weights(grown)
        lines = joined(grown.lines or grown.rows)
        sets = joined(grown.sets) if grown.sets else None
        if grown.groups:  # the steps of a mega example: the same one may be there again
            yield from self._in_sets(self._rows(grown, numeric, places, weights, lines), sets)
            return
        if keep is not None:  # numbers that were written as NaN
            places = [place[keep] for place in places]
            weights, lines = weights[keep], lines[keep]
            sets = None if sets is None else sets[keep]
        entities = [place for place, number in zip(places, numeric, strict=True) if not number]
        last = last_of_each(row_keys(entities, len(weights)))
        if len(last) < len(weights):
            self._count_duplicates(grown, places, numeric, weights, last)
        if len(last) < len(weights) or not _ascending(last):
            places, weights, lines = [p[last] for p in places], weights[last], lines[last]
            sets = None if sets is None else sets[last]
        yield from self._in_sets(self._rows(grown, numeric, places, weights, lines), sets)

    def _rows(
        self,
        grown: Growing,
        numeric: tuple[bool, ...],
        places: Sequence[np.ndarray],
        weights: np.ndarray,
        lines: np.ndarray,
    ) -> ReadFacts:
        mapping = self.reader.mapping
        return ReadFacts(
            grown.signature,
            numeric,
            tuple(places),
            weights,
            lines,
            mapping.set_name if mapping.is_example else None,
            mapping.is_example,
            joined(grown.groups) if grown.groups else None,
        )

    def _check_numbers(self, grown: Growing) -> None:
        """In facts with three and more arguments a number is a name."""
        name, arity = grown.signature
        if arity > 2 and "number" in grown.resolved.kinds:
            place = grown.resolved.kinds.index("number")
            column = self.reader.table.columns[grown.resolved.columns[place]]
            raise ArityError(
                f"{self.reader.table.name}: {name}/{arity} cannot hold {column} as a number: with "
                "three and more arguments numbers are names",
                hint=f"leave out ': number', and write set_predicate_parameter(\"{name}/{arity}\", "
                f"numeric, {place + 1}) into the program; or make it the weight, with "
                f"weight={column!r}",
            )

    def _warn_of_weights(self, grown: Growing) -> None:
        """Fractions among three and more arguments are names, and were perhaps meant as weights."""
        name, arity = grown.signature
        if arity < 3 or self.reader.chosen.weight is not None:
            return
        for place, column in enumerate(grown.resolved.columns):
            if grown.resolved.kinds[place] is None and self._fractions(grown.places[place]):
                shown = self.reader.table.columns[column]
                self.notices.append(
                    Notice(
                        "number_or_name",
                        f"{shown} holds fractions, and {name}/{arity} has them as names",
                        hint=f"if they are weights, write weight={shown!r} and leave {shown} out "
                        "of the pattern; if rules are to multiply by them, declare "
                        f'set_predicate_parameter("{name}/{arity}", numeric, {place + 1})',
                    )
                )

    def _fractions(self, chunks: Sequence[Chunk]) -> bool:
        """Whether the first values are numbers, and not all of them whole."""
        assert chunks[0].codes is not None
        found = [number_of(n) for n in self.reader.vocabulary.names(chunks[0].codes[:1000])]
        numbers = [value for value in found if value is not None and value == value]
        return len(numbers) == len(found) and any(value % 1 for value in numbers)

    # -- names or numbers -----------------------------------------------------------------------

    def _is_number(self, grown: Growing, place: int) -> bool:
        """What the pattern says; else what the program knows; else what the values are."""
        said = grown.resolved.kinds[place]
        if said is not None:
            return said == "number"
        arity = len(grown.places)
        if self.reader.mapping.is_example or self.reader.table.entities:
            return False
        if place < arity - 1 or arity != 2:
            return False  # whoever a fact is about is an entity, also where it is called 17
        known = self.known((*grown.signature, place))
        if known is not None:
            return known
        return self._looks_numeric(grown, place)

    def _looks_numeric(self, grown: Growing, place: int) -> bool:
        chunks = grown.places[place]
        numbers = sum(len(c.numbers) for c in chunks if c.numbers is not None)
        texts = sum(len(c.codes) for c in chunks if c.codes is not None)
        readable = [c.codes for c in chunks if c.codes is not None and c.readable]
        if readable:
            distinct, counts = np.unique(joined(readable), return_counts=True)
            found = [number_of(name) for name in self.reader.vocabulary.names(distinct)]
            kinds = np.array(
                ["text" if v is None else "none" if v != v else "number" for v in found]
            )
            numbers += int(counts[kinds == "number"].sum())
            texts -= int(counts[kinds != "text"].sum())
        if numbers <= texts:
            return False
        column = self.reader.table.columns[grown.resolved.columns[place]]
        self.inferred.append(column)
        self._warn_of_ids(grown, place, column)
        return True

    def _warn_of_ids(self, grown: Growing, place: int, column: str) -> None:
        """Two columns of whole numbers are most often two columns of identifiers."""
        first, last = grown.places[0], grown.places[place]
        if place == 0 or not (self._whole(first) and self._whole(last)):
            return
        pattern = _annotated(grown, place, self.reader.table.columns, "entity")
        self.notices.append(
            Notice(
                "number_or_name",
                f"{column} holds whole numbers, and is read as numbers",
                hint=f"if they are names of entities, write {pattern}",
            )
        )

    def _whole(self, chunks: Sequence[Chunk]) -> bool:
        for chunk in chunks[:1]:
            if chunk.numbers is not None:
                values = chunk.numbers.values[~chunk.numbers.absent][:1000]
                return bool(np.all(values == np.floor(values)))
            assert chunk.codes is not None
            return all(n.isdigit() for n in self.reader.vocabulary.names(chunk.codes[:1000]))
        return False

    def _note_reading(self, grown: Growing, numeric: tuple[bool, ...]) -> None:
        resolved, columns = grown.resolved, self.reader.table.columns
        if resolved.pattern.places is not None and not resolved.by_position and not any(numeric):
            return
        shown = [
            columns[column] + (": number" if number else "")
            for column, number in zip(resolved.columns, numeric, strict=True)
        ]
        how = ", columns by position" if resolved.by_position else ""
        name = grown.signature[0]
        self.readings[f"read as {name}({', '.join(shown)}){how}"] = None

    # -- symbols and values ---------------------------------------------------------------------

    def _places(
        self, grown: Growing, numeric: tuple[bool, ...]
    ) -> tuple[list[np.ndarray], np.ndarray | None]:
        made: list[np.ndarray] = []
        keep: np.ndarray | None = None
        for place, number in enumerate(numeric):
            chunks = grown.places[place]
            if number:
                values, absent = self._values(grown, place)
                if absent.any():
                    keep = ~absent if keep is None else keep & ~absent
                made.append(values)
            else:
                made.append(self._symbols(chunks))
            grown.places[place] = []
        return made, None if keep is None else np.flatnonzero(keep)

    def _symbols(self, chunks: Sequence[Chunk]) -> np.ndarray:
        vocabulary = self.reader.vocabulary
        parts = [
            vocabulary.codes(chunk.numbers.texts()) if chunk.codes is None else chunk.codes  # type: ignore[union-attr]
            for chunk in chunks
        ]
        codes = joined(parts)
        if vocabulary.shared:
            return codes
        used = np.zeros(len(vocabulary), dtype=bool)
        used[codes] = True
        distinct = np.flatnonzero(used)
        symbols = np.zeros(len(vocabulary), dtype=np.int32)
        symbols[distinct] = self.symbols.intern(vocabulary.names(distinct))
        return symbols[codes]

    def _values(self, grown: Growing, place: int) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of a place, and which of them were written as missing."""
        parts = []
        for number, chunk in enumerate(grown.places[place]):
            if chunk.numbers is not None:
                values = chunk.numbers.values.astype(np.float64)
            else:
                assert chunk.codes is not None
                values = self._parsed(grown, place, number, chunk.codes)
            infinite = np.isinf(values)
            if infinite.any():
                self._refuse(grown, place, number, infinite, "an infinite number")
            parts.append(values)
        values = joined(parts)
        absent = np.isnan(values)
        if absent.any():
            self._skip(grown, place, absent)
        return values, absent

    def _parsed(self, grown: Growing, place: int, number: int, codes: np.ndarray) -> np.ndarray:
        distinct, inverse = np.unique(codes, return_inverse=True)
        found = [number_of(name) for name in self.reader.vocabulary.names(distinct)]
        if None in found:
            bad = codes == distinct[found.index(None)]
            for code, value in zip(distinct, found, strict=True):
                bad |= (codes == code) if value is None else False
            name = self.reader.vocabulary.name(int(codes[np.flatnonzero(bad)[0]]))
            self._refuse(grown, place, number, bad, f"{name!r} is not a number")
        return np.array(found, dtype=np.float64)[inverse.reshape(-1)]

    def _where(self, grown: Growing, place: int | None, chunk: int, row: int) -> str:
        table = self.reader.table
        column = None if place is None else table.columns[grown.resolved.columns[place]]
        line = int(grown.lines[chunk][row]) if grown.lines else None
        return table.place(int(grown.rows[chunk][row]), line, column)

    def _refuse(self, grown: Growing, place: int, chunk: int, bad: np.ndarray, what: str) -> None:
        where = self._where(grown, place, chunk, int(np.flatnonzero(bad)[0]))
        pattern = _annotated(grown, place, self.reader.table.columns, "entity")
        raise TableError(
            f"{where}: {what}, and the other rows hold numbers",
            hint=f"correct it; or, if the column holds names, write {pattern}; "
            "na=[...] lists texts that stand for no value",
        )

    def _skip(self, grown: Growing, place: int, absent: np.ndarray) -> None:
        row = int(np.flatnonzero(absent)[0])
        chunk = 0
        while row >= len(grown.rows[chunk]):
            row -= len(grown.rows[chunk])
            chunk += 1
        if self.reader.mapping.missing == "error":
            raise TableError(f"{self._where(grown, place, chunk, row)}: there is no number")
        column = self.reader.table.columns[grown.resolved.columns[place]]
        first = self._where(grown, None, chunk, row)
        self.reader.skip(f"without a value in {column}", int(absent.sum()), first)

    # -- duplicates and sets --------------------------------------------------------------------

    def _count_duplicates(
        self,
        grown: Growing,
        places: Sequence[np.ndarray],
        numeric: tuple[bool, ...],
        weights: np.ndarray,
        last: np.ndarray,
    ) -> None:
        lost = np.ones(len(weights), dtype=bool)
        lost[last] = False
        rows = np.flatnonzero(lost)
        entities = [place for place, number in zip(places, numeric, strict=True) if not number]
        keys = row_keys(entities, len(weights))
        winner = last[np.searchsorted(keys[last], keys[rows])]
        differs = weights[rows] != weights[winner]
        for place, (values, number) in enumerate(zip(places, numeric, strict=True)):
            if number:
                other = values[rows] != values[winner]
                if other.any() and grown.resolved.kinds[place] is None:
                    pair = rows[other][0], winner[other][0]
                    self._refuse_several(grown, places, place, *map(int, pair))
                differs |= other
        self.duplicates += len(weights) - len(last)
        self.conflicts += int(differs.sum())

    def _refuse_several(
        self,
        grown: Growing,
        places: Sequence[np.ndarray],
        place: int,
        row: int,
        again: int,
    ) -> None:
        """An owner with several numbers: names that look like numbers, or a mistake."""
        columns = self.reader.table.columns
        owner = self.symbols.name(int(places[1 - place][row])) if len(places) == 2 else "a row"
        values = f"{places[place][row]:g} and {places[place][again]:g}"
        column = columns[grown.resolved.columns[place]]
        raise TableError(
            f"{self.reader.table.name}, column {column}: {owner} has several numbers ({values}), "
            "and an attribute has one",
            hint=f"if they are names, write {_annotated(grown, place, columns, 'entity')}; "
            f"if the last should count, {_annotated(grown, place, columns, 'number')}",
        )

    def _in_sets(self, rows: ReadFacts, sets: np.ndarray | None) -> Iterator[ReadFacts]:
        mapping = self.reader.mapping
        if sets is not None:
            for code in np.unique(sets).tolist():
                name = self.reader.vocabulary.name(code)
                yield rows.chosen(np.flatnonzero(sets == code), set_name(name))
        elif mapping.shares:
            order = np.argsort(rows.lines, kind="stable")
            parts = split_rows(rows.weights[order], mapping.shares, mapping.seed, rows.signature)
            for name, part in parts.items():
                yield rows.chosen(order[part], name)
        else:
            yield rows


def _weights(grown: Growing) -> np.ndarray:
    arrays = [
        part if isinstance(part, np.ndarray) else np.broadcast_to(np.float64(part), len(rows))
        for part, rows in zip(grown.weights, grown.rows, strict=True)
    ]
    if all(isinstance(part, float) for part in grown.weights):
        return np.broadcast_to(np.float64(grown.weights[0]), len(grown))
    return joined(arrays)


def _ascending(positions: np.ndarray) -> bool:
    return bool(np.all(positions[1:] > positions[:-1]))


def _annotated(grown: Growing, place: int, columns: Sequence[str], kind: str) -> str:
    """The pattern with what a place holds."""
    names = [columns[column] for column in grown.resolved.columns]
    names[place] += f": {kind}"
    return f"{grown.signature[0]}({', '.join(names)})"
