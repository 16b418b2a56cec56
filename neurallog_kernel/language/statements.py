"""A statement as it was read, before loops fill it in; `finish` checks it and makes it a clause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from neurallog_kernel.errors import DirectiveError, ProgramSyntaxError, Span, TemplateError
from neurallog_kernel.language.directives import directive, refuse_directive
from neurallog_kernel.language.prolog import instead_of
from neurallog_kernel.language.syntax import (
    Clause,
    Directive,
    Fact,
    ListTerm,
    Literal,
    Number,
    Query,
    Rule,
    TemplateTerm,
    Term,
    Variable,
)
from neurallog_kernel.language.words import DIRECTIVES, placeholders


@dataclass(frozen=True, slots=True)
class Statement:
    """`body` is None for a fact or a directive; `asked` marks `?-`."""

    head: Literal
    body: tuple[Literal, ...] | None
    weight: Number | None
    asked: bool
    span: Span

    @property
    def literals(self) -> tuple[Literal, ...]:
        return (self.head, *(self.body or ()))


def statement(
    head: Literal,
    body: tuple[Literal, ...] | None,
    weight: Number | None,
    asked: bool,
    span: Span,
) -> Statement:
    """A statement whose anonymous variables have names of their own."""
    head, *rest = _name_anonymous((head, *(body or ())))
    return Statement(head, None if body is None else tuple(rest), weight, asked, span)


def finish(read: Statement) -> Clause:
    """The clause; refuses lists and placeholders where they cannot stand."""
    weight = 1.0 if read.weight is None else read.weight.value
    if read.head.predicate in DIRECTIVES and not read.asked:
        return _directive(read)
    for literal in read.literals:
        refuse_lists(literal)
    if read.body is not None:
        for literal in read.body:
            if literal.predicate in DIRECTIVES:
                refuse_directive(literal.predicate, literal.span)
        return Rule(read.head, read.body, weight, read.span)
    _refuse_placeholders(read, "a question" if read.asked else "a fact")
    return Query(read.head, read.span) if read.asked else Fact(read.head, weight, read.span)


def _directive(read: Statement) -> Directive:
    if read.body is not None:
        raise DirectiveError(
            f"{read.head.predicate} is a directive and has no body",
            read.span,
            "choose another name for the predicate of this rule",
        )
    _refuse_placeholders(read, "a directive")
    return directive(read.head, read.weight, read.span)


def refuse_lists(literal: Literal) -> None:
    for term in literal.terms:
        if isinstance(term, ListTerm):
            raise ProgramSyntaxError(
                "a list can only stand in a directive such as set_parameter",
                term.span,
                instead_of(literal.predicate)
                or "write one clause for every item, with the item in the place of the list",
            )


def _refuse_placeholders(read: Statement, what: str) -> None:
    found = next(unfilled(read.head), None)
    if found is not None:
        raise TemplateError(
            f"{{{found}}} has no value here, and {what} cannot be a template",
            read.span,
            f"put it into a loop: for {found} in ... do ... done",
        )


def unfilled(literal: Literal) -> Iterator[str]:
    """The names of the placeholders in a literal, in order."""
    yield from placeholders(literal.predicate)
    yield from _unfilled_terms(literal.terms)


def _unfilled_terms(terms: tuple[Term, ...]) -> Iterator[str]:
    for term in terms:
        if isinstance(term, TemplateTerm):
            yield from placeholders(term.text)
        elif isinstance(term, ListTerm):
            yield from _unfilled_terms(term.items)


def _name_anonymous(literals: tuple[Literal, ...]) -> tuple[Literal, ...]:
    """Give every `_` the name `_#k`, counted through the clause."""
    if not any(_has_anonymous(literal.terms) for literal in literals):
        return literals
    names = (f"_#{k}" for k in range(1, 1 << 62))

    def renamed(term: Term) -> Term:
        if isinstance(term, Variable) and (term.name == "_" or term.anonymous):
            return Variable(next(names), term.span)
        if isinstance(term, ListTerm):
            return ListTerm(tuple(map(renamed, term.items)), term.span)
        return term

    return tuple(replace(one, terms=tuple(map(renamed, one.terms))) for one in literals)


def _has_anonymous(terms: tuple[Term, ...]) -> bool:
    return any(
        (isinstance(term, Variable) and term.name == "_")
        or (isinstance(term, ListTerm) and _has_anonymous(term.items))
        for term in terms
    )
