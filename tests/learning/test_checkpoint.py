"""Saved models: the same session again, or a clear error; never half a file, never code."""

import json
import random
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session, writing
from neurallog_kernel.errors import CheckpointError, LoadError
from neurallog_kernel.learning.saving import archive

ROOT = Path(__file__).parents[2]
FACTS = """
parent(ann, bob). 0.5::parent(bob, "C id"). parent(eve, bob). age(ann, 61.5). age(bob, 33).
set_parameter(optimizer, adagrad).
example(likes, eve, bob).
"""
RULES = """
learn(w). learn("trust/1"). learn("near/2"). learn(bias).
0.25::w(grand). 0.5::near(ann, bob).
likes(X, Y) :- parent(X, Y), trust(Y), w(direct).
likes(X, Z) :- parent(X, Y), parent(Y, Z), w(grand), tanh(Z).
likes(X, Y) :- near(X, Y), bias.
"""
EXAMPLES = 'likes(ann, bob). 0.0::likes(bob, "C id"). likes(ann, "C id").'
ASKED = ("likes(X, Y)", "trust(X)", "w(X)", "near(X, Y)", "bias", "age(ann, Y)")


@pytest.fixture(scope="module")
def trained() -> Session:
    """A session with every shape of learned predicate, trained a little."""
    session = Session()
    session.add(RULES, source="rules")
    session.add(FACTS)
    session.add(EXAMPLES, source="train.pl", set="train")
    session.train(epochs=3, learning_rate=0.1, seed=5, batch_size=2)
    return session


@pytest.fixture(scope="module")
def saved(trained, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "model.nlz"
    trained.save(path)
    return path


def answers(session: Session) -> dict:
    """All that the questions of this module are answered with."""
    return {question: session.query(question).weights for question in ASKED}


def rewritten(saved: Path, path: Path, change) -> Path:
    """A copy as `change(manifest, arrays)` leaves it, with digests that are right."""
    found = archive.read_archive(saved)
    manifest = json.loads(json.dumps(dict(found.manifest)))
    arrays = dict(found.arrays)
    for name in ("format", "version", "arrays", "digest"):
        del manifest[name]
    change(manifest, arrays)
    archive.write_archive(path, archive.Archive(manifest, arrays))
    return path


# -- the same session again -----------------------------------------------------------------------


def test_an_opened_session_is_the_same(trained, saved):
    opened = Session.open(saved)
    assert answers(opened) == answers(trained)
    assert opened.sources == trained.sources
    assert opened.program() == trained.program()
    assert list(opened.examples()) == list(trained.examples())
    assert opened.settings() == trained.settings()
    figures = [s.evaluate("train")["roc_auc"] for s in (trained, opened)]
    assert figures[0] == figures[1]


def test_it_goes_on_living(trained, saved):
    opened = Session.open(saved)
    assert opened.add("likes(eve, ann).").source == "input-2"  # the name input-1 is taken
    opened.remove("train.pl")
    before = answers(trained)["w(X)"]
    opened.add(RULES, source="rules")  # said as before: what was learned stays
    assert opened.query("w(X)").weights == before


def test_training_goes_on_from_the_saved_weights(trained, saved):
    first, second = Session.open(saved), Session.open(saved)
    options = {"epochs": 2, "learning_rate": 0.1, "seed": 1, "batch_size": 2}
    losses = first.train(**options).logs["loss"]
    assert losses[0] < trained.history.logs["loss"][0]
    assert second.train(**options).logs["loss"] == losses
    assert answers(first) == answers(second)


def test_the_history_comes_back(trained, saved):
    kept, was = Session.open(saved).history, trained.history
    assert kept.logs == was.logs
    assert dict(kept.settings) == dict(was.settings)
    assert (kept.seconds, kept.best_epoch) == (was.seconds, was.best_epoch)


def test_equal_sessions_give_equal_files(saved, tmp_path):
    Session.open(saved).save(tmp_path / "again.nlz")
    assert (tmp_path / "again.nlz").read_bytes() == saved.read_bytes()


def test_an_untrained_session_is_saved_too(tmp_path):
    session = Session(strict=True)
    session.add("p(a).")
    session.save(tmp_path / "m.nlz")
    opened = Session.open(tmp_path / "m.nlz")
    assert opened.query("p(X)").weights == {("a",): 1.0}
    assert opened.history is None
    assert opened.strict


def test_strange_names_survive(tmp_path):
    names = ["", "a\nb", "é" * 300, "\x00", '"', "😀", "\\"]
    session = Session()
    for number, name in enumerate(names):
        quoted = '"' + name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
        try:
            session.add(f"p({quoted}).", source=f"source {name!r} {number}")
        except NeuralLogError:
            continue
    session.save(tmp_path / "m.nlz")
    opened = Session.open(tmp_path / "m.nlz")
    assert opened.query("p(X)").weights == session.query("p(X)").weights
    assert opened.sources == session.sources


def test_a_source_may_need_a_later_one(tmp_path):
    """`first` was there before `second` and came to use it afterwards."""
    session = Session()
    session.add("q(a).", source="first")
    session.add("tanh(a, b). tanh(b, c).", source="second")
    session.add("r(X, Y, Z) :- tanh(X, Y), tanh(Y, Z).", source="first")
    session.save(tmp_path / "m.nlz")
    opened = Session.open(tmp_path / "m.nlz")
    assert opened.sources == ("first", "second")
    assert opened.query("r(a, b, X)").weights == session.query("r(a, b, X)").weights


def test_places_are_those_of_the_text_that_was_written(tmp_path):
    session = Session()
    written = """% who is whose parent
parent(ann, bob).

set_parameter(recursion_depth, 2).
parent(bob, cid).
grandparent(X, Z) :- parent(X, Y), parent(Y, Z).
"""
    session.add(written, source="family.pl")
    session.save(tmp_path / "model.nlz")
    opened = Session.open(tmp_path / "model.nlz")
    asked = "grandparent(ann, cid)"
    assert str(opened.explain(asked)) == str(session.explain(asked))
    assert "[family.pl:2, family.pl:5]" in str(opened.explain(asked))


def test_a_text_that_says_less_than_its_source_is_not_taken_for_it(tmp_path):
    session = Session()
    session.add("friend(ann, bob). likes(bob, tea).", source="test examples", set="test")
    session.add("friend(X, Y) :- knows(X, Y).", source="rules")
    table = tmp_path / "knows.csv"
    table.write_text("a,b\nann,bob\n")
    session.load_table(table, "knows(a, b)", source="rules")
    session.save(tmp_path / "model.nlz")
    opened = Session.open(tmp_path / "model.nlz")
    assert opened.program() == session.program()
    assert opened.query("knows(X, Y)").weights == session.query("knows(X, Y)").weights


def test_opening_and_asking_needs_no_tensorflow(saved, tmp_path):
    code = (
        "import sys; from neurallog_kernel import Session; s = Session.open(sys.argv[1]); "
        "s.query('likes(X, Y)'); s.save(sys.argv[2]); "
        "print([m for m in ('tensorflow', 'keras') if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, saved, tmp_path / "m.nlz"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert (run.stdout.strip(), run.stderr) == ("[]", "")


def test_the_text_of_a_trained_program_gives_the_same_answers(trained):
    again = Session()
    again.add(trained.program())
    assert answers(again) == answers(trained)


# -- functions ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def with_layer(tmp_path_factory) -> tuple[Session, Path]:
    """A trained session whose program uses a Keras layer."""
    import keras

    session = Session()
    session.register("mix", keras.layers.Dense(3, use_bias=True, name="mix"))
    session.register("unused", np.abs)
    session.add("learn(w). p(a, b). p(b, c). p(c, a). t(X, Y) :- p(X, Y), mix(Y), w(k).")
    session.add("t(a, b). t(b, c). 0::t(a, c).", set="train")
    session.train(epochs=2, learning_rate=0.1)
    path = tmp_path_factory.mktemp("layer") / "model.nlz"
    session.save(path)
    return session, path


def test_the_variables_of_a_layer_come_back(with_layer):
    import keras

    session, path = with_layer
    opened = Session.open(path, functions={"mix": keras.layers.Dense(3)})
    asked = "t(X, Y)"
    assert opened.query(asked).weights == pytest.approx(session.query(asked).weights)


def test_a_single_number_of_a_layer_comes_back(tmp_path):
    """Its array has no axis, and must have none in the file."""
    import keras

    class Scale(keras.layers.Layer):
        def build(self, shape):
            self.factor = self.add_weight(shape=(), initializer="ones")

        def call(self, x):
            return self.factor * x

    session = Session()
    session.register("scale", Scale())
    session.add("p(a, b). t(X, Y) :- p(X, Y), scale(Y).")
    session.add("0.5::t(a, b).", set="train")
    session.train(epochs=3, learning_rate=0.1)
    session.save(tmp_path / "model.nlz")
    opened = Session.open(tmp_path / "model.nlz", functions={"scale": Scale()})
    assert session.query("t(a, b)").weight != 1.0
    assert opened.query("t(a, b)").weight == session.query("t(a, b)").weight


def test_a_missing_function_is_named(with_layer):
    with pytest.raises(CheckpointError, match="registered function mix") as caught:
        Session.open(with_layer[1])
    assert 'functions={"mix": ...}' in caught.value.hint


def test_a_layer_of_another_shape_is_named(with_layer):
    import keras

    layer = keras.layers.Dense(4)
    with pytest.raises(CheckpointError, match="function mix do not fit"):
        Session.open(with_layer[1], functions={"mix": layer})


# -- weights for another program ------------------------------------------------------------------


def test_weights_go_into_a_program_that_fits(trained, saved):
    session = Session()
    session.add(FACTS + RULES + 'example(likes, zoe, "C id").')  # one entity more
    session.load_weights(saved)
    assert session.query("w(X)").weights == trained.query("w(X)").weights


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            RULES.replace("learn(w)", "p(a)"),
            "weights of w/1 do not fit: the program does not learn",
        ),
        (RULES.replace("w(direct)", "w(other)"), "weights of w/1 do not fit: direct is not among"),
        (
            RULES.replace(", bias", ", bias(k)").replace("learn(bias)", 'learn("bias/1")'),
            "weights of bias/0 do not fit",
        ),
    ],
)
def test_what_does_not_fit_is_named(saved, text, named):
    session = Session()
    session.add(FACTS + text)
    before = session.program()
    with pytest.raises(CheckpointError, match=named):
        session.load_weights(saved)
    assert session.program() == before


def test_a_changed_shape_is_named(saved, tmp_path):
    def change(manifest, arrays):
        manifest["sources"][0]["text"] += "w(more).\n"

    path = rewritten(saved, tmp_path / "m.nlz", change)
    with pytest.raises(CheckpointError, match=r"w/1 do not fit: the file has shape \[2\].*\[3\]"):
        Session.open(path)


def test_a_changed_length_is_named(saved, tmp_path):
    def change(manifest, arrays):
        arrays["learned/0/weights"] = arrays["learned/0/weights"][:-1]

    path = rewritten(saved, tmp_path / "m.nlz", change)
    with pytest.raises(CheckpointError, match=r"do not fit: .* another length"):
        Session.open(path)


# -- bad files ------------------------------------------------------------------------------------


def opens_or_says_why(path: Path, expected: dict) -> bool:
    """Whether the file opens, then with the right answers; any error is one of ours."""
    try:
        opened = Session.open(path)
    except NeuralLogError as error:
        assert str(error)
        return False
    assert answers(opened) == expected
    return True


def test_a_file_cut_anywhere(trained, saved, tmp_path):
    content = saved.read_bytes()
    path = tmp_path / "cut.nlz"
    for length in {*range(60), *range(0, len(content), 211), len(content) - 1}:
        path.write_bytes(content[:length])
        with pytest.raises(CheckpointError):
            Session.open(path)


def test_a_file_with_flipped_bytes(trained, saved, tmp_path):
    content, expected = saved.read_bytes(), answers(trained)
    path = tmp_path / "flipped.nlz"
    choose = random.Random(3)
    opened = 0
    for _ in range(250):
        changed = bytearray(content)
        for _ in range(choose.choice((1, 1, 3))):
            changed[choose.randrange(len(changed))] ^= choose.randrange(1, 256)
        path.write_bytes(changed)
        opened += opens_or_says_why(path, expected)
    assert opened < 125  # dates and the like are not part of the model; the rest is noticed


def _mutations(value, choose):
    """The value with one part of it replaced by something else."""
    strange = [None, -1, 10**18, "x", [], {}, True, 1.5, [[1]], {"a": 1}]
    if isinstance(value, dict) and value and choose.random() < 0.8:
        key = choose.choice(list(value))
        changed = dict(value)
        if choose.random() < 0.15:
            del changed[key]
        else:
            changed[key] = _mutations(value[key], choose)
        return changed
    if isinstance(value, list) and value and choose.random() < 0.8:
        place = choose.randrange(len(value))
        return [*value[:place], _mutations(value[place], choose), *value[place + 1 :]]
    return choose.choice(strange)


def test_a_manifest_of_another_form(saved, tmp_path):
    choose = random.Random(4)
    for _ in range(150):

        def change(manifest, arrays):
            mutated = _mutations(manifest, choose)
            manifest.clear()
            manifest.update(mutated if isinstance(mutated, dict) else {"sources": mutated})

        path = rewritten(saved, tmp_path / "m.nlz", change)
        try:
            Session.open(path)
        except NeuralLogError as error:
            assert str(error)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a saved NeuralLog model"),
        (b"p(a, b).\n", "is not a saved NeuralLog model"),
        (b"PK\x03\x04 nothing more", "damaged or cut short"),
    ],
)
def test_a_foreign_file(tmp_path, content, message):
    path = tmp_path / "foreign.nlz"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=message):
        Session.open(path)


def test_a_zip_of_something_else(tmp_path):
    path = tmp_path / "other.nlz"
    for name, content in (("a.txt", "hello"), ("manifest.json", "[1]"), ("manifest.json", "{")):
        with zipfile.ZipFile(path, "w") as target:
            target.writestr(name, content)
        with pytest.raises(CheckpointError):
            Session.open(path)


def test_a_newer_format(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "VERSION", 99)
    path = tmp_path / "newer.nlz"
    archive.write_archive(path, archive.Archive({}, {}))
    monkeypatch.undo()
    with pytest.raises(CheckpointError, match="version 99 of the format"):
        Session.open(path)


def test_objects_are_refused(saved, tmp_path):
    """An array that needs pickle to be read is damage, not an invitation."""
    path = tmp_path / "objects.nlz"
    np.save(tmp_path / "evil.npy", np.array([print], dtype=object), allow_pickle=True)
    content = (tmp_path / "evil.npy").read_bytes()
    shutil.copy(saved, path)
    with zipfile.ZipFile(saved) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            own = content if name.endswith("weights.npy") else source.read(name)
            target.writestr(name, own)
    with pytest.raises(CheckpointError, match="damaged"):
        Session.open(path)


@pytest.mark.parametrize("where", ["nowhere/model.nlz", "."])
def test_places_that_cannot_be_written_or_read(trained, tmp_path, where):
    with pytest.raises(LoadError):
        trained.save(tmp_path / where)
    with pytest.raises(LoadError):
        Session.open(tmp_path / where)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_leaves_the_old_file(trained, saved, tmp_path, monkeypatch):
    path = tmp_path / "model.nlz"
    shutil.copy(saved, path)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "fsync", full)
    with pytest.raises(LoadError, match="No space left"):
        trained.save(path)
    assert path.read_bytes() == saved.read_bytes()
    assert list(tmp_path.iterdir()) == [path]
