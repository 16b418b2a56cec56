"""Clauses as text that parses to the same clauses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite

from neurallog_kernel.language.facts import FactRun, one_by_one
from neurallog_kernel.language.syntax import (
    FROM_HERE_NAMES,
    Clause,
    Constant,
    Example,
    ExampleSet,
    Fact,
    Learn,
    LearnRuleWeights,
    ListTerm,
    Literal,
    MegaExample,
    Number,
    ParameterValue,
    Query,
    Rule,
    SetParameter,
    SetPredicateParameter,
    TemplateTerm,
    Term,
    Variable,
    format_number,
)
from neurallog_kernel.language.words import is_name, is_number_name, quote

__all__ = [
    "brief_clause",
    "format_clause",
    "format_constant",
    "format_literal",
    "format_number",
    "format_program",
    "format_term",
    "format_terms",
    "format_value",
]


def format_constant(name: str) -> str:
    """A constant, quoted only where it must be.

    >>> print(format_constant("ann"), format_constant("Ann"), format_constant("not"))
    ann "Ann" "not"
    """
    return name if is_name(name) else quote(name)


def format_term(term: Term) -> str:
    match term:
        case Constant(name):
            return format_constant(name)
        case Number(value):
            return format_number(value)
        case Variable(name):
            return "_" if term.anonymous else name
        case TemplateTerm(text):
            return text
        case ListTerm(items):
            return f"[{', '.join(map(format_term, items))}]"


def format_terms(terms: Sequence[Term]) -> list[str]:
    """The terms of a literal; among three and more a name that is a number's text needs no
    quotes."""
    if len(terms) < FROM_HERE_NAMES:
        return list(map(format_term, terms))
    return [_number_name(term) or format_term(term) for term in terms]


def _number_name(term: Term) -> str:
    return term.name if isinstance(term, Constant) and is_number_name(term.name) else ""


def format_literal(literal: Literal) -> str:
    text = literal.predicate
    if literal.terms:
        text += f"({', '.join(format_terms(literal.terms))})"
    return f"not {text}" if literal.negated else text


def format_clause(clause: Clause) -> str:
    """One clause with its full stop."""
    match clause:
        case Fact(atom, weight):
            return _weighted(weight, format_literal(atom))
        case Rule(head, body, weight):
            text = f"{format_literal(head)} :- {', '.join(map(format_literal, body))}"
            return _weighted(weight, text)
        case Query(atom):
            return f"?- {format_literal(atom)}."
        case Example(atom, weight):
            return _weighted(weight, _directive("example", *_example_terms(atom)))
        case MegaExample(group, atom, weight):
            terms = (format_constant(group), *_example_terms(atom))
            return _weighted(weight, _directive("mega_example", *terms))
        case ExampleSet(name):
            return _directive("example_set", format_constant(name)) + "."
        case Learn(predicate, _, True):
            return _directive("learn", "prefix", format_constant(predicate)) + "."
        case Learn(predicate, arity):
            return _directive("learn", _signature(predicate, arity)) + "."
        case LearnRuleWeights(predicate, arity):
            return _directive("learn_rule_weights", _signature(predicate, arity)) + "."
        case SetParameter(path, value):
            return _directive("set_parameter", *_setting(path, value)) + "."
        case SetPredicateParameter(predicate, arity, path, value):
            terms = (_signature(predicate, arity), *_setting(path, value))
            return _directive("set_predicate_parameter", *terms) + "."


def brief_clause(rule: Rule) -> str:
    """A rule to be read: of a learned weight the first digits.

    >>> from neurallog_kernel.language.parser import parse
    >>> for rule in parse("0.506302::p(X) :- q(X). 0.50630265::p(X) :- q(X)."):
    ...     print(brief_clause(rule))
    0.506302::p(X) :- q(X).
    0.5063::p(X) :- q(X).
    """
    weight = rule.weight
    if isfinite(weight) and weight != float(f"{weight:.6g}"):
        rule = replace(rule, weight=float(f"{weight:.4g}"))
    return format_clause(rule)


def format_program(clauses: Iterable[Clause | FactRun]) -> str:
    """One clause a line."""
    return "".join(f"{format_clause(clause)}\n" for clause in one_by_one(clauses))


def _weighted(weight: float, text: str) -> str:
    return f"{text}." if weight == 1.0 else f"{format_number(weight)}::{text}."


def _directive(name: str, *terms: str) -> str:
    return f"{name}({', '.join(terms)})"


def _example_terms(atom: Literal) -> tuple[str, ...]:
    return (format_constant(atom.predicate), *format_terms(atom.terms))


def _signature(predicate: str, arity: int | None) -> str:
    return format_constant(predicate if arity is None else f"{predicate}/{arity}")


def _setting(path: tuple[str, ...], value: ParameterValue) -> tuple[str, ...]:
    return (*map(format_constant, path), format_value(value))


def format_value(value: ParameterValue) -> str:
    """The value of a parameter as a term."""
    if isinstance(value, bool):
        return f'"{value}"'
    if isinstance(value, float | int):
        return format_number(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(format_value, value))}]"
    return format_constant(value)
