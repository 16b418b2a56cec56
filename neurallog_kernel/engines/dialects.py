"""What databases write in different ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from neurallog_kernel.engines.statements import quoted


@dataclass(frozen=True)
class Dialect:
    """A way to write SQL. `hints` stand before parts that are shared, or read once."""

    name: str
    mark: str  # around a name
    text: str  # the type of a text
    hash: str  # a function of several columns
    row_numbers: bool  # whether a row of a table has a number, `rowid`
    hints: Mapping[bool, str] = field(default_factory=lambda: {True: "", False: ""})

    def quoted(self, name: str) -> str:
        return quoted(name, self.mark)

    def text_literal(self, text: str) -> str:
        """A text as SQL takes it, whatever it is made of. Spark reads a backslash in one way or
        another as it is set up, so that it is told the bytes.

        >>> DUCKDB.text_literal("it's"), SPARK.text_literal("it's")
        ("'it''s'", "CAST(X'69742773' AS STRING)")
        """
        if self.name == "spark":
            return f"CAST(X'{text.encode('utf-8', 'replace').hex()}' AS STRING)"
        return quoted(text, "'")

    def product_of_smallest(self, values: Sequence[str], count: int) -> str:
        """The product of the `count` smallest of some values."""
        listed = ", ".join(values)
        if self.name == "spark":
            best = f"slice(sort_array(array({listed})), 1, {count})"
            return f"aggregate({best}, 1e0, (t, x) -> t * x)"
        return f"list_aggregate(list_slice(list_sort([{listed}]), 1, {count}), 'product')"


_WRITTEN_AHEAD = {True: "MATERIALIZED ", False: "NOT MATERIALIZED "}
DUCKDB = Dialect("duckdb", '"', "VARCHAR", "hash", True, _WRITTEN_AHEAD)
SPARK = Dialect("spark", "`", "STRING", "xxhash64", False)
