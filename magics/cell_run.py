"""One run of a cell: all of its clauses and first answers, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from neurallog_kernel import Answers, Change, Notice, Span, TableMap, did_you_mean
from neurallog_kernel.commands import untrained_note
from neurallog_magics.cell_text import CellText
from neurallog_magics.context import NotebookContext
from neurallog_magics.display.notes import change_note, notices_note, table_notes
from neurallog_magics.state import Live


@dataclass(frozen=True)
class CellSource:
    """What a cell gives to the session, under which name, and who will own it."""

    program: str
    source: str
    owner: str | None
    example_set: str | None
    tables: tuple[tuple[Any, TableMap, str], ...] = ()


@dataclass
class CellRun:
    """Takes in the clauses, answers the queries and runs the command lines, in order.

    An error before the first command takes everything back. A command (a training, say) is not
    taken back by an error after it.
    """

    context: NotebookContext
    cell: CellText
    run_line: Callable[[str], Any]

    def __post_init__(self) -> None:
        self.live = self.context.live

    def go(self, given: CellSource) -> Any:
        """The result of the last item; the earlier ones are displayed."""
        owners = dict(self.live.owners)
        retracted: list[tuple[Live, Change]] = []
        version = self.live.session.version
        try:
            retracted = self.context.cells.give_up_others(self.live, given.source, given.owner)
            version = self.live.session.version
            change = self.live.session.add(
                given.program, given.source, given.example_set, given.tables
            )
            if given.owner is not None:
                self.live.owners[given.source] = given.owner
            items = list(self._items(change))
            leading = self._leading_answers(items)
        except BaseException:
            if self.live.session.version != version:  # an interrupt may come at any moment
                self.live.session.undo()
            for live, _ in reversed(retracted):
                live.undo()
            self.live.owners = owners
            raise
        self._remember(owners, retracted, self.live.session.version != version)
        self._say([*self.context.cells.take_pending(), *(c for _, c in retracted), change])
        return self._results(items, leading)

    def _remember(
        self, owners: dict[str, str], retracted: list[tuple[Live, Change]], changed: bool
    ) -> None:
        """One action for what the cell did to its session; a cell that only asks did nothing."""
        here = sum(live is self.live for live, _ in retracted)
        if here:
            del self.live.actions[-here:]
        if here or changed:
            self.live.done(here + changed, owners)

    def _items(self, change: Change) -> Iterator[Any]:
        """Queries and command lines in the order of the text."""
        queries = [((q.span.line, q.span.column), q) for q in change.queries if q.span]
        commands = [((line, 0), text) for line, text in self.cell.commands]
        for _, item in sorted([*queries, *commands], key=lambda pair: pair[0]):
            yield item

    def _leading_answers(self, items: list[Any]) -> list[Answers]:
        """Answers to the queries before the first command."""
        answers = []
        for item in items:
            if isinstance(item, str):
                break
            answers.append(self.live.session.query(item))
        return answers

    def _results(self, items: list[Any], leading: list[Answers]) -> Any:
        result = None
        for place, item in enumerate(items):
            self.context.show(result)
            if isinstance(item, str):
                result = self.run_line(item)
                continue
            ready = place < len(leading)
            result = leading[place] if ready else self.live.session.query(item)
            self._untrained(result)
            name = self.cell.assigned.get((item.span.line, item.span.column))
            if name is not None:
                self.context.user_ns[name], result = result, None
        return result

    def _say(self, changes: list[Change]) -> None:
        tables = [table for change in changes for table in change.tables]
        note = change_note(changes, [said for table in tables for said in table_notes(table)])
        notices = [notice for change in changes for notice in change.notices]
        notices += [notice for table in tables for notice in table.notices]
        notices += self._remarks(changes[-1], {notice.span for notice in notices})
        notices += self._misspelt(changes[-1])
        notices += self._unread()
        nothing = self.context.settings.quiet or note.line.startswith("nothing changed")
        if note.details or not nothing:
            self.context.show(note)
        self.context.show(notices_note(notices, self.context.relabel))

    def _misspelt(self, change: Change) -> list[Notice]:
        """Examples of a predicate that nothing else is said of, and that looks like another."""
        if not change.examples_added:
            return []
        known = self.live.session.predicates()
        given = [one.name for one in known if one.facts or one.rules or one.learned]
        alone = [one.name for one in known if one.examples and one.name not in given]
        near = {name: did_you_mean(name, given) for name in alone}
        said = "has examples, but no fact and no rule"
        return [
            Notice("unknown_predicate", f"{name} {said}", hint=hint)
            for name, hint in near.items()
            if hint
        ]

    def _unread(self) -> list[Notice]:
        """Comments that are probably meant as commands."""
        return [
            Notice(
                "command_as_comment",
                f"line {line}: %{text} is a comment",
                hint=f"write %neurallog {text}",
            )
            for line, text in self.cell.unread
        ]

    def _untrained(self, answers: Answers) -> None:
        """A 0 that training would change says so."""
        self.context.show(untrained_note(self.live.session, answers))

    def _remarks(self, change: Change, said: set[Span | None]) -> list[Notice]:
        """What the program check says of the rules that the cell has just added."""
        if not self.context.settings.remarks or not change.rules_added:
            return []
        found = self.live.session.check(change.source, quick=True).important
        return [finding for finding in found if finding.span not in said]
