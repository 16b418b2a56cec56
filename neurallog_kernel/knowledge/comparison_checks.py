"""What a comparison such as at_least(A, 50) may not say, each mistake at its place."""

from __future__ import annotations

from neurallog_kernel.errors import ArityError, AttributeJoinError, NegationError, TypeConflictError
from neurallog_kernel.functions import COMPARISONS
from neurallog_kernel.knowledge.roles import Role, Roles
from neurallog_kernel.knowledge.rule_types import NumericOf, compared
from neurallog_kernel.language.printer import format_literal, format_term
from neurallog_kernel.language.syntax import Literal, Number, Rule, Variable


def check_comparisons(rule: Rule, roles: Roles, numeric: NumericOf) -> None:
    """Raise the first error of the rule's comparisons, in text order."""
    found = [x for x in rule.body if roles(x.signature) is Role.COMPARISON]
    if not found:
        return
    places = [one.comparison for one in compared(rule, roles, numeric)]
    for index, literal in enumerate(rule.body):
        if literal in found:
            _check_terms(literal)
            _check_attributes(literal, places.count(index))


def _check_terms(literal: Literal) -> None:
    usage = f"write {literal.predicate}(A, 50) beside an attribute such as age(X, A)"
    if literal.arity != 2:
        raise ArityError(
            f"{literal.predicate}/{literal.arity}: it compares an attribute with one number",
            literal.span,
            usage,
        )
    value, number = literal.terms
    if literal.negated:
        opposite = COMPARISONS[literal.predicate].opposite
        raise NegationError(
            f"not {literal.predicate}: a comparison cannot be negated",
            literal.span,
            f"use {opposite}, or give the comparison a predicate of its own and negate that",
        )
    if not isinstance(number, Number):
        raise TypeConflictError(
            f"{format_literal(literal)} compares with {format_term(number)}, which is not a number",
            number.span or literal.span,
            usage,
        )
    if not isinstance(value, Variable):
        raise TypeConflictError(
            f"{format_literal(literal)} compares {format_term(value)}, which is not a variable",
            value.span or literal.span,
            usage,
        )


def _check_attributes(literal: Literal, attributes: int) -> None:
    if attributes == 1:
        return
    name = format_term(literal.terms[0])
    if not attributes:
        raise AttributeJoinError(
            f"{name} is not the value of an attribute, so {literal.predicate} cannot compare it",
            literal.span,
            f"add the attribute to the body, as in age({'Y' if name == 'X' else 'X'}, {name})",
        )
    raise AttributeJoinError(
        f"{name} is the value of {attributes} attributes: {literal.predicate} cannot tell which",
        literal.span,
        "give each attribute a variable of its own",
    )
