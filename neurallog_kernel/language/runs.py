"""The fast path: reads a run of ground facts with one regular expression, chunk by chunk."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from neurallog_kernel.language.facts import (
    FACT,
    POSSESSIVE_NAME,
    FactColumns,
    FactRun,
    Names,
    further_terms,
)
from neurallog_kernel.language.syntax import FROM_HERE_NAMES, Signature, format_number
from neurallog_kernel.language.words import DIRECTIVES, KEYWORDS

LEAST_FACTS = 16  # a shorter run is not worth a node of its own
CHUNK = 1 << 16  # characters; the pieces of a larger chunk fall out of the processor's cache
_RESERVED = KEYWORDS | DIRECTIVES
_LEAD = r"[ \t\r\n]*+(?:[%#][^\n]*+[ \t\r\n]*+)*"
_BLANK = re.compile(_LEAD)
_PROBE = re.compile(rf"(?:{_LEAD}{FACT}){{{LEAST_FACTS}}}")
# Splitting a chunk at its facts gives the groups as one flat list: the text between two facts
# (none), the lead, the fact, its weight, predicate, three terms and all further ones as one text,
# and what follows the last fact.
_FACTS = re.compile(rf"({_LEAD})({FACT})|([\s\S]+)")
_STRIDE = 10

_Chosen: TypeAlias = range | list[int]  # numbers of rows


@dataclass(frozen=True, slots=True)
class Reading:
    """What the fast path made of a text: `run` is None where it stopped too soon.

    `end` and `end_line` are the place after the run; the text was looked at up to `examined`.
    """

    run: FactRun | None
    end: int
    end_line: int
    examined: int


def read_run(text: str, start: int, line: int, source: str) -> Reading | None:
    """The run of facts that starts here, or None where there are too few facts."""
    if _PROBE.match(text, start) is None:
        return None
    reader = _Reader()
    position = examined = start
    more = True
    while more and examined < len(text):
        examined = _chunk_end(text, examined)
        chunk = text[position:examined]
        rows, rest = _rows(chunk, position, line)
        sound = reader.take(rows)
        more = sound == len(rows) and _BLANK.fullmatch(rest) is not None
        if more:
            position, line = examined, line + chunk.count("\n")
        elif sound:
            position, line = int(rows.ends[sound - 1]), int(rows.lines[sound - 1])
    run = FactRun(source, text, reader.columns()) if reader.count >= LEAST_FACTS else None
    return Reading(run, position, line, examined)


def _chunk_end(text: str, start: int) -> int:
    found = text.find("\n", start + CHUNK)
    return len(text) if found < 0 else found + 1


@dataclass(frozen=True, slots=True)
class _Rows:
    """The facts of one chunk as columns of text, and where they start and end."""

    weights: list[str | None]
    predicates: list[str]
    columns: list[list]  # of terms; None where a fact has fewer
    arities: NDArray[np.int64] | int  # one number if all facts have as many terms
    lines: NDArray[np.int32]
    offsets: NDArray[np.int64]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.predicates)

    def signature(self, row: int) -> Signature:
        arity = self.arities if isinstance(self.arities, int) else int(self.arities[row])
        return self.predicates[row], arity

    def terms(self, row: int) -> tuple[str, ...]:
        return tuple(column[row] for column in self.columns[: self.signature(row)[1]])


def _rows(chunk: str, start: int, line: int) -> tuple[_Rows, str]:
    """The facts at the start of a chunk, and what follows them."""
    arity = chunk.count(",", 0, chunk.find("\n") + 1) + 1
    if arity > 1 and _plain(arity).fullmatch(chunk):
        return _plain_rows(chunk, arity, start, line), ""
    parts = _FACTS.split(chunk)
    rest = ""
    if len(parts) > 1 and parts[-2] is not None:
        rest = parts[-2]
        del parts[-1 - _STRIDE :]
    else:
        parts.pop()
    leads, facts, weights, predicates, *columns, more = (
        parts[k::_STRIDE] for k in range(1, _STRIDE - 1)
    )
    columns, arities = _by_arity(columns, more)
    count = len(facts)
    sizes = np.fromiter(map(len, facts), np.int64, count)
    ends = np.cumsum(sizes + np.fromiter(map(len, leads), np.int64, count))
    offsets = ends - sizes
    lines = line + np.searchsorted(_newlines(chunk), offsets)
    where = lines.astype(np.int32), offsets + start, ends + start
    return _Rows(weights, predicates, columns, arities, *where), rest


def _by_arity(columns: list[list], more: list) -> tuple[list[list], NDArray[np.int64] | int]:
    """The columns of terms, with one for each further term, and how many terms each fact has."""
    count = len(more)
    missing = [column.count(None) for column in columns]
    longer = missing[2] < count and any(more)
    if not longer and all(none in (0, count) for none in missing):
        return columns, sum(none == 0 for none in missing)
    arities = np.ones(count, np.int64)
    for column, none in zip(columns[1:], missing[1:], strict=True):
        if none < count:
            arities += np.fromiter((one is not None for one in column), bool, count)
    if not longer:
        return columns, arities
    split = [further_terms(one) if one else () for one in more]
    lengths = np.fromiter(map(len, split), np.int64, count)
    extra = list(map(list, zip_longest(*split)))
    arities += lengths
    same = int(arities[0]) if count and (arities == arities[0]).all() else None
    return [*columns, *extra], arities if same is None else same


@cache
def _plain(arity: int) -> re.Pattern[str]:
    """Nothing but `p(a, b).` on a line each: most files look like this, and need no groups, which
    takes half the time. From three terms on a whole number is a name as it stands."""
    name = POSSESSIVE_NAME
    term = name if arity < FROM_HERE_NAMES else rf"(?:{name}|0|[1-9][0-9]{{0,14}}+)"
    terms = ", ?+".join([term] * arity)
    return re.compile(rf"(?:{name}\({terms}\)\.\n)+")


def _plain_rows(chunk: str, arity: int, start: int, line: int) -> _Rows:
    """The facts of a chunk of plain lines."""
    words = chunk.replace(").\n", "(").replace(", ", "(").replace(",", "(").split("(")
    predicates, *columns = (words[k : -1 : arity + 1] for k in range(arity + 1))
    count = len(predicates)
    ends = _newlines(chunk) + start
    offsets = np.concatenate([[start], ends[:-1] + 1])
    lines = np.arange(line, line + count, dtype=np.int32)
    return _Rows([None] * count, predicates, columns, arity, lines, offsets, ends)


def _newlines(chunk: str) -> NDArray[np.intp]:
    if chunk.isascii():
        codes = np.frombuffer(chunk.encode("ascii"), np.uint8)
    else:
        codes = np.frombuffer(chunk.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.flatnonzero(codes == ord("\n"))


@dataclass(slots=True)
class _Growing:
    """The columns of one predicate while they grow; `numeric` tells the kind of each place."""

    numeric: tuple[bool, ...]
    places: tuple[list[Any], ...]
    weights: list[NDArray[np.float64] | None] = field(default_factory=list)
    lines: list[NDArray[np.int32]] = field(default_factory=list)
    offsets: list[NDArray[np.int64]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Part:
    """The facts of one predicate in one chunk, converted."""

    signature: Signature
    rows: NDArray[np.int64] | slice
    numeric: tuple[bool, ...]
    places: tuple[str | NDArray[np.float64], ...]
    weights: NDArray[np.float64] | None


class _Odd(Exception):
    """Some row of a chunk is not for the fast path."""


class _Reader:
    """Collects the facts of a run."""

    def __init__(self) -> None:
        self.count = 0
        self._growing: dict[Signature, _Growing] = {}

    def take(self, rows: _Rows) -> int:
        """Add the rows up to the first that the grammar must judge; how many those are."""
        count = len(rows)
        try:
            parts = self._parts(rows, count)
        except _Odd:
            count = self._sound(rows)
            parts = self._parts(rows, count)
        for part in parts:
            self._add(part, rows)
        self.count += count
        return count

    def columns(self) -> dict[Signature, FactColumns]:
        return {signature: _columns(signature, one) for signature, one in self._growing.items()}

    def _parts(self, rows: _Rows, count: int) -> list[_Part]:
        groups = _groups(rows, count)
        return [self._part(signature, rows, chosen) for signature, chosen in groups.items()]

    def _part(self, signature: Signature, rows: _Rows, chosen: _Chosen) -> _Part:
        if signature[0] in _RESERVED:
            raise _Odd
        columns = [_chosen(one, chosen) for one in rows.columns[: signature[1]]]
        known = self._growing.get(signature)
        names = signature[1] >= FROM_HERE_NAMES
        numeric = known.numeric if known else _kind([one[0] for one in columns])
        places = tuple(
            _numbers(one) if number else _constants(_number_names(one) if names else one)
            for one, number in zip(columns, numeric, strict=True)
        )
        weights = _chosen(rows.weights, chosen)
        written = weights.count(None) < len(weights)
        where = np.array(chosen, np.int64) if isinstance(chosen, list) else slice(len(chosen))
        return _Part(signature, where, numeric, places, _weights(weights) if written else None)

    def _sound(self, rows: _Rows) -> int:
        """How many rows at the start the fast path may take."""
        kinds = {signature: one.numeric for signature, one in self._growing.items()}
        for row in range(len(rows)):
            signature, terms = rows.signature(row), rows.terms(row)
            kind = _kind(terms)
            numbers = [one for one in (rows.weights[row], *terms) if one and _is_number(one)]
            if (
                signature[0] in _RESERVED
                or not KEYWORDS.isdisjoint(terms)
                or kinds.setdefault(signature, kind) != kind
                or not all(math.isfinite(float(one)) for one in numbers)
            ):
                return row
        return len(rows)

    def _add(self, part: _Part, rows: _Rows) -> None:
        growing = self._growing.get(part.signature)
        if growing is None:
            growing = _Growing(part.numeric, tuple([] for _ in part.places))
            self._growing[part.signature] = growing
        for grown, place in zip(growing.places, part.places, strict=True):
            grown.append(place)
        growing.weights.append(part.weights)
        growing.lines.append(rows.lines[part.rows])
        growing.offsets.append(rows.offsets[part.rows])


def _groups(rows: _Rows, count: int) -> dict[Signature, _Chosen]:
    """The row numbers of every predicate, in order of appearance; a range where there is only one
    predicate."""
    if not count:
        return {}
    most = len(rows.columns) + 1
    names = {name: most * k for k, name in enumerate(dict.fromkeys(rows.predicates))}
    if len(names) == 1 and isinstance(rows.arities, int):
        return {rows.signature(0): range(count)}
    keys = np.fromiter(map(names.__getitem__, rows.predicates[:count]), np.int64, count)
    if not isinstance(rows.arities, int):
        keys += rows.arities[:count]
    order = np.argsort(keys, kind="stable")
    cuts = np.flatnonzero(np.diff(keys[order])) + 1
    parts = sorted(np.split(order, cuts), key=lambda part: part[0])  # arities of a name, too
    return {rows.signature(part[0]): part.tolist() for part in parts}


def _chosen(column: Sequence, rows: _Chosen) -> list:
    return list(column[: len(rows)]) if isinstance(rows, range) else [column[k] for k in rows]


def _is_number(text: str) -> bool:
    return text[0] in "-.0123456789"


def _kind(terms: Sequence[str]) -> tuple[bool, ...]:
    """For each term whether it is a number; among three and more it is a name."""
    return tuple(len(terms) < FROM_HERE_NAMES and _is_number(term) for term in terms)


def _number_names(column: list[str]) -> list[str]:
    """The column with numbers as names, in the quotes of one."""
    if min(column) >= "a":
        return column
    numbers = {one: float(one) for one in set(column) if _is_number(one)}
    if not all(map(math.isfinite, numbers.values())):
        raise _Odd
    names = {one: f'"{format_number(value)}"' for one, value in numbers.items()}
    return [names.get(one, one) for one in column]


def _constants(column: list[str]) -> str:
    """The bare names, packed."""
    if not KEYWORDS.isdisjoint(column):
        raise _Odd
    if min(column) < "a":  # quotes, digits, signs and dots stand before the letters
        if any(map(_is_number, column)):
            raise _Odd
        column = [one[1:-1] if one[0] in "\"'" else one for one in column]
    return "\n".join(column)


def _numbers(column: list[str]) -> NDArray[np.float64]:
    try:
        made = np.array(list(map(float, column)), np.float64)
    except ValueError:
        raise _Odd from None
    if not np.isfinite(made).all():  # a number too large, or the constants nan and infinity
        raise _Odd
    return made


def _weights(column: list[str | None]) -> NDArray[np.float64]:
    return _numbers(["1" if one is None else one for one in column])


def _columns(signature: Signature, grown: _Growing) -> FactColumns:
    sizes = list(map(len, grown.lines))
    places = tuple(
        np.concatenate(parts) if number else Names(parts, sizes)
        for parts, number in zip(grown.places, grown.numeric, strict=True)
    )
    weights = None
    if any(one is not None for one in grown.weights):
        weights = np.concatenate(
            [
                np.ones(len(lines)) if one is None else one
                for one, lines in zip(grown.weights, grown.lines, strict=True)
            ]
        )
    return FactColumns(
        signature, places, weights, np.concatenate(grown.lines), np.concatenate(grown.offsets)
    )
