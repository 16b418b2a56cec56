"""Program text in HTML, coloured as in the editor."""

from __future__ import annotations

from html import escape

from pygments.token import Comment, Keyword, Name, Number, Operator, String

from neurallog_magics.lexer import NeuralLogLexer

_CLASSES = (
    (Name.Function, "f"),
    (Name.Variable, "v"),
    (Number, "n"),
    (Keyword, "w"),
    (Operator, "k"),
    (Name.Constant, "e"),
    (String, "s"),
    (Comment, "c"),
)


def coloured(text: str) -> str:
    """The text with a class for each kind of word.

    >>> coloured("p(X, a)")
    '<span class="nl-f">p</span>(<span class="nl-v">X</span>, <span class="nl-e">a</span>)'
    >>> coloured("rule weight 1")
    'rule weight <span class="nl-n">1</span>'
    """
    parts = []
    words = list(NeuralLogLexer(stripnl=False, ensurenl=False).get_tokens(text))
    for place, (kind, word) in enumerate(words):
        name = next((name for token, name in _CLASSES if kind in token), "")
        if name == "e" and not _is_argument([word for _, word in words], place):
            name = ""
        parts.append(f'<span class="nl-{name}">{escape(word)}</span>' if name else escape(word))
    return "".join(parts)


def _is_argument(words: list[str], place: int) -> bool:
    """A name in brackets; what else has small letters may be prose, as `rule weight`."""
    before, after = "".join(words[:place]).rstrip(), "".join(words[place + 1 : place + 3]).lstrip()
    return before.endswith(("(", ",")) and after.startswith((",", ")"))
