"""Facts with three and more arguments leave as tables and as Keras models with the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from neurallog_kernel import Session

PROGRAM = """
gave(ann, bob, book). 0.5::gave(ann, cid, pen). gave(bob, cid, book).
happy(bob). 0.25::happy(cid).
learn("gave/3").
pleased(X, T) :- gave(X, Y, T), happy(Y).
"""


@pytest.fixture
def session() -> Session:
    made = Session()
    made.add(PROGRAM)
    return made


def test_weights_have_a_column_for_each_argument(session: Session) -> None:
    frame = session.weights("gave/3").to_pandas()
    assert list(frame.columns) == ["argument_1", "argument_2", "argument_3", "weight", "learned"]
    assert frame.iloc[1].tolist() == ["ann", "cid", "pen", 0.5, False]


@pytest.mark.parametrize("output", [0, 1, 2])
def test_a_keras_model_of_the_facts_themselves(session: Session, output: int) -> None:
    model = session.to_keras("gave/3", output=output, dtype="float64")
    facts = session.query("gave(X, Y, T)").weights
    for fact in facts:
        given = [[name] for place, name in enumerate(fact) if place != output]
        asked = [name if place != output else "Open" for place, name in enumerate(fact)]
        expected = session.query(f"gave({', '.join(asked)})").weights
        found = dict(zip(model.names, np.asarray(model(given))[0], strict=True))
        assert found == pytest.approx({name: expected.get((name,), 0.0) for name in model.names})


def test_a_keras_model_of_a_rule_over_them(session: Session) -> None:
    model = session.to_keras("pleased/2", dtype="float64")
    expected = session.query("pleased(ann, T)").weights
    found = dict(zip(model.names, np.asarray(model(["ann"]))[0], strict=True))
    assert found == pytest.approx({name: expected.get((name,), 0.0) for name in model.names})
    assert expected == {("book",): 1.0, ("pen",): 0.125}
