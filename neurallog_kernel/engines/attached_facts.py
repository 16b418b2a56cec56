"""Scores where the facts are: attached tables, with the stated facts beside them."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from neurallog_kernel.engines.connections import Connection
from neurallog_kernel.engines.keys import Keys
from neurallog_kernel.engines.sent import SentFacts
from neurallog_kernel.engines.stored import columns_of, digest, stated, table_name
from neurallog_kernel.engines.table_text import TableText
from neurallog_kernel.errors import TableError
from neurallog_kernel.knowledge.attached import AttachedColumn, AttachedTable, Duplicates
from neurallog_kernel.knowledge.attached_types import AttachedType
from neurallog_kernel.knowledge.references import FactForm, Scan, TypeRef

_WHOLE = re.compile(r"U?(TINY|SMALL)INT|U?INTEGER|BIGINT")  # what a whole number of 64 bits holds
_TEXTS = re.compile(r"VARCHAR|UUID|UBIGINT|U?HUGEINT|ENUM\(.*\)", re.DOTALL)
_SMALL = 5_000_000  # rows of a table that is read again before each part: is it still the same?

C = TypeVar("C", bound=Connection)


@dataclass
class AttachedFacts(SentFacts, Generic[C]):
    """The tables that scores read, on the connection of a session. The key of an entity of an
    attached table is the value in its column: a whole number, or else a text. Nothing of the table
    is copied."""

    connection: C = field(kw_only=True)
    _keys: dict[TypeRef, Keys] = field(default_factory=dict, repr=False, kw_only=True)
    _attached: dict[AttachedTable, str] = field(default_factory=dict, repr=False, kw_only=True)

    @abstractmethod
    def _view(self, label: str, text: str) -> str:
        """A view of a statement: its name, quoted."""

    @abstractmethod
    def _first(self, text: str) -> Sequence[Any]:
        """The first row of a statement."""

    @property
    def _text(self) -> TableText:
        return TableText(self.dialect)

    # -- keys -----------------------------------------------------------------------------------

    def _type(self, ref: TypeRef) -> AttachedType | None:
        found = self.storage.entities(ref)
        return found if isinstance(found, AttachedType) else None

    def keys(self, ref: TypeRef) -> Keys:
        kind = self._type(ref)
        if kind is None:
            return super().keys(ref)
        if ref not in self._keys:
            self._keys[ref] = self._column_keys(kind)
        return self._keys[ref]

    def _column_keys(self, kind: AttachedType) -> Keys:
        named = self.storage.symbols.names(kind.listed.tolist())
        whole = all(_WHOLE.fullmatch(column.kind) for column in kind.columns)
        whole = whole and all(_is_whole(name) for name in named)
        for column in kind.columns:
            self._check(column, whole)
        text = self._text
        values = [text.selected(one, text.key(one, whole), "q") for one in kind.columns]
        if named:
            values.append(f"SELECT q FROM {self._listed(named, whole)}")
        source = " UNION ".join(values)
        source = f"SELECT q FROM ({source}{'' if len(values) > 1 else ' GROUP BY 1'}) u"
        # a view: a statement with a part of the same name as a table would read that part
        everyone = f"SELECT q FROM {self._seen('entities', source, str(kind.columns))}"
        if not whole:
            return Keys(everyone, len(kind), None)
        low, high = self._first(f"SELECT min(q), max(q) FROM ({' UNION ALL '.join(values)}) u")
        return Keys(everyone, len(kind), (low or 0, (high or 0) + 1))

    def _check(self, column: AttachedColumn, whole: bool) -> None:
        reader = getattr(column.reader, "connection", None)
        if reader is not self.connection:
            raise TableError(
                f"{column.table} is not in the database that computes the score",
                hint="attach all tables from one connection",
            )
        column.reader.check(column)
        if not whole and not _WHOLE.fullmatch(column.kind) and not _TEXTS.fullmatch(column.kind):
            raise TableError(
                f"{column} is a {column.kind}, and a score cannot use that as a name",
                hint="attach a view in which it is a text or a whole number",
            )

    def _listed(self, names: Sequence[str], whole: bool) -> str:
        """A table (q) of names."""
        return self._sent("entities", {"q": self._values(names, whole)})

    def _values(self, names: Sequence[str], whole: bool) -> Any:
        if whole:
            return np.array([int(name) for name in names], dtype=np.int64)
        return [name.encode("utf-8", "replace").decode() for name in names]

    def key(self, ref: TypeRef, name: str) -> str | None:
        if self._type(ref) is None:
            return super().key(ref, name)
        if self.storage.index(ref, name) is None:
            return None
        whole = self.keys(ref).numbers is not None
        return f"CAST({int(name)} AS BIGINT)" if whole else self.dialect.text_literal(name)

    def names(self, ref: TypeRef) -> str:
        return super().names(ref) if self._type(ref) is None else ""

    def asking(self, ref: TypeRef, names: Sequence[str]) -> str:
        if self._type(ref) is None:
            return super().asking(ref, names)
        whole = self.keys(ref).numbers is not None
        known = [n for n in dict.fromkeys(names) if self.storage.index(ref, n) is not None]
        return self._listed(known, whole)

    # -- facts ----------------------------------------------------------------------------------

    def table(self, scan: Scan) -> str:
        if scan not in self._tables:
            attached = self.storage.program.definition(scan.signature).attached
            wide = scan.signature[1] > 2  # its rows are numbered here, and the table is read whole
            if attached is None or scan.of is not None or wide:
                self._tables[scan] = self._copied(scan, columns_of(self.storage, scan))
            else:
                self._tables[scan] = self._joined(scan, attached)
        return self._tables[scan]

    def _refs(self, scan: Scan) -> dict[str, TypeRef]:
        """The types of the columns that hold entities."""
        program = self.storage.program
        if scan.of is not None:
            rows = program.rows_ref(scan.of)
            if scan.form is FactForm.VECTOR:
                return {"e": rows}
            return {"a": rows, "b": program.type_ref((*scan.of, scan.places[0]))}
        if scan.form is FactForm.VECTOR and scan.signature[1] > 2:
            return {"e": program.rows_ref(scan.signature)}
        if scan.form is FactForm.VECTOR:
            place = program.numeric(scan.signature).index(False)
            return {"e": program.type_ref((*scan.signature, place))}
        return {n: program.type_ref((*scan.signature, p)) for p, n in enumerate("ab")}

    def _copied(self, scan: Scan, columns: Mapping[str, Any], named: bool = False) -> str:
        """Facts of the program, with names in place of indexes where names are the keys."""
        made: dict[str, Any] = dict(columns)
        for column, ref in self._refs(scan).items():
            kind = self._type(ref)
            if kind is None:
                continue
            names = made[column]
            if not named:
                symbols = kind.symbols_at(np.asarray(made[column]))
                names = self.storage.symbols.names(symbols.tolist())
            made[column] = self._values(names, self.keys(ref).numbers is not None)
        return self._sent(table_name(scan), made)

    def _joined(self, scan: Scan, attached: AttachedTable) -> str:
        """A view of the table, without the facts that the program states, which are beside it."""
        refs, text = self._refs(scan), self._text
        places = [p for p, number in enumerate(attached.numeric) if not number]
        keys = {}
        for (name, ref), place in zip(refs.items(), places, strict=True):
            keys[name] = text.key(attached.column(place), self.keys(ref).numbers is not None)
        numbers = [
            text.number(c) for c, n in zip(attached.columns, attached.numeric, strict=True) if n
        ]
        columns = [f"{value} AS {name}" for name, value in keys.items()]
        columns += [f"{text.weight(attached)} AS w", *(f"{value} AS n" for value in numbers)]
        found = f"SELECT {', '.join(columns)} FROM {attached.origin} t{text.where(attached.needs)}"
        if attached.duplicates is not Duplicates.UNIQUE:
            group = [*keys, *("n" for _ in numbers)]
            columns = [*keys, f"{attached.duplicates}(w) AS w", *("n" for _ in numbers)]
            found = f"SELECT {', '.join(columns)} FROM ({found}) g GROUP BY {', '.join(group)}"
        facts = stated(self.storage, scan)
        if facts is not None:
            own = self._copied(scan, facts, named=True)
            same = " AND ".join(f"s.{name} = g.{name}" for name in keys)
            found = f"SELECT g.* FROM ({found}) g ANTI JOIN {own} s ON {same}"
            found += f" UNION ALL SELECT * FROM {own}"
        attached.reader.check(attached)
        self._attached.setdefault(attached, "")
        return self._seen(table_name(scan), found, attached.table)

    def _seen(self, label: str, text: str, contents: str) -> str:
        view = self._view(label, text)
        self._digests[view] = contents
        return view

    # -- scores ---------------------------------------------------------------------------------

    def _fingerprint(self, table: AttachedTable) -> str:
        """The rows of a table as one number; of a large one read once, since that takes seconds."""
        table.reader.check(table)
        if not self._attached[table] or table.count <= _SMALL:
            found = self._first(self._text.fingerprint(table))
            self._attached[table] = f"{table.table} {table.columns} {table.weight} {list(found)}"
        return self._attached[table]

    def contents(self) -> str:
        tables = [self._fingerprint(table) for table in list(self._attached)]
        return digest([*sorted(self._digests.values()), *sorted(tables)])


def _is_whole(name: str) -> bool:
    return re.fullmatch(r"0|-?[1-9][0-9]{0,17}", name) is not None
