"""Every text that must be refused is refused at the right place, and the rendering shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.language import parse, parse_query

FILE = Path(__file__).parents[1] / "conformance" / "bad_inputs.json"
ENTRIES = json.loads(FILE.read_text(encoding="utf-8"))
OURS = ("syntax", "template", "directive")


def read(entry: dict[str, Any]) -> None:
    parse(entry["program"])
    if "query" in entry:
        parse_query(entry["query"])


@pytest.mark.parametrize(
    "entry", [e for e in ENTRIES if e["error"] in OURS], ids=lambda entry: entry["id"]
)
def test_refused_at_its_place(entry: dict[str, Any]) -> None:
    with pytest.raises(NeuralLogError) as caught:
        read(entry)
    error = caught.value
    assert error.span is not None
    assert (error.kind, error.span.line, error.span.column) == (
        entry["error"],
        entry["line"],
        entry["column"],
    )
    text = entry.get("query", entry["program"])
    assert error.text == text
    assert "^" in str(error)


@pytest.mark.parametrize(
    "entry", [e for e in ENTRIES if e["error"] not in OURS], ids=lambda entry: entry["id"]
)
def test_left_to_later_checks(entry: dict[str, Any]) -> None:
    read(entry)


MORE = [  # kind, line, column, text
    ("syntax", 1, 1, "Parent(ann, bob)."),
    ("syntax", 1, 9, "h(X) :- Parent(X, Y)."),
    ("syntax", 1, 9, "h(X) :- X."),
    ("syntax", 1, 1, "_p(a)."),
    ("syntax", 1, 8, "p(a, b)  % no stop, then a comment\n\n"),
    ("syntax", 1, 7, "p(a). P(b). q("),
    ("syntax", 1, 17, "h(X) :- p(X), X = 3."),
    ("syntax", 1, 15, "h(X) :- p(X), 3 < X."),
    ("syntax", 1, 6, "h(X) <- p(X)."),
    ("syntax", 1, 6, "h(X) := p(X)."),
    ("syntax", 1, 3, "p(1.5e)."),
    ("syntax", 1, 3, "p(1-2)."),
    ("syntax", 1, 6, "p(a) .5::q(b)."),
    ("syntax", 2, 1, "p(a)\n.5::q(b)."),
    ("syntax", 1, 1, "1e400::p(a)."),
    ("syntax", 1, 3, "p(-1e400)."),
    ("syntax", 1, 14, "h(X) :- p(X, [a])."),
    ("syntax", 1, 16, "h(X) :- q(a, [X), p(X)."),
    ("syntax", 1, 10, "?- learn([p])."),
    ("syntax", 1, 1, "}"),
    ("syntax", 1, 10, "for i in {1} do p(a). done"),
    ("syntax", 1, 20, "for i in {0..1} do done"),
    ("syntax", 1, 11, "for i in {0..99999999} do p(a). done"),
    ("syntax", 1, 11, "for i in {0..99999999999999999999} do p(a). done"),
    ("syntax", 1, 1, "for i in {0..99999} do for j in {0..99} do p(a). done done"),
    ("syntax", 1, 17, "for i in A b do {i}(a). done"),
    ("syntax", 1, 17, "for i in 1 do p({i}a). done"),
    ("syntax", 1, 6, "p(a).\fq(b)."),
    ("template", 1, 1, "0.5::p_{i}(a)."),
    ("template", 1, 1, "p(a_{i})."),
    ("template", 1, 1, "?- p_{i}(X)."),
    ("template", 1, 1, "set_parameter(a, [b_{i}])."),
    ("template", 1, 17, "for i in 1 2 do p_{j}(a). done"),
    ("directive", 1, 1, "learn(p, q)."),
    ("directive", 1, 1, "learn(prefix, p, q)."),
    ("directive", 1, 1, "learn(X)."),
    ("directive", 1, 1, 'learn("p/x").'),
    ("directive", 1, 1, "set_predicate_parameter(3, a, b)."),
    ("directive", 1, 1, "set_parameter([a], b)."),
    ("directive", 2, 3, "p(a).\n  2::set_parameter(a, b)."),
    ("directive", 1, 1, "example."),
    ("directive", 1, 1, "example(3)."),
    ("directive", 1, 1, "mega_example(m)."),
    ("directive", 1, 1, "learn(p) :- q(a)."),
    ("syntax", 1, 12, "example(p, [a])."),
]


@pytest.mark.parametrize(("kind", "line", "column", "text"), MORE)
def test_more_of_the_same(kind: str, line: int, column: int, text: str) -> None:
    with pytest.raises(NeuralLogError) as caught:
        parse(text)
    span = caught.value.span
    assert span is not None
    assert (caught.value.kind, span.line, span.column) == (kind, line, column)


def test_rendering_points_with_a_caret() -> None:
    with pytest.raises(NeuralLogError) as caught:
        parse("q(a).\np(a b).", source="cell-3")
    assert str(caught.value) == (
        "cell-3:2:5: found the name b, expected `)` or `,`\n"
        "  2 | p(a b).\n"
        "    |     ^\n"
        "    write a comma between two terms, or quotes around a name of several words"
    )
