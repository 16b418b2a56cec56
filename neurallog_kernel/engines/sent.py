"""Facts of a session that are sent to a database: tables over the indexes of entities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neurallog_kernel.engines.database import unsupported
from neurallog_kernel.engines.dialects import Dialect
from neurallog_kernel.engines.keys import Keys, index_keys
from neurallog_kernel.engines.stored import columns_of, digest, names_of, table_name
from neurallog_kernel.functions import Function
from neurallog_kernel.knowledge.references import Scan, TypeRef
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.plan.exprs import Expr


@dataclass
class SentFacts(ABC):
    """What a plan reads, sent when it is first asked for; the same scan is always the same facts.
    The key of an entity is its index."""

    storage: Storage
    _tables: dict[Scan, str] = field(default_factory=dict, repr=False, kw_only=True)
    _names: dict[TypeRef, str] = field(default_factory=dict, repr=False, kw_only=True)
    _digests: dict[str, str] = field(default_factory=dict, repr=False, kw_only=True)  # by name

    @property
    @abstractmethod
    def dialect(self) -> Dialect:
        """How the database writes SQL."""

    @abstractmethod
    def _send(self, label: str, columns: Mapping[str, Any]) -> str:
        """Make a table of these columns, whatever others there are: its name, quoted."""

    @abstractmethod
    def function(self, function: Function) -> str | None:
        """How the database calls a registered Python function of entries; None if it cannot."""

    def supports(self, expr: Expr) -> str | None:
        """The first part that has no form in SQL, in words."""
        return unsupported(self, expr)

    def table(self, scan: Scan) -> str:
        """The table of a scan."""
        if scan not in self._tables:
            self._tables[scan] = self._sent(table_name(scan), columns_of(self.storage, scan))
        return self._tables[scan]

    def keys(self, ref: TypeRef) -> Keys:
        return index_keys(self.storage.size(ref))

    def key(self, ref: TypeRef, name: str) -> str | None:
        index = self.storage.index(ref, name)
        return None if index is None else f"CAST({index} AS BIGINT)"

    def names(self, ref: TypeRef) -> str:
        """A table of the names."""
        if ref not in self._names:
            names = names_of(self.storage, ref)
            self._names[ref] = self._sent("names", {"k": np.arange(len(names)), "name": names})
        return self._names[ref]

    def asking(self, ref: TypeRef, names: Sequence[str]) -> str:
        indexes = [self.storage.index(ref, name) for name in names]
        keys = np.array(sorted({i for i in indexes if i is not None}), dtype=np.int64)
        return self._sent("asking", {"q": keys})

    def _sent(self, label: str, columns: Mapping[str, Any]) -> str:
        name = self._send(label, columns)
        self._digests[name] = digest(columns.values())
        return name

    def contents(self) -> str:
        """The facts, names and questions that were sent, as one number."""
        return digest(sorted(self._digests.values()))
