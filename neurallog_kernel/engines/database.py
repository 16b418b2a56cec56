"""What the compiler asks of a database: tables, keys, names and functions."""

from __future__ import annotations

from typing import Protocol

from neurallog_kernel.engines.dialects import Dialect
from neurallog_kernel.engines.keys import Keys
from neurallog_kernel.functions import Function, FunctionKind
from neurallog_kernel.functions.top import top_named
from neurallog_kernel.knowledge.references import Scan, TypeRef
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.plan.exprs import Aggregate, Apply, Expr, everything


class Database(Protocol):
    """Where the facts are, and which functions the database has learned."""

    @property
    def storage(self) -> Storage: ...

    @property
    def dialect(self) -> Dialect: ...

    def table(self, scan: Scan) -> str:
        """The table of a scan, as SQL names it: with columns (a, b, w) of a matrix, (e, w) of a
        vector, (e, w, n) of an attribute."""
        ...

    def keys(self, ref: TypeRef) -> Keys:
        """What stands for the entities of a type."""
        ...

    def names(self, ref: TypeRef) -> str:
        """A table (k, name) of the names of a type; empty where the key is the name."""
        ...

    def key(self, ref: TypeRef, name: str) -> str | None:
        """The key of an entity, as SQL writes it; None if it is not of that type."""
        ...

    def function(self, function: Function) -> str | None:
        """How the database calls a registered Python function of entries; None if it cannot."""
        ...


def unsupported(database: Database, root: Expr) -> str | None:
    """The first part of a plan that has no form in SQL."""
    for node in everything([root]):
        if isinstance(node, Apply | Aggregate) and not _has_sql(database, node):
            return f"the function {node.function.name}: it has no form in SQL"
    return None


def _has_sql(database: Database, node: Apply | Aggregate) -> bool:
    function = node.function
    if function.sql is not None:
        return True
    if function.kind is not FunctionKind.ELEMENTWISE:
        return False
    return is_top(function) or database.function(function) is not None


def is_top(function: Function) -> bool:
    """Whether it is the noisy-or of the best parts."""
    top = top_named(function.name)
    return top is not None and top.of(function.inputs) is function
