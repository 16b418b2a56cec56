"""What a score asks of a database: tables of facts, and statements that are run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from neurallog_kernel.engines.database import Database
from neurallog_kernel.engines.statements import SqlStatement
from neurallog_kernel.knowledge.references import TypeRef
from neurallog_kernel.plan.exprs import Expr


class Runner(Database, Protocol):
    """A database that computes scores."""

    @property
    def address(self) -> str:
        """Where it is, without any password."""
        ...

    def supports(self, expr: Expr) -> str | None:
        """The first part of a plan that it cannot do."""
        ...

    def asking(self, ref: TypeRef, names: Sequence[str]) -> str:
        """A table (q) of these entities of a type."""
        ...

    def counts(self, text: str) -> Mapping[str, float]:
        """The rows (name, n) of a statement."""
        ...

    def kept(
        self, statement: SqlStatement, roots: Sequence[str], several: bool
    ) -> AbstractContextManager[Mapping[str, str]]:
        """Inside, parts that would be computed again and again are tables: what those are called.
        `several`: statements that differ in the questions alone will follow."""
        ...

    def batches(self, text: str) -> Iterator[Any]:
        """The rows of a statement as Arrow batches, a few at a time."""
        ...

    def create(self, table: str, text: str, replace: bool) -> int:
        """Write the rows of a statement into a new table, whole or not at all: how many."""
        ...

    def contents(self) -> str:
        """Something that is another if the facts that were read have changed."""
        ...


def worth_keeping(statement: SqlStatement, roots: Sequence[str], several: bool) -> list[str]:
    """Parts that no question changes, read by some that questions do: they are the same for every
    part of the questions."""
    if not several:
        return []
    asked = [part for part in statement.needed(roots) if part.asked]
    read = {name for part in asked for name in part.reads}
    found = [part for part in statement.needed(roots) if part.name in read]
    return [part.name for part in found if not part.asked and not part.plain]
