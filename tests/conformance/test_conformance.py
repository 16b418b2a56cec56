"""The worked cases of the language, and the mistakes it must refuse, through a session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neurallog_kernel import NeuralLogError, Session

CASES = Path(__file__).parent


def cases(name: str) -> list:
    return [
        pytest.param(case, id=case["id"])
        for case in json.loads((CASES / name).read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("case", [*cases("open_cases.json"), *cases("nary_cases.json")])
def test_worked_case(case: dict) -> None:
    session = Session()
    session.add(case["program"], source=case["id"])
    for asked in case["queries"]:
        expected = {tuple(key): weight for key, weight in asked["weights"]}
        found = session.query(asked["query"]).weights
        for key in {*found, *expected}:
            weight = pytest.approx(expected.get(key, 0.0), rel=1e-4, abs=1e-5, nan_ok=True)
            assert found.get(key, 0.0) == weight, f"{asked['query']} at {key}"


@pytest.mark.parametrize("case", cases("bad_inputs.json"))
def test_mistake_is_refused_at_its_place(case: dict) -> None:
    session = Session()
    session.add("before(a, b). after(X, Y) :- before(X, Y).", source="earlier")
    asked = case.get("query", case.get("ask"))
    with pytest.raises(NeuralLogError) as caught:
        session.add(case["program"], source="new")
        if asked is not None:
            session.query(asked)
    error = caught.value
    assert error.message and error.span is not None
    assert (error.span.line, error.span.column) == (case["line"], case["column"])
    assert f"  {error.span.line} |" in str(error), "the rendering shows the line"
    assert "^" in str(error)


@pytest.mark.parametrize(
    "case", [c for c in cases("bad_inputs.json") if not c.values[0].keys() & {"query", "ask"}]
)
def test_refused_text_changes_nothing(case: dict) -> None:
    session = Session()
    session.add("p0(a, b). 0.5::p0(a, c).", source="facts")
    session.add("r0(X, Y) :- p0(X, Y).", source="rules")
    listing, weights = session.program(), session.query("r0(a, Y)").weights
    for source in ("new", "rules"):  # as a new source, and in the place of an old one
        with pytest.raises(NeuralLogError):
            session.add(case["program"], source=source)
        assert session.program() == listing
        assert session.sources == ("facts", "rules")
        assert session.query("r0(a, Y)").weights == weights
