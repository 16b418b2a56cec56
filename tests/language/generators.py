"""Clauses and program texts at random, and what the tests of this folder share."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from neurallog_kernel.errors import Span
from neurallog_kernel.language.syntax import (
    Clause,
    Constant,
    Example,
    ExampleSet,
    Fact,
    Learn,
    LearnRuleWeights,
    Literal,
    MegaExample,
    Number,
    ParameterValue,
    Query,
    Rule,
    SetParameter,
    SetPredicateParameter,
    TemplateTerm,
    Term,
    Variable,
)
from neurallog_kernel.language.words import DIRECTIVES, KEYWORDS

DATA = Path(__file__).parents[3] / "shared" / "data"

KEYWORD_OR_DIRECTIVE = KEYWORDS | DIRECTIVES


def examples(count: int) -> Callable[[Any], Any]:
    """So many examples, the same ones in every run, however long each takes."""
    return settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def spans(node: Any) -> list[Span | None]:
    """Every span in a clause or in a tuple of clauses, from the outside in."""
    if isinstance(node, tuple):
        return [span for part in node for span in spans(part)]
    if not dataclasses.is_dataclass(node) or isinstance(node, Span):
        return []
    inner = [getattr(node, one.name) for one in dataclasses.fields(node) if one.name != "span"]
    return [getattr(node, "span", None), *(span for part in inner for span in spans(part))]


# -- clauses ------------------------------------------------------------------------------------

names = st.from_regex(r"[a-z][A-Za-z0-9_-]{0,4}", fullmatch=True).filter(
    lambda name: name not in KEYWORD_OR_DIRECTIVE
)
variable_names = st.from_regex(r"[A-Z][A-Za-z0-9_-]{0,3}|_[A-Za-z0-9_-]{1,3}", fullmatch=True)
placeholder_names = st.from_regex(r"[a-z_]*\{[a-z0-9_-]{1,3}\}[A-Za-z0-9_-]{0,3}", fullmatch=True)
template_predicates = st.from_regex(r"([a-z][a-z_]*)?\{[a-z0-9_-]{1,3}\}[A-Z0-9]?", fullmatch=True)
predicates = st.one_of(names, st.sampled_from(["p", "q", "r"]))
any_predicates = st.one_of(predicates, template_predicates)
numbers = st.floats(allow_nan=False, allow_infinity=False)
weights = st.one_of(st.just(1.0), numbers)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)

constants = st.one_of(names, texts).map(Constant)
ground_terms = st.one_of(constants, numbers.map(Number))
variables = variable_names.map(Variable)
terms = st.one_of(ground_terms, variables)
template_terms = st.one_of(terms, placeholder_names.map(TemplateTerm))


def literals(
    predicate: st.SearchStrategy[str], term: st.SearchStrategy[Term], negated: bool = False
) -> st.SearchStrategy[Literal]:
    signs = st.booleans() if negated else st.just(False)
    places = st.lists(term, max_size=3).map(tuple)
    return st.builds(Literal, predicate, places, signs)


templates = st.builds(
    Rule,
    literals(any_predicates, template_terms),
    st.lists(literals(any_predicates, template_terms, negated=True), max_size=3).map(tuple),
    weights,
)
rules = st.builds(
    Rule,
    literals(predicates, terms),
    st.lists(literals(predicates, terms, negated=True), max_size=4).map(tuple),
    weights,
)


def _anonymous(rule: Rule) -> Rule:
    """The rule with its variables numbered as anonymous ones."""
    count = iter(range(1, 100))

    def renamed(literal: Literal) -> Literal:
        places = tuple(
            Variable(f"_#{next(count)}") if isinstance(term, Variable) else term
            for term in literal.terms
        )
        return dataclasses.replace(literal, terms=places)

    return dataclasses.replace(rule, head=renamed(rule.head), body=tuple(map(renamed, rule.body)))


words = st.one_of(names, texts, variable_names).filter(
    lambda text: text.lower() not in ("true", "false")
)
values: st.SearchStrategy[ParameterValue] = st.recursive(
    st.one_of(words, numbers, st.booleans(), st.sampled_from(["$p/2[0]", "3", "1e-3"])),
    lambda inner: st.lists(inner, min_size=1, max_size=3).map(tuple),
    max_leaves=5,
)
arities = st.none() | st.integers(0, 4)
paths = st.lists(words, min_size=1, max_size=3).map(tuple)

clauses: st.SearchStrategy[Clause] = st.one_of(
    st.builds(Fact, literals(predicates, terms), weights),
    rules,
    rules.map(_anonymous),
    templates,
    st.builds(Query, literals(predicates, terms)),
    st.builds(Learn, predicates, arities),
    st.builds(Learn, words, st.none(), st.just(True)),
    st.builds(LearnRuleWeights, predicates, arities),
    st.builds(SetParameter, paths, values),
    st.builds(SetPredicateParameter, predicates, arities, paths, values),
    st.builds(Example, literals(names, terms), weights),
    st.builds(MegaExample, words, literals(names, terms), weights),
    st.builds(ExampleSet, texts.filter(bool)),
)

# -- texts --------------------------------------------------------------------------------------

VALID = """\
% family
parent(ann, bob). 0.5::parent(bob, "Carl-Otto").
age(ann, 41.5). age(bob, -.5e1). rain.
grandparent(X, Z) :- parent(X, Y), parent(Y, Z). /* two
steps */ 0.7::odd(X) :- not parent(X, _), w(w1).
h(X, Y) :- .
for i in {0..2} do
  p_{i}(a, "n {i}"). for v in red 'dark blue' do q_{i}(X) :- p_{i}(X, {v}). done
done
any(X) :- p_{k}(X, Y), u({k}).
learn("w/1"). set_parameter(metrics, [a, "b", 1e-3]). # a list
set_predicate_parameter(p, recursion_depth, 2). example(parent, ann, bob).
0::mega_example(m1, parent, ann, Who). ?- grandparent(ann, Who).
"""

pieces = st.sampled_from(
    [
        *"()[]{}.,:;|=<>-_#%/*'\"\\ \n\t\r\0é\u2028\U0001f600",
        *("::", ":-", "?-", "..", "/*", "*/", "{i}", "{0..2}", ":=", "<-", "\\n"),
        *("for ", " in ", " do ", " done ", "not ", "p", "X", "_", "1", ".5", "1e5", "1e", "a-b"),
        *("learn", "set_parameter", "example", "p(a).", "q(X) :- p(X).", '"a b"', "'c'"),
    ]
)
soups = st.lists(pieces, max_size=30).map("".join)


@st.composite
def mutated(draw: st.DrawFn, text: str = VALID) -> str:
    """A text with a few pieces deleted, inserted, doubled or moved."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 6)))
        middle = draw(st.one_of(st.just(""), pieces, st.just(text[start:end] * 2)))
        text = text[:start] + middle + text[end:]
    return text


fact_terms = st.one_of(
    st.sampled_from(["a", "b1", "c-d_E", "s00001740", '"a b"', "'it is'", '""', '"%"', '"é"']),
    st.sampled_from(["nan", "infinity", "inf", "note", "informal"]),
)
number_terms = st.sampled_from(["1", "-2", "0.5", ".5", "-.25", "1e3", "2E-4", "007"])
ODD_FACTS = [
    *("p(a, 1).", "p(1, a).", "p(not).", "in(a).", "learn(p).", "set_parameter(a, b).", "p(X)."),
    *("p(a, _).", "p(a, b, c).", "p.", "p(a))", "p(a)", "p(a)..", "p(1a).", 'p("a\\"b").', "p(é)."),
    *('p("a\nb").', "p(\ta).", "p(a,\n b).", "1e999::p(a).", "p(1e999).", "p{i}(a).", "p(a {i})."),
    *("/* c */ p(a).", "/* open", "h(X) :- p(X).", "example(p, a).", "?- p(X).", "p(a) .5::q(b)."),
    *("p(a) .", "p(a).5::q(b).", "p(a) . 5::q(b).", 'p("x{i}").', "p([a]).", "0.5 p(a).", "\0"),
    *("5p(a).", "5p(a, b).", "p(a, b, ).", "p(a, b, c, ).", "p(a", "p(a, b", "p(a, b, c, d"),
    *("p(a) :- .", "for i in a b do p({i}). q({i}). done", "for(a).", "p(a;b).", "P(a)."),
]


FORMS = [
    *("{p}({a}).", "{p}({a}, {b}).", "{p}({a},{b}).", "{p} ( {a} ).", "{p}({a}, {c}, {b})."),
    *("{p}({b},{a},{c}).", "{p}({a} , {b}, {a}, {c}).", "{p}({a}, {b}, c, {b}, {a})."),
]


@st.composite
def fact_files(draw: st.DrawFn) -> str:
    """A text of many facts, long enough for the fast path, with odd ones planted in it."""
    lines: list[str] = []
    for _ in range(draw(st.integers(0, 4))):
        form = draw(st.sampled_from(FORMS))
        weight = draw(st.sampled_from(["", "", "0.5::", "2 :: ", "-1e-3::", ".5::"]))
        last = draw(st.sampled_from([fact_terms, number_terms]))
        for _ in range(draw(st.integers(10, 40))):
            terms = {"a": draw(fact_terms), "b": draw(last), "c": draw(fact_terms)}
            lines.append(weight + form.format(p=draw(st.sampled_from("pqr")), **terms))
        lines.append(draw(st.sampled_from(["", "% comment p(a).", "# x", "\r", "   "])))
        if draw(st.booleans()):
            lines.append(draw(st.sampled_from(ODD_FACTS)))
    separator = draw(st.sampled_from(["\n", "\n", "\r\n", " ", ""]))
    text = separator.join(lines)
    return text + draw(st.sampled_from(["", "\n", "  % end"]))
