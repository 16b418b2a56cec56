"""A rule as a call with one term at several places takes it: `p(X, Y, X)` takes `p(A, B, A)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.roles import Role, owner_place
from neurallog_kernel.knowledge.rule_types import Named, RuleTypes
from neurallog_kernel.language.syntax import Constant, Literal, Rule, Signature, Term, Variable
from neurallog_kernel.plan.kept import Inputs
from neurallog_kernel.plan.row_literal import Groups


@dataclass(frozen=True)
class CalledRule:
    """A rule of the program (`of`) with its terms at some places made one (`rule`), as a logic
    program makes the terms of a call and of a head one. `never`: they are two entities, so the
    rule gives nothing."""

    of: Rule
    rule: Rule
    types: RuleTypes
    inputs: Inputs  # a term that stands at several places has one input
    never: bool = False


def called_rule(program: Program, rule: Rule, inputs: Inputs, groups: Groups) -> CalledRule:
    """The rule for a call whose terms at the places of each group are one.

    A number in the head ranges over its owners (LANGUAGE 2.3) and cannot be one with an entity:
    such a rule is taken as it is, with the value of the term at each of its places.
    """
    types = program.rule_types[rule]
    if not groups or has_numbers(program, rule, groups):
        return CalledRule(rule, rule, types, inputs)
    again = {place for group in groups for place in group[1:]}
    once = tuple(None if place in again else value for place, value in enumerate(inputs))
    terms = [term for term in rule.head.terms if isinstance(term, Named)]  # it holds no number
    one = _made_one(terms, groups)
    if one is None:
        return CalledRule(rule, rule, types, inputs, never=True)
    slots = dict(types.slots)
    slots.update((new, slots[old]) for old, new in one.items() if old in slots)
    return CalledRule(rule, _replaced(rule, one), replace(types, slots=slots), once)


def all_are_one(program: Program, signature: Signature, groups: Groups) -> bool:
    """Whether the terms of a call can be made one in every rule of its predicate."""
    rules = program.definition(signature).rules
    return not any(has_numbers(program, rule, groups) for rule in rules)


def has_numbers(program: Program, rule: Rule, groups: Groups) -> bool:
    """Whether the head has a number at one of the places."""
    terms = {rule.head.terms[place] for group in groups for place in group}
    types = program.rule_types[rule]
    return bool(
        terms & (types.scalars | set(types.rows)) or terms & set(_attribute_values(program, rule))
    )


def _attribute_values(program: Program, rule: Rule) -> list[Term]:
    return [
        literal.terms[1 - owner_place(program.numeric(literal.signature))]
        for literal in rule.body
        if program.role(literal.signature) is Role.ATTRIBUTE
    ]


def _made_one(terms: Sequence[Named], groups: Groups) -> Mapping[Variable, Named] | None:
    """For each variable of a head the term that stands for it; None if two constants would be one.

    >>> a, x, y = Constant("a"), Variable("X"), Variable("Y")
    >>> [(old.name, new.name) for old, new in _made_one((x, y, a), ((0, 2),)).items()]
    [('X', 'a')]
    >>> _made_one((Constant("b"), y, a), ((0, 2),)) is None
    True
    """
    classes: list[set[Named]] = []
    for group in groups:
        mine = {terms[place] for place in group}
        apart = [one for one in classes if not one & mine]
        classes = [*apart, mine.union(*(one for one in classes if one & mine))]
    found: dict[Variable, Named] = {}
    for members in classes:
        constants = [term for term in members if isinstance(term, Constant)]
        if len(constants) > 1:
            return None
        first = next(term for term in terms if term in members)
        stands = constants[0] if constants else first
        found.update((x, stands) for x in members if isinstance(x, Variable) and x != stands)
    return found


def _replaced(rule: Rule, one: Mapping[Variable, Named]) -> Rule:
    def literal(old: Literal) -> Literal:
        terms = (one.get(t, t) if isinstance(t, Variable) else t for t in old.terms)
        return replace(old, terms=tuple(terms))

    return replace(rule, head=literal(rule.head), body=tuple(map(literal, rule.body)))
