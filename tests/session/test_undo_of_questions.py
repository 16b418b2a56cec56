"""A text that only asks changes nothing: `undo` takes back the change before it."""

import pytest

from neurallog_kernel import NeuralLogError, Session


@pytest.mark.parametrize("text", ["?- p(a, X).", "", "% a note", "\n\n"])
def test_undo_goes_past_a_text_that_states_nothing(text):
    session = Session()
    session.add("p(a, b).", source="facts")
    session.add("p(a, c).", source="more")
    version = session.version
    session.add(text, source="asked")
    assert session.version == version
    session.undo()
    assert session.query("p(a, X)").weights == {("b",): 1.0}


def test_the_queries_of_such_a_text_are_given_back():
    session = Session()
    session.add("p(a, b).")
    (asked,) = session.add("?- p(a, X).").queries
    assert session.query(asked).weights == {("b",): 1.0}


def test_a_source_that_becomes_empty_is_a_change():
    session = Session()
    session.add("p(a, b). q(a).", source="facts")
    session.add("?- q(a).", source="facts")
    with pytest.raises(NeuralLogError, match="unknown predicate"):
        session.query("p(a, X)")
    session.undo()
    assert session.query("p(a, X)").weights == {("b",): 1.0}


def test_an_error_in_it_still_shows_its_line():
    session = Session()
    session.add("p(a, b).")
    (asked,) = session.add("\n?- nosuch(a, X).", source="cell").queries
    with pytest.raises(NeuralLogError) as caught:
        session.query(asked)
    assert "cell:2" in str(caught.value) and "nosuch(a, X)" in str(caught.value)


def test_an_empty_table_is_a_source(tmp_path):
    """A table may get its rows later; what was loaded is told, and can be taken back."""
    file = tmp_path / "likes.csv"
    file.write_text("who,what\n", encoding="utf-8")
    session = Session()
    loaded = session.load_table(file, "likes(who, what)")
    assert loaded.rows == 0
    assert len(session.sources) == 1
    session.undo()
    assert session.sources == ()
