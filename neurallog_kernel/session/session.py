"""The session as its users have it: one class, put together of what it offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neurallog_kernel.arguments import checked_arguments
from neurallog_kernel.pictures.explorer import explore
from neurallog_kernel.pictures.live import live
from neurallog_kernel.session.databases import SessionDatabases
from neurallog_kernel.session.explanations import SessionExplanations
from neurallog_kernel.session.exports import SessionExports
from neurallog_kernel.session.files import SessionFiles
from neurallog_kernel.session.learning import SessionLearning
from neurallog_kernel.session.probabilities import SessionProbabilities
from neurallog_kernel.session.profiles import SessionProfiles
from neurallog_kernel.session.questions import SessionQuestions
from neurallog_kernel.session.rules import SessionRules
from neurallog_kernel.session.scores import SessionScores
from neurallog_kernel.session.sources import SessionSources
from neurallog_kernel.session.tables import SessionTables

if TYPE_CHECKING:
    from neurallog_kernel.pictures.explorer.widget import Explorer
    from neurallog_kernel.pictures.live.widget import LiveNetwork


@checked_arguments
class Session(
    SessionQuestions,
    SessionTables,
    SessionDatabases,
    SessionLearning,
    SessionProbabilities,
    SessionRules,
    SessionScores,
    SessionSources,
    SessionFiles,
    SessionExplanations,
    SessionExports,
    SessionProfiles,
):
    """A live program.

    >>> s = Session()
    >>> print(s.add("parent(ann, bob). parent(bob, cid)."))
    input-1: +2 facts
    >>> print(s.add("grandparent(X, Z) :- parent(X, Y), parent(Y, Z).", source="rules"))
    rules: +1 rule
    >>> s.query("grandparent(ann, Who)").weights
    {('cid',): 1.0}
    """

    def explore(
        self, target: str | None = None, output: int | None = None, query: str | None = None
    ) -> Explorer:
        """An interactive picture of a rule or a predicate, for notebooks.

        `target` is a predicate (`p/2`) or one of its rules (`p/2:3`), by default the first that has
        rules; `output` is the open place, counted from 0; `query` is an entity or a question whose
        numbers are shown.
        """
        return explore(self, target, output, query)

    def live(self, question: str) -> LiveNetwork:
        """The living network of a question, for notebooks: layers with numbers in them that play,
        the answers, and sliders for the weights that move the first of them.

        `live(...).write_html("file.html")` writes it as a page that needs no kernel.
        """
        return live(self, question)

    def __repr__(self) -> str:
        found = self._program.definitions.values()
        facts, rules = sum(d.fact_count for d in found), sum(len(d.rules) for d in found)
        sources = len(self._program.sources)
        parts = [(sources, "source"), (facts, "fact"), (rules, "rule")]
        return f"<Session: {', '.join(f'{n:,} {noun}{_s(n)}' for n, noun in parts)}>"


def _s(number: int) -> str:
    return "" if number == 1 else "s"
