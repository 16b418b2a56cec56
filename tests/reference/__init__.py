"""The reference evaluator: LANGUAGE.md in plain NumPy, dense, slow and obvious.

It shares the parser with the project and nothing else. `functions` is section 5, `program` sections
1.4 and 2, `graph` section 3.1, `evaluate` sections 3.2 to 4.7, and the questions of section 6 are
here. Each module's docstring lists what it chose where the text leaves a choice.

>>> evaluate("p(a, b). 2::p(a, c). h(X, Y) :- p(X, Y).", "h(a, Y)")
{('b',): 1.0, ('c',): 2.0}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

import numpy as np

from neurallog_kernel.language import expand_templates, parse_query
from neurallog_kernel.language.parser import parse_by_grammar
from neurallog_kernel.language.syntax import (
    Clause,
    Constant,
    Example,
    Fact,
    Learn,
    Literal,
    MegaExample,
    Number,
    Rule,
    Signature,
    Term,
    Variable,
)

from .evaluate import Evaluator
from .program import Program

__all__ = ["Reference", "Weights", "clauses_of", "evaluate"]

Weights = dict[tuple[str, ...], float]


def evaluate(program_text: str, query: str) -> Weights:
    """The answers to one question about one program text."""
    return Reference(program_text).query(query)


class Reference:
    """A program from one or more texts, in order."""

    def __init__(self, *texts: str) -> None:
        self._start(clauses_of(texts))

    @classmethod
    def of(cls, clauses: Sequence[Clause]) -> Reference:
        """A program from clauses, without templates."""
        reference = cls.__new__(cls)
        reference._start(clauses)
        return reference

    def _start(self, clauses: Sequence[Clause]) -> None:
        self.program = Program(clauses)
        self.evaluator = Evaluator(self.program)

    def members(self, signature: Signature, place: int) -> list[str]:
        """The entities that may stand in a place (2.1)."""
        return self.program.types.of_slot(signature, place)

    def query(self, text: str) -> Weights:
        """Section 6: one key place per open variable; entries that are not zero."""
        atom = parse_query(text)
        if not self.program.is_known(atom.signature):
            raise LookupError(f"unknown predicate {atom.predicate}/{atom.arity}")
        if self.program.numeric_places(atom.signature):
            return self._numbers(atom)
        with np.errstate(all="ignore"):
            return self._entities(atom)

    @property
    def delicate(self) -> bool:
        """Whether values came up, in any answer so far, that rounding may change altogether."""
        return self.evaluator.delicate

    def _entities(self, atom: Literal) -> Weights:
        evaluator, signature = self.evaluator, atom.signature
        open_places = [i for i, t in enumerate(atom.terms) if isinstance(t, Variable)]
        names = [t.name if isinstance(t, Constant) else "" for t in atom.terms]
        for place in set(range(atom.arity)) - set(open_places):
            if names[place] not in self.members(signature, place):
                raise LookupError(f"unknown entity {names[place]} in place {place} of {signature}")
        if not open_places:
            return {(): evaluator.entry(signature, names, ())}
        if len(open_places) == 1 and atom.arity > 1:
            place = open_places[0]
            inputs = {
                i: _one_hot(self.members(signature, i), name)
                for i, name in enumerate(names)
                if i != place
            }
            row = evaluator.relation(signature, place, inputs, ())
            keys = self.members(signature, place)
            return {(k,): float(v) for k, v in zip(keys, row, strict=True) if v != 0}
        weights: Weights = {}
        variables = list(dict.fromkeys(t for t in atom.terms if isinstance(t, Variable)))
        for key in product(*(self._candidates(atom, v) for v in variables)):
            binding = dict(zip(variables, key, strict=True))
            filled = [_filled(t, binding) for t in atom.terms]
            value = self._entry(signature, filled, open_places[-1])
            if value != 0:
                weights[key] = value
        return weights

    def _entry(self, signature: Signature, names: Sequence[str], output: int) -> float:
        """Section 6: of several open places the last one is the output."""
        if len(names) < 2:
            return self.evaluator.entry(signature, names, ())
        inputs = {
            i: _one_hot(self.members(signature, i), name)
            for i, name in enumerate(names)
            if i != output
        }
        row = self.evaluator.relation(signature, output, inputs, ())
        return float(row[self.members(signature, output).index(names[output])])

    def _candidates(self, atom: Literal, variable: Variable) -> list[str]:
        """The entities in the types of all the places of a variable."""
        places = [i for i, t in enumerate(atom.terms) if t == variable]
        found = set.intersection(*(set(self.members(atom.signature, i)) for i in places))
        return sorted(found)

    def _numbers(self, atom: Literal) -> Weights:
        """Section 6: an attribute lists its facts."""
        weights: Weights = {}
        numeric = self.program.numeric_places(atom.signature)
        for fact in self.evaluator.facts(atom.signature):
            entities, numbers = iter(fact.entities), iter(fact.numbers)
            key: list[str] = []
            for place, term in enumerate(atom.terms):
                value = next(numbers) if place in numeric else next(entities)
                if isinstance(term, Variable):
                    key.append(_shortest(value) if isinstance(value, float) else value)
                elif value != (term.value if isinstance(term, Number) else term.name):
                    break
            else:
                if fact.weight != 0:
                    weights[tuple(key)] = fact.weight
        if not any(isinstance(t, Variable) for t in atom.terms):
            return weights or {(): 0.0}
        return weights


def _filled(term: Term, binding: dict[Variable, str]) -> str:
    assert isinstance(term, Variable | Constant)
    return binding[term] if isinstance(term, Variable) else term.name


def _shortest(value: float) -> str:
    """Section 6: the shortest text of a number.

    >>> _shortest(10.0), _shortest(2.5)
    ('10', '2.5')
    """
    return repr(value).removesuffix(".0")


def _one_hot(members: list[str], name: str) -> np.ndarray:
    return np.array([float(m == name) for m in members])


def clauses_of(texts: Iterable[str]) -> list[Clause]:
    """1.3: the clauses of all texts, each template replaced by the rules it stands for."""
    clauses: list[Clause] = []
    for i, text in enumerate(texts):
        clauses.extend(parse_by_grammar(text, f"text-{i}"))
    templates = [c for c in clauses if isinstance(c, Rule) and c.is_template]
    made = iter(expand_templates(templates, set(_predicates(clauses)), set(_constants(clauses))))
    expanded: list[Clause] = []
    for clause in clauses:
        if isinstance(clause, Rule) and clause.is_template:
            expanded.extend(next(made))
        else:
            expanded.append(clause)
    return expanded


def _predicates(clauses: Iterable[Clause]) -> Iterator[Signature]:
    """1.3: predicates with facts, rules, examples or `learn`."""
    for clause in clauses:
        if isinstance(clause, Fact | Example | MegaExample):
            yield clause.atom.signature
        elif isinstance(clause, Rule) and not clause.is_template:
            yield clause.head.signature
        elif isinstance(clause, Learn) and clause.arity is not None and not clause.prefix:
            yield (clause.predicate, clause.arity)


def _constants(clauses: Iterable[Clause]) -> Iterator[str]:
    for clause in clauses:
        if isinstance(clause, Rule):
            literals = [clause.head, *clause.body]
        elif isinstance(clause, Fact | Example | MegaExample):
            literals = [clause.atom]
        else:
            literals = []
        for literal in literals:
            yield from (t.name for t in literal.terms if isinstance(t, Constant))
