"""Common mistakes by name: an example of each, and the rule that gives the advice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from neurallog_kernel.language import hint_rules as rules
from neurallog_kernel.language import prolog, pythonisms
from neurallog_kernel.language.mistakes import Mistake


@dataclass(frozen=True, slots=True)
class Hint:
    """A named mistake, a text that holds it, and the rule that gives the advice or None."""

    name: str
    example: str
    rule: Callable[[Mistake], str | None]


def hint_for(mistake: Mistake) -> str:
    """The advice of the first rule that recognises the mistake, or an empty text."""
    return next((text for hint in HINTS if (text := hint.rule(mistake))), "")


def lower_case_variable(name: str) -> str:
    """For a constant that nothing knows, where a variable was probably meant."""
    return f"a variable starts with a capital letter: write {name[:1].upper() + name[1:]}"


HINTS: tuple[Hint, ...] = (
    Hint("unclosed quote", 'p(a, "abc).', rules.unclosed_quote),
    Hint("unclosed quote on an earlier line", "p('abc).\nq('x').", rules.unclosed_quote),
    Hint("unclosed comment", "p(a). /* never closed", rules.unclosed_comment),
    Hint("comment in a comment", "/* /* */ */ p(a).", rules.nested_comment),
    Hint("name that starts with a digit", "p(1a).", rules.number_led_name),
    Hint("number without an exponent", "1e::p(a).", rules.number_led_name),
    Hint("name that starts with a hyphen", "p(-b).", rules.hyphen_led_name),
    Hint("name with an accent", "p(caf\u00e9).", rules.accented_name),
    Hint("stray character", "p(a).\0q(b).", rules.stray_character),
    Hint("double not", "h(X) :- not not p(X).", rules.double_not),
    Hint("keyword as a constant", "p(not).", rules.keyword_as_name),
    Hint("keyword as a predicate", "in(a).", rules.keyword_as_name),
    Hint("capitalised predicate", "Parent(ann, bob).", rules.capitalised_predicate),
    Hint("quoted predicate", '"parent"(ann, bob).', rules.quoted_predicate),
    Hint("word for :-", "h(X) if p(X).", rules.word_for_if),
    Hint("word of Python first", "if p(X): q(X)", pythonisms.word_first),
    Hint("assignment", "parent = ann", pythonisms.assignment),
    Hint("weight as a value", "p(a) = 0.8", pythonisms.assignment),
    Hint("truth value", "p(a) == True", pythonisms.assignment),
    Hint("square brackets", "p[a, b].", pythonisms.square_brackets),
    Hint("comment of another language", "// p(a).", pythonisms.comment_sign),
    Hint("question mark", "p(a, X)?", pythonisms.question_mark),
    Hint("question mark as a term", "?- p(a, ?).", pythonisms.question_mark),
    Hint("call without a full stop", 'print("hello")', pythonisms.call_without_stop),
    Hint("longer arrow", "h(X) :-- p(X).", rules.longer_arrow),
    Hint("weight after a colon", "p(a) : 0.5.", rules.misplaced_weight),
    Hint("wrong sign for :-", "h(X) := p(X).", rules.wrong_if),
    Hint("arity in a command of Prolog", "listing(p/2).", prolog.built_in_predicate),
    Hint("arity without quotes", "learn(p/2).", rules.slash),
    Hint("arity in a question", "?- p/2.", rules.slash),
    Hint("cut", "h(X) :- p(X), !.", prolog.cut),
    Hint("if-then-else", "h(X) :- p(X) -> q(X) ; r(X).", prolog.if_then_else),
    Hint("not equal", "h(X) :- p(X), not X == Y.", prolog.comparison),
    Hint("comparison", "h(X) :- p(X), X > 3.", prolog.comparison),
    Hint("or", "h(X) :- p(X) ; q(X).", prolog.disjunction),
    Hint("and", "h(X) :- p(X) & q(X).", prolog.conjunction),
    Hint("word for or", "h(X) :- p(X) or q(X).", prolog.disjunction),
    Hint("word for and", "h(X) :- p(X) and q(X).", prolog.conjunction),
    Hint("sign for not", "h(X) :- p(X), \\+ q(X).", prolog.negation_sign),
    Hint("weight as a fraction", "1/2::p(a).", rules.fraction),
    Hint("arithmetic", "p(a + b).", prolog.arithmetic),
    Hint("arithmetic between literals", "h(X) :- p(X) / q(X).", prolog.arithmetic),
    Hint("weight with a comma", "0,5::p(a).", rules.decimal_comma),
    Hint("comma after the head", "h(X), p(X).", rules.comma_after_head),
    Hint("weight in percent", "80%::p(a).", rules.percent),
    Hint("weight in a body", "h(X) :- p(X), 0.5::q(X).", rules.weight_in_a_body),
    Hint("weight without colons", "0.5 p(a).", rules.weight_without_colons),
    Hint("weight in the wrong place", "p(a)::0.5.", rules.misplaced_weight),
    Hint("weight at the end", "p(a) 0.5.", rules.misplaced_weight),
    Hint("factor in a body", "h(X) :- 0.5 * p(X).", rules.weight_in_a_body),
    Hint("weight as a condition", "h(X) :- p(X), 0.5.", rules.weight_in_a_body),
    Hint("two weights", "0.5::0.3::p(a).", rules.two_weights),
    Hint("unclosed for", "for i in {0..1} do p(a).", rules.unclosed_for),
    Hint("empty loop", "for i in {0..1} do done", rules.empty_loop),
    Hint("done without for", "p(a). done", rules.done_alone),
    Hint("loop without a name", "for in {0..1} do p(a). done", rules.loop_name),
    Hint("loop without in", "for i {0..1} do p(a). done", rules.missing_in),
    Hint("loop without values", "for i in do p(a). done", rules.loop_values),
    Hint("commas between values", "for v in a, b do p({v}). done", rules.loop_values),
    Hint("bad range", "for i in {0,1} do p(a). done", rules.loop_range),
    Hint("loop without do", "for i in {0..1} p(a). done", rules.missing_do),
    Hint("bad placeholder", "p({ i }).", rules.open_brace),
    Hint("question of several atoms", "?- p(X), q(X).", prolog.question_of_several_atoms),
    Hint("question with and", "?- p(X) and q(X).", prolog.question_of_several_atoms),
    Hint("question with a body", "?- p(X) :- q(X).", rules.question_of_one_atom),
    Hint("file in a question", "?- [family].", prolog.consulted),
    Hint("file in brackets", "[family].", prolog.consulted),
    Hint("not outside a body", "not p(a).", rules.not_outside_a_body),
    Hint("literals in brackets", "h(X) :- (p(X) ; q(X)).", prolog.bracketed_literals),
    Hint("built-in predicate of Prolog", "?- findall(X, p(X), L).", prolog.built_in_predicate),
    Hint("functional term", "p(f(a)).", rules.functional_term),
    Hint("atom in learn", "learn(w(a)).", rules.functional_term),
    Hint("atom in an example", "0.5::example(p(a, b)).", rules.functional_term),
    Hint("empty brackets", "p().", rules.no_terms),
    Hint("double full stop", "p(a)..", rules.double_stop),
    Hint("nothing to negate, weigh or ask", "h(X) :- not .", rules.nothing_there),
    Hint("directive of Prolog", ":- dynamic p/2.", prolog.prolog_directive),
    Hint("rule without a head", ":- p(a).", rules.no_head),
    Hint("comma too many", "p(a,).", rules.extra_comma),
    Hint("empty list", "p([]).", prolog.empty_list),
    Hint("unbalanced bracket", "p(a, b.", rules.unbalanced_bracket),
    Hint("missing comma", "h(X) :- p(X) q(X).", rules.missing_comma),
    Hint("words without brackets", "p a b.", pythonisms.words_without_brackets),
    Hint("sentence", "ann is a parent of bob.", pythonisms.words_without_brackets),
    Hint("missing full stop", "p(a) q(b).", rules.missing_stop),
)
