"""One change of a program, as every step of the update is given it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from neurallog_kernel.errors import Notice
from neurallog_kernel.functions import Registry
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.sources import SourceContents
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language.syntax import Rule


@dataclass(frozen=True, eq=False)
class Edit:
    """The old program, which nothing touches, and what its sources and functions are to be. The
    steps put their notices here."""

    old: Program
    sources: dict[str, SourceContents]
    added: SourceContents | None
    symbols: SymbolTable
    strict: bool
    registry: Registry
    notices: list[Notice] = field(default_factory=list)

    @cached_property
    def version(self) -> int:
        """Of the program that the change makes."""
        return next(self.old.versions)

    @cached_property
    def removed(self) -> SourceContents | None:
        """The source that goes, or is replaced."""
        for source, contents in self.old.sources.items():
            if self.sources.get(source) is not contents:
                return contents
        return None

    @property
    def changed_sources(self) -> tuple[SourceContents, ...]:
        """What goes and what comes."""
        return tuple(contents for contents in (self.removed, self.added) if contents is not None)

    def wrote(self, rule: Rule) -> bool:
        """Whether the source that is added wrote the rule: its notices are given, again if need
        be."""
        span = rule.span
        return self.added is not None and span is not None and span.source == self.added.source
