"""The trainings of a session: listed, compared, gone back to, saved."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from neurallog_kernel import CheckpointError, NeuralLogError, Session

pytest.importorskip("tensorflow")

PROGRAM = """
p(a, b). p(b, c). p(a, c). learn(w). learn_rule_weights("r/2").
q(X, Y) :- p(X, Y), w(k).
q(X, Y) :- p(X, Z), p(Z, Y), w(m).
r(X, Y) :- q(X, Y).
example(r, a, b). 0.3::example(r, a, c).
"""


@pytest.fixture(scope="module")
def trained() -> tuple[Session, dict, dict]:
    s = Session()
    s.add(PROGRAM, source="program")
    s.train(epochs=5, learning_rate=0.1, seed=1)
    first = dict(s.query("r(a, Y)").weights)
    s.train(epochs=8, learning_rate=0.2, optimizer="adam")
    return s, first, dict(s.query("r(a, Y)").weights)


def test_every_training_is_a_run_with_its_settings_and_data(trained):
    s, _, _ = trained
    assert [run.number for run in s.runs] == [1, 2]
    assert s.runs[1].options == {"epochs": 5, "learning_rate": 0.1, "seed": 1}
    assert s.runs[2].data == {"program": 2}
    assert s.runs[2].losses["loss"] == s.history.logs["loss"][-1]
    table = s.runs.to_pandas()
    assert list(table["epochs"]) == [5, 8]
    assert set(s.runs[1].weights) == {"w(k)", "w(m)", "r(X, Y) :- q(X, Y)."}


def test_two_runs_are_compared_by_weights_and_answers(trained):
    s, first, second = trained
    found = s.compare_runs(1, 2, "r(a, Y)")
    moved = {move.query: (move.before, move.after) for move in found.answers}
    assert moved == {
        f"r(a, {key[0]})": (pytest.approx(first[key]), pytest.approx(second[key])) for key in first
    }
    names = {name: (a, b) for name, a, b in found.weights}
    assert names["w(k)"] == (s.runs[1].weights["w(k)"], s.runs[2].weights["w(k)"])
    with pytest.raises(NeuralLogError, match="there is no run 7"):
        s.compare_runs(1, 7)


def test_back_to_a_run_and_undo(trained):
    s, first, second = trained
    s.back_to(1)
    assert dict(s.query("r(a, Y)").weights) == first
    s.undo()
    assert dict(s.query("r(a, Y)").weights) == second
    before = s.version
    with pytest.raises(NeuralLogError, match="there is no run 9"):
        s.back_to(9)
    assert s.version == before


def test_runs_are_kept_with_the_saved_model(trained, tmp_path: Path):
    s, first, second = trained
    s.save(tmp_path / "model.nlz")
    opened = Session.open(tmp_path / "model.nlz")
    assert str(opened.runs) == str(s.runs)
    opened.back_to(1)
    assert dict(opened.query("r(a, Y)").weights) == pytest.approx(first)
    opened.back_to(2)
    assert dict(opened.query("r(a, Y)").weights) == pytest.approx(second)


def test_a_run_of_a_predicate_that_is_learned_no_more_leaves_it_out(trained, tmp_path: Path):
    s = Session()
    s.add(PROGRAM, source="program")
    s.train(epochs=2)
    s.add(PROGRAM.replace("learn(w).", "w(k). w(m)."), source="program")
    s.back_to(1)
    assert s.query("w(k)").weight == 1.0


@pytest.mark.parametrize(
    "runs", [3, [3], [{}], [{"number": "x"}], {"a": 1}, [{"number": 1, "weights": []}]]
)
def test_runs_of_another_form_are_refused(trained, tmp_path: Path, runs):
    from neurallog_kernel.learning.saving.archive import _digest

    s, _, _ = trained
    s.save(tmp_path / "model.nlz")
    with zipfile.ZipFile(tmp_path / "model.nlz") as old:
        parts = {name: old.read(name) for name in old.namelist()}
    manifest = json.loads(parts["manifest.json"])
    manifest["session"]["runs"] = runs
    manifest["digest"] = _digest(manifest)
    parts["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(tmp_path / "bad.nlz", "w") as new:
        for name, content in parts.items():
            new.writestr(name, content)
    with pytest.raises(CheckpointError):
        Session.open(tmp_path / "bad.nlz")


def test_the_answers_that_changed_places_come_first():
    """What the examples are about, and there what stands at another place, before larger moves."""
    s = Session()
    s.add("""p(a, b). p(a, c). learn(w). score(X, Y) :- p(X, Y), w(Y).
    kind(X, Y) :- score(X, Y), tanh(Y).""")
    for better, worse in ("bc", "cb"):
        s.add(f"example(kind, a, {better}). 0::example(kind, a, {worse}).", source="examples")
        s.train(epochs=60, learning_rate=0.5, optimizer="adam", seed=1)
    found = s.compare_runs(1, 2).answers
    assert {found[0].query, found[1].query} == {"kind(a, b)", "kind(a, c)"}
    assert max(abs(move.change) for move in found) > abs(found[0].change)
    ranks = {
        number: [key for key, _ in sorted(weights.items(), key=lambda one: -one[1])]
        for number, weights in _answers_of_runs(s, "kind(a, Y)")
    }
    for move in found:
        if move.query.startswith("kind"):
            name = move.query[len("kind(a, ") : -1]
            places = tuple(ranks[number].index((name,)) + 1 for number in (1, 2))
            assert move.places == places
    assert found.changed_places == sum(a != b for a, b in (move.places for move in found))
    assert found.changed_places == 4


def _answers_of_runs(s: Session, question: str):
    for number in (1, 2):
        s.back_to(number)
        yield number, dict(s.query(question).weights)
