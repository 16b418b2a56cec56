"""What was learned about an entity comes back with the entity."""

from __future__ import annotations

import pytest

from neurallog_kernel import Session


@pytest.mark.parametrize("large", [50_000, 1], ids=["small blocks", "large blocks"])
def test_learned_facts_return_with_their_entities(
    large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entity goes with its source and returns: then its learned facts count again."""
    monkeypatch.setattr("neurallog_kernel.knowledge.relations.LARGE_BLOCK", large)
    s = Session()
    s.add("learn(u). learn(v). v(a, b). v(b, a).", source="learn")
    s.add("p(a, b). h(X, Y) :- p(X, Y), u(Y), v(Y, X).", source="rules")
    s.add("p(c, b). v(c, b).", source="visitor")
    s.add("0.3::h(a, b). 0.4::h(c, b).", source="examples", set="train")
    s.train(epochs=1, learning_rate=0.1)
    before = {q: s.query(q).weights for q in ("u(X)", "v(X, Y)", "h(X, Y)")}
    s.remove("examples")
    s.remove("visitor")
    gone = {q: s.query(q).weights for q in before}
    assert ("c",) not in gone["u(X)"] and ("c", "b") not in gone["v(X, Y)"]
    s.undo()
    assert {q: s.query(q).weights for q in before} == before


def test_the_text_of_a_program_leaves_out_what_was_learned_about_nobody() -> None:
    """Until its entity comes back it counts for nothing, and a text would make it a fact."""
    s = Session()
    s.add("learn(w).", source="learn")
    s.add("p(a, b). h(X, Y) :- p(X, Y), w(one). 0.3::example(h, a, b).", source="rules")
    s.train(epochs=1)
    before = s.program()
    s.remove("rules")
    assert s.query("w(X)").weights == {}
    again = Session()
    again.add(s.program())
    assert again.query("w(X)").weights == {}
    s.undo()
    assert s.program() == before
