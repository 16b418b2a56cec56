"""DuckDB with attached tables: scores where the facts are, the stated ones beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neurallog_kernel.engines.connections import DuckDBConnection, quoted, text_literal
from neurallog_kernel.engines.duckdb import DuckDBEngine, plainly
from neurallog_kernel.engines.keys import Keys
from neurallog_kernel.engines.reading import WHOLE
from neurallog_kernel.engines.statements import literal
from neurallog_kernel.engines.stored import columns_of, digest, stated, table_name
from neurallog_kernel.errors import TableError
from neurallog_kernel.knowledge.attached import AttachedColumn, AttachedTable, Duplicates
from neurallog_kernel.knowledge.attached_types import AttachedType
from neurallog_kernel.knowledge.references import FactForm, Scan, TypeRef

_TEXTS = re.compile(r"VARCHAR|UUID|U?HUGEINT|ENUM\(.*\)", re.DOTALL)
_SMALL = 5_000_000  # rows of a table that is read again before each part: is it still the same?


@dataclass
class AttachedEngine(DuckDBEngine):
    """Runs scores on the connection of a session. The key of an entity of an attached table is the
    value in its column: a whole number, or else a text. Nothing of the table is copied."""

    connection: DuckDBConnection | None = None
    _keys: dict[TypeRef, Keys] = field(default_factory=dict, repr=False)
    _attached: dict[AttachedTable, str] = field(default_factory=dict, repr=False)  # digests

    @property
    def address(self) -> str:
        assert self.connection is not None
        return self.connection.address

    @property
    def database(self) -> Any:
        if self._database is None:
            assert self.connection is not None
            self._database = self.connection.database.cursor()
            if self.connection.path is not None:
                self._database.execute("USE facts")
            self._database.execute("SET preserve_insertion_order = false")
        return self._database

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
        whole = all(WHOLE.fullmatch(column.kind) for column in kind.columns)
        whole = whole and all(_is_whole(name) for name in named)
        for column in kind.columns:
            self._check(column, whole)
        columns = kind.columns
        values = [f"SELECT {_key(c, whole)} AS q FROM {c.origin} t{_where(c)}" for c in columns]
        if named:
            values.append(f"SELECT q FROM {self._listed(named, whole)}")
        source = " UNION ".join(values)
        everyone = f"SELECT q FROM ({source}{'' if len(values) > 1 else ' GROUP BY 1'}) u"
        if not whole:
            return Keys(everyone, len(kind), None)
        with plainly(self.address):
            text = " UNION ALL ".join(values)
            found = self.database.execute(f"SELECT min(q), max(q) FROM ({text}) u").fetchall()
            ((low, high),) = found
        return Keys(everyone, len(kind), (low or 0, (high or 0) + 1))

    def _check(self, column: AttachedColumn, whole: bool) -> None:
        assert self.connection is not None
        reader = getattr(column.reader, "connection", None)
        if reader is not self.connection:
            raise TableError(
                f"{column.table} is in another database than the one that scores",
                hint="attach all tables from one connection",
            )
        if not whole and not WHOLE.fullmatch(column.kind) and not _TEXTS.fullmatch(column.kind):
            raise TableError(
                f"{column} is a {column.kind}, which a score cannot have as a name",
                hint="attach a view in which it is a text or a whole number",
            )

    def _listed(self, names: Sequence[str], whole: bool) -> str:
        """A table (q) of names."""
        table = self._free("entities")
        self._register("given", q=self._values(names, whole))
        self._keep(table)
        self._digests[table] = digest([list(names)])
        return table

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
        return f"CAST({int(name)} AS BIGINT)" if whole else text_literal(name)

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
            if attached is None or scan.of is not None:
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
        table = self._free(table_name(scan))
        self._register("given", **made)
        self._keep(table)
        self._digests[table] = digest(made.values())
        return table

    def _joined(self, scan: Scan, attached: AttachedTable) -> str:
        """A view of the table, without the facts that the program states, which are beside it."""
        refs = self._refs(scan)
        places = [p for p, number in enumerate(attached.numeric) if not number]
        keys = {}
        for (name, ref), place in zip(refs.items(), places, strict=True):
            keys[name] = _key(attached.column(place), self.keys(ref).numbers is not None)
        weight = literal(attached.weight) if isinstance(attached.weight, float) else ""
        weight = weight or f"CAST(t.{quoted(str(attached.weight))} AS DOUBLE)"
        numeric = [p for p, number in enumerate(attached.numeric) if number]
        numbers = [f"CAST(t.{quoted(attached.columns[p])} AS DOUBLE)" for p in numeric]
        columns = [f"{value} AS {name}" for name, value in keys.items()]
        columns += [f"{weight} AS w", *(f"{value} AS n" for value in numbers)]
        where = _where(attached.column(places[0]))
        text = f"SELECT {', '.join(columns)} FROM {attached.origin} t{where}"
        if attached.duplicates is not Duplicates.UNIQUE:
            group = [*keys, *("n" for _ in numbers)]
            columns = [*keys, f"{attached.duplicates}(w) AS w", *("n" for _ in numbers)]
            text = f"SELECT {', '.join(columns)} FROM ({text}) g GROUP BY {', '.join(group)}"
        facts = stated(self.storage, scan)
        if facts is not None:
            own = self._copied(scan, facts, named=True)
            same = " AND ".join(f"s.{name} = g.{name}" for name in keys)
            text = f"SELECT g.* FROM ({text}) g ANTI JOIN {own} s ON {same}"
            text += f" UNION ALL SELECT * FROM {own}"
        self._fingerprint(attached)
        view = self._free(table_name(scan))
        with plainly(self.address):
            self.database.execute(f"CREATE TEMP VIEW {view} AS {text}")
        self._digests[view] = attached.table
        return view

    # -- scores ---------------------------------------------------------------------------------

    def _fingerprint(self, table: AttachedTable) -> str:
        """The rows of a table as one number; of a large one read once, since that takes seconds."""
        table.reader.check(table)  # type: ignore[attr-defined]
        if table not in self._attached or table.count <= _SMALL:
            weight = [table.weight] if isinstance(table.weight, str) else []
            columns = ", ".join(f"t.{quoted(one)}" for one in (*table.columns, *weight))
            text = f"SELECT count(*), bit_xor(hash({columns})), sum(hash({columns}) % 1000003)"
            with plainly(self.address):
                found = self.database.execute(f"{text} FROM {table.origin} t").fetchall()
            self._attached[table] = f"{table.table} {table.columns} {weight} {found}"
        return self._attached[table]

    def contents(self) -> str:
        tables = [self._fingerprint(table) for table in list(self._attached)]
        return digest([*sorted(self._digests.values()), *sorted(tables)])

    def create(self, table: str, text: str, replace: bool) -> int:
        assert self.connection is not None
        with plainly(self.address):
            rows = self.database.sql(text).to_arrow_table()
        self._forget()
        return self.connection.create(table, rows, replace)

    def _forget(self) -> None:
        """Let go of the database: a file that is in use cannot be written."""
        self.database.close()
        self._database = None
        for kept in (self._tables, self._names, self._digests, self._functions, self._keys):
            kept.clear()


def _key(column: AttachedColumn, whole: bool) -> str:
    return f"CAST(t.{quoted(column.column)} AS {'BIGINT' if whole else 'VARCHAR'})"


def _where(column: AttachedColumn) -> str:
    needs = " AND ".join(f"t.{quoted(one)} IS NOT NULL" for one in column.needs)
    return f" WHERE {needs}" if needs else ""


def _is_whole(name: str) -> bool:
    return re.fullmatch(r"0|-?[1-9][0-9]{0,17}", name) is not None
