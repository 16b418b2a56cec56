"""A syntax error in words: what was found, what was expected, and the place."""

from __future__ import annotations

from dataclasses import dataclass

from neurallog_kernel.errors import Span
from neurallog_kernel.language.lexer import Lexeme, TextInput

END = "$END"


class Refused(Exception):
    """The builder refuses a token that the grammar let in."""

    def __init__(self, token: Lexeme, expected: frozenset[str]) -> None:
        super().__init__(token)
        self.token = token
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Mistake:
    """The first token that fits nowhere, and what stands around it.

    `kind` is its terminal (`$END` at the end of the text), `before` the tokens of the same
    statement that precede it, `previous` the terminal just before it, in this statement or not,
    `following` and `preceding` the text around it, `loops` the open `for` keywords.
    """

    kind: str
    found: str
    span: Span
    expected: frozenset[str]
    before: tuple[Lexeme, ...] = ()
    following: str = ""
    preceding: str = ""
    previous: str = ""
    loops: tuple[Lexeme, ...] = ()
    question: bool = False

    @property
    def last(self) -> Lexeme | None:
        """The token just before."""
        return self.before[-1] if self.before else None

    def follows(self, *kinds: str) -> bool:
        """Whether the token just before is of one of these kinds."""
        return self.last is not None and self.last.type in kinds

    @property
    def on_new_line(self) -> bool:
        return self.last is not None and self.span.line > self.last.span.end_line

    @property
    def opened(self) -> tuple[Lexeme, ...]:
        """The brackets of the statement that are still open."""
        stack: list[Lexeme] = []
        for token in self.before:
            if token.type in ("_LPAR", "LSQB"):
                stack.append(token)
            elif token.type in ("RPAR", "RSQB") and stack:
                stack.pop()
        return tuple(stack)

    @property
    def in_body(self) -> bool:
        return any(token.type == "IF" for token in self.before)


def mistake_at(
    token: Lexeme | None, expected: frozenset[str], given: TextInput, question: bool
) -> Mistake:
    """The mistake at a token, or (None) at the end of the text: just after the last token."""
    before = tuple(one for one in given.statement if one is not token)
    loops = tuple(given.loops)
    if token is None:
        span = _after(given.last, given.source)
        last = given.last.end_pos if given.last else None
        rest = given.text[last : last + 80] if last else ""  # a comment, or blanks
        return Mistake(END, "", span, expected, before, rest, loops=loops, question=question)
    start, end = token.start_pos or 0, token.end_pos or 0
    return Mistake(
        token.type,
        str(token),
        token.span,
        expected,
        before,
        given.text[end : end + 80],
        given.text[max(0, start - 80) : start],
        given.previous.type if given.previous else "",
        loops,
        question or given.statement[0].type == "ASK",
    )


def _after(last: Lexeme | None, source: str) -> Span:
    if last is None:
        return Span(source, 1, 1, 1, 1)
    line, column = last.span.end_line, last.span.end_column
    return Span(source, line, column, line, column)


def message(mistake: Mistake) -> str:
    """What is wrong, in one sentence."""
    kind, found = mistake.kind, mistake.found
    if kind == "OPEN_QUOTE":
        return "this quote is never closed"
    if kind == "OPEN_COMMENT":
        return "this comment is never closed"
    if kind == "BAD_NUMBER":
        return f"{found} is neither a number nor a name"
    wanted = _listed(_expected_words(mistake.expected))
    return f"found {_found_words(kind, found)}" + (f", expected {wanted}" if wanted else "")


def _found_words(kind: str, found: str) -> str:
    if kind == END:
        return "the end of the text"
    if kind in ("FOR", "IN", "DO", "DONE", "NOT"):
        return f"the keyword {found}"
    if kind == "UNKNOWN":
        shown = f"the character {found} " if found.isprintable() else "the character "
        return f"{shown}(U+{ord(found):04X})"
    return _KINDS.get(kind, "") + (found if kind in _KINDS else f"`{found}`")


_KINDS = {
    "NAME": "the name ",
    "VARIABLE": "the variable ",
    "TEMPLATE": "the name ",
    "QUOTED": "the quoted constant ",
    "INTEGER": "the number ",
    "REAL": "the number ",
}
_SIGNS = {
    "_LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "_COMMA": "`,`",
    "_WEIGHS": "`::`",
    "IF": "`:-`",
    "ASK": "`?-`",
    "_LBRACE": "`{`",
    "_RANGE": "`..`",
    "_RBRACE": "`}`",
    "NOT": "`not`",
    "FOR": "`for`",
    "IN": "`in`",
    "DO": "`do`",
    "DONE": "`done`",
    "_STOP": "a full stop",
    END: "the end of the text",
}
# What a beginner would call a set of terminals; the first that is expected as a whole is taken.
_GROUPS: tuple[tuple[str, frozenset[str]], ...] = (
    ("a clause", frozenset({"FOR", "ASK", "NAME", "TEMPLATE", "VARIABLE", "INTEGER", "REAL"})),
    (
        "a term (a constant, a variable or a number)",
        frozenset({"LSQB", "QUOTED", "NAME", "TEMPLATE", "VARIABLE", "INTEGER", "REAL"}),
    ),
    ("a value", frozenset({"QUOTED", "NAME", "VARIABLE", "INTEGER", "REAL"})),
    ("a predicate", frozenset({"NAME", "TEMPLATE", "VARIABLE"})),
    ("a name", frozenset({"NAME", "VARIABLE"})),
    ("a predicate name", frozenset({"NAME"})),
    ("a number", frozenset({"INTEGER", "REAL"})),
    ("a whole number", frozenset({"INTEGER"})),
)


def _expected_words(expected: frozenset[str]) -> list[str]:
    words: list[str] = []
    left = set(expected)
    for name, group in _GROUPS:
        if group <= left:
            words.append(name)
            left -= group
    if "a clause" in words:
        left.discard(END)
    return words + [sign for kind, sign in _SIGNS.items() if kind in left]


def _listed(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
