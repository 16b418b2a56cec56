"""Program text in HTML, coloured as in the editor."""

from __future__ import annotations

from html import escape

from pygments.token import Comment, Keyword, Name, Number, Operator, String

from neurallog_magics.lexer import NeuralLogLexer

_CLASSES = (
    (Name.Function, "f"),
    (Name.Variable, "v"),
    (Number, "n"),
    (Keyword, "k"),
    (Operator, "k"),
    (String, "s"),
    (Comment, "c"),
)


def coloured(text: str) -> str:
    """The text with a class for each kind of word.

    >>> coloured("p(X)")
    '<span class="nl-f">p</span>(<span class="nl-v">X</span>)'
    """
    parts = []
    for kind, word in NeuralLogLexer(stripnl=False, ensurenl=False).get_tokens(text):
        name = next((name for token, name in _CLASSES if kind in token), "")
        parts.append(f'<span class="nl-{name}">{escape(word)}</span>' if name else escape(word))
    return "".join(parts)
