"""Rules of a session that are learned: a search, and a table that a human decides about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neurallog_kernel.arguments import Count, some_texts
from neurallog_kernel.depth import deep
from neurallog_kernel.errors import ParameterError, did_you_mean
from neurallog_kernel.paths import path_of
from neurallog_kernel.session.sources import SessionSources
from neurallog_kernel.state import in_turn

if TYPE_CHECKING:
    from neurallog_kernel.induction.candidates import Snapshot
    from neurallog_kernel.induction.table import RuleTable
    from neurallog_kernel.knowledge.changes import Change


class SessionRules(SessionSources):
    """The part of a session that looks for rules."""

    @deep
    def learn_rules(
        self,
        *heads: str,
        progress: Callable[[Snapshot], None] | None = None,
        **options: Any,
    ) -> RuleTable:
        """Search for rules that explain the facts (or the examples) of some predicates.

        Options are those of `LearnOptions`: `budget` in seconds, `length` of the bodies, `bodies`,
        `constants`, `metarules`, `min_support`, `held_out`, `seed`, ... Nothing enters the program
        until rows are accepted, and an interrupt keeps the best so far.

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> added = s.add("parent(a, b). parent(b, c). parent(c, d). parent(d, e)."
        ...               "grandparent(a, c). grandparent(b, d). grandparent(c, e).")
        >>> table = s.learn_rules("grandparent/2", length=2)
        >>> table[1].text, table[1].right, table[1].fires
        ('grandparent(X, Y) :- parent(X, A), parent(A, Y).', 3, 3)
        >>> print(table.accept([1]))
        learned grandparent/2: +1 rule, +1 directive
        >>> undone = s.undo()
        """
        return self.rule_table(*heads, **options).search(progress=progress)

    def load_rules(self, path: str | Path, least: Count = 2, source: str | None = None) -> Change:
        """Add the rules of a file of AnyBURL, PyClause or AMIE that were right at least so often,
        weighted for noisy-or by their counts."""
        from neurallog_kernel.induction.rule_files import read_rules

        found = read_rules(path_of(path))
        return self.add(found.text(least), source or found.name)

    @in_turn
    def rule_table(self, *heads: str, **options: Any) -> RuleTable:
        """The table of `learn_rules` before its search has begun: `search` begins it."""
        from neurallog_kernel.induction.options import LearnOptions
        from neurallog_kernel.induction.table import RuleTable

        known = [field.name for field in fields(LearnOptions)]
        for name in options:
            if name not in known:
                hint = did_you_mean(name, known) or f"there are: {', '.join(known)}"
                raise ParameterError(f"learn_rules has no option {name}", hint=hint)
        more = options.pop("heads", ())
        some_texts("heads", more)
        named = (*heads, *more)
        chosen = LearnOptions(heads=named, **options)
        return RuleTable(chosen, self._evaluator, self.add, lambda: self.version)
