"""What Python or English has and this language has not: how it is recognised, and what to write
instead."""

from __future__ import annotations

import re

from neurallog_kernel.language.mistakes import END, Mistake
from neurallog_kernel.language.prolog import command_advice

_NUMBER = re.compile(r"\s*(-?(?:\d+(?:\.\d+)?|\.\d+))\s*\.?\s*(?:\n|$)")
_REST = re.compile(r"((?:[ \t]+[\w-]+){0,2})[ \t]*\.?[ \t]*(?:\n|$)")
_TRUTH = re.compile(r"\s*(True|False|true|false)\b")


def word_first(mistake: Mistake) -> str | None:
    """A clause that begins as a statement of Python does."""
    begins = len(mistake.before) == 1 and mistake.follows("NAME")
    if not begins or mistake.kind not in ("NAME", "VARIABLE") or mistake.last is None:
        return None
    word = str(mistake.last)
    if word in ("if", "when", "def", "rule"):
        return "a rule is written the other way round: head :- condition, condition."
    if word in ("print", "return", "assert", "import"):
        return f"there is no `{word}`: write facts, rules and questions, such as ?- p(a, X)."
    return None


def assignment(mistake: Mistake) -> str | None:
    """`parent = ann`, `p(a) = 0.8` or `p(a) == True`."""
    if mistake.found not in ("=", "==") or mistake.in_body or mistake.question or mistake.opened:
        return None
    if len(mistake.before) == 1 and mistake.follows("NAME"):
        return "nothing is assigned here: write a fact, such as parent(ann, bob)."
    if not mistake.follows("RPAR"):
        return None
    number, truth = _NUMBER.match(mistake.following), _TRUTH.match(mistake.following)
    if number:
        return f"a weight is a number and stands first: {number[1]}::p(a)."
    if truth and truth[1].lower() == "true":
        return "a fact is true as it stands: end it with a full stop"
    return "a fact that is false has the weight 0: 0::p(a)." if truth else None


def square_brackets(mistake: Mistake) -> str | None:
    if mistake.kind == "LSQB" and mistake.follows("NAME") and "_LPAR" in mistake.expected:
        return f"arguments stand in round brackets: {mistake.last}(a, b)"
    return None


def comment_sign(mistake: Mistake) -> str | None:
    return "a comment begins with %" if mistake.found.startswith("//") else None


def question_mark(mistake: Mistake) -> str | None:
    """`p(a, X)?`, `? p(a, X)` or `p(a, ?)`."""
    if mistake.kind != "OPERATOR" or not mistake.found.startswith("?"):
        return None
    if mistake.opened:
        return "an open place is a variable: write a name with a capital letter, such as Who"
    return "a question begins with ?- and ends with a full stop: ?- p(a, X)."


def call_without_stop(mistake: Mistake) -> str | None:
    """`print("hello")`, where a full stop would make a fact of it that nobody wants."""
    ends = mistake.kind == END or mistake.on_new_line
    if not ends or len(mistake.before) != 4 or not mistake.follows("RPAR"):
        return None
    return command_advice(str(mistake.before[0]), 1)


def words_without_brackets(mistake: Mistake) -> str | None:
    """`parent ada ben.`, `learn w.` or a sentence of English."""
    words = ("NAME", "VARIABLE", "QUOTED", "INTEGER", "REAL")
    weighed = len(mistake.before) == 3 and mistake.before[1].type == "_WEIGHS"
    begins = (len(mistake.before) == 1 or weighed) and mistake.follows("NAME")
    if not begins or mistake.kind not in words or mistake.on_new_line or mistake.question:
        return None
    rest = _REST.match(mistake.following)
    if rest is None:
        calls = re.match(r"\s*\(", mistake.following)
        example = "a fact is a predicate with its arguments in brackets: parent(ann, bob)."
        return None if calls else example
    terms = ", ".join([mistake.found, *rest[1].split()])
    return f"arguments stand in brackets: {mistake.last}({terms})."
