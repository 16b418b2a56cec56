"""Text to clauses: Lark's LALR parser, and a builder that makes the nodes while it parses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Transformer, UnexpectedToken

from neurallog_kernel.errors import NeuralLogError, ProgramSyntaxError, Span, TemplateError
from neurallog_kernel.language.facts import FactRun
from neurallog_kernel.language.hints import hint_for
from neurallog_kernel.language.lexer import Lexeme, ProgramLexer, TextInput
from neurallog_kernel.language.loops import (
    LoopValue,
    bare_term,
    check_predicate,
    expand_loop,
    integers,
)
from neurallog_kernel.language.mistakes import Mistake, Refused, message, mistake_at
from neurallog_kernel.language.plain import plain_question
from neurallog_kernel.language.statements import (
    Statement,
    finish,
    refuse_lists,
    statement,
    unfilled,
)
from neurallog_kernel.language.syntax import (
    Clause,
    Constant,
    ListTerm,
    Literal,
    Number,
    Term,
    Variable,
)
from neurallog_kernel.language.words import number_of, unquote

MOST_NESTED = 20  # the functions that walk a list call themselves once a level


def parse(text: str, source: str = "program") -> tuple[Clause | FactRun, ...]:
    """The clauses of a program text, loops expanded; `source` names the text in spans.

    A long run of ground facts comes as one `FactRun`; `expand` gives its facts one by one.
    """
    return _run(TextInput(text, source), "program")


def parse_by_grammar(text: str, source: str = "program") -> tuple[Clause, ...]:
    """The same without the fast path for facts: what `parse` is measured against."""
    return _run(TextInput(text, source, fast=False), "program")


def parse_query(text: str, source: str = "query") -> Literal:
    """The atom of a question: `p(a, Y)`, with or without `?-` and a full stop."""
    plain = plain_question(text, source)
    return plain or _run(TextInput(text, source, fast=False), "question")


def mistake_in(text: str, source: str = "program") -> Mistake | None:
    """The first mistake of a program text against the grammar, or None."""
    try:
        _apply(TextInput(text, source), "program")
    except _Mistaken as error:
        return error.mistake
    return None


def tokens(text: str, source: str = "program") -> Iterator[Lexeme]:
    """The tokens of a text, mistakes included."""
    return ProgramLexer(_lark().lexer_conf).tokens(TextInput(text, source, fast=False))


class _Mistaken(Exception):
    def __init__(self, mistake: Mistake) -> None:
        super().__init__(message(mistake))
        self.mistake = mistake


def _run(given: TextInput, start: str) -> Any:
    try:
        return _apply(given, start)
    except _Mistaken as error:
        mistake = error.mistake
    except NeuralLogError as error:
        raise error.with_text(given.text) from None
    raise ProgramSyntaxError(message(mistake), mistake.span, hint_for(mistake), given.text)


def _apply(given: TextInput, start: str) -> Any:
    try:
        return _lark().parse(given, start=start)  # type: ignore[arg-type]
    except UnexpectedToken as error:
        token = error.token if isinstance(error.token, Lexeme) else None
        expected = frozenset(error.accepts)
    except Refused as error:
        token, expected = error.token, error.expected
    raise _Mistaken(mistake_at(token, expected, given, start == "question"))


@cache
def _lark() -> Lark:
    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(
        grammar,
        parser="lalr",
        lexer=ProgramLexer,
        start=["program", "question", "mistake"],
        transformer=Builder(),
        maybe_placeholders=True,
    )


class Builder(Transformer[Any, Any]):
    """One method for every rule of the grammar; it holds no state."""

    def program(self, children: list[Any]) -> tuple[Clause | FactRun, ...]:
        clauses: list[Clause | FactRun] = []
        for child in children:
            if isinstance(child, tuple):
                clauses.extend(child)
            else:
                clauses.append(child.value if isinstance(child, Lexeme) else child)
        return tuple(clauses)

    def checked(self, children: list[Statement]) -> Clause:
        return finish(children[0])

    def expanded(self, children: list[tuple[Statement, ...]]) -> tuple[Clause, ...]:
        return tuple(map(finish, children[0]))

    def question(self, children: list[Any]) -> Literal:
        asked = statement(children[1], None, None, True, children[1].span)
        refuse_lists(asked.head)
        for name in unfilled(asked.head):
            raise TemplateError(
                f"{{{name}}} has no value in a question", asked.span, "write the whole name"
            )
        return asked.head

    def loop(self, children: list[Any]) -> tuple[Statement, ...]:
        start, name, _, values, _, *body, end = children
        inner: list[Statement] = []
        for part in body:
            inner.extend(part) if isinstance(part, tuple) else inner.append(part)
        return expand_loop(name, values, inner, start.span.to(end.span))

    def loop_name(self, children: list[Lexeme]) -> str:
        return str(children[0])

    def loop_list(self, children: list[Lexeme]) -> tuple[LoopValue, ...]:
        return tuple(
            LoopValue(unquote(token), True) if token.type == "QUOTED" else LoopValue(str(token))
            for token in children
        )

    def loop_range(self, children: list[Lexeme]) -> tuple[LoopValue, ...]:
        first, last = children
        return integers(first, last, first.span.to(last.span))

    def fact(self, children: list[Any]) -> Statement:
        weight, head = children
        return statement(head, None, weight, False, _span(weight or head, head))

    def rule(self, children: list[Any]) -> Statement:
        weight, head, sign, body = children
        last = body[-1] if body else sign
        return statement(head, body or (), weight, False, _span(weight or head, last))

    def ask(self, children: list[Any]) -> Statement:
        mark, atom = children
        return statement(atom, None, None, True, _span(mark, atom))

    def weight(self, children: list[Lexeme]) -> Number:
        return number_of(children[0], children[0].span)

    def body(self, children: list[Literal]) -> tuple[Literal, ...]:
        return tuple(children)

    def literal(self, children: list[Any]) -> Literal:
        negation, atom = children
        if negation is None:
            return atom
        return Literal(atom.predicate, atom.terms, True, _span(negation, atom))

    def atom(self, children: list[Any]) -> Literal:
        predicate, terms, bracket = children
        span = _span(predicate, bracket or predicate)
        return Literal(str(predicate), terms or (), False, span)

    def terms(self, children: list[Term]) -> tuple[Term, ...]:
        return tuple(children)

    def predicate(self, children: list[Lexeme]) -> Lexeme:
        token = children[0]
        if token.type == "VARIABLE":
            raise Refused(token, frozenset({"NAME"}))
        check_predicate(token, token.span)
        return token

    def constant(self, children: list[Lexeme]) -> Constant:
        return Constant(str(children[0]), children[0].span)

    def variable(self, children: list[Lexeme]) -> Variable:
        return Variable(str(children[0]), children[0].span)

    def number(self, children: list[Lexeme]) -> Number:
        return number_of(children[0], children[0].span)

    def quoted(self, children: list[Lexeme]) -> Constant:
        return Constant(unquote(children[0]), children[0].span)

    def template(self, children: list[Lexeme]) -> Term:
        return bare_term(children[0], children[0].span)

    def list(self, children: Any) -> ListTerm:
        opening, items, closing = children
        made = ListTerm(items, _span(opening, closing))
        if _nests(made, MOST_NESTED):
            raise ProgramSyntaxError("lists are nested too deeply here", opening.span)
        return made


def _span(first: Any, last: Any) -> Span:
    return first.span.to(last.span)


def _nests(term: ListTerm, depth: int) -> bool:
    """Whether lists stand inside lists more than so many times."""
    level = [term]
    for _ in range(depth):
        level = [item for one in level for item in one.items if isinstance(item, ListTerm)]
    return bool(level)
