"""The parts of one SQL statement: named SELECTs, in the order in which they read each other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isinf, isnan


@dataclass(frozen=True, slots=True)
class SqlPart:
    """A SELECT with a name. `asked`: its rows depend on the questions; `plain`: it copies a table,
    so that computing it again costs nothing."""

    name: str
    text: str
    reads: tuple[str, ...]
    asked: bool
    plain: bool


@dataclass
class SqlStatement:
    """Parts by name. What reads a part comes after it."""

    parts: dict[str, SqlPart] = field(default_factory=dict)

    def add(
        self,
        label: str,
        text: str,
        reads: Iterable[str] = (),
        asked: bool = False,
        plain: bool = False,
    ) -> str:
        """A new part; its name says what it is of."""
        read = tuple(name for name in reads if name in self.parts)
        name = f"{re.sub(r'[^a-z0-9_]', '_', label.lower())}_{len(self.parts)}"
        asked = asked or any(self.parts[one].asked for one in read)
        self.parts[name] = SqlPart(name, text, read, asked, plain)
        return name

    def needed(self, roots: Iterable[str], known: Iterable[str] = ()) -> list[SqlPart]:
        """What some parts read, directly or through others, without what is already `known`."""
        found: set[str] = set()
        done = set(known)
        stack = [name for name in roots if name in self.parts]
        while stack:
            name = stack.pop()
            if name not in found and name not in done:
                found.add(name)
                stack += self.parts[name].reads
        return [part for name, part in self.parts.items() if name in found]

    def uses(self, roots: Iterable[str]) -> Counter[str]:
        """How often each part is read on the way to some parts."""
        roots = list(roots)
        counted = Counter(roots)
        for part in self.needed(roots):
            counted.update(part.reads)
        return counted

    def shared(self, roots: Iterable[str]) -> list[SqlPart]:
        """The parts that are read several times and are worth computing once."""
        roots = list(roots)
        uses = self.uses(roots)
        return [part for part in self.needed(roots) if uses[part.name] > 1 and not part.plain]

    def text(
        self,
        last: str,
        roots: Iterable[str],
        known: Mapping[str, str] | None = None,
        hints: Mapping[bool, str] | None = None,
    ) -> str:
        """The statement that ends with `last`, which reads `roots`; parts that are `known` are
        tables already, whose names are given. `hints` are what a dialect writes before a part that
        is shared (True) or read once (False)."""
        roots, known = list(roots), known or {}
        parts = self.needed(roots, known)
        read = {*roots, *(name for part in parts for name in part.reads)}
        shared = {part.name for part in self.shared(roots)}
        said = hints or {True: "", False: ""}
        texts = {name: f"SELECT * FROM {table}" for name, table in known.items() if name in read}
        lines = [f"{name} AS {said[False]}({text})" for name, text in texts.items()]
        lines += [f"{part.name} AS {said[part.name in shared]}({part.text})" for part in parts]
        return "WITH " + ",\n".join(lines) + f"\n{last}" if lines else last


@dataclass
class Select:
    """One SELECT while it is written: what it reads and joins."""

    source: str = ""
    reads: list[str] = field(default_factory=list)
    joins: list[str] = field(default_factory=list)
    where: list[str] = field(default_factory=list)

    def read(self, name: str, alias: str) -> str:
        """A part under a short name."""
        self.reads.append(name)
        return f"{name} {alias}"

    def start(self, name: str, alias: str) -> Select:
        self.source = self.read(name, alias)
        return self

    def join(self, kind: str, name: str, alias: str, on: str = "") -> Select:
        how = f" {kind} JOIN" if kind else " JOIN"
        self.joins.append(f"{how} {self.read(name, alias)}" + (f" ON {on}" if on else ""))
        return self

    def text(self, columns: Sequence[str], group: str = "") -> str:
        found = f"SELECT {', '.join(columns)}"
        if self.source:
            found += f" FROM {self.source}{''.join(self.joins)}"
        if self.where:
            found += f" WHERE {' AND '.join(self.where)}"
        return found + (f" GROUP BY {group}" if group else "")


def literal(value: float) -> str:
    """A number of 64 bits, exactly, in a form that every dialect reads as such."""
    if isnan(value) or isinf(value):
        name = "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return f"CAST('{name}' AS DOUBLE)"
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def quoted(name: str, mark: str = '"') -> str:
    """A name as SQL takes it, whatever it is made of.

    >>> quoted('a "b"; DROP TABLE c')
    '"a ""b""; DROP TABLE c"'
    """
    return f"{mark}{name.replace(mark, mark * 2)}{mark}"
