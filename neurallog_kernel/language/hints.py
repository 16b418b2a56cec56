"""Common mistakes by name: how each is recognised at a syntax error, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from neurallog_kernel.language.mistakes import END, Mistake

_WORDS = frozenset({"NAME", "VARIABLE", "TEMPLATE", "QUOTED", "INTEGER", "REAL"})
_STARTS = frozenset({"NAME", "TEMPLATE", "INTEGER", "REAL", "ASK", "FOR", "DONE"})
_KEYWORDS = frozenset({"FOR", "IN", "DO", "DONE", "NOT"})
_ARROWS = frozenset(
    [":=", "<-", "<=", "=>", "=", "==", "←", "⇐", "->", "-->", "<--", "→", "⇒", ":", "-:"]
)
_COMPARISONS = frozenset(
    ["<", ">", "=", "==", "<=", ">=", "=<", "=>", "!=", "<>", "\\=", "≤", "≥", "≠"]
)
_OR = frozenset({";", "|", "||", "\u2228"})


@dataclass(frozen=True, slots=True)
class Hint:
    """A named mistake, a text that holds it, and the rule that gives the advice or None."""

    name: str
    example: str
    rule: Callable[[Mistake], str | None]


def hint_for(mistake: Mistake) -> str:
    """The advice of the first rule that recognises the mistake, or an empty text."""
    return next((text for hint in HINTS if (text := hint.rule(mistake))), "")


def capitalised_constant(name: str) -> str:
    """For a fact with a variable, which is found later than the syntax is."""
    return f'a capitalised word is a variable: write {name[:1].lower() + name[1:]}, or "{name}"'


def lower_case_variable(name: str) -> str:
    """For a constant that nothing knows, where a variable was probably meant."""
    return f"a variable starts with a capital letter: write {name[:1].upper() + name[1:]}"


# -- characters and words -----------------------------------------------------------------------


def _unclosed_quote(mistake: Mistake) -> str | None:
    if mistake.kind == "OPEN_QUOTE":
        mark = mistake.found
        return f"close it with another {mark}; inside the quotes write \\{mark}"
    for token in mistake.before:
        if token.type == "QUOTED" and token.span.end_line > token.span.line:
            return (
                f"the quote opened at {_place(token.span.line, token.span.column)} ends only on "
                f"line {token.span.end_line}: is a quote missing before?"
            )
    return None


def _unclosed_comment(mistake: Mistake) -> str | None:
    return "end the comment with */" if mistake.kind == "OPEN_COMMENT" else None


def _number_led_name(mistake: Mistake) -> str | None:
    if mistake.kind != "BAD_NUMBER":
        return None
    if re.fullmatch(r".*[0-9][eE][+-]?", mistake.found):
        return "digits must follow the e of a number, as in 1e-3"
    return f'a name cannot start with a digit: put it in quotes, "{mistake.found}"'


def _hyphen_led_name(mistake: Mistake) -> str | None:
    word = re.match(r"[A-Za-z0-9_-]+", mistake.following)
    if mistake.kind == "OPERATOR" and set(mistake.found) == {"-"} and word:
        name = mistake.found + word[0]
        return f'a name cannot start with a hyphen: put it in quotes, "{name}"'
    return None


def _accented_name(mistake: Mistake) -> str | None:
    if mistake.kind != "UNKNOWN" or not mistake.found.isalpha():
        return None
    before = re.search(r"[\w-]*$", mistake.preceding)
    after = re.match(r"[\w-]*", mistake.following)
    word = f"{before[0] if before else ''}{mistake.found}{after[0] if after else ''}"
    return f'names use the letters a to z, digits, _ and -: put others in quotes, "{word}"'


def _keyword_as_name(mistake: Mistake) -> str | None:
    if mistake.kind not in _KEYWORDS or "NAME" not in mistake.expected:
        return None
    if "QUOTED" in mistake.expected and "LSQB" in mistake.expected:
        return f'{mistake.found} is a keyword: as a constant, write "{mistake.found}"'
    if re.match(r"\s*\(", mistake.following) and mistake.kind != "NOT":
        return f"{mistake.found} is a keyword: choose another name for the predicate"
    return None


def _stray_character(mistake: Mistake) -> str | None:
    if mistake.kind != "UNKNOWN":
        return None
    return "the language has no such character: delete it, or put the text that holds it in quotes"


def _capitalised_predicate(mistake: Mistake) -> str | None:
    if mistake.kind != "VARIABLE" or "NAME" not in mistake.expected:
        return None
    name = mistake.found.lstrip("_")
    return "a predicate name starts with a lower-case letter" + (
        f": write {name[:1].lower() + name[1:]}" if name else ""
    )


def _quoted_predicate(mistake: Mistake) -> str | None:
    if mistake.kind == "QUOTED" and {"NAME", "TEMPLATE"} <= mistake.expected:
        return "a predicate name stands without quotes"
    return None


def _open_brace(mistake: Mistake) -> str | None:
    if mistake.kind in ("_LBRACE", "_RBRACE") and "IN" not in mistake.expected:
        return "a placeholder is a name in braces, without blanks: {i}"
    return None


# -- operators that other languages have --------------------------------------------------------


def _wrong_if(mistake: Mistake) -> str | None:
    if mistake.kind in ("OPERATOR", "UNKNOWN") and "IF" in mistake.expected:
        after_variable = mistake.follows("VARIABLE")
        if mistake.found in _ARROWS and not after_variable:
            return "write :- between the head of a rule and its body"
    return None


def _slash(mistake: Mistake) -> str | None:
    number = re.match(r"[0-9]+", mistake.following)
    if mistake.found == "/" and mistake.follows("NAME") and number:
        return f'put a predicate with its arity in quotes: "{mistake.last}/{number[0]}"'
    return None


def _comparison(mistake: Mistake) -> str | None:
    by_name = mistake.kind == "NAME" and mistake.found == "is" and mistake.follows("VARIABLE")
    led_by_number = mistake.kind in ("INTEGER", "REAL") and mistake.in_body
    led_by_number = led_by_number and re.match(r"\s*[<>=!\\≤≥≠]", mistake.following) is not None
    if by_name or led_by_number or (mistake.kind == "OPERATOR" and mistake.found in _COMPARISONS):
        return "there are no comparisons in a rule: keep the cases apart by predicates of your own"
    return None


def _disjunction(mistake: Mistake) -> str | None:
    if mistake.kind != "OPERATOR" or mistake.found not in _OR:
        return None
    if mistake.opened:
        return "separate terms by commas"
    return "for `or`, write a second rule with the same head"


def _conjunction(mistake: Mistake) -> str | None:
    if mistake.kind == "OPERATOR" and mistake.found in ("&", "&&", "∧"):
        return "for `and`, write a comma"
    return None


def _negation_sign(mistake: Mistake) -> str | None:
    if mistake.kind == "OPERATOR" and mistake.found in ("\\+", "~", "!", "¬"):
        return "for negation, write not before an atom of the body"
    return None


def _arithmetic(mistake: Mistake) -> str | None:
    if mistake.kind == "OPERATOR" and set(mistake.found) <= set("+-*/^"):
        return "there is no arithmetic: put a text that holds such signs in quotes"
    return None


# -- negation and weights -----------------------------------------------------------------------


def _double_not(mistake: Mistake) -> str | None:
    if mistake.kind == "NOT" and mistake.follows("NOT"):
        return "one not is enough: leave both out, or define a predicate for the inner one"
    return None


def _not_outside_a_body(mistake: Mistake) -> str | None:
    if mistake.kind == "NOT" and "NOT" not in mistake.expected and "NAME" in mistake.expected:
        return "only a literal in the body of a rule can be negated"
    return None


def _weight_without_colons(mistake: Mistake) -> str | None:
    if "_WEIGHS" in mistake.expected and mistake.follows("INTEGER", "REAL"):
        return f"a weight is followed by two colons: {mistake.last}::p(a)."
    return None


def _two_weights(mistake: Mistake) -> str | None:
    if mistake.follows("_WEIGHS") and mistake.kind in ("INTEGER", "REAL"):
        return "a clause has one weight"
    return None


# -- loops --------------------------------------------------------------------------------------


def _unclosed_for(mistake: Mistake) -> str | None:
    if mistake.kind == END and mistake.loops:
        span = mistake.loops[-1].span
        return f"the loop that starts at {_place(span.line, span.column)} needs done at its end"
    return None


def _done_alone(mistake: Mistake) -> str | None:
    if mistake.kind == "DONE" and not mistake.before:
        return "no for is open here: done ends a loop"
    return None


def _loop_name(mistake: Mistake) -> str | None:
    if mistake.follows("FOR"):
        return "a loop starts with a name: for i in {0..3} do"
    return None


def _missing_in(mistake: Mistake) -> str | None:
    return "write in after the name: for i in {0..3} do" if "IN" in mistake.expected else None


def _loop_values(mistake: Mistake) -> str | None:
    if mistake.follows("IN"):
        return "give the values of the loop: {0..3}, or names with blanks between them"
    if mistake.kind == "_COMMA" and "DO" in mistake.expected:
        return "values stand side by side without commas: for v in red green do"
    return None


def _loop_range(mistake: Mistake) -> str | None:
    if {"_RANGE", "_RBRACE"} & mistake.expected or mistake.expected == {"INTEGER"}:
        return "a range goes from one whole number to another: {0..3}"
    return None


def _missing_do(mistake: Mistake) -> str | None:
    return "write do before the clauses of the loop" if "DO" in mistake.expected else None


def _empty_loop(mistake: Mistake) -> str | None:
    if mistake.kind == "DONE" and mistake.previous == "DO":
        return "a loop holds at least one clause"
    return None


# -- brackets, commas, full stops ---------------------------------------------------------------


def _question_of_one_atom(mistake: Mistake) -> str | None:
    if not mistake.question:
        return None
    if not mistake.before and mistake.kind == END:
        return "ask for an atom, such as p(a, Y)"
    if mistake.kind == "NOT":
        return "a question cannot be negated: define a rule that negates, and ask for its head"
    if (mistake.kind in ("_COMMA", "IF") and not mistake.opened) or mistake.expected == {END}:
        return "a question is one atom: for more, define a rule and ask for its head"
    return None


def _functional_term(mistake: Mistake) -> str | None:
    if mistake.kind != "_LPAR" or not mistake.opened:
        return None
    if mistake.follows("_LPAR"):
        return "one pair of brackets is enough"
    return "a term cannot hold terms: write a constant, a variable or a number"


def _no_terms(mistake: Mistake) -> str | None:
    if mistake.kind == "RPAR" and mistake.follows("_LPAR"):
        return "leave the brackets out where there are no terms"
    return None


def _double_stop(mistake: Mistake) -> str | None:
    doubled = mistake.kind == "_RANGE" and "_STOP" in mistake.expected
    if doubled or (mistake.kind == "_STOP" and not mistake.before):
        return "one full stop ends a clause"
    return None


def _nothing_there(mistake: Mistake) -> str | None:
    if mistake.kind in ("_STOP", END) and mistake.follows("NOT", "_WEIGHS", "ASK"):
        return f"write an atom after {mistake.last}, such as p(a)"
    return None


def _no_head(mistake: Mistake) -> str | None:
    if mistake.kind == "IF" and not mistake.before:
        return "a rule needs a head before :- ; a question starts with ?-"
    return None


def _extra_comma(mistake: Mistake) -> str | None:
    if mistake.follows("_COMMA") and mistake.kind in ("_COMMA", "RPAR", "RSQB", "_STOP", END):
        return "a comma too many, or something is missing after it"
    if mistake.kind == "_COMMA" and mistake.follows("_LPAR", "LSQB", "IF"):
        return "a comma too many, or something is missing before it"
    return None


def _unbalanced_bracket(mistake: Mistake) -> str | None:
    closing = mistake.kind in ("RPAR", "RSQB")
    if not mistake.opened:
        return "this bracket closes nothing" if closing else None
    cut = mistake.kind in ("_STOP", "IF", END) or (mistake.kind in _STARTS and mistake.on_new_line)
    if not (cut or closing) or mistake.follows("_COMMA"):
        return None
    bracket = mistake.opened[-1]
    other = {"_LPAR": ")", "LSQB": "]"}[bracket.type]
    place = _place(bracket.span.line, bracket.span.column)
    return f"the {bracket} opened at {place} is not closed: write {other}"


def _missing_comma(mistake: Mistake) -> str | None:
    if "_COMMA" not in mistake.expected or mistake.kind not in _WORDS | {"NOT", "LSQB"}:
        return None
    if mistake.opened:
        return "write a comma between two terms"
    if mistake.on_new_line:
        return "write a comma between two literals, or a full stop where the rule ends"
    return "write a comma between two literals"


def _missing_stop(mistake: Mistake) -> str | None:
    if "_STOP" not in mistake.expected:
        return None
    if mistake.kind == END:
        return "end the clause with a full stop"
    if mistake.kind in _STARTS | {"VARIABLE"}:
        return "end the clause before it with a full stop"
    return None


def _place(line: int, column: int) -> str:
    return f"line {line}, column {column}"


HINTS: tuple[Hint, ...] = (
    Hint("unclosed quote", 'p(a, "abc).', _unclosed_quote),
    Hint("unclosed quote on an earlier line", "p('abc).\nq('x').", _unclosed_quote),
    Hint("unclosed comment", "p(a). /* never closed", _unclosed_comment),
    Hint("name that starts with a digit", "p(1a).", _number_led_name),
    Hint("number without an exponent", "1e::p(a).", _number_led_name),
    Hint("name that starts with a hyphen", "p(-b).", _hyphen_led_name),
    Hint("name with an accent", "p(caf\u00e9).", _accented_name),
    Hint("stray character", "p(a).\0q(b).", _stray_character),
    Hint("double not", "h(X) :- not not p(X).", _double_not),
    Hint("keyword as a constant", "p(not).", _keyword_as_name),
    Hint("keyword as a predicate", "in(a).", _keyword_as_name),
    Hint("capitalised predicate", "Parent(ann, bob).", _capitalised_predicate),
    Hint("quoted predicate", '"parent"(ann, bob).', _quoted_predicate),
    Hint("wrong sign for :-", "h(X) := p(X).", _wrong_if),
    Hint("arity without quotes", "learn(p/2).", _slash),
    Hint("comparison", "h(X) :- p(X), X > 3.", _comparison),
    Hint("or", "h(X) :- p(X) ; q(X).", _disjunction),
    Hint("and", "h(X) :- p(X) & q(X).", _conjunction),
    Hint("sign for not", "h(X) :- p(X), \\+ q(X).", _negation_sign),
    Hint("arithmetic", "p(a + b).", _arithmetic),
    Hint("weight without colons", "0.5 p(a).", _weight_without_colons),
    Hint("two weights", "0.5::0.3::p(a).", _two_weights),
    Hint("unclosed for", "for i in {0..1} do p(a).", _unclosed_for),
    Hint("empty loop", "for i in {0..1} do done", _empty_loop),
    Hint("done without for", "p(a). done", _done_alone),
    Hint("loop without a name", "for in {0..1} do p(a). done", _loop_name),
    Hint("loop without in", "for i {0..1} do p(a). done", _missing_in),
    Hint("loop without values", "for i in do p(a). done", _loop_values),
    Hint("commas between values", "for v in a, b do p({v}). done", _loop_values),
    Hint("bad range", "for i in {0,1} do p(a). done", _loop_range),
    Hint("loop without do", "for i in {0..1} p(a). done", _missing_do),
    Hint("bad placeholder", "p({ i }).", _open_brace),
    Hint("question of several atoms", "?- p(X), q(X).", _question_of_one_atom),
    Hint("not outside a body", "not p(a).", _not_outside_a_body),
    Hint("functional term", "p(f(a)).", _functional_term),
    Hint("empty brackets", "p().", _no_terms),
    Hint("double full stop", "p(a)..", _double_stop),
    Hint("nothing to negate, weigh or ask", "h(X) :- not .", _nothing_there),
    Hint("rule without a head", ":- p(a).", _no_head),
    Hint("comma too many", "p(a,).", _extra_comma),
    Hint("unbalanced bracket", "p(a, b.", _unbalanced_bracket),
    Hint("missing comma", "h(X) :- p(X) q(X).", _missing_comma),
    Hint("missing full stop", "p(a) q(b).", _missing_stop),
)
