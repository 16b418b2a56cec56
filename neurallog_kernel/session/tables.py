"""Tables of a session: rows of any table as facts or as examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from neurallog_kernel.knowledge.loaded import Loaded, Progress
from neurallog_kernel.session.edits import Addition, with_addition
from neurallog_kernel.state import LiveState, State, in_turn
from neurallog_kernel.tables.loading import MappedTable, open_mapped
from neurallog_kernel.tables.mapping import TableMap, read_maps


class SessionTables(LiveState):
    """The part of a session that loads tables."""

    @in_turn
    def load_table(
        self,
        table: Any,
        pattern: str | Sequence[str] | TableMap | None = None,
        *,
        weight: str | float | None = None,
        label: str | None = None,
        set: str | None = None,
        split: str | Sequence[float] | Mapping[str, float] | None = None,
        seed: int = 0,
        negatives: int = 0,
        group: str | None = None,
        key: str | None = None,
        missing: str = "skip",
        na: Sequence[str] = (),
        source: str | None = None,
        progress: Callable[[Progress], None] | None = None,
        called: str = "the table",
        **reading: Any,
    ) -> Loaded:
        """Add the rows of a table as facts, or as examples; loading it again replaces them.

        The table is a dataframe (pandas, polars, pyarrow, ...), a list of tuples or of
        dictionaries, the path of a file (CSV, TSV, JSON lines, Parquet, RDF, ...), or a query:

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> friends = [("ann", "bob", 0.9), ("bob", "cid", 0.5), ("cid", None, 1.0)]
        >>> s.load_table(friends, "friends(a, b)", weight="w", columns=("a", "b", "w"))
        friends/2 from the table: 3 rows, 2 facts, 1 skipped
          1 row without a value in b (the first: the table, row 3)
        >>> s.query("friends(ann, X)").weights
        {('bob',): 0.9}

        **The pattern** names a predicate and columns. If none of its names is a column, the columns
        are taken in order. Several patterns, as in `["age(id, age)", "lives(id, city)"]`, take
        several facts from each row; `key="id"` is a pattern for every other column; `{rel}(a, b)`
        takes the predicate of each row from the column `rel`; a bare `friends` means all columns.
        In the last place of two, a column of numbers makes an attribute; everywhere else values
        are names of entities. `friends(a, b: entity)` and `b: number` say it otherwise.

        **The weight** is a column, or one number for all rows; a column named
        `weight` is used automatically. Rows without a value are counted and left out
        (`missing="error"` refuses them); `na` lists more texts that stand for no value.

        **Examples**: `set="train"` makes the rows examples of that set, `label` is the column of
        their labels. `split=(0.8, 0.1, 0.1)` divides them into train, validation and test by
        `seed`, each label in the same proportion; `split="column"` reads the set from a column.
        `negatives=2` draws so many false examples for each subject (local closed world).
        `group="sentence"` makes them steps of mega examples, whose ids are in that column.

        `reading` says how to read the table, where it must be said: `format`, `columns`, `header`,
        `delimiter`, `database`, `names`, `longest`. Whatever is wrong is an error that names table,
        row and column, and nothing is changed. `progress` is called after every batch of rows;
        messages call a table that is not a file as `called` says.
        """
        if isinstance(pattern, TableMap):
            mapping = pattern
        else:
            options = {
                "weight": weight,
                "label": label,
                "set": set,
                "split": split,
                "seed": seed,
                "negatives": negatives,
                "group": group,
                "key": key,
                "missing": missing,
                "na": na,
            }
            mapping = TableMap.of(pattern, options | reading)
        opened = open_mapped(table, mapping, called)
        state, loaded = self._loaded_table(self._state, opened, source, progress)
        self._adopt(state)
        return loaded

    @in_turn
    def load_tables(self, path: str | Path) -> list[Loaded]:
        """Load every table that a map file names with `file = ...`: all of them, or none. Those
        that it names with `table = ...` are attached by `attach_tables`."""
        loaded: list[Loaded] = []
        state = self._state
        for one in read_maps(path).values():
            if one.file:
                state, table = self._loaded_table(state, open_mapped(Path(one.file), one))
                loaded.append(table)
        self._adopt(state)
        return loaded

    def _loaded_table(
        self,
        state: State,
        opened: MappedTable,
        source: str | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> tuple[State, Loaded]:
        addition = Addition(source or opened.source, tables=[opened], progress=progress)
        state, change = with_addition(state, addition, self._symbols, self.strict)
        (loaded,) = change.tables
        gone = change.facts_removed + change.examples_removed
        notices = (*loaded.notices, *change.notices)
        return state, replace(loaded, replaced=gone, notices=notices, seconds=change.seconds)
