"""`for` loops: every statement of the body once for every value, in the order of the values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from neurallog_kernel.errors import ProgramSyntaxError, Span
from neurallog_kernel.language.statements import Statement, statement
from neurallog_kernel.language.syntax import Constant, ListTerm, Literal, TemplateTerm, Term
from neurallog_kernel.language.words import fill, is_name, placeholders, term_of

MOST_STATEMENTS = 1_000_000  # a loop that makes more is taken for a mistake, before it fills memory
_MOST_DIGITS = 15


@dataclass(frozen=True, slots=True)
class LoopValue:
    """The bare text of a value, and whether it stood in quotes."""

    text: str
    quoted: bool = False


def integers(first: str, last: str, span: Span) -> tuple[LoopValue, ...]:
    """The values of `{first..last}`, both included; none if the first is larger."""
    if max(len(first), len(last)) > _MOST_DIGITS:
        raise ProgramSyntaxError("the numbers of this range are too large", span)
    values = range(int(first), int(last) + 1)
    _refuse_size(len(values), span)
    return tuple(LoopValue(str(value)) for value in values)


def expand_loop(
    name: str, values: Sequence[LoopValue], body: Sequence[Statement], span: Span
) -> tuple[Statement, ...]:
    """The body with `{name}` replaced, once for every value."""
    _refuse_size(len(values) * len(body), span)
    return tuple(_fill_statement(read, name, value) for value in values for read in body)


def _refuse_size(count: int, span: Span) -> None:
    if count > MOST_STATEMENTS:
        raise ProgramSyntaxError(
            f"this loop makes {count} clauses; the most is {MOST_STATEMENTS}", span
        )


def _fill_statement(read: Statement, name: str, value: LoopValue) -> Statement:
    head = _fill_literal(read.head, name, value)
    body = read.body and tuple(_fill_literal(one, name, value) for one in read.body)
    return statement(head, body, read.weight, read.asked, read.span)


def _fill_literal(literal: Literal, name: str, value: LoopValue) -> Literal:
    predicate = literal.predicate
    if "{" in predicate:
        predicate = fill(predicate, {name: value.text})
        check_predicate(predicate, literal.span)
    terms = tuple(_fill_term(term, name, value) for term in literal.terms)
    return replace(literal, predicate=predicate, terms=terms)


def check_predicate(text: str, span: Span | None) -> None:
    """Refuse what can be no predicate name, now or when its placeholders are filled."""
    start = text.partition("{")[0]
    possible = not start or start[0].islower() if placeholders(text) else is_name(text)
    if not possible:
        raise ProgramSyntaxError(
            f"{text} is not the name of a predicate",
            span,
            "a predicate name starts with a lower-case letter and holds letters, digits, _ and -",
        )


def _fill_term(term: Term, name: str, value: LoopValue) -> Term:
    match term:
        case TemplateTerm(text, span):
            filled = fill(text, {name: value.text})
            if value.quoted and filled != text:
                return Constant(filled, span)
            return bare_term(filled, span)
        case Constant(text, span) if "{" in text:  # only a quoted constant holds braces
            return Constant(fill(text, {name: value.text}), span)
        case ListTerm(items, span):
            return ListTerm(tuple(_fill_term(item, name, value) for item in items), span)
        case _:
            return term


def bare_term(text: str, span: Span | None) -> Term:
    """The term an unquoted text stands for; refuses a text that stands for none."""
    term = term_of(text, span)
    if term is None:
        raise ProgramSyntaxError(f"{text} is not a term", span, f'put it in quotes: "{text}"')
    return term
