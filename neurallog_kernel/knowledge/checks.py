"""What a rule may not say, given what its predicates are: each mistake at its place."""

from __future__ import annotations

from collections.abc import Mapping

from neurallog_kernel.errors import (
    ArityError,
    AttributeJoinError,
    NegationError,
    Notice,
    TypeConflictError,
)
from neurallog_kernel.functions import BUILTIN_FUNCTIONS, Function, FunctionKind
from neurallog_kernel.functions.naming import what_to_write_for
from neurallog_kernel.functions.other_names import meant_name
from neurallog_kernel.knowledge.comparison_checks import check_comparisons
from neurallog_kernel.knowledge.roles import Numeric, Role, Roles, owner_place
from neurallog_kernel.knowledge.rule_types import NumericOf, numbers_of_rows
from neurallog_kernel.language.printer import format_literal, format_term
from neurallog_kernel.language.prolog import instead_of
from neurallog_kernel.language.syntax import Constant, Literal, Number, Rule, Term, Variable
from neurallog_kernel.language.words import is_number_name


def check_rule(rule: Rule, roles: Roles, numeric: NumericOf) -> None:
    """Raise the first error of the rule, in text order."""
    check_head(rule, numeric)
    owners: dict[Term, tuple[Term, Literal]] = {}
    numbers: dict[Term, Literal] = {}
    entities: dict[Term, Literal] = {}
    for literal in rule.body:
        role = roles(literal.signature)
        declared = numeric(literal.signature) if literal.arity > 2 else ()
        if literal.negated:
            _check_negation(literal, Role.ATTRIBUTE if any(declared) else role)
        if role is Role.ATTRIBUTE:
            _check_attribute(literal, owner_place(numeric(literal.signature)), owners, entities)
        elif role is Role.NUMERIC:
            _check_numbers(literal, numbers, entities)
        elif role in (Role.RELATION, Role.EMPTY):
            if role is Role.RELATION:
                _check_filled_in(literal)
            if role is Role.RELATION and any(declared):
                _check_declared(literal, declared, owners | numbers, numbers, entities)
            else:
                _check_relation(literal, {**owners, **numbers}, entities)
    _check_numbers_of_rows(rule, roles, numeric, entities)
    check_comparisons(rule, roles, numeric)


def check_head(rule: Rule, numeric: NumericOf) -> None:
    head = rule.head
    if any(isinstance(term, Number) for term in head.terms):
        raise TypeConflictError(
            f"the head {format_literal(head)} holds a number; rules give values to entities",
            head.span,
            "compute the number in the body, or state it as a fact",
        )
    if any(numeric(head.signature)):
        name = f"{head.predicate}/{head.arity}"
        raise TypeConflictError(
            f"{name} holds numbers, so it can have facts but no rules",
            head.span,
            f"give the rule a head of another name than {name}",
        )


def _check_negation(literal: Literal, role: Role) -> None:
    if role is Role.FUNCTION:
        raise NegationError(
            f"not {literal.predicate}: a function cannot be negated",
            literal.span,
            "negate the predicate before the function is applied",
        )
    if role in (Role.ATTRIBUTE, Role.NUMERIC):
        raise NegationError(
            f"not {literal.predicate}: an attribute cannot be negated",
            literal.span,
            "write a relation of its own for what is not true",
        )


def _check_attribute(
    literal: Literal,
    owner_at: int,
    owners: dict[Term, tuple[Term, Literal]],
    entities: dict[Term, Literal],
) -> None:
    owner, value = literal.terms[owner_at], literal.terms[1 - owner_at]
    if isinstance(owner, Variable):
        if owner in owners or owner == value:
            raise _no_join(literal, owner)
        entities.setdefault(owner, literal)
    if not isinstance(value, Variable):
        return
    if value in entities:
        raise _no_join(literal, value)
    before = owners.setdefault(value, (owner, literal))
    if before[0] != owner:
        raise _no_join(literal, value)


def _check_numbers(
    literal: Literal, numbers: dict[Term, Literal], entities: dict[Term, Literal]
) -> None:
    for term in literal.terms:
        if term in entities:
            raise _no_join(literal, term)
        if isinstance(term, Variable):
            numbers.setdefault(term, literal)


def _check_relation(
    literal: Literal, numbers: Mapping[Term, object], entities: dict[Term, Literal]
) -> None:
    for term in literal.terms:
        if term in numbers:
            raise _no_join(literal, term)
        if isinstance(term, Variable):
            entities.setdefault(term, literal)


def _check_declared(
    literal: Literal,
    declared: Numeric,
    known: Mapping[Term, object],
    numbers: dict[Term, Literal],
    entities: dict[Term, Literal],
) -> None:
    """A literal with declared numbers: they are those of its facts, and of no other literal."""
    own: set[Term] = set()
    for term, number in zip(literal.terms, declared, strict=True):
        if isinstance(term, Constant) and number and not is_number_name(term.name):
            raise TypeConflictError(
                f"{literal.predicate}/{literal.arity} is declared to hold numbers where "
                f"{format_term(term)} stands",
                term.span or literal.span,
                "write a number or a variable there, or take the declaration back",
            )
        if not isinstance(term, Variable):
            continue
        is_same = numbers.get(term) == literal  # the same literal once more
        if (term in known and not is_same) or term in own or (number and term in entities):
            raise _no_join(literal, term)
        if number:
            own.add(term)
        else:
            entities.setdefault(term, literal)
    numbers.update((term, literal) for term in own)


def _check_numbers_of_rows(
    rule: Rule, roles: Roles, numeric: NumericOf, entities: Mapping[Term, Literal]
) -> None:
    """A number of a fact about several entities has no owner that could stand for it."""
    for term, (predicate, arity) in numbers_of_rows(rule, roles, numeric).items():
        if term in entities:
            raise _no_join(entities[term], term)
        if term in rule.head.terms:
            raise AttributeJoinError(
                f"{format_term(term)} is a number of {predicate}/{arity}, whose facts are about "
                "several entities: no entity can stand for it in a head",
                rule.head.span,
                "leave it out of the head: it is multiplied with the weight of its fact there",
            )


def _check_filled_in(literal: Literal) -> None:
    """A number that is written out makes its place one for numbers; a template's does not."""
    for place, term in enumerate(literal.terms):
        if isinstance(term, Number):
            name = f"{literal.predicate}/{literal.arity}"
            raise TypeConflictError(
                f"the template puts the number {format_term(term)} at place {place + 1} of {name}, "
                "which is for entities",
                term.span or literal.span,
                'quote the placeholder, as in "{i}", to fill in a name',
            )


def _no_join(literal: Literal, term: Term) -> AttributeJoinError:
    name = term.name if isinstance(term, Variable) else "?"
    hint = "use another variable here; a number belongs to the entity it is an attribute of"
    if literal.predicate == "between":
        hint = f"write at_least({name}, 10), at_most({name}, 20)"
    elif literal.predicate in ("plus", "succ", "sum_list"):
        hint = "there is no arithmetic: functions such as sum and mean compute with numbers"
    if literal.arity == 1:
        hint = f"there is no function {literal.predicate}: a number goes through functions only, "
        hint += "such as mean, sum or tanh"
        if meant_name(literal.predicate) in BUILTIN_FUNCTIONS:
            hint = f"write {meant_name(literal.predicate)}({name})"
        if literal.predicate in BUILTIN_FUNCTIONS:
            hint = f"{literal.predicate} has clauses of its own, so it is not the function of that "
            hint += "name: take them out, or give the predicate another name"
    return AttributeJoinError(
        f"{name} stands for a number; a number cannot connect two literals", literal.span, hint
    )


def check_function(literal: Literal, function: Function) -> None:
    """A function gets as many terms as it has inputs, and one for its result."""
    inputs = max(1, literal.arity - 1)
    if literal.arity == 0 or inputs != function.inputs:
        takes = "one value" if function.inputs == 1 else f"{function.inputs} values"
        raise ArityError(
            f"{literal.predicate}/{literal.arity}: the function {function.name} takes {takes}",
            literal.span,
            _function_usage(function),
        )


def _function_usage(function: Function) -> str:
    if function.inputs == 1:
        usage = f"write {function.name}(X), or {function.name}(X, Y) to send the value to Y"
    else:
        places = ", ".join(f"X{i + 1}" for i in range(function.inputs))
        usage = f"write {function.name}({places}, Y)"
    if function.kind is FunctionKind.AGGREGATE:
        usage += "; the result is one number"
    return usage


def empty_notice(rule: Rule, literal: Literal, near: str | None) -> Notice:
    """A body predicate of which nothing is known, and the known one whose name is nearest."""
    name = f"{literal.predicate}/{literal.arity}"
    return Notice(
        "empty_predicate",
        f"unknown predicate {name} in the rule for {rule.head.predicate}/{rule.head.arity}",
        literal.span,
        instead_of(literal.predicate)
        or what_to_write_for(literal.predicate)
        or (f"did you mean {near}?" if near else "it is taken as false everywhere"),
    )
