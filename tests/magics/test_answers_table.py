"""Answers as a notebook shows them: those of an ensemble have their spread."""

import numpy as np

from neurallog_kernel import Answers
from neurallog_magics.display.tables import answers_table


def test_a_table_shows_the_spread_of_an_ensemble():
    weights, spread = np.array([0.25, 0.5]), np.array([0.125, 0.0])
    table = answers_table(Answers("p(X)", ["X"], [["a", "b"]], weights, spread=spread))
    assert table.columns == ("X", "#weight", "#spread")
    assert table.rows == [("b", "0.5", "0"), ("a", "0.25", "0.125")]


def test_one_answer_shows_it_too():
    found = Answers("p(a)", [], [], np.array([0.5]), spread=np.array([0.25]))
    assert str(answers_table(found)) == "?- p(a).  0.5 ± 0.25"


def test_other_answers_have_no_spread():
    table = answers_table(Answers("p(X)", ["X"], [["a"]], np.array([0.5])))
    assert table.columns == ("X", "#weight") and table.rows == [("a", "0.5")]
