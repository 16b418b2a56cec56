"""Long runs of ground facts, kept as columns: what the fast path of the parser produces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from neurallog_kernel.errors import Span
from neurallog_kernel.language.syntax import (
    Clause,
    Constant,
    Fact,
    Literal,
    Number,
    Signature,
    Term,
)
from neurallog_kernel.language.words import NAME, NUMBER

# A fact with terms on one line. Everything it accepts, the grammar reads as the same fact; what it
# leaves out (escapes, tabs inside a fact) the grammar reads on its own. The groups are weight,
# predicate, three terms, and all further terms as one text.
# Quantifiers of single characters are possessive where nothing is gained by giving some back; those
# of groups never are: Python before 3.11.3 goes on behind a group that fails half-way.
POSSESSIVE_NAME = NAME.replace("*", "*+")
_TERM = rf"""{POSSESSIVE_NAME}|{NUMBER}|"[^"\\{{}}\n]*+"|'[^'\\{{}}\n]*+'"""
# After a blank, a dot before a digit starts a number; two dots are the sign of a range.
_STOP = r"(?:\.(?!\.)| ++\.(?![.0-9]))"
FACT = (
    rf"(?:(?=[-.0-9])({NUMBER}) *+:: *+)?({POSSESSIVE_NAME}) *+"
    rf"\( *+({_TERM}) *+(?:, *+({_TERM}) *+(?:, *+({_TERM}) *+((?:, *+(?:{_TERM}) *+)*))?)?"
    rf"\){_STOP}"
)
_FACT = re.compile(FACT)
_TERMS = re.compile(rf", *+({_TERM})")
_FEW = 20  # where less than one name of so many letters is asked for, the others are not unpacked


class Names(Sequence[str]):
    """Names of constants, packed: ten million short strings of their own would fill memory.

    Iteration unpacks part by part. No name holds a line break, which separates them here.

    >>> names = Names(["a\\nb", "c"], [2, 1])
    >>> list(names), len(names), names[2]
    (['a', 'b', 'c'], 3, 'c')
    """

    __slots__ = ("_ends", "_parts")

    def __init__(self, parts: Sequence[str], sizes: Sequence[int] | NDArray[np.int64]) -> None:
        self._parts = tuple(parts)
        self._ends = np.cumsum(sizes, dtype=np.int64)

    @classmethod
    def joined(cls, columns: Sequence[Names]) -> Names:
        """The names of one column after the other."""
        sizes = [np.diff(column._ends, prepend=0) for column in columns]
        return cls([part for one in columns for part in one._parts], np.concatenate(sizes))

    def parts(self) -> Iterator[list[str]]:
        """The names in lists of a moderate size."""
        return (part.split("\n") for part in self._parts)

    def packed(self) -> tuple[str, ...]:
        """The parts, each with a line break between two names."""
        return self._parts

    def at(self, places: NDArray[np.int64]) -> Iterator[str]:
        """The names at these places, which are ascending."""
        starts = np.concatenate([[0], self._ends[:-1]])
        cuts = np.searchsorted(places, starts[1:])
        for start, part, own in zip(starts, self._parts, np.split(places, cuts), strict=True):
            yield from _picked(part, own - start)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self.parts())

    def __len__(self) -> int:
        return int(self._ends[-1]) if self._parts else 0

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return list(self)[index]
        place = range(len(self))[index]
        part = int(np.searchsorted(self._ends, place, side="right"))
        return self._parts[part].split("\n")[place - int(self._ends[part])]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Names | list) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


def _picked(part: str, places: NDArray[np.int64]) -> Iterable[str]:
    """The names at these places of a packed part."""
    if len(places) * _FEW > len(part) or not part.isascii():
        return map(part.split("\n").__getitem__, places.tolist())
    letters = np.frombuffer(f"\n{part}\n".encode("ascii"), dtype=np.uint8)
    breaks = np.flatnonzero(letters == ord("\n"))
    cuts = zip(breaks[places].tolist(), (breaks[places + 1] - 1).tolist(), strict=True)
    return (part[start:end] for start, end in cuts)


ArgumentValues: TypeAlias = Names | NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class FactColumns:
    """The facts of one predicate, in the order of the text.

    A place holds the bare names of constants, or numbers. `weights` is None where all are 1.
    `offsets` say where in the text each fact starts, `lines` on which line.
    """

    signature: Signature
    places: tuple[ArgumentValues, ...]
    weights: NDArray[np.float64] | None
    lines: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FactRun:
    """Facts that stand one after the other in a text, by predicate."""

    source: str
    text: str
    columns: dict[Signature, FactColumns]

    def __len__(self) -> int:
        return sum(map(len, self.columns.values()))

    def __repr__(self) -> str:
        return f"FactRun({self.source!r}, {len(self)} facts)"

    def fact_at(self, offset: int) -> Fact:
        """The fact that starts at this offset, with its spans."""
        found = self._read(offset)
        columns = self.columns[_signature(found)]
        line = columns.lines[np.searchsorted(columns.offsets, offset)]
        return _fact(found, self.source, int(line))

    def facts(self) -> Iterator[Fact]:
        """Every fact in the order of the text, with its spans."""
        parts = self.columns.values()
        offsets = np.concatenate([one.offsets for one in parts])
        lines = np.concatenate([one.lines for one in parts])
        order = np.argsort(offsets)
        for offset, line in zip(offsets[order].tolist(), lines[order].tolist(), strict=True):
            yield _fact(self._read(offset), self.source, line)

    def _read(self, offset: int) -> re.Match[str]:
        found = _FACT.match(self.text, offset)
        if found is None:
            raise ValueError(f"no fact starts at offset {offset}")
        return found


def expand(clauses: Iterable[Clause | FactRun]) -> tuple[Clause, ...]:
    """The clauses with every run of facts replaced by its facts."""
    return tuple(one_by_one(clauses))


def one_by_one(clauses: Iterable[Clause | FactRun]) -> Iterator[Clause]:
    """The same, a clause at a time: the facts of a long run need not be in memory together."""
    for clause in clauses:
        if isinstance(clause, FactRun):
            yield from clause.facts()
        else:
            yield clause


def further_terms(text: str) -> list[str]:
    """The terms of what the last group of `FACT` holds.

    >>> further_terms(', a, "b, c"')
    ['a', '"b, c"']
    """
    return _TERMS.findall(text)


def _signature(found: re.Match[str]) -> Signature:
    return found[2], len(_term_spans(found))


def _term_spans(found: re.Match[str]) -> list[tuple[int, int]]:
    spans = [found.span(k) for k in (3, 4, 5) if found[k] is not None]
    if found[6]:
        spans += [one.span(1) for one in _TERMS.finditer(found.string, *found.span(6))]
    return spans


def _fact(found: re.Match[str], source: str, line: int) -> Fact:
    line_start = found.string.rfind("\n", 0, found.start()) + 1

    def span(start: int, end: int) -> Span:
        return Span(source, line, start - line_start + 1, line, end - line_start + 1)

    text = found.string
    terms = [_term(text[start:end], span(start, end)) for start, end in _term_spans(found)]
    closing = found.string.rindex(")", found.start(), found.end()) + 1
    atom = Literal(found[2], tuple(terms), False, span(found.start(2), closing))
    weight = 1.0 if found[1] is None else float(found[1])
    return Fact(atom, weight, span(found.start(), closing))


def _term(text: str, span: Span) -> Term:
    if text[0] in "\"'":
        return Constant(text[1:-1], span)
    return Constant(text, span) if text[0].isalpha() else Number(float(text), span)
