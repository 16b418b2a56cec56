"""Directives: which atoms are instructions to the engine, and the nodes they become."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from neurallog_kernel.errors import DirectiveError, ProgramSyntaxError, Span
from neurallog_kernel.language.printer import format_number
from neurallog_kernel.language.syntax import (
    Constant,
    Directive,
    Example,
    ExampleSet,
    Learn,
    LearnRuleWeights,
    ListTerm,
    Literal,
    MegaExample,
    Number,
    ParameterValue,
    SetParameter,
    SetPredicateParameter,
    Term,
    Variable,
)
from neurallog_kernel.language.words import is_name, is_predicate

_SIGNATURE = re.compile(r"([^/]*)/([0-9]{1,3})")
_FORMS = {
    "learn": 'learn(p) or learn("p/2")',
    "learn_rule_weights": 'learn_rule_weights(p) or learn_rule_weights("p/2")',
    "set_parameter": "set_parameter(name, value)",
    "set_predicate_parameter": 'set_predicate_parameter("p/2", name, value)',
    "example": "example(p, a, b)",
    "mega_example": "mega_example(group, p, a, b)",
    "example_set": "example_set(train)",
}
_LEAST = {
    "learn": 1,
    "learn_rule_weights": 1,
    "set_parameter": 2,
    "set_predicate_parameter": 3,
    "example": 1,
    "mega_example": 2,
    "example_set": 1,
}


def directive(atom: Literal, weight: Number | None, span: Span) -> Directive:
    """The node of a directive; `atom.predicate` is one of their names."""
    name = atom.predicate
    if weight is not None and name not in ("example", "mega_example"):
        raise DirectiveError(
            f"{name} is a directive and cannot have a weight",
            span,
            f"only facts, rules and examples have weights: write {_FORMS[name]}",
        )
    if atom.arity < _LEAST[name]:
        raise DirectiveError(
            f"{name} needs {_at_least(_LEAST[name])}, and has {atom.arity or 'none'}",
            span,
            f"write {_FORMS[name]}",
        )
    return _MAKERS[name](atom, 1.0 if weight is None else weight.value, span)


def _at_least(count: int) -> str:
    return "at least one term" if count == 1 else f"at least {count} terms"


def _learn(atom: Literal, _: float, span: Span) -> Learn:
    first, *rest = atom.terms
    if not rest:
        predicate, arity = _signature(first, atom.predicate, span)
        return Learn(predicate, arity, False, span)
    if len(rest) > 1 or first != Constant("prefix"):
        raise _wrong(
            "learn takes the name of one predicate, or a prefix: learn(prefix, w_)", "learn", span
        )
    return Learn(_key(rest[0], "learn", span), None, True, span)


def _learn_rule_weights(atom: Literal, _: float, span: Span) -> LearnRuleWeights:
    first, *rest = atom.terms
    if rest:
        raise _wrong("learn_rule_weights takes the name of one predicate", atom.predicate, span)
    return LearnRuleWeights(*_signature(first, atom.predicate, span), span)


def _set_parameter(atom: Literal, _: float, span: Span) -> SetParameter:
    *keys, value = atom.terms
    path = tuple(_key(term, atom.predicate, span) for term in keys)
    return SetParameter(path, value_of(value), span)


def _set_predicate_parameter(atom: Literal, _: float, span: Span) -> SetPredicateParameter:
    first, *keys, value = atom.terms
    predicate, arity = _signature(first, atom.predicate, span)
    path = tuple(_key(term, atom.predicate, span) for term in keys)
    return SetPredicateParameter(predicate, arity, path, value_of(value), span)


def _example(atom: Literal, weight: float, span: Span) -> Example:
    return Example(_exemplified(atom.terms, atom.predicate, span), weight, span=span)


def _mega_example(atom: Literal, weight: float, span: Span) -> MegaExample:
    group = _key(atom.terms[0], atom.predicate, span)
    return MegaExample(group, _exemplified(atom.terms[1:], atom.predicate, span), weight, span=span)


def _example_set(atom: Literal, _: float, span: Span) -> ExampleSet:
    first, *rest = atom.terms
    if rest:
        raise _wrong("example_set takes the name of one set", atom.predicate, span)
    if not isinstance(first, Constant) or not first.name:
        raise _wrong("example_set needs the name of a set", atom.predicate, first.span or span)
    return ExampleSet(first.name, span)


_MAKERS: dict[str, Callable[[Literal, float, Span], Directive]] = {
    "learn": _learn,
    "learn_rule_weights": _learn_rule_weights,
    "set_parameter": _set_parameter,
    "set_predicate_parameter": _set_predicate_parameter,
    "example": _example,
    "mega_example": _mega_example,
    "example_set": _example_set,
}


def _exemplified(terms: Sequence[Term], name: str, span: Span) -> Literal:
    """The atom `p(t1, ..., tn)` of an example written as the terms p, t1, ..., tn."""
    first, *rest = terms
    if not isinstance(first, Constant) or not is_name(first.name):
        raise _wrong(f"{name} needs the name of a predicate", name, span)
    refuse_directive(first.name, first.span or span)
    for term in rest:
        if isinstance(term, ListTerm):
            raise ProgramSyntaxError("a list cannot stand in an example", term.span)
    place = first.span.to(terms[-1].span) if first.span and terms[-1].span else span
    return Literal(first.name, tuple(rest), False, place)


def refuse_directive(predicate: str, span: Span | None) -> None:
    """A directive is no predicate: its facts would be read back as directives."""
    if not is_predicate(predicate):
        raise DirectiveError(
            f"{predicate} is a directive, not a predicate", span, "choose another name"
        )


def _signature(term: Term, name: str, span: Span) -> tuple[str, int | None]:
    """`p` or `"p/2"` as a name and an arity."""
    text = term.name if isinstance(term, Constant) else ""
    found = _SIGNATURE.fullmatch(text)
    predicate, arity = (found[1], int(found[2])) if found else (text, None)
    if not is_name(predicate):
        raise _wrong(f'{name} needs the name of a predicate, such as p or "p/2"', name, span)
    refuse_directive(predicate, term.span or span)
    return predicate, arity


def _key(term: Term, name: str, span: Span) -> str:
    if isinstance(term, ListTerm):
        raise _wrong(f"{name} can hold a list as its value only", name, span)
    return _text(term)


def _text(term: Term) -> str:
    match term:
        case Constant(name):
            return name
        case Variable() as variable:
            return "_" if variable.anonymous else variable.name
        case Number(value):
            return format_number(value)
        case _:
            raise TypeError(f"no text for {term!r}")


def value_of(term: Term) -> ParameterValue:
    """The value of a parameter: a number, a truth value, a tuple or a text."""
    if isinstance(term, Number):
        return term.value
    if isinstance(term, ListTerm):
        return tuple(map(value_of, term.items))
    text = _text(term)
    truth = {"true": True, "false": False}.get(text.lower())
    return text if truth is None else truth


def _wrong(message: str, name: str, span: Span) -> DirectiveError:
    return DirectiveError(message, span, f"write {_FORMS[name]}")
