"""How common mistakes are recognised at a syntax error: one function each, advice or None."""

from __future__ import annotations

import re

from neurallog_kernel.language.mistakes import END, Mistake

_WORDS = frozenset({"NAME", "VARIABLE", "TEMPLATE", "QUOTED", "INTEGER", "REAL"})
_STARTS = frozenset({"NAME", "TEMPLATE", "INTEGER", "REAL", "ASK", "FOR", "DONE"})
_KEYWORDS = frozenset({"FOR", "IN", "DO", "DONE", "NOT"})
_ARROW = re.compile(r":=|<--?|<=|=>|==?|--?>|-?:|[←⇐→⇒]")

# -- characters and words -----------------------------------------------------------------------


def unclosed_quote(mistake: Mistake) -> str | None:
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


def unclosed_comment(mistake: Mistake) -> str | None:
    return "end the comment with */" if mistake.kind == "OPEN_COMMENT" else None


def nested_comment(mistake: Mistake) -> str | None:
    if mistake.found == "*/":
        return "no comment is open here: the first */ ends one, comments do not nest"
    return None


def number_led_name(mistake: Mistake) -> str | None:
    if mistake.kind != "BAD_NUMBER":
        return None
    if re.fullmatch(r".*[0-9][eE][+-]?", mistake.found):
        return "digits must follow the e of a number, as in 1e-3"
    return f'a name cannot start with a digit: put it in quotes, "{mistake.found}"'


def hyphen_led_name(mistake: Mistake) -> str | None:
    word = re.match(r"[A-Za-z0-9_-]+", mistake.following)
    if mistake.kind == "OPERATOR" and set(mistake.found) == {"-"} and word:
        name = mistake.found + word[0]
        return f'a name cannot start with a hyphen: put it in quotes, "{name}"'
    return None


def accented_name(mistake: Mistake) -> str | None:
    if mistake.kind != "UNKNOWN" or not mistake.found.isalpha():
        return None
    before = re.search(r"[\w-]*$", mistake.preceding)
    after = re.match(r"[\w-]*", mistake.following)
    word = f"{before[0] if before else ''}{mistake.found}{after[0] if after else ''}"
    return f'names use the letters a to z, digits, _ and -: put others in quotes, "{word}"'


def keyword_as_name(mistake: Mistake) -> str | None:
    if mistake.kind not in _KEYWORDS or "NAME" not in mistake.expected:
        return None
    if "QUOTED" in mistake.expected and "LSQB" in mistake.expected:
        return f'{mistake.found} is a keyword: as a constant, write "{mistake.found}"'
    if re.match(r"\s*\(", mistake.following) and mistake.kind != "NOT":
        return f"{mistake.found} is a keyword: choose another name for the predicate"
    return None


def stray_character(mistake: Mistake) -> str | None:
    if mistake.kind != "UNKNOWN":
        return None
    return (
        "this character is not part of the language: delete it, or put the text around it in quotes"
    )


def capitalised_predicate(mistake: Mistake) -> str | None:
    if mistake.kind != "VARIABLE" or "NAME" not in mistake.expected:
        return None
    name = mistake.found.lstrip("_")
    return "a predicate name starts with a lower-case letter" + (
        f": write {name[:1].lower() + name[1:]}" if name else ""
    )


def quoted_predicate(mistake: Mistake) -> str | None:
    if mistake.kind == "QUOTED" and {"NAME", "TEMPLATE"} <= mistake.expected:
        return "write the name of a predicate without quotes"
    return None


def open_brace(mistake: Mistake) -> str | None:
    if mistake.kind in ("_LBRACE", "_RBRACE") and "IN" not in mistake.expected:
        return "a placeholder is a name in braces, without blanks: {i}"
    return None


# -- operators that other languages have --------------------------------------------------------


def word_for_if(mistake: Mistake) -> str | None:
    if mistake.kind == "NAME" and mistake.found == "if" and "IF" in mistake.expected:
        return "for `if`, write :-"
    return None


def wrong_if(mistake: Mistake) -> str | None:
    if mistake.kind in ("OPERATOR", "UNKNOWN") and "IF" in mistake.expected:
        after_variable = mistake.follows("VARIABLE")
        if _ARROW.fullmatch(mistake.found) and not after_variable:
            return "write :- between the head of a rule and its body"
    return None


def longer_arrow(mistake: Mistake) -> str | None:
    """`:--` or `:->`: a sign that touches the arrow."""
    touches = mistake.last is not None and mistake.last.span.end_column == mistake.span.column
    if mistake.kind == "OPERATOR" and mistake.follows("IF") and touches:
        return "write the arrow of a rule as :-"
    return None


def slash(mistake: Mistake) -> str | None:
    number = re.match(r"[0-9]+", mistake.following)
    if mistake.found == "/" and mistake.question:
        return f"a question has an argument for each place: ?- {mistake.last}(X, Y)."
    if mistake.found == "/" and mistake.follows("NAME", "TEMPLATE") and number:
        return f'put a predicate with its arity in quotes: "{mistake.last}/{number[0]}"'
    return None


def comma_after_head(mistake: Mistake) -> str | None:
    """Several literals, and no arrow that says which follows from the others."""
    if mistake.found == "," and mistake.follows("RPAR") and "IF" in mistake.expected:
        return (
            "after the head of a rule write :-; end each fact with a full stop; "
            "a question begins with ?-"
        )
    return None


# -- negation and weights -----------------------------------------------------------------------


def double_not(mistake: Mistake) -> str | None:
    if mistake.kind == "NOT" and mistake.follows("NOT"):
        return "write one not only: leave both out, or write a rule for the inner one"
    return None


def not_outside_a_body(mistake: Mistake) -> str | None:
    if mistake.kind == "NOT" and "NOT" not in mistake.expected and "NAME" in mistake.expected:
        false = "; a fact that is false has the weight 0: 0::p(a)." if not mistake.before else ""
        return f"only a literal in the body of a rule can be negated{false}"
    return None


def decimal_comma(mistake: Mistake) -> str | None:
    digits = re.match(r"\d+", mistake.following)
    if mistake.found == "," and mistake.follows("INTEGER") and digits and len(mistake.before) == 1:
        return f"a number has a point: {mistake.last}.{digits[0]}"
    return None


def percent(mistake: Mistake) -> str | None:
    if "_WEIGHS" not in mistake.expected or not mistake.follows("INTEGER", "REAL"):
        return None
    number = str(mistake.last)
    between = mistake.preceding.rpartition(number)[2] if mistake.preceding else mistake.following
    if between.lstrip().startswith("%"):
        return f"% begins a comment: for {number} percent write {float(number) / 100:g}::p(a)."
    return None


def fraction(mistake: Mistake) -> str | None:
    below = re.match(r"\s*([1-9]\d*)\s*::", mistake.following)
    if mistake.found == "/" and mistake.follows("INTEGER", "REAL") and below:
        return f"a weight is a number: write {float(str(mistake.last)) / int(below[1]):.6g}"
    return None


def weight_without_colons(mistake: Mistake) -> str | None:
    if "_WEIGHS" in mistake.expected and mistake.follows("INTEGER", "REAL"):
        return f"a weight is followed by two colons: {mistake.last}::p(a)."
    return None


def weight_in_a_body(mistake: Mistake) -> str | None:
    number = mistake.kind in ("INTEGER", "REAL")
    weighs = number and re.match(r"\s*(::|[*,.]|$)", mistake.following)
    if weighs and mistake.in_body and not mistake.opened and not mistake.on_new_line:
        return f"a weight stands at the beginning of a rule: {mistake.found}::p(X) :- q(X)."
    return None


def misplaced_weight(mistake: Mistake) -> str | None:
    number = mistake.kind in ("INTEGER", "REAL") and mistake.follows("RPAR")
    after = number and not mistake.on_new_line and not mistake.in_body
    colon = mistake.found == ":" and re.match(r"\s*[\d.]+\s*\.", mistake.following)
    if (mistake.kind == "_WEIGHS" or after or colon) and "_STOP" in mistake.expected:
        return "a weight is a number and stands first: 0.5::p(a)."
    return None


def two_weights(mistake: Mistake) -> str | None:
    if mistake.follows("_WEIGHS") and mistake.kind in ("INTEGER", "REAL"):
        return "a clause can have one weight only"
    return None


# -- loops --------------------------------------------------------------------------------------


def unclosed_for(mistake: Mistake) -> str | None:
    if mistake.kind == END and mistake.loops:
        span = mistake.loops[-1].span
        return f"the loop that starts at {_place(span.line, span.column)} needs done at its end"
    return None


def done_alone(mistake: Mistake) -> str | None:
    if mistake.kind == "DONE" and not mistake.before:
        return "no for is open here: done ends a loop"
    return None


def loop_name(mistake: Mistake) -> str | None:
    if mistake.follows("FOR"):
        return "a loop starts with a name: for i in {0..3} do"
    return None


def missing_in(mistake: Mistake) -> str | None:
    return "write in after the name: for i in {0..3} do" if "IN" in mistake.expected else None


def loop_values(mistake: Mistake) -> str | None:
    if mistake.follows("IN"):
        return "give the values of the loop: {0..3}, or names with blanks between them"
    if mistake.kind == "_COMMA" and "DO" in mistake.expected:
        return "values stand side by side without commas: for v in red green do"
    return None


def loop_range(mistake: Mistake) -> str | None:
    if {"_RANGE", "_RBRACE"} & mistake.expected or mistake.expected == {"INTEGER"}:
        return "a range goes from one whole number to another: {0..3}"
    return None


def missing_do(mistake: Mistake) -> str | None:
    return "write do before the clauses of the loop" if "DO" in mistake.expected else None


def empty_loop(mistake: Mistake) -> str | None:
    if mistake.kind == "DONE" and mistake.previous == "DO":
        return "a loop holds at least one clause"
    return None


# -- brackets, commas, full stops ---------------------------------------------------------------


def question_of_one_atom(mistake: Mistake) -> str | None:
    if not mistake.question:
        return None
    if not mistake.before and mistake.kind == END:
        return "ask for an atom, such as p(a, Y)"
    if mistake.kind == "NOT":
        return "a question cannot be negated: define a rule that negates, and ask for its head"
    if (mistake.kind == "IF" and not mistake.opened) or mistake.expected == {END}:
        return "a question is one atom: for more, define a rule and ask for its head"
    return None


def functional_term(mistake: Mistake) -> str | None:
    if mistake.kind != "_LPAR" or not mistake.opened:
        return None
    if mistake.follows("_LPAR"):
        return "one pair of brackets is enough"
    if "example" in mistake.before[: mistake.before.index(mistake.opened[0])]:
        return f"the predicate comes first: write example({mistake.last}, a, b)."
    if "learn" in mistake.before[: mistake.before.index(mistake.opened[0])]:
        return f"the name of the predicate is enough: learn({mistake.last})."
    instead = _one_after_the_other(mistake) or "a constant, a variable or a number"
    return f"a term cannot hold terms: write {instead}"


def _one_after_the_other(mistake: Mistake) -> str | None:
    """For a function as in Python, tanh(sum(X)) or age(X, min(A)), the conditions that compute
    it."""
    rest = re.match(r"\s*([^()]*,\s*)?([A-Z_]\w*)\s*\)\s*\)", mistake.following)
    if not rest or not mistake.in_body or len(mistake.opened) != 1:
        return None
    (bracket,) = (place for place, one in enumerate(mistake.before) if one is mistake.opened[0])
    outer, before = mistake.before[bracket - 1], mistake.before[bracket + 1 : -1]
    first, last = rest[1] or "", rest[2]
    if not before:
        return f"{mistake.last}({first}{last}), {outer}({last})"
    terms = "".join(", " if one.type == "_COMMA" else str(one) for one in before)
    known = last in map(str, before)
    return None if first or known else f"{outer}({terms}{last}), {mistake.last}({last})"


def no_terms(mistake: Mistake) -> str | None:
    if mistake.kind == "RPAR" and mistake.follows("_LPAR"):
        return "leave the brackets out where there are no terms"
    return None


def double_stop(mistake: Mistake) -> str | None:
    doubled = mistake.kind == "_RANGE" and "_STOP" in mistake.expected
    if doubled or (mistake.kind == "_STOP" and not mistake.before):
        return "one full stop ends a clause"
    return None


def nothing_there(mistake: Mistake) -> str | None:
    if mistake.kind in ("_STOP", END) and mistake.follows("NOT", "_WEIGHS", "ASK"):
        return f"write an atom after {mistake.last}, such as p(a)"
    return None


def no_head(mistake: Mistake) -> str | None:
    if mistake.kind == "IF" and not mistake.before:
        return "a rule needs a head before :- ; a question starts with ?-"
    return None


def extra_comma(mistake: Mistake) -> str | None:
    if mistake.follows("_COMMA") and mistake.kind in ("_COMMA", "RPAR", "RSQB", "_STOP", END):
        return "a comma too many, or something is missing after it"
    if mistake.kind == "_COMMA" and mistake.follows("_LPAR", "LSQB", "IF"):
        return "a comma too many, or something is missing before it"
    return None


def unbalanced_bracket(mistake: Mistake) -> str | None:
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


def missing_comma(mistake: Mistake) -> str | None:
    if "_COMMA" not in mistake.expected or mistake.kind not in _WORDS | {"NOT", "LSQB"}:
        return None
    if mistake.opened:
        return "write a comma between two terms, or quotes around a name of several words"
    if mistake.on_new_line:
        return "write a comma between two literals, or a full stop where the rule ends"
    return "write a comma between two literals"


def missing_stop(mistake: Mistake) -> str | None:
    if "_STOP" not in mistake.expected:
        return None
    if mistake.kind == END:
        fact = not mistake.in_body and not mistake.question and mistake.before[0].type != "ASK"
        asks = fact and any(one.type == "VARIABLE" for one in mistake.before)
        more = "; to ask, write ?- before it" if asks else ""
        return f"end the clause with a full stop{more}"
    if mistake.kind in _STARTS | {"VARIABLE"}:
        return "end the clause before it with a full stop"
    return None


def _place(line: int, column: int) -> str:
    return f"line {line}, column {column}"
