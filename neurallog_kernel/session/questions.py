"""Questions to a session, and what it holds: predicates, rules, examples, plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neurallog_kernel.answers import Answers
from neurallog_kernel.arguments import Count
from neurallog_kernel.depth import deep
from neurallog_kernel.errors import NeuralLogError, QueryError
from neurallog_kernel.evaluate.cost import Cost, cost
from neurallog_kernel.evaluate.ensembles import mean_answers
from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.evaluate.questions import Questions
from neurallog_kernel.evaluate.ranking import Rankings, rank
from neurallog_kernel.evaluate.rule_view import RuleView
from neurallog_kernel.knowledge import describe
from neurallog_kernel.knowledge.calibrated import calibrated
from neurallog_kernel.knowledge.example_sets import set_sizes
from neurallog_kernel.knowledge.learned import members_of
from neurallog_kernel.knowledge.listing import listing
from neurallog_kernel.language import parse_query
from neurallog_kernel.language.syntax import Query
from neurallog_kernel.plan.show import show_layer
from neurallog_kernel.state import LiveState, in_turn


class SessionQuestions(LiveState):
    """The part of a session that answers, and says what it holds."""

    @deep
    @in_turn
    def query(self, text: str | Query, top: Count | None = None) -> Answers:
        """Ask, in text or with one of the queries of a `Change`; `top` keeps the best answers."""
        asked = text if isinstance(text, Query) else None
        try:
            atom = asked.atom if asked else parse_query(str(text))
            evaluator = self._evaluator
            chance = calibrated(self._program.parameters, atom.signature)
            if evaluator.members:
                found = mean_answers([Questions(m).answer(atom) for m in evaluator.members], top)
            else:
                found = Questions(evaluator).answer(atom, top)
            return found if chance is None else found.calibrated(chance)
        except NeuralLogError as error:
            if asked is None and (error.span is None or error.span.source == "query"):
                error.with_text(str(text))
            elif error.span is not None and error.span.source in self._texts:
                error.with_text(self._texts[error.span.source])
            raise error from None

    @deep
    @in_turn
    def rank(
        self,
        predicate: str,
        entities: Sequence[str] | None = None,
        top: Count | None = 10,
        inverse: bool = False,
    ) -> Rankings:
        """The best answers of many questions in one pass: `p(e, Y)` for each entity (by default
        every one that can stand there), or with `inverse` `p(X, e)`.

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> added = s.add("0.5::likes(ann, tea). likes(ann, jam). likes(bob, jam).")
        >>> s.rank("likes/2")
        likes/2: 2 questions, 3 answers
          ann: jam 1, tea 0.5
          bob: jam 1
        >>> s.rank("likes/2", inverse=True)["jam"]
        {('ann',): 1.0, ('bob',): 1.0}
        """
        chosen = describe.named(self._program, predicate)
        if len(chosen) != 1:
            known = ", ".join(f"{name}/{arity}" for name, arity in chosen)
            raise QueryError(f"{predicate} names several predicates", hint=f"one of {known}")
        return rank(self._evaluator, chosen[0], entities, top, 0 if inverse else 1)

    @in_turn
    def program(self) -> str:
        """The text of the live program; adding it to a new session gives the same answers. Of an
        ensemble it has the weights of the first member, and says so: `save` keeps all members."""
        text = listing(self._program, self._symbols)
        number = len(members_of(self._program))
        if not number:
            return text
        return (
            f"% An ensemble of {number} members answers in this session, with their mean.\n"
            "% A text has one weight for each fact: these are the weights of the first member.\n"
            f"% save() keeps all.\n{text}"
        )

    @in_turn
    def predicates(self) -> tuple[describe.PredicateStatus, ...]:
        """What the session holds of each predicate."""
        return describe.predicate_statuses(self._program)

    @in_turn
    def rules(self, predicate: str | None = None) -> list[RuleView]:
        """The rules of a predicate (`"p/2"`, or `"p"` for every arity), or all rules."""
        chosen = describe.named(self._program, predicate)
        return [
            RuleView(rule, None, self._evaluator)
            for signature in chosen
            for rule in self._program.definition(signature).rules
        ]

    def examples(self) -> Iterator[describe.ExampleStatus]:
        """The examples of all sets, source by source."""
        return describe.examples(self._program, self._symbols)

    def untrained(self, query: str) -> list[str]:
        """The learned predicates that a question rests on and that have no weight before training.

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> _ = s.add("learn(w). p(a, b). q(X, Y) :- p(X, Y), w(k).")
        >>> s.query("q(a, b)").weight, s.untrained("q(a, b)")
        (0.0, ['w/1'])
        """
        program, found = self._program, []
        waiting, seen = [parse_query(query).signature], set()
        while waiting:
            signature = waiting.pop()
            if signature in seen:
                continue
            seen.add(signature)
            definition = program.definition(signature)
            if signature in program.learnables and not definition.fact_count:
                found.append(f"{signature[0]}/{signature[1]}")
            waiting += [literal.signature for rule in definition.rules for literal in rule.body]
        return sorted(found)

    def example_sets(self) -> dict[str, int]:
        """The names of the sets of examples, each with the number of its examples."""
        return set_sizes(self._program)

    def settings(self) -> dict[str, str]:
        """The parameters that the program sets for all predicates."""
        return describe.settings(self._program)

    @in_turn
    def constants(
        self, prefix: str = "", limit: Count = 100, place: tuple[str, int] | None = None
    ) -> list[str]:
        """Entities that begin so; first those of a place, such as `("parent", 0)`."""
        return describe.constants(self._program, self._symbols, prefix, limit, place)

    @deep
    @in_turn
    def plan(self, predicate: str, output: int | None = None) -> str:
        """What is computed for a predicate, as text; `output` is the open place (0 the first)."""
        signature = describe.one_named(self._program, predicate)
        return show_layer(self._evaluator.layer(signature, output))

    @deep
    @in_turn
    def cost(self, predicate: str, output: int | None = None) -> Cost:
        """About what a question of a predicate goes through, without asking it.

        >>> from neurallog_kernel import Session
        >>> session = Session()
        >>> change = session.add("parent(ann, bob). parent(bob, cid). old(X, Y) :- parent(X, Y).")
        >>> print(session.cost("old/2"))
        about 2 entries a question
        """
        signature = describe.one_named(self._program, predicate)
        return cost(self._evaluator.layer(signature, output).result, self._evaluator.storage)

    @in_turn
    def inspect(self) -> Inspector:
        """Predicates, facts, types and the numbers inside rules, as plain data."""
        return Inspector(self._evaluator)
