"""Parts of a text that reads an attached table: its columns, weights and rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from neurallog_kernel.engines.dialects import Dialect
from neurallog_kernel.engines.statements import literal
from neurallog_kernel.knowledge.attached import AttachedColumn, AttachedTable, Needs

_CAST = re.compile(
    r"U?(TINY|SMALL|BIG)?INT(EGER)?|DATE|TIME|TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?|BOOLEAN"
    r"|DOUBLE|FLOAT|DECIMAL\(\d+,\s?\d+\)"
)
FRACTIONS = re.compile(r"DOUBLE|FLOAT|DECIMAL\(.*\)")


@dataclass(frozen=True)
class TableText:
    """Writes about a table that the text calls `t`."""

    dialect: Dialect

    def name(self, column: str) -> str:
        return f"t.{self.dialect.quoted(column)}"

    def listed(self, columns: Iterable[str]) -> str:
        return ", ".join(map(self.name, columns))

    def text(self, column: AttachedColumn) -> str:
        """The column as a text."""
        return f"CAST({self.name(column.column)} AS {self.dialect.text})"

    def raw(self, column: AttachedColumn) -> str:
        """The column, in a form whose names are those of a table that is loaded."""
        if column.kind in ("HUGEINT", "UHUGEINT", "UUID"):
            return self.text(column)
        return self.name(column.column)

    def key(self, column: AttachedColumn, whole: bool) -> str:
        """The column as what stands for entities in a score."""
        return f"CAST({self.name(column.column)} AS BIGINT)" if whole else self.text(column)

    def number(self, column: str) -> str:
        return f"CAST({self.name(column)} AS DOUBLE)"

    def value(self, table: AttachedTable, place: int) -> str:
        if table.numeric[place]:
            return self.number(table.columns[place])
        return self.raw(table.column(place))

    def weight(self, table: AttachedTable) -> str:
        if isinstance(table.weight, str):
            return self.number(table.weight)
        return f"CAST({literal(table.weight)} AS DOUBLE)"

    def same(self, column: AttachedColumn, name: str) -> str:
        """Whether a value is what a name stands for, compared in the column's own type."""
        if column.kind == "VARCHAR":
            return f"{self.name(column.column)} = {name}"
        if _CAST.fullmatch(column.kind):
            return f"{self.name(column.column)} = TRY_CAST({name} AS {column.kind})"
        return f"{self.text(column)} = {name}"

    def same_entity(self, first: AttachedColumn, second: AttachedColumn) -> str:
        """Whether two columns may have one name: 7 and 7.0 have."""
        if first.kind == second.kind:
            return f"{self.raw(first)} = {self.raw(second)}"
        if FRACTIONS.fullmatch(first.kind) or not _CAST.fullmatch(second.kind):
            first, second = second, first
        return self.same(second, self.text(first))

    def present(self, needs: Needs) -> list[str]:
        """That columns have a value: an empty text is none, and NaN is none, as in a table that is
        loaded."""
        found = []
        for column, kind in needs:
            name = self.name(column)
            found.append(f"{name} IS NOT NULL")
            if kind == "VARCHAR" or kind.startswith("ENUM("):
                found.append(f"CAST({name} AS {self.dialect.text}) <> ''")
            elif kind in ("DOUBLE", "FLOAT"):
                found.append(f"NOT isnan({name})")
        return found

    def where(self, needs: Needs, *conditions: str) -> str:
        """The rows that have a value in some columns."""
        found = [*self.present(needs), *conditions]
        return f" WHERE {' AND '.join(found)}" if found else ""

    def selected(self, column: AttachedColumn, value: str, name: str = "k") -> str:
        """A column of the rows that are facts."""
        return f"SELECT {value} AS {name} FROM {column.origin} t{self.where(column.needs)}"

    def fingerprint(self, table: AttachedTable) -> str:
        """The statement of a few numbers that are others once a row has changed."""
        weight = [table.weight] if isinstance(table.weight, str) else []
        code = f"{self.dialect.hash}({self.listed((*table.columns, *weight))})"
        columns: Sequence[str] = ("count(*)", f"bit_xor({code})", f"sum({code} % 1000003)")
        return f"SELECT {', '.join(columns)} FROM {table.origin} t"
