"""Printing clauses gives a text that parses to the same clauses."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurallog_kernel import Session
from neurallog_kernel.language import (
    FactRun,
    expand,
    format_clause,
    format_literal,
    format_number,
    format_program,
    format_term,
    parse,
    parse_query,
)
from neurallog_kernel.language.facts import one_by_one
from neurallog_kernel.language.syntax import Clause, Constant, Number, Query, Variable
from tests.language.generators import DATA, clauses, examples, numbers, texts

CASES = Path(__file__).parents[1] / "conformance" / "open_cases.json"
LARGE = 2_000  # clauses of a data file that are printed and read again


@examples(200)
@given(st.lists(clauses, max_size=4).map(tuple))
def test_generated_clauses(program: tuple[Clause, ...]) -> None:
    assert expand(parse(format_program(program))) == program


@examples(300)
@given(numbers)
def test_every_finite_number(value: float) -> None:
    (fact,) = expand(parse(f"{format_number(value)}::p({format_number(value)})."))
    assert repr(fact.weight) == repr(value) == repr(fact.atom.terms[0].value)  # type: ignore[union-attr]


@examples(300)
@given(texts)
def test_every_constant(text: str) -> None:
    atom = parse_query(f"p({format_term(Constant(text))})")
    assert atom.terms == (Constant(text),)


@pytest.mark.parametrize(
    ("value", "text"),
    [(10.0, "10"), (0.001, "0.001"), (-0.5, "-0.5"), (1e-7, "1e-07"), (1e22, "1e+22")],
)
def test_shortest_number(value: float, text: str) -> None:
    assert format_number(value) == text


def test_quotes_only_where_needed() -> None:
    line = r'p(ann, "Ann", "not", "a b", "", 1, "q\"\\\n\t\r\x07", X, _, 3).'
    (fact,) = expand(parse(line))
    assert format_clause(fact) == line
    (fact,) = expand(parse('p("1", "01").'))
    assert format_clause(fact) == 'p("1", "01").', "of two terms a number would be another thing"
    assert format_term(Variable("_#3")) == "_"
    assert format_term(Number(2.0)) == "2"


@pytest.mark.parametrize(
    "line",
    [
        "h(X, Y) :- .",
        "0.7::h(X) :- not p(X, _), w(w_1).",
        "rain.",
        'learn("p/2").',
        "learn(p).",
        "learn(prefix, w_).",
        'set_parameter(a, b, ["True", 1, "$p/2[0]", x]).',
        'set_predicate_parameter("p/2", recursion_depth, 2).',
        "0::example(p, a, X).",
        "mega_example(m1, p, a).",
        "example_set(train).",
        'example_set("My set").',
        "?- p(a, Y).",
        "h_{i}(X) :- p_{i}(X, w_{j}).",
    ],
)
def test_the_usual_form_is_kept(line: str) -> None:
    assert format_program(parse(line)) == line + "\n"


@pytest.mark.parametrize("case", json.loads(CASES.read_text("utf-8")), ids=lambda case: case["id"])
def test_conformance_programs(case: dict) -> None:
    program = expand(parse(case["program"]))
    assert expand(parse(format_program(program))) == program
    for asked in case["queries"]:
        atom = parse_query(asked["query"])
        assert parse_query(format_literal(atom)) == atom
        assert parse(f"?- {format_literal(atom)}.") == (Query(atom),)


def data_files() -> list[Path]:
    return sorted(DATA.rglob("*.pl")) if DATA.is_dir() else []


@pytest.mark.skipif(not data_files(), reason="the data sets are not beside the repository")
@pytest.mark.parametrize("path", data_files(), ids=lambda path: str(path.relative_to(DATA)))
def test_data_files(path: Path) -> None:
    """Small files whole; of large ones the start, since their lines are all alike."""
    read = parse(path.read_text(encoding="utf-8"), source=path.name)
    program = tuple(islice(one_by_one(read), LARGE))
    assert expand(parse(format_program(program))) == program


@pytest.mark.skipif(not data_files(), reason="the data sets are not beside the repository")
def test_a_large_file_as_a_whole() -> None:
    read = parse((DATA / "wordnet" / "facts.pl").read_text(encoding="utf-8"))
    (run,) = read
    (again,) = parse(format_program(read))
    assert isinstance(run, FactRun)
    assert isinstance(again, FactRun)
    assert len(run) == 106_088
    assert list(run.columns) == list(again.columns)
    for one, other in zip(run.columns.values(), again.columns.values(), strict=True):
        assert one.places == other.places
        assert one.weights is None
        assert other.weights is None


def test_marks_that_turn_the_writing_are_seen_in_the_text_of_a_program() -> None:
    names = ["a\u202eb", "x\u2066y\u2069", "\u200f", "line\u2028end", "back\\u202e"]
    session = Session()
    session.load_table([(name, "c") for name in names], "p(one, two)", columns=("one", "two"))
    text = session.program()
    assert text.isascii()
    again = Session()
    again.add(text)
    assert set(again.query("p(X, c)").weights) == {(name,) for name in names}


def test_arities_of_one_name_are_listed_in_order_of_appearance():
    session = Session()
    many = "\n".join(f"q(a{i})." for i in range(20))  # enough to be read as columns
    session.add(f"{many}\nw(c1, l500).\nr(a).\nw(w1).\nw(w2).")
    text = session.program()
    again = Session()
    again.add(text)
    assert again.program() == text
    assert text.index("w(c1, l500)") < text.index("r(a)") < text.index("w(w1)")
