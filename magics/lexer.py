"""Colours for NeuralLog in nbconvert, in documents and in the terminal: a Pygments lexer."""

from __future__ import annotations

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import (
    Comment,
    Generic,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
)

from neurallog_kernel import DIRECTIVES, KEYWORDS

_END = r"(?![A-Za-z0-9_-])"


class NeuralLogLexer(RegexLexer):
    """NeuralLog programs; `%neurallog` lines and cell magics are marked as such.

    >>> from pygments.token import Name
    >>> tokens = NeuralLogLexer().get_tokens("p(X) :- q(X, a).")
    >>> [text for kind, text in tokens if kind in Name.Variable]
    ['X', 'X']
    """

    name = "NeuralLog"
    aliases = ["neurallog"]  # noqa: RUF012
    filenames = ["*.nlog"]  # noqa: RUF012
    mimetypes = ["text/x-neurallog"]  # noqa: RUF012
    url = ""

    tokens = {  # noqa: RUF012
        "root": [
            (r"^\s*%%?(?:neurallog|examples|python)\b[^\n]*", Generic.Heading),
            (r"[%#][^\n]*", Comment.Single),
            (r"/\*[\s\S]*?\*/", Comment.Multiline),
            (r"\s+", Text.Whitespace),
            (r'"(?:\\.|[^"\\])*"' + r"|'(?:\\.|[^'\\])*'", String),
            (r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?![A-Za-z_])", Number),
            (r"\?-|:-|::|<<|\.\.", Operator),
            (words(sorted(KEYWORDS), suffix=_END), Keyword),
            (words(sorted(DIRECTIVES), suffix=_END), Keyword.Declaration),
            (r"\{\{.*?\}\}", String.Interpol),
            (r"\{[A-Za-z0-9_-]+\}", Name.Entity),
            (r"([a-z][A-Za-z0-9_-]*)(\s*)(\()", bygroups(Name.Function, Text, Punctuation)),
            (r"[a-z][A-Za-z0-9_-]*", Name.Constant),
            (r"[A-Z_][A-Za-z0-9_-]*", Name.Variable),
            (r"[()\[\],.{}]", Punctuation),
            (r".", Text),
        ]
    }
