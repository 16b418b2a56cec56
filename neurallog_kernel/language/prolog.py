"""What Prolog has and this language has not: how it is recognised, and what to write instead."""

from __future__ import annotations

import re
from itertools import pairwise

from neurallog_kernel.language.mistakes import Mistake
from neurallog_kernel.language.syntax import DIRECTIVES

_OR = frozenset({";", "|", "||", "\u2228"})
_EQUAL = frozenset({"=", "==", "=@=", "=.."})
_UNEQUAL = frozenset({"\\=", "\\==", "=\\=", "\\=@=", "!=", "<>", "≠"})
_COMPARISON = re.compile(r"@?(?:[<>]=?|=<|=>)|=:=|[≤≥]")
_NO_LISTS = "there are no lists: write one fact for each item"
_NO_ARITHMETIC = (
    "there is no arithmetic in a rule: weights are multiplied and added by themselves, and "
    "functions such as mean(A) compute with numbers"
)
_DIFFERENT = (
    "there is no sign for different: add a rule such as same(X, X) :- person(X). "
    "and write not same(X, Y)"
)
_LOAD = "a file is loaded by %neurallog load family.pl in a notebook, by load in Python"
_DECLARED = "leave this line out: predicates need no declaration"
_ALL = "a question gives all answers at once: ask for the atom itself, as in ?- p(a, Y)."
_PLAIN = "write the literal itself: all its answers are used, and their weights added"
_SHOWN = "a program cannot print: ask a question with ?- and the answers are shown"

_INSTEAD: dict[str, str] = {
    **dict.fromkeys(("dynamic", "discontiguous", "multifile"), _DECLARED),
    **dict.fromkeys(("module", "use_module"), "leave this line out: there are no modules"),
    **dict.fromkeys(("set_prolog_flag", "style_check"), "leave this line out: it sets up Prolog"),
    "initialization": "leave this line out: a program runs nothing; ask with ?- p(a, Y).",
    "table": "leave this line out: recursion is followed to a depth, set by recursion_depth",
    **dict.fromkeys(("consult", "ensure_loaded", "include", "load_files"), _LOAD),
    **dict.fromkeys(
        ("assert", "asserta", "assertz"),
        "a program does not change itself: write the clause, as in p(a, b).",
    ),
    **dict.fromkeys(
        ("retract", "retractall", "abolish"),
        "a program does not change itself: delete the clause where it stands, and run it again",
    ),
    **dict.fromkeys(("findall", "bagof", "setof"), _ALL),
    **dict.fromkeys(
        ("aggregate_all", "aggregate"),
        "a rule adds up what it finds: children(X) :- parent(X, _). counts them",
    ),
    "forall": "there is no forall: define what breaks the condition, and write not before it",
    **dict.fromkeys(("once", "ignore", "call"), _PLAIN),
    **dict.fromkeys(("write", "writeln", "print", "nl", "format"), _SHOWN),
    "listing": "%neurallog program lists the program in a notebook, program() in Python",
    **dict.fromkeys(
        ("trace", "spy"), "%neurallog explain p(a, b) says why an answer has its weight"
    ),
    "help": "%neurallog --help lists the commands of a notebook",
    **dict.fromkeys(("halt", "exit", "quit"), "a program needs no end: leave this line out"),
    "fail": "write false",
    **dict.fromkeys(("member", "append", "length", "nth0", "nth1", "memberchk"), _NO_LISTS),
    **dict.fromkeys(
        ("between", "succ", "plus"),
        "there is no arithmetic: write the facts with a loop, for i in {1..3} do n(i{i}). done",
    ),
    "dif": _DIFFERENT,
    "query": "ask with ?- p(a, Y).",
    "evidence": "weights are not probabilities, and there is no evidence: write what you know "
    "as a fact",
}
"""Predicates that a Prolog (or ProbLog) system brings along, and what is done here."""

_COMMANDS = frozenset(
    {(name, 0) for name in ("listing", "trace", "nl", "help", "halt", "exit", "quit", "fail")}
    | {(name, 1) for name in ("listing", "write", "writeln", "print", "help", "spy", "halt")}
    | {(name, 1) for name in ("consult", "ensure_loaded", "assert", "asserta", "assertz")}
)
"""What is typed at a Prolog prompt to make something happen, and would be a fact here. Words that
are good predicates too, such as member/2, are not among them."""


def instead_of(predicate: str) -> str | None:
    """What to write for a predicate that Prolog has built in.

    >>> instead_of("listing")
    '%neurallog program lists the program in a notebook, program() in Python'
    """
    return _INSTEAD.get(predicate)


def command_advice(predicate: str, arity: int) -> str | None:
    """What to do instead, for a fact that is a command of Prolog.

    >>> command_advice("halt", 0)
    'a program needs no end: leave this line out'
    >>> command_advice("write", 2)
    """
    return instead_of(predicate) if (predicate, arity) in _COMMANDS else None


# -- operators ----------------------------------------------------------------------------------


def cut(mistake: Mistake) -> str | None:
    here = mistake.kind == "OPERATOR" and mistake.found == "!" and not _more(mistake)
    next_to_it = mistake.kind == "_COMMA" and re.match(r"\s*!\s*\.", mistake.following)
    if here or (next_to_it and not mistake.opened):
        return "there is no cut: all answers are found at once, in no order; leave it out"
    return None


def if_then_else(mistake: Mistake) -> str | None:
    if mistake.kind == "OPERATOR" and mistake.found in ("->", "*->") and mistake.in_body:
        return "for if-then-else, write a rule for each case: one with c(X), one with not c(X)"
    return None


def comparison(mistake: Mistake) -> str | None:
    sign = mistake.found if mistake.kind == "OPERATOR" else ""
    if mistake.kind in ("INTEGER", "REAL") and mistake.in_body:
        compares = re.match(r"\s*([<>=!\\≤≥≠@:]+)", mistake.following)
        sign = compares[1] if compares else ""
    if mistake.kind == "NAME" and mistake.found == "is" and mistake.follows("VARIABLE"):
        return _NO_ARITHMETIC
    if sign in _EQUAL and any(one.type == "NOT" for one in mistake.before[-2:]):
        return _DIFFERENT
    if sign in _EQUAL:
        return "there is no unification: write the constant, or the same variable, in both places"
    if sign in _UNEQUAL:
        return _DIFFERENT
    if _COMPARISON.fullmatch(sign):
        return (
            "compare with at_least or at_most, as in age(X, A), at_least(A, 18); "
            "for other cases write facts, such as adult(ann)."
        )
    return None


def disjunction(mistake: Mistake) -> str | None:
    word = mistake.kind == "NAME" and mistake.found == "or" and mistake.in_body
    if not word and (mistake.kind != "OPERATOR" or mistake.found not in _OR):
        return None
    if mistake.opened:
        return _NO_LISTS if mistake.opened[-1].type == "LSQB" else "separate terms by commas"
    if mistake.question and not _more(mistake):
        return "all answers are given at once: end the question with a full stop"
    if not mistake.in_body and not mistake.question:
        return "write each of them as a clause of its own, ended by a full stop"
    return "for `or`, write a second rule with the same head"


def conjunction(mistake: Mistake) -> str | None:
    word = mistake.kind == "NAME" and mistake.found == "and" and "_COMMA" in mistake.expected
    if word or (mistake.kind == "OPERATOR" and mistake.found in ("&", "&&", "∧")):
        return "for `and`, write a comma"
    return None


def negation_sign(mistake: Mistake) -> str | None:
    if mistake.kind != "OPERATOR" or mistake.found not in ("\\+", "~", "!", "¬"):
        return None
    if mistake.question:
        return "a question cannot be negated: define a rule that negates, and ask for its head"
    false = "" if mistake.before else "; a fact that is false has the weight 0: 0::p(a)."
    return f"for negation, write not before an atom of the body, as in not p(X){false}"


def arithmetic(mistake: Mistake) -> str | None:
    if mistake.kind == "OPERATOR" and set(mistake.found) <= set("+-*/^"):
        if mistake.in_body and not mistake.opened:
            return "there is no arithmetic: a comma multiplies, and functions such as inverse help"
        return "there is no arithmetic: put a text that holds such signs in quotes"
    return None


# -- brackets -----------------------------------------------------------------------------------


def bracketed_literals(mistake: Mistake) -> str | None:
    if mistake.kind != "_LPAR" or mistake.opened:
        return None
    if mistake.follows("NOT"):
        return "write not without brackets, before one atom: not p(X)"
    if mistake.follows("IF", "_COMMA", "ASK"):
        return "literals stand without brackets; for `or`, write a second rule with the same head"
    return None


def empty_list(mistake: Mistake) -> str | None:
    return _NO_LISTS if mistake.kind == "RSQB" and mistake.follows("LSQB") else None


def consulted(mistake: Mistake) -> str | None:
    begins = not mistake.before or mistake.follows("ASK")
    if mistake.kind == "LSQB" and begins:
        return _LOAD
    return None


def built_in_predicate(mistake: Mistake) -> str | None:
    """A term inside `findall(...)`, or `p/2` inside `listing(...)`: the outermost name says what
    was meant."""
    if (mistake.kind != "_LPAR" and mistake.found != "/") or not mistake.opened:
        return None
    outermost = mistake.opened[0]
    names = (name for name, bracket in pairwise(mistake.before) if bracket is outermost)
    return next((instead_of(str(name)) for name in names), None)


def prolog_directive(mistake: Mistake) -> str | None:
    name = re.match(r"\s*([a-z]\w*)", mistake.following)
    if mistake.kind != "IF" or mistake.before or not name:
        return None
    if name[1] in DIRECTIVES:
        return (
            f"leave :- out: {(name[0] + mistake.following[name.end() :]).strip().splitlines()[0]}"
        )
    return instead_of(name[1])


def question_of_several_atoms(mistake: Mistake) -> str | None:
    sign = mistake.kind == "_COMMA" or mistake.found in ("and", "&", "&&")
    if not mistake.question or not sign or mistake.opened:
        return None
    asked = " ".join(str(token) for token in mistake.before) + _clause_rest(mistake)
    names = dict.fromkeys(re.findall(r"\b[A-Z]\w*", re.sub(r"\"[^\"]*\"|'[^']*'", "", asked)))
    head = "both" + (f"({', '.join(names)})" if names else "")
    rule = f"write a rule {head} :- ... with these atoms, and ask ?- {head}."
    return f"a question is one atom: {rule}"


def _more(mistake: Mistake) -> bool:
    """Whether something follows in the same clause that a sign could belong to."""
    return re.match(r"\s*[^\s.,;]", mistake.following) is not None


def _clause_rest(mistake: Mistake) -> str:
    return re.split(r"\.(?:\s|$)|\n", mistake.following, maxsplit=1)[0]
