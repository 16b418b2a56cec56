"""The fast path for facts gives the clauses, the spans and the errors of the grammar."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.language import FactRun, expand, facts, parse, runs
from neurallog_kernel.language.facts import Names
from neurallog_kernel.language.parser import parse_by_grammar
from neurallog_kernel.language.syntax import Clause
from tests.language.generators import ODD_FACTS, examples, fact_files, spans

PLAIN = "".join(f"p(a{k}, b).\n" for k in range(20))
TRIPLES = "".join(f"p(a{k}, b, {k}).\n" for k in range(20))
SPACED = "".join(f"  0.5 :: q( {k} ).  % {k}\n" for k in range(20))


def outcome(parser, text: str) -> tuple[tuple[Clause, ...] | str, list]:
    """The clauses with their spans, or the rendered error."""
    try:
        clauses = expand(parser(text))
    except NeuralLogError as error:
        return f"{type(error).__name__} {error}", [error.span]
    return clauses, spans(clauses)


def assert_same(text: str) -> None:
    assert outcome(parse, text) == outcome(parse_by_grammar, text)


@examples(80)
@given(fact_files())
def test_generated_files(text: str) -> None:
    assert_same(text)


@examples(30)
@given(fact_files())
def test_small_chunks(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "CHUNK", 50)
        assert_same(text)


@pytest.mark.parametrize("odd", ODD_FACTS)
@pytest.mark.parametrize("around", [PLAIN, SPACED, TRIPLES], ids=["plain", "spaced", "three terms"])
def test_an_odd_fact_among_many(odd: str, around: str) -> None:
    for text in (
        around + odd,
        odd + "\n" + around,
        f"{around}{odd}\n{around}",
        around.strip() + odd,
    ):
        assert_same(text)


@pytest.mark.parametrize("pattern", [facts.FACT, runs._LEAD, runs._plain(2).pattern])
def test_no_group_is_possessive(pattern: str) -> None:
    """Python 3.11.2 goes on behind such a group that fails half-way: `5p(a).` was a fact."""
    assert re.search(r"(?<!\\)\)(?:[*+?]|\{[0-9,]*\})\+", pattern) is None


def test_kinds_may_change_between_predicates() -> None:
    text = "".join(f"age(e{k}, {k}). size({k}, e{k}). pi(3.{k}). {k}::u(e).\n" for k in range(30))
    (run,) = parse(text)
    assert isinstance(run, FactRun)
    assert list(run.columns) == [("age", 2), ("size", 2), ("pi", 1), ("u", 1)]
    age, weighted = run.columns["age", 2], run.columns["u", 1]
    names, numbers = age.places
    assert isinstance(names, Names)
    assert isinstance(numbers, np.ndarray)
    assert names == [f"e{k}" for k in range(30)]
    assert numbers.tolist() == list(range(30))
    assert age.weights is None
    assert weighted.weights is not None
    assert weighted.weights.tolist() == list(range(30))
    assert age.lines.tolist() == list(range(1, 31))
    assert age.lines.dtype == np.int32
    assert age.offsets.dtype == np.int64
    assert_same(text)


def test_among_three_terms_a_number_is_a_name() -> None:
    terms = ["2024", "2024.0", "'2024'", "1.50", "-0", "1e3", "x", "123456789012345678"]
    text = "".join(f"p(a, b{k}, {terms[k % len(terms)]}).\n" for k in range(32))
    (run,) = parse(text + TRIPLES)
    assert isinstance(run, FactRun)
    names = ["2024", "2024", "2024", "1.5", "-0", "1000", "x", "1.2345678901234568e+17"]
    assert list(run.columns["p", 3].places[2])[:8] == names
    assert_same(text)
    assert_same(TRIPLES)


def test_a_place_that_mixes_names_and_numbers_is_left_to_the_grammar() -> None:
    parsed = parse(PLAIN + "p(1, b).\n" + PLAIN)
    assert [isinstance(one, FactRun) for one in parsed[:2]] == [True, False]
    assert_same(PLAIN + "p(1, b).\n" + PLAIN)


def test_a_fact_can_be_found_again_by_its_offset() -> None:
    text = f"% first\n{PLAIN}\n{SPACED}"
    (run,) = parse(text, source="file.pl")
    assert isinstance(run, FactRun)
    for fact in run.facts():
        assert fact.span is not None
        line_start = sum(len(line) + 1 for line in text.split("\n")[: fact.span.line - 1])
        offset = line_start + fact.span.column - 1
        again = run.fact_at(offset)
        assert again == fact
        assert spans(again) == spans(fact)
    with pytest.raises(ValueError, match="no fact"):
        run.fact_at(1)


def test_long_runs_become_one_node() -> None:
    assert repr(parse(PLAIN, source="x")) == "(FactRun('x', 20 facts),)"
    assert len(parse(PLAIN[: PLAIN.index("a15")].rsplit("\n", 1)[0])) == 15
    assert all(not isinstance(one, FactRun) for one in parse(f"for i in 1 do {PLAIN} done"))
    parts = [type(one).__name__ for one in parse(f"/* c */ {PLAIN} h(X) :- p(X, Y). {SPACED}")]
    assert parts == ["FactRun", "Rule", "FactRun"]


def test_names_are_a_sequence() -> None:
    names = Names(["a\nb", "", "c"], [2, 1, 1])
    assert list(names) == ["a", "b", "", "c"]
    assert [names[k] for k in range(-4, 4)] == [*names, *names]
    assert names[1:3] == ["b", ""]
    assert len(names) == 4
    assert "c" in names
    with pytest.raises(IndexError):
        names[4]
