"""A learned rule as the program gets it: many ways to prove an answer count as one.

The engine adds up ways; what a search counted is existence. A path between the two arguments ends
in `step` on both. A condition on one argument that has further variables, such as
`publication(A, Y)`, becomes a predicate of its own, with the largest of its ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from neurallog_kernel.functions import COMPARISONS
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.rule_weights import rule_key
from neurallog_kernel.language.syntax import Literal, Rule, Variable

_ONCE = ("step", "max")


def written(rule: Rule, weight: float, taken: set[str]) -> tuple[Rule, ...]:
    """The clauses of a rule. Predicates that it needs get names that are not `taken` yet, and are
    then.

    >>> from neurallog_kernel.language.parser import parse
    >>> from neurallog_kernel.language.printer import format_clause
    >>> (rule,) = parse("h(X, Y) :- p(X, Y), q(A, Y).", "a")
    >>> for clause in written(rule, 0.5, set()):
    ...     print(format_clause(clause))
    h_if_q(Y) :- q(A, Y), step(A), max(A).
    0.5::h(X, Y) :- p(X, Y), h_if_q(Y).
    """
    heads = list(dict.fromkeys(term for term in rule.head.terms if isinstance(term, Variable)))
    if len(rule.head.terms) == 1:
        return (replace(rule, weight=weight, body=_with_largest(rule.body, heads)),)
    helpers: list[Rule] = []
    body: list[Literal] = []
    has_path = False
    for part in _parts(rule.body, heads):
        ends = [head for head in heads if any(head in literal.terms for literal in part)]
        inner = _inner(part, heads)
        if len(ends) == 1 and inner:
            condition = Literal(_name(rule, part, taken), (ends[0],))
            helpers.append(Rule(condition, _with_largest(part, ends)))
            body.append(condition)
        else:
            has_path = has_path or bool(inner)
            body += part
    if has_path:
        body += [Literal("step", (head,)) for head in heads]
    return (*helpers, replace(rule, weight=weight, body=tuple(body)))


def written_each(rule: Rule, taken: set[str]) -> tuple[str, tuple[Rule, ...]]:
    """The predicate of the weights, and the clauses of a rule with a weight for each entity at the
    end of its body. Weights of entities add up, and each counts once.

    >>> from neurallog_kernel.language.parser import parse
    >>> from neurallog_kernel.language.printer import format_clause
    >>> (rule,) = parse("h(X) :- p(X, A), q(A, B), h_by_p_q(B).", "a")
    >>> name, clauses = written_each(rule, set())
    >>> for clause in clauses:
    ...     print(format_clause(clause))
    h_if_p(X, B) :- p(X, A), q(A, B), step(X), step(B).
    h(X) :- h_if_p(X, B), h_by_p_q(B).
    """
    path, weight = rule.body[:-1], rule.body[-1]
    own = replace(weight, predicate=_free(weight.predicate, taken))
    (start,) = (term for term in path[0].terms if term in rule.head.terms)
    helpers: list[Rule] = []
    body: tuple[Literal, ...] = (*path, own)
    if len(path) > 1:
        ends = (start, weight.terms[0])
        once = Literal(_name(rule, path, taken), ends)
        helpers.append(Rule(once, (*path, *(Literal("step", (end,)) for end in ends))))
        body = (once, own)
    if len(rule.head.terms) > 1:  # the other argument may be anything
        condition = Literal(_name(rule, path, taken), (start,))
        helpers.append(Rule(condition, body))
        body = (condition,)
    return own.predicate, (*helpers, replace(rule, body=body))


def as_read(program: Program) -> set[tuple]:
    """What tells rules of a program that a search would find again: as people read them, without
    what `written` adds."""
    found = set()
    for rule in program.rules():
        body: list[Literal] = []
        for literal in rule.body:
            body += _unfolded(program, rule, literal)
        found.add(rule_key(replace(rule, body=tuple(body)))[1])
        found.add(rule_key(rule)[1])
    return found


def _unfolded(program: Program, rule: Rule, literal: Literal) -> Sequence[Literal]:
    if literal.predicate in _ONCE and len(literal.terms) == 1:
        return ()
    if literal.predicate.startswith(f"{rule.head.predicate}_if_"):
        rules = program.definition(literal.signature).rules
        if len(rules) == 1 and rules[0].head.terms == literal.terms:
            body = [x for x in rules[0].body if x.predicate not in _ONCE]
            return [x for inner in body for x in _unfolded(program, rule, inner)]
    return (literal,)


def _name(rule: Rule, part: Sequence[Literal], taken: set[str]) -> str:
    return _free(f"{rule.head.predicate}_if_{part[0].predicate}", taken)


def _free(plain: str, taken: set[str]) -> str:
    """The name, with a number where it is taken; it is taken then."""
    name, number = plain, 1
    while name in taken:
        number += 1
        name = f"{plain}_{number}"
    taken.add(name)
    return name


def _parts(body: Sequence[Literal], heads: Iterable[Variable]) -> list[tuple[Literal, ...]]:
    """The literals of a body in groups that share variables other than the head's, in order."""
    groups: list[tuple[set[Variable], list[int]]] = []
    for number, literal in enumerate(body):
        own = {term for term in literal.terms if isinstance(term, Variable)} - set(heads)
        places = [number]
        apart = []
        for variables, others in groups:
            if variables & own:
                own |= variables
                places += others
            else:
                apart.append((variables, others))
        groups = [*apart, (own, places)]
    ordered = sorted(sorted(places) for _, places in groups)
    return [tuple(body[place] for place in places) for places in ordered]


def _inner(part: Sequence[Literal], heads: Sequence[Variable]) -> list[Variable]:
    """The variables over which ways are summed: a number of an attribute has one value."""
    numbers = {
        term for literal in part if literal.predicate in COMPARISONS for term in literal.terms
    }
    found = dict.fromkeys(
        term for literal in part for term in literal.terms if isinstance(term, Variable)
    )
    return [term for term in found if term not in heads and term not in numbers]


def _with_largest(body: Sequence[Literal], heads: Sequence[Variable]) -> tuple[Literal, ...]:
    """The body of a concept, with the largest way to each end that is not the head."""
    inner = _inner(body, heads)
    used = [term for literal in body if len(literal.terms) > 1 for term in literal.terms]
    loose = [term for term in inner if used.count(term) == 1]
    return (*body, *(Literal(function, (term,)) for term in loose for function in _ONCE))
