"""From the text of a ground question to its explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from neurallog_kernel.errors import QueryError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.questions import Questions
from neurallog_kernel.explain.explainer import Explainer
from neurallog_kernel.explain.explanation import Explanation
from neurallog_kernel.explain.parts import Part
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.language import parse_query
from neurallog_kernel.language.printer import format_literal
from neurallog_kernel.language.syntax import Constant, Literal, Variable

BEST = 5


def ground(evaluator: Evaluator, text: str) -> Literal:
    """The question; one with open places means its best answer."""
    atom = parse_query(text)
    if not any(isinstance(term, Variable) for term in atom.terms):
        return atom
    answers = Questions(evaluator).answer(atom, 1)
    if not len(answers) or evaluator.program.role(atom.signature) is not Role.RELATION:
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


def weight(evaluator: Evaluator, atom: Literal) -> float:
    """The answer to a ground question."""
    return Questions(evaluator).answer(atom).weight


def indexes(evaluator: Evaluator, atom: Literal) -> list[int]:
    """Where the entities of a ground question stand in their types."""
    questions = Questions(evaluator)
    return [questions.index(atom, place) for place in range(atom.arity)]


def part(evaluator: Evaluator, atom: Literal, best: int) -> Part:
    """The tree of a ground question."""
    found = weight(evaluator, atom)  # refuses unknown predicates and entities, as a query does
    if evaluator.program.role(atom.signature) is not Role.RELATION:
        return Part("fact", format_literal(atom), found)
    return Explainer(evaluator).entry(atom.signature, indexes(evaluator, atom), (), best)


def explain(
    evaluator: Evaluator,
    text: str,
    best: int = BEST,
    changed: Evaluator | None = None,
    without: Sequence[str] = (),
) -> Explanation:
    """Why a ground question has its weight; with `changed`, in that state of the program."""
    atom = ground(evaluator, text)
    query = format_literal(atom)
    if changed is None:
        return Explanation(query, part(evaluator, atom, best))
    before = weight(evaluator, atom)
    return Explanation(query, part(changed, atom, best), tuple(without), before)


def explain_ensemble(members: Sequence[Evaluator], text: str, best: int = BEST) -> Explanation:
    """Why a ground question has its weight in the member that is nearest to the mean of all."""
    atom = ground(members[0], text)
    weights = [weight(member, atom) for member in members]
    mean = sum(weights) / len(weights)
    nearest = min(range(len(weights)), key=lambda number: abs(weights[number] - mean))
    found = part(members[nearest], atom, best)
    return Explanation(format_literal(atom), found, members=tuple(weights), member=nearest + 1)
