"""Every form of question, what answers look like, and what a user does wrong."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from neurallog_kernel import LoadError, NeuralLogError, Session

FAMILY = """
parent(ann, bob). 0.5::parent(ann, cid). parent(bob, dan). parent(cid, dan).
2::old(ann). age(ann, 60). 0.5::age(bob, 35). w(w1). 0.25::lucky. 3::pi(3.5).
likes("Mary Ann", 'o''neil x'). self(ann, ann). 0.5::self(bob, bob). self(bob, ann).
grandparent(X, Z) :- parent(X, Y), parent(Y, Z).
between(X, Y, Z) :- parent(X, Y), parent(Y, Z).
older(X) :- old(X), age(X, A).
"""


@pytest.fixture
def session() -> Session:
    made = Session()
    made.add(FAMILY.replace("'o''neil x'", '"o\'neil x"'), source="family")
    return made


QUESTIONS = {
    "parent(ann, Who)": {("bob",): 1.0, ("cid",): 0.5},
    "?- parent(ann, Who).": {("bob",): 1.0, ("cid",): 0.5},
    "parent(Who, dan)": {("bob",): 1.0, ("cid",): 1.0},
    "parent(ann, cid)": {(): 0.5},
    "parent(dan, ann)": {(): 0.0},
    "grandparent(ann, Who)": {("dan",): 1.5},
    "grandparent(Who, dan)": {("ann",): 1.5},
    "grandparent(X, Y)": {("ann", "dan"): 1.5},
    "parent(_, dan)": {("bob",): 1.0, ("cid",): 1.0},
    "grandparent(_, _)": {("ann", "dan"): 1.5},
    "self(X, X)": {("ann",): 1.0, ("bob",): 0.5},
    "between(ann, bob, Z)": {("dan",): 1.0},
    "between(X, bob, dan)": {("ann",): 1.0},
    "between(ann, Y, dan)": {("bob",): 1.0, ("cid",): 0.5},
    "between(ann, cid, dan)": {(): 0.5},
    "old(X)": {("ann",): 2.0},
    "old(ann)": {(): 2.0},
    "older(X)": {("ann",): 120.0},
    "w(w1)": {(): 1.0},
    "lucky": {(): 0.25},
    "?- lucky.": {(): 0.25},
    "true": {(): 1.0},
    "age(ann, A)": {("60",): 1.0},
    "age(X, A)": {("ann", "60"): 1.0, ("bob", "35"): 0.5},
    "age(X, 35)": {("bob",): 0.5},
    "age(bob, 35)": {(): 0.5},
    "age(bob, 36)": {(): 0.0},
    "pi(A)": {("3.5",): 3.0},
    "pi(3.5)": {(): 3.0},
    "pi(4)": {(): 0.0},
    'likes("Mary Ann", X)': {("o'neil x",): 1.0},
    "likes('Mary Ann', X)": {("o'neil x",): 1.0},
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_form_of_question(session: Session, question: str) -> None:
    assert session.query(question).weights == pytest.approx(QUESTIONS[question])


@pytest.mark.parametrize(
    ("question", "column", "message", "hint"),
    [
        ("parnet(ann, Y)", 1, "unknown predicate parnet/2", "did you mean parent/2?"),
        ("parent(ann, Y, Z)", 1, "unknown predicate parent/3", "the program has parent/2"),
        ("parent(anne, Y)", 8, "unknown entity anne", "did you mean ann?"),
        (
            "old(dan)",
            5,
            "unknown entity dan at place 1 of old/1",
            "dan occurs at place 2 of parent/2",
        ),
        ("parent(7, Y)", 8, "holds an entity, not a number", ""),
        ("age(ann, bob)", 10, "holds a number, not an entity", ""),
        ("between(X, dann, dan)", 12, "unknown entity dann at place 2", "did you mean dan?"),
        ("tanh(X)", 1, "unknown predicate tanh/1", "is a function"),
    ],
)
def test_question_that_cannot_be_answered(
    session: Session, question: str, column: int, message: str, hint: str
) -> None:
    with pytest.raises(NeuralLogError) as caught:
        session.query(question)
    error = caught.value
    assert message in error.message and hint in error.hint
    assert error.span is not None and error.span.column == column
    assert str(error).splitlines()[2].index("^") == 6 + column - 1


@pytest.mark.parametrize(
    ("program", "question", "hint"),
    [
        ('lives(ann, "Rome").', "lives(X, rome)", 'did you mean "Rome"?'),
        ("p(ann). parent(ann, bob). h(X) :- parnet(X, Y).", "h(ann)", "did you mean parent/2?"),
        ("p(ann). h(X) :- q(X, Y).", "h(ann)", "q/2, of which nothing is known: add its facts"),
    ],
)
def test_a_hint_can_be_followed(program: str, question: str, hint: str) -> None:
    session = Session()
    session.add(program)
    with pytest.raises(NeuralLogError) as caught:
        session.query(question)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("parent(ann, Who).", "to ask, write ?- before it"),
        ("age(ann, 3). h(X) :- age(X, A), average(A).", "write mean(A)"),
    ],
)
def test_what_a_beginner_meant(text: str, hint: str) -> None:
    with pytest.raises(NeuralLogError) as caught:
        Session().add(text)
    assert hint in caught.value.hint


def test_answers_slice_iterate_and_show() -> None:
    session = Session()
    session.add("".join(f"{30 - i % 10}::p(a, e{i:02})." for i in range(30)))
    answers = session.query("p(a, Y)")
    assert len(answers) == 30
    assert [key for key, _ in answers][:4] == [("e00",), ("e10",), ("e20",), ("e01",)]
    assert answers[0] == (("e00",), 30.0) and answers[-1] == (("e29",), 21.0)
    assert [key for key, _ in answers[1:3]] == [("e10",), ("e20",)]
    assert list(session.query("p(a, Y)", top=4).weights) == [("e00",), ("e10",), ("e20",), ("e01",)]
    shown = repr(answers).splitlines()
    assert shown[:3] == ["?- p(a, Y).", "  Y    weight", "  e00      30"]
    assert shown[-1] == "  ... 10 more" and len(shown) == 23
    assert repr(session.query("p(a, e00)")) == "?- p(a, e00).  30"
    frame = answers.to_pandas()
    assert list(frame.columns) == ["Y", "weight"] and frame.shape == (30, 2)
    assert list(session.query("p(_, _)").to_pandas().columns) == ["_1", "_2", "weight"]


def test_no_answer_is_said() -> None:
    session = Session()
    session.add("p(a, b). q(c, d). h(X, Y) :- p(X, Z), q(Z, Y).")
    answers = session.query("h(a, Y)")
    assert len(answers) == 0 and answers.weights == {}
    assert "no answer" in repr(answers)


def test_one_bad_line_in_a_hundred_thousand(tmp_path) -> None:
    lines = [f"p(e{i}, e{i + 1})." for i in range(100_000)]
    lines[77_776] = "p(e1, e2"
    path = tmp_path / "facts.pl"
    path.write_text("\n".join(lines), encoding="utf-8")
    session = Session()
    session.add("p(a, b).", source="before")
    with pytest.raises(NeuralLogError) as caught:
        session.load(path, source="facts")
    span = caught.value.span
    assert span is not None and span.source == "facts" and span.line in (77_777, 77_778)
    assert "^" in str(caught.value)
    assert session.sources == ("before",) and session.query("p(X, Y)").weights == {("a", "b"): 1.0}


def test_recursion_without_end_is_bounded_by_the_depth() -> None:
    session = Session()
    session.add("next(a, b). next(b, c). next(c, d). next(d, e).", source="facts")
    session.add(
        "reach(X, Y) :- next(X, Y). reach(X, Y) :- next(X, Z), reach(Z, Y).", source="rules"
    )
    for depth, reached in ((0, "b"), (1, "bc"), (3, "bcde")):
        session.add(f"set_parameter(recursion_depth, {depth}).", source="depth")
        assert set(session.query("reach(a, Y)").weights) == {(name,) for name in reached}
    session.add("even(X, Y) :- odd(X, Y). odd(X, Y) :- even(X, Y).", source="circle")
    session.add("even(a, a).", source="seed")
    assert session.query("odd(a, Y)").weights == {("a",): pytest.approx(4.0)}


def test_a_session_says_what_it_holds() -> None:
    session = Session()
    assert repr(session) == "<Session: 0 sources, 0 facts, 0 rules>"
    session.add("p(a, b). p(b, c). h(X, Y) :- p(X, Y).", source="one")
    assert repr(session) == "<Session: 1 source, 2 facts, 1 rule>"
    assert session.sources == ("one",)


def test_a_file_that_is_not_there(tmp_path) -> None:
    with pytest.raises(NeuralLogError, match="No such file"):
        Session().load(tmp_path / "nothing.pl")


def test_a_source_that_is_not_there() -> None:
    session = Session()
    session.add("p(a, b).", source="facts")
    with pytest.raises(NeuralLogError) as caught:
        session.remove("fact")
    assert caught.value.hint == "did you mean facts?"


def test_asking_never_imports_tensorflow() -> None:
    code = (
        "import sys, neurallog_kernel as n; s = n.Session();"
        "s.add('p(a, b). h(X) :- p(X, Y), tanh(Y).'); s.query('h(X)').weights; s.rules('h')[0].dag;"
        "assert not {'tensorflow', 'keras', 'pandas'} & set(sys.modules), 'imported'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_placeholder_sees_what_is_to_be_learned_without_an_arity() -> None:
    session = Session()
    session.add("hidden_1(a). hidden_2(b). for i in 1 2 do learn(vote_{i}). done")
    session.add("out(X) :- hidden_{k}(X), vote_{k}(X).")
    assert [str(rule) for rule in session.rules("out/1")] == [
        "out(X) :- hidden_1(X), vote_1(X).",
        "out(X) :- hidden_2(X), vote_2(X).",
    ]


def chain(length: int) -> str:
    """Rules of which each only leads to the one before."""
    return "f0(a, b). " + " ".join(f"f{i + 1}(X, Y) :- f{i}(X, Y)." for i in range(length))


def test_rules_may_call_rules_hundreds_of_times_over() -> None:
    before = sys.getrecursionlimit()
    session = Session()
    session.add(chain(600))
    assert session.query("f600(a, Y)").weights == {("b",): 1.0}
    assert session.explain("f600(a, b)").weight == 1.0
    session.add(
        "set_parameter(recursion_depth, 400). t(X, Y) :- e(X, Y). t(X, Y) :- e(X, Z), t(Z, Y). "
        + " ".join(f"e(n{i}, n{i + 1})." for i in range(450))
    )
    assert len(session.query("t(n0, Y)")) == 401
    assert sys.getrecursionlimit() == before


def test_rules_that_cannot_be_followed_are_an_error_of_the_program() -> None:
    session = Session()
    session.add(chain(5_000))
    with pytest.raises(NeuralLogError, match="too deeply"):
        session.query("f5000(a, Y)")
    assert session.query("f1(a, Y)").weights == {("b",): 1.0}


def test_notices_come_in_the_order_of_the_text_whatever_the_hashes() -> None:
    program = "from neurallog_kernel import Session\n"
    program += "change = Session().add('h(X, N) :- p(X, N), q(N, M).')\n"
    program += "print([n.message.split()[5] for n in change.notices if n.kind == 'empty_type'])"
    for seed in "123":
        ran = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.strip() == "['X', 'N', 'M']"


def test_what_is_no_text_is_named_for_what_it_is(tmp_path):
    saved, table = tmp_path / "model.nlz", tmp_path / "people.parquet"
    session = Session()
    session.add("p(a, b).")
    session.save(saved)
    table.write_bytes(b"PAR1\xff\xfe")
    with pytest.raises(LoadError, match="an archive, not program text") as error:
        session.load(saved)
    assert "Session.open" in (error.value.hint or "")
    with pytest.raises(LoadError, match="a table, not program text") as error:
        session.load(table)
    assert "load_table" in (error.value.hint or "")
