"""A number that a template fills in where entities stand: an error at its place."""

from __future__ import annotations

import pytest

from neurallog_kernel import NeuralLogError, Session

FOUND_BY_FUZZING = (
    "for i in{0..2}do p_{i}(a,\"n {i}\").for v in'dark blue'do q_{i}(X):-p_{i}({v}).done done "
    "any(X):-{k}(Y),u({k}).u(X):-q_{i}(X),any({i}).both(Y):-{j}(Z)."
)


@pytest.mark.parametrize(
    "text",
    [
        FOUND_BY_FUZZING,
        "t_1(a). any(X) :- u(X). u(X) :- t_{i}(X), any({i}).",
        "t_1(a). any(X, Y) :- e(X, Y). e(a, b). u(X) :- t_{i}(X), any({i}, X).",
        "t_1(a). any(X, Y) :- e(X, Y). e(a, b). u(X) :- t_{i}(X), any(X, {i}).",
        "learn(any). t_1(a). u(X) :- t_{i}(X), any({i}).",
    ],
)
def test_a_number_where_entities_stand_is_an_error_at_its_place(text: str) -> None:
    session = Session()
    with pytest.raises(NeuralLogError, match="the template puts the number") as caught:
        session.add(text)
    assert caught.value.span and text[caught.value.span.column - 1 :].startswith("{i}")
    assert not session.sources


def test_a_quoted_placeholder_fills_in_a_name() -> None:
    session = Session()
    session.add('t_1(a). any(X) :- e(X). e("1"). u(X) :- t_{i}(X), any("{i}").')
    assert session.query("u(X)").weights == {("a",): 1.0}
