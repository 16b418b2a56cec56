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
    hints: Mapping[bool, str] = field(default_factory=lambda: {True: "", False: ""})

    def quoted(self, name: str) -> str:
        return quoted(name, self.mark)

    def product_of_smallest(self, values: Sequence[str], count: int) -> str:
        """The product of the `count` smallest of some values."""
        listed = ", ".join(values)
        if self.name == "spark":
            best = f"slice(sort_array(array({listed})), 1, {count})"
            return f"aggregate({best}, 1e0, (t, x) -> t * x)"
        return f"list_aggregate(list_slice(list_sort([{listed}]), 1, {count}), 'product')"


DUCKDB = Dialect("duckdb", '"', "VARCHAR", {True: "MATERIALIZED ", False: "NOT MATERIALIZED "})
SPARK = Dialect("spark", "`", "STRING")
