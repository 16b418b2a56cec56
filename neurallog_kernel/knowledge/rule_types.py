"""The types of a rule's terms, and which slots the rule joins (LANGUAGE 2.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from neurallog_kernel.knowledge.roles import Numeric, Role, Roles, owner_place
from neurallog_kernel.knowledge.sources import Slot
from neurallog_kernel.language.syntax import Constant, Literal, Rule, Signature, Term, Variable

NumericOf: TypeAlias = Callable[[Signature], Numeric]
Named: TypeAlias = Variable | Constant


@dataclass(frozen=True, slots=True)
class RuleTypes:
    """`slots`: a slot for every term that has a type; `scalars`: variables that are one number."""

    slots: Mapping[Named, Slot]
    scalars: frozenset[Named]
    joins: tuple[tuple[Slot, ...], ...]


def rule_types(rule: Rule, roles: Roles, numeric: NumericOf) -> RuleTypes:
    """Group the terms that share a type within the rule, and collect the slots of each group."""
    groups = _Groups()
    numbers: set[Named] = set()
    for literal in (rule.head, *rule.body):
        role = Role.RELATION if literal is rule.head else roles(literal.signature)
        if role is Role.FUNCTION:
            groups.merge([t for t in literal.terms if isinstance(t, Named)])
            continue
        if role is Role.NUMERIC:
            numbers.update(t for t in literal.terms if isinstance(t, Named))
            continue
        for term, slot in _slots(literal, role, numeric):
            groups.add(term, slot)
    return _finish(rule, groups, numbers)


def _slots(literal: Literal, role: Role, numeric: NumericOf) -> list[tuple[Term, Slot]]:
    predicate, arity = literal.signature
    if role is Role.ATTRIBUTE:
        owner = (predicate, arity, owner_place(numeric(literal.signature)))
        return [(term, owner) for term in literal.terms]
    return [(term, (predicate, arity, place)) for place, term in enumerate(literal.terms)]


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
