"""From the text of a ground question to its explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from neurallog_kernel.errors import QueryError
from neurallog_kernel.evaluate.executor import Executor
from neurallog_kernel.evaluate.questions import Questions
from neurallog_kernel.explain.explainer import Explainer
from neurallog_kernel.explain.explanation import Explanation
from neurallog_kernel.explain.frames import Inputs
from neurallog_kernel.explain.lookup import Facts
from neurallog_kernel.explain.parts import Part
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.language import parse_query
from neurallog_kernel.language.printer import format_literal
from neurallog_kernel.language.syntax import Constant, Literal, Variable
from neurallog_kernel.plan.build import Planner

BEST = 5


@dataclass
class Asked:
    """One state of a program, and questions about it."""

    program: Program
    planner: Planner
    executor: Executor

    @property
    def questions(self) -> Questions:
        return Questions(self.program, self.planner, self.executor)

    def ground(self, text: str) -> Literal:
        """The question; one with open places means its best answer."""
        atom = parse_query(text)
        if not any(isinstance(term, Variable) for term in atom.terms):
            return atom
        answers = self.questions.answer(atom, 1)
        if not len(answers) or self.program.role(atom.signature) is not Role.RELATION:
            raise QueryError(
                f"{format_literal(atom)} has no answer to explain",
                atom.span,
                "name the entities, as in p(a, b), to see why it is 0",
            )
        names = iter(answers[0][0])
        found: dict[str, str] = {}
        terms = []
        for term in atom.terms:
            if isinstance(term, Variable):
                if term.name not in found:
                    found[term.name] = next(names)
                term = Constant(found[term.name])
            terms.append(term)
        return replace(atom, terms=tuple(terms))

    def weight(self, atom: Literal) -> float:
        return self.questions.answer(atom).weight

    def indexes(self, atom: Literal) -> list[int]:
        """Where the entities of a ground question stand in their types."""
        return [self.questions._index(atom, place) for place in range(atom.arity)]

    def part(self, atom: Literal, best: int) -> Part:
        """The tree of a ground question."""
        role, signature = self.program.role(atom.signature), atom.signature
        if role is not Role.RELATION:
            return Part("fact", format_literal(atom), self.weight(atom))
        self.weight(atom)  # refuses unknown predicates and entities, as a query does
        facts = Facts(self.program, self.planner.symbols)
        explainer = Explainer(self.program, self.planner, self.executor, facts)
        if not atom.arity:
            return explainer.proposition(signature, (), best)
        *given, last = self.indexes(atom)
        if atom.arity == 1:
            return explainer.concept(signature, last, (), best)
        rows = {}
        for place, index in enumerate(given):
            size = len(self.program.entity_type((*signature, place)))
            rows.update(Inputs.one(place, size, index).rows)
        return explainer.literal(signature, atom.arity - 1, Inputs(rows), last, (), best)


def explain(
    asked: Asked,
    text: str,
    best: int = BEST,
    changed: Asked | None = None,
    without: Sequence[str] = (),
) -> Explanation:
    """Why a ground question has its weight; with `changed`, in that state of the program."""
    atom = asked.ground(text)
    query = format_literal(atom)
    if changed is None:
        return Explanation(query, asked.part(atom, best))
    return Explanation(query, changed.part(atom, best), tuple(without), asked.weight(atom))
