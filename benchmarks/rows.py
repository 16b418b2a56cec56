"""The registry: every row of the table, its target, and the subject that measures it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.fitting import Growth
from benchmarks.measuring import Turns, median


@dataclass(frozen=True)
class Target:
    """What a figure has to reach: at least or at most so much of a unit."""

    value: float
    unit: str
    at_least: bool = False

    def reached(self, figure: float) -> bool:
        """
        >>> Target(20, "times", at_least=True).reached(25), Target(50, "ms").reached(51)
        (True, False)
        """
        return figure >= self.value if self.at_least else figure <= self.value

    def __str__(self) -> str:
        return f"{'at least' if self.at_least else 'at most'} {self.value:,g} {self.unit}"


def faster(times: float) -> Target:
    """At least so many times as fast as the other side."""
    return Target(times, "× as fast", at_least=True)


def within(times: float) -> Target:
    """At most so many times the time of the other side."""
    return Target(times, "× the time")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    work: str
    against: str  # who does the same work in the same run; empty if nobody
    target: Target | None = None
    design: str = ""  # the line of the design's table it stands for; empty if it is none of them
    elsewhere: float | None = None  # the original's seconds for it, measured on another day


@dataclass(frozen=True)
class Figure:
    """What was measured for a row. `value` is in the unit of the row's target."""

    value: float
    unit: str
    ours: float | None = None  # seconds
    theirs: float | None = None
    low: float | None = None  # the quartiles of the value over the rounds
    high: float | None = None
    rounds: int = 1
    note: str = ""
    growth: Growth | None = None


def speed_up(turns: Turns, note: str = "", ours_scale: float = 1.0) -> Figure:
    """How many times as fast ours is."""
    low, high = turns.spread
    ours, theirs = median(turns.ours, turns.clock), median(turns.theirs, turns.clock)
    return Figure(
        turns.ratio, "× as fast", ours, theirs, low, high, rounds=len(turns.ours), note=note
    )


def share(turns: Turns, note: str = "") -> Figure:
    """How many times the time of theirs ours takes."""
    low, high = turns.spread
    ours, theirs = median(turns.ours, turns.clock), median(turns.theirs, turns.clock)
    return Figure(
        1 / turns.ratio,
        "× the time",
        ours,
        theirs,
        1 / high,
        1 / low,
        rounds=len(turns.ours),
        note=note,
    )


@dataclass(frozen=True)
class Settings:
    """How much to measure, and where the data sets are."""

    data: Path
    quick: bool = False
    repeat: float = 1.0  # a factor on the number of rounds
    large: bool = False  # with what takes an hour, or more than ten million facts

    def rounds(self, full: int, quick: int | None = None) -> int:
        chosen = (quick or max(3, full // 3)) if self.quick else full
        return max(3, round(chosen * self.repeat))

    def folder(self, name: str) -> Path:
        """The folder of a data set; `Skipped` where there is none."""
        folder = self.data / name
        if not folder.is_dir():
            raise Skipped(f"there is no data set {name}; name the folder of all with --data")
        return folder


class Skipped(Exception):
    """A row that cannot be measured here, with the reason."""


Measured = Iterator[tuple[str, Figure]]
Measure = Callable[[Settings, frozenset[str]], Measured]


@dataclass(frozen=True)
class Subject:
    """Rows that are measured together, in a process of their own."""

    name: str
    rows: tuple[Row, ...]
    measure: Measure = field(compare=False)
    slow: bool = False  # left out by `--quick`, unless it is named


SUBJECTS: dict[str, Subject] = {}


def subject(name: str, rows: Sequence[Row], slow: bool = False) -> Callable[[Measure], Measure]:
    """Register a function that yields the figures of these rows.

    It is given the names of the rows that are wanted, and may leave out the others.
    """

    def register(measure: Measure) -> Measure:
        taken = {row.name for known in SUBJECTS.values() for row in known.rows}
        twice = taken & {row.name for row in rows}
        if name in SUBJECTS or twice:
            raise ValueError(f"registered twice: {name if name in SUBJECTS else sorted(twice)}")
        SUBJECTS[name] = Subject(name, tuple(rows), measure, slow)
        return measure

    return register


def all_rows() -> dict[str, Row]:
    """Every row by its name, in the order of the table."""
    return {row.name: row for one in SUBJECTS.values() for row in one.rows}


def chosen(words: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Which rows of which subject are meant: a word is a row, a subject, or how a row begins.

    An unknown word is an error that lists what is near.
    """
    found: dict[str, set[str]] = {}
    for word in words or list(SUBJECTS):
        matched = False
        for one in SUBJECTS.values():
            for row in one.rows:
                if word in (one.name, row.name) or row.name.startswith(f"{word}-"):
                    found.setdefault(one.name, set()).add(row.name)
                    matched = True
        if not matched:
            raise KeyError(word)
    return {name: frozenset(found[name]) for name in SUBJECTS if name in found}
