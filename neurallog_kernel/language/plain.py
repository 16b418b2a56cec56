"""Plain questions such as `p(a, Y)`, read without the grammar: most questions are of this form."""

from __future__ import annotations

import re

from neurallog_kernel.errors import Span
from neurallog_kernel.language.syntax import Constant, Literal, Term, Variable
from neurallog_kernel.language.words import DIRECTIVES, KEYWORDS, NAME

_TERM = r"[A-Za-z_][A-Za-z0-9_-]*"
_QUESTION = re.compile(rf" *(?:\?- *)?({NAME})\(( *{_TERM} *(?:, *{_TERM} *)*)\) *\.? *")
_TERMS = re.compile(_TERM)


def plain_question(text: str, source: str) -> Literal | None:
    """The atom of a question on one line with bare terms; None leaves it to the grammar."""
    found = _QUESTION.fullmatch(text)
    if found is None or found[1] in KEYWORDS or found[1] in DIRECTIVES:
        return None
    terms: list[Term] = []
    anonymous = 0
    for word in _TERMS.finditer(text, found.start(2), found.end(2)):
        span = Span(source, 1, word.start() + 1, 1, word.end() + 1)
        name = word[0]
        if name in KEYWORDS:
            return None
        if name == "_":
            anonymous += 1
            terms.append(Variable(f"_#{anonymous}", span))
        elif name[0].islower():
            terms.append(Constant(name, span))
        else:
            terms.append(Variable(name, span))
    end = found.end(2) + 2
    return Literal(found[1], tuple(terms), span=Span(source, 1, found.start(1) + 1, 1, end))
