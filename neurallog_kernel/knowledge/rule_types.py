"""The types of a rule's terms, and which slots the rule joins (LANGUAGE 2.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from neurallog_kernel.knowledge.roles import Numeric, Role, Roles, owner_place
from neurallog_kernel.knowledge.sources import Slot
from neurallog_kernel.language.syntax import Constant, Literal, Rule, Signature, Term, Variable

NumericOf: TypeAlias = Callable[[Signature], Numeric]
Named: TypeAlias = Variable | Constant


@dataclass(frozen=True, slots=True)
class RuleTypes:
    """`slots`: a slot for every term that has a type; `scalars`: variables that are one number;
    `compared`: for each comparison of the body, its place and that of the attribute it is about,
    with the attribute's owner; `rows`: variables that are numbers of the facts of a predicate with
    three and more arguments; `numbers`: such places, by the literal's number in the body."""

    slots: Mapping[Named, Slot]
    scalars: frozenset[Named]
    joins: tuple[tuple[Slot, ...], ...]
    compared: tuple[AttributeComparison, ...] = ()
    rows: Mapping[Named, Signature] = field(default_factory=dict)
    numbers: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class AttributeComparison:
    """Where a body compares an attribute with a number."""

    comparison: int  # the place of at_least(A, 50) in the body
    attribute: int  # that of age(X, A)
    owner: int  # the place of X in it


def compared(rule: Rule, roles: Roles, numeric: NumericOf) -> tuple[AttributeComparison, ...]:
    """The comparisons of a body, each with the attribute whose value it looks at."""
    found = []
    for index, literal in enumerate(rule.body):
        if roles(literal.signature) is not Role.COMPARISON or not literal.terms:
            continue
        for other, attribute in enumerate(rule.body):
            owner = _owner_beside(attribute, literal.terms[0], roles, numeric)
            if owner is not None and other != index:
                found.append(AttributeComparison(index, other, owner))
    return tuple(found)


def _owner_beside(literal: Literal, value: Term, roles: Roles, numeric: NumericOf) -> int | None:
    """The place of the owner if the literal is an attribute with this value. One that has no fact
    yet may become an attribute: its owner is the other term."""
    role = roles(literal.signature)
    if value not in literal.terms or literal.arity != 2:
        return None
    if role is Role.ATTRIBUTE:
        owner = owner_place(numeric(literal.signature))
    elif role is Role.EMPTY:
        owner = 1 - literal.terms.index(value)
    else:
        return None
    return owner if literal.terms[1 - owner] == value else None


def rule_types(rule: Rule, roles: Roles, numeric: NumericOf) -> RuleTypes:
    """Group the terms that share a type within the rule, and collect the slots of each group."""
    groups = _Groups()
    numbers: set[Named] = set()
    rows = numbers_of_rows(rule, roles, numeric)
    for literal in (rule.head, *rule.body):
        role = Role.RELATION if literal is rule.head else roles(literal.signature)
        if role is Role.FUNCTION:
            groups.merge([t for t in literal.terms if isinstance(t, Named)])
            continue
        if role is Role.COMPARISON:
            continue
        if role is Role.NUMERIC:
            numbers.update(t for t in literal.terms if isinstance(t, Named))
            continue
        for term, slot in _slots(literal, role, numeric):
            groups.add(term, slot)
    return replace(
        _finish(rule, groups, numbers | set(rows)),
        compared=compared(rule, roles, numeric),
        rows=rows,
        numbers=frozenset(
            (index, place)
            for index, literal in enumerate(rule.body)
            if roles(literal.signature) is Role.RELATION
            for place, number in enumerate(numeric(literal.signature))
            if number
        ),
    )


def numbers_of_rows(rule: Rule, roles: Roles, numeric: NumericOf) -> dict[Named, Signature]:
    """The variables at declared places, each with its predicate, and those that functions send
    their values to."""
    found: dict[Named, Signature] = {
        term: literal.signature
        for literal in rule.body
        if literal.arity > 2 and roles(literal.signature) is Role.RELATION
        for term, number in zip(literal.terms, numeric(literal.signature), strict=True)
        if number and isinstance(term, Variable)
    }
    functions = [x for x in rule.body if found and roles(x.signature) is Role.FUNCTION]
    for literal in functions * len(functions):  # one may go on from another, in any order
        of = next((found[t] for t in literal.terms if isinstance(t, Named) and t in found), None)
        if of is not None:
            found.update((t, of) for t in literal.terms if isinstance(t, Variable))
    return found


def _slots(literal: Literal, role: Role, numeric: NumericOf) -> list[tuple[Term, Slot]]:
    predicate, arity = literal.signature
    if role is Role.ATTRIBUTE:
        owner = (predicate, arity, owner_place(numeric(literal.signature)))
        return [(term, owner) for term in literal.terms]
    places = enumerate(zip(literal.terms, numeric(literal.signature), strict=True))
    return [(term, (predicate, arity, place)) for place, (term, number) in places if not number]


def _finish(rule: Rule, groups: _Groups, numbers: set[Named]) -> RuleTypes:
    last = len(rule.head.terms) - 1
    output = (*rule.head.signature, last) if last >= 0 else None
    slots: dict[Named, Slot] = {}
    joins: list[tuple[Slot, ...]] = []
    scalars: set[Named] = set()
    terms = (t for literal in (rule.head, *rule.body) for t in literal.terms)
    for term in dict.fromkeys(t for t in terms if isinstance(t, Named)):  # in order, always
        found = groups.slots(term)
        if found:
            slots[term] = found[0]
            if len(found) > 1:
                joins.append(tuple(found))
        elif term in numbers:
            scalars.add(term)
        elif output is not None:
            slots[term] = output  # it stands in functions only
    return RuleTypes(slots, frozenset(scalars), tuple(dict.fromkeys(joins)))


class _Groups:
    """Disjoint sets of terms, each with its slots in order of appearance."""

    def __init__(self) -> None:
        self._of: dict[Named, dict[Slot, None]] = {}

    def add(self, term: Term, slot: Slot) -> None:
        if isinstance(term, Named):
            self._of.setdefault(term, {})[slot] = None

    def merge(self, terms: list[Named]) -> None:
        """One table for all of them, and for every term that shares one with them."""
        together: dict[Slot, None] = {}
        tables = [self._of.setdefault(term, {}) for term in terms]
        for table in tables:
            together.update(table)
        for term, table in list(self._of.items()):
            if any(table is other for other in tables):
                self._of[term] = together

    def slots(self, term: Named) -> list[Slot]:
        return list(self._of.get(term, {}))
