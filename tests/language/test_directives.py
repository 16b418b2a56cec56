"""Directives become nodes, and the values of parameters Python values."""

from __future__ import annotations

import pytest

from neurallog_kernel.errors import Span
from neurallog_kernel.language import parse
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
    SetParameter,
    SetPredicateParameter,
    Variable,
)

ATOM = Literal("p", (Constant("a"), Variable("Y")))


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("learn(p).", Learn("p")),
        ('learn("p").', Learn("p")),
        ('learn("p/2").', Learn("p", 2)),
        ("learn(prefix).", Learn("prefix")),
        ("learn(prefix, w_).", Learn("w_", None, True)),
        ("learn(prefix, 'W').", Learn("W", None, True)),
        ("learn_rule_weights(p).", LearnRuleWeights("p")),
        ('learn_rule_weights("p/2").', LearnRuleWeights("p", 2)),
        ("set_parameter(epochs, 10).", SetParameter(("epochs",), 10.0)),
        ("set_parameter(a, b, c).", SetParameter(("a", "b"), "c")),
        ("set_parameter(a, 1, Adam).", SetParameter(("a", "1"), "Adam")),
        (
            'set_predicate_parameter("p/2", recursion_depth, 2).',
            SetPredicateParameter("p", 2, ("recursion_depth",), 2.0),
        ),
        (
            "set_predicate_parameter(p, a, b, c).",
            SetPredicateParameter("p", None, ("a", "b"), "c"),
        ),
        ("example(p, a, Y).", Example(ATOM)),
        ("0.5::example(p, a, Y).", Example(ATOM, 0.5)),
        ("example(p).", Example(Literal("p"))),
        ("example(p, 3).", Example(Literal("p", (Number(3.0),)))),
        ("-1::mega_example(m1, p, a, Y).", MegaExample("m1", ATOM, -1.0)),
        ("mega_example(7, p, a, Y).", MegaExample("7", ATOM)),
        ("example_set(train).", ExampleSet("train")),
        ('example_set("My set").', ExampleSet("My set")),
        ("learner(p).", Fact(Literal("learner", (Constant("p"),)))),
    ],
)
def test_nodes(text: str, node: Clause) -> None:
    assert parse(text) == (node,)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("True", True), ('"true"', True), ("false", False), ("'FALSE'", False)),
        *(("3", 3.0), ('"3"', "3"), ("tanh", "tanh"), ('"$p/2[0]"', "$p/2[0]"), ("_", "_")),
        ("[a, [1, true], 'b c']", ("a", (1.0, True), "b c")),
    ],
)
def test_values(text: str, value: ParameterValue) -> None:
    (clause,) = parse(f"set_parameter(key, {text}).")
    assert isinstance(clause, SetParameter)
    assert clause.value == value
    assert type(clause.value) is type(value)


def test_places_of_an_example() -> None:
    (example,) = parse("p(a). 2::example(p, a, b).")[1:]
    assert isinstance(example, Example)
    assert example.span == Span("program", 1, 7, 1, 26)
    assert example.atom.span == Span("program", 1, 18, 1, 25)
    assert example.atom.terms[1].span == Span("program", 1, 24, 1, 25)
