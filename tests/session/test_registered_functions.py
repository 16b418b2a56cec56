"""Functions are part of the program: registering one is a change as any other."""

from __future__ import annotations

import keras
import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.errors import ArityError

FACTS = "0.4::p(a, b). p(b, c)."
RULES = """
h(X, Y) :- p(X, Y), half(Y).
g(X, Z) :- h(X, Y), p(Y, Z).
f(X) :- g(X, Z), any(Z).
"""
ASKED = ("h(a, Y)", "h(X, Y)", "h(X, b)", "g(a, Z)", "g(X, Z)", "f(X)", "f(a)")


def half(x):
    return x / 2


def third(x):
    return x / 3


def answers(session: Session) -> dict:
    return {question: session.query(question).weights for question in ASKED}


def made(function, rules: str = RULES) -> Session:
    """The function first, then the program: the order that always worked."""
    s = Session()
    s.register("half", function)
    s.add(FACTS, source="facts")
    s.add(rules, source="rules")
    return s


@pytest.fixture
def session() -> Session:
    s = made(half)
    answers(s)
    return s


def test_registering_again_replaces_the_function(session: Session) -> None:
    session.register("half", third)
    assert answers(session) == answers(made(third))
    session.register("half", half)
    assert answers(session) == answers(made(half))


def test_a_cell_that_registers_shows_one_short_line() -> None:
    assert repr(Session().register("half", half)) == "<function half, elementwise>"


def test_a_function_may_come_after_the_rule() -> None:
    """The predicate was empty, and with it the types of the rule: both change, in any depth."""
    s = Session()
    s.add(RULES, source="rules")
    s.add(FACTS, source="facts")
    assert s.query("h(X, Y)").weights == {}
    s.register("half", half)
    assert answers(s) == answers(made(half))
    s.remove("facts")
    s.add(FACTS, source="facts")
    assert answers(s) == answers(made(half))


def test_a_function_that_types_rest_on_may_come_after_the_rule() -> None:
    rules = "h(X, Y) :- p(X, Z), half(Z, Y). k(X, Y) :- h(X, Y), not p(X, Y)."
    asked = ("h(a, Y)", "h(X, Y)", "h(X, c)", "k(a, Y)", "k(X, Y)")
    late = Session()
    late.add(FACTS + rules)
    for question in ("h(X, Y)", "k(X, Y)"):
        late.query(question)
    late.register("half", half)
    early = made(half, rules)
    for question in asked:
        assert late.query(question).weights == early.query(question).weights, question


def test_a_function_under_the_name_of_a_setting(session: Session) -> None:
    session.add('set_predicate_parameter("half/1", function_value, quarter).', source="setting")
    session.register("quarter", lambda x: x / 4)
    assert session.query("h(a, b)").weight == pytest.approx(0.1)
    session.register("quarter", lambda x: x / 8)
    assert session.query("h(a, b)").weight == pytest.approx(0.05)


def test_the_same_function_again_invalidates_nothing(session: Session) -> None:
    compiled, version = session._planner.compiled, session.version
    first = session.registry["half"]
    assert session.register("half", half) is first
    answers(session)
    assert (session._planner.compiled, session.version) == (compiled, version)


def test_a_function_that_no_rule_uses_invalidates_nothing(session: Session) -> None:
    compiled = session._planner.compiled
    session.register("unused", third)
    answers(session)
    assert session._planner.compiled == compiled


def test_a_registration_is_taken_back(session: Session) -> None:
    before = answers(session)
    session.register("half", third)
    session.add("p(c, a).", source="more")
    session.undo()
    assert answers(session) == answers(made(third))
    assert str(session.undo()) == "functions: +1 function, -1 function"
    assert answers(session) == before
    session.undo()  # the rules
    session.undo()  # the facts
    assert str(session.undo()) == "functions: -1 function"
    assert "half" not in session.registry
    with pytest.raises(NeuralLogError, match="no change"):
        session.undo()


def test_diff_compares_with_the_function_of_then(session: Session) -> None:
    session.register("half", third)
    (move,) = session.diff("registering half", query="h(a, b)")
    assert (move.before, move.after) == pytest.approx((0.2, 0.4 / 3))


def test_a_function_that_its_rules_cannot_use_is_refused(session: Session) -> None:
    before = answers(session)
    with pytest.raises(ArityError) as caught:
        session.register("half", lambda x, y: x + y, inputs=2)
    assert str(caught.value.span).startswith("rules:2:")
    assert "half" in str(caught.value) and "h(X, Y) :- p(X, Y), half(Y)." in str(caught.value)
    assert answers(session) == before
    assert session.registry["half"].inputs == 1


def test_a_predicate_hides_a_function_whenever_that_comes(session: Session) -> None:
    session.add("0.5::half(b).", source="mine")
    hidden = answers(session)
    session.register("half", third)
    assert answers(session) == hidden
    session.remove("mine")
    assert answers(session) == answers(made(third))


def test_two_sessions_have_functions_of_their_own(session: Session) -> None:
    other = Session()
    assert "half" in session.registry and "half" not in other.registry
    assert not hasattr(session.registry, "register")


def test_what_has_variables_and_is_no_layer_is_refused() -> None:
    class Module:
        trainable_variables = ()

        def __call__(self, rows: np.ndarray) -> np.ndarray:
            return rows

    with pytest.raises(NeuralLogError, match="not a layer or model of Keras"):
        Session().register("module", Module())  # pyright: ignore[reportArgumentType]


# -- what a function gives ------------------------------------------------------------------------

OF_THREE = """
0.5::p(a, b). p(b, c). 2::p(a, c). e(a). e(b). e(c).
g(X, Y) :- p(X, Y), odd(Y), e(X), e(Y).
learn(p). example(g, a, b). 0::example(g, b, c).
"""
WRONG_SHAPES = {
    "a layer of two outputs": (lambda: keras.layers.Dense(2), "elementwise", "Dense\\(3\\)"),
    "a layer of five outputs": (lambda: keras.layers.Dense(5), "elementwise", "x 5"),
    "a layer that adds a dimension": (
        lambda: keras.layers.Embedding(3, 2),
        "elementwise",
        "x 3 x 2",
    ),
    "a sum that is not said to be one": (lambda: keras.ops.sum, "elementwise", "one number"),
    "a part of the row": (lambda: lambda x: x[:1], "elementwise", "a number for each number"),
    "a row that is no aggregate": (lambda: keras.ops.tanh, "aggregate", "one number for each row"),
    "a text": (lambda: lambda x: "abc", "elementwise", "not an array of numbers"),
}


@pytest.mark.parametrize("name", WRONG_SHAPES)
def test_a_result_of_another_shape_is_refused(name: str) -> None:
    """Not taken for the values of other entities, as `Dense(2)` over three of them was."""
    make, kind, said = WRONG_SHAPES[name]
    for work in (lambda s: s.query("g(a, Y)"), lambda s: s.train(epochs=1)):
        s = Session()
        s.add(OF_THREE)
        s.register("odd", make(), kind)
        with pytest.raises(NeuralLogError, match=said) as caught:
            work(s)
        assert "odd" in caught.value.message
        s.register("odd", keras.ops.tanh)
        assert len(s.query("g(a, Y)")) == 2, "the next question is answered"


def test_a_layer_and_a_type_that_grows() -> None:
    s = Session()
    s.add(OF_THREE)
    s.register("odd", keras.layers.Dense(3))
    assert len(s.query("g(a, Y)")) == 3
    s.add("e(d).", source="more")
    with pytest.raises(NeuralLogError, match="rows of 4 entries"):
        s.query("g(a, Y)")
    s.remove("more")
    assert len(s.query("g(a, Y)")) == 3


@pytest.mark.parametrize("function", [lambda: 2.0, lambda x, y: x + y])
def test_a_function_that_takes_another_number_of_arrays_is_refused_at_once(function) -> None:
    """Before, the first question that met it ended in a raw TypeError."""
    s = Session()
    with pytest.raises(NeuralLogError, match="odd does not take one array"):
        s.register("odd", function)
    assert "odd" not in s.registry
    s.register("twice", lambda x, factor=2.0: factor * x)
