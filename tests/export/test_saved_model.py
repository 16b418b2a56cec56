"""A SavedModel answers as its session does, in a process where this package cannot be imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.language.syntax import Signature
from tests.learning.helpers import entity_names, start
from tests.learning.test_parity import delicate, targets, with_learned

READER = textwrap.dedent(
    """
    import json, os, sys
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

    class Nothing:  # as if the package were not installed
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0].startswith("neurallog"):
                raise ModuleNotFoundError(name)

    sys.meta_path.insert(0, Nothing())
    try:
        import neurallog_kernel
        raise SystemExit("the package is there")
    except ModuleNotFoundError:
        pass
    import tensorflow as tf

    found = []
    for folder, inputs in json.load(open(sys.argv[1], encoding="utf-8")):
        model = tf.saved_model.load(folder)
        given = {name: tf.constant(names, tf.string) for name, names in inputs.items()}
        entry = {}
        for key, value in model.signatures["serving_default"](**given).items():
            entry[key] = value.numpy().tolist()
        if "names" in model.signatures:
            names = model.signatures["names"]()["names"].numpy()
            entry["names"] = [name.decode() for name in names]
            best = model.signatures["top"](k=tf.constant(3), **given)
            entry["top"] = [
                [[name.decode() for name in row] for row in best["names"].numpy().tolist()],
                best["weights"].numpy().tolist(),
            ]
        found.append(entry)
    json.dump(found, open(sys.argv[2], "w", encoding="utf-8"))
    """
)


def elsewhere(folder: Path, asked: list[tuple[Path, dict[str, list[str]]]]) -> list[dict[str, Any]]:
    """What the models in some folders say, asked in a fresh process."""
    (folder / "reader.py").write_text(READER, encoding="utf-8")
    words = [[str(path), inputs] for path, inputs in asked]
    (folder / "asked.json").write_text(json.dumps(words), encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "reader.py", "asked.json", "told.json"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads((folder / "told.json").read_text(encoding="utf-8"))


def inputs_of(session: Session, signature: Signature, output: int | None) -> list[list[str]]:
    """Some entities of each place that is given, every combination of the first ones."""
    name, arity = signature
    places = [p for p in range(arity) if arity == 1 or p != output]
    names = [entity_names(session, name, arity, place) for place in places]
    if len(names) == 2:
        pairs = [(a, b) for a in names[0] for b in names[1]]
        return [[a for a, _ in pairs], [b for _, b in pairs]]
    return names


def argument_names(signature: Signature, output: int | None) -> list[str]:
    arity = signature[1]
    return [f"argument_{p + 1}" for p in range(arity) if arity == 1 or p != output]


def quoted(name: str) -> str:
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


def compare(session: Session, signature: Signature, output: int | None, said: dict) -> list[str]:
    """Where what was said is not what the session answers."""
    name, arity = signature
    if arity == 0:
        expected = session.query(name).weight
        return [] if close(said["weight"], expected) else [f"{name}: {said}, not {expected}"]
    inputs = inputs_of(session, signature, output)
    wrong = []
    for row, given in enumerate(zip(*inputs, strict=True)):
        if arity == 1:
            question = f"{name}({quoted(given[0])})"
            expected = {(): session.query(question).weight}
            found = {(): said["weight"][row]}
        else:
            terms = [quoted(one) for one in given]
            terms.insert(arity - 1 if output is None else output, "Answer")
            question = f"{name}({', '.join(terms)})"
            answers = session.query(question)
            expected = answers.weights
            found = {(n,): w for n, w in zip(said["names"], said["weights"][row], strict=True)}
            best = [n for (n,), w in answers.top(3) if w > 0]
            if said["top"][0][row][: len(best)] != best:
                wrong.append(f"{question}: best {said['top'][0][row]}, not {best}")
        for key in {*expected, *found}:
            if not close(found.get(key, 0.0), expected.get(key, 0.0)):
                wrong.append(f"{question} at {key}: {found.get(key)}, not {expected.get(key)}")
    return wrong


def close(found: float, expected: float) -> bool:
    return abs(expected) > 1e30 or found == pytest.approx(expected, rel=1e-6, abs=1e-6, nan_ok=True)


PROGRAM = """
0.4::p(a, b). 0.9::p(b, c). 0.6::p(a, c). 0.7::p(c, a). 0.3::q(b, c). 0.8::q(c, a).
p('O\\'Neil, "Al"', b). q(b, 'two\\nlines'). age(a, 3). age(b, 0.5).
learn(w). learn(q). learn(l1).
h(X, Y) :- p(X, Z), q(Z, Y), w(far).
h(X, Y) :- l1(X), l1(Y), age(Y, A), tanh(A).
h(X, Y) :- p(X, Z), mix(Z), q(Z, Y).
k(X) :- h(X, Y), not l1(Y), sigmoid(X).
t :- k(X).
s(X, Y, Z) :- p(X, Y), h(Y, Z).
example(h, a, c). 0::example(h, b, c). example(h, b, a). example(k, a).
"""
DIRECTIONS: list[tuple[Signature, int | None]] = [
    (("h", 2), 1),
    (("h", 2), 0),
    (("k", 1), None),
    (("t", 0), None),
    (("s", 3), 2),
    (("s", 3), 1),
    (("q", 2), 1),
]
WIDE = """
gave(ann, bob, book). 0.5::gave(ann, cid, pen). gave(bob, cid, book). learn("gave/3").
kind(book, paper). 0.5::kind(pen, metal). near(bob, rome). near(cid, rome). 0.25::near(cid, oslo).
price(ann, pen, 3). 0.5::price(ann, book, 4). price(bob, pen, 2).
set_predicate_parameter("price/3", numeric, 3).
from_to(X, K) :- gave(X, _, T), kind(T, K).
to_town(X, K, C) :- gave(X, Y, T), kind(T, K), near(Y, C).
paid(X, K) :- price(X, T, P), kind(T, K).
spent(X) :- price(X, T, P), tanh(P).
example(from_to, ann, paper). 0::example(from_to, bob, paper).
"""
WIDE_DIRECTIONS: list[tuple[Signature, int | None]] = [
    (("gave", 3), 2),
    (("gave", 3), 0),
    (("from_to", 2), 1),
    (("from_to", 2), 0),
    (("to_town", 3), 2),
    (("to_town", 3), 1),
    (("paid", 2), 1),
    (("spent", 1), None),
]


@pytest.fixture(scope="module")
def wide() -> Session:
    """Trained, with facts of three arguments, some of them with declared numbers."""
    session = Session()
    session.add(WIDE)
    session.train(epochs=3, learning_rate=0.2, seed=4)
    return session


@pytest.fixture(scope="module")
def trained() -> Session:
    """Trained, with a Keras layer as a function and names that need quotes."""
    session = Session()
    layer = keras.layers.Dense(5, activation="tanh", kernel_initializer="glorot_normal")
    keras.utils.set_random_seed(3)
    layer.build((None, 5))
    session.register("mix", layer)
    session.add(PROGRAM)
    session.train(epochs=4, learning_rate=0.3, seed=2)
    return session


def generated() -> list[tuple[Session, Signature, int | None]]:
    """Two directions of each of some programs, none of which rounding may change altogether."""
    found = []
    for seed in range(10):
        text, learned = with_learned(seed)
        session = Session()
        session.add("\n".join([str(text), *learned]), source="program")
        start(session, seed)
        if not delicate(session):
            chosen = {t: None for t in targets(session) if all(inputs_of(session, *t))}
            found += [(session, *target) for target in [*chosen][:1] + [*chosen][1:][-1:]]
    return found


@pytest.fixture(scope="module")
def told(
    trained: Session, wide: Session, tmp_path_factory
) -> list[tuple[Session, Signature, int | None, dict]]:
    """What the models of all these say, asked in one other process."""
    folder = tmp_path_factory.mktemp("models")
    exported = [*generated(), *((trained, *one) for one in DIRECTIONS)]
    exported += [(wide, *one) for one in WIDE_DIRECTIONS]
    asked = []
    for place, (session, signature, output) in enumerate(exported):
        own = folder / str(place)
        session.export_saved_model(f"{signature[0]}/{signature[1]}", own, output)
        names = argument_names(signature, output)
        asked.append((own, dict(zip(names, inputs_of(session, signature, output), strict=True))))
    said = elsewhere(folder, asked)
    return [(*one, words) for one, words in zip(exported, said, strict=True)]


def test_facts_of_three_arguments_answer_the_same_without_the_package(wide, told) -> None:
    seen = [one for one in told if one[0] is wide]
    assert [one[1:3] for one in seen] == WIDE_DIRECTIONS
    assert any(
        weight not in (0.0, 0.5, 1.0) for weight in wide.query("gave(X, Y, T)").weights.values()
    )
    wrong = [text for one in seen for text in compare(*one)]
    assert not wrong, "\n".join(wrong)


def test_generated_programs_answer_the_same_without_the_package(trained, wide, told) -> None:
    """Rules, functions, any, negation, recursion, attributes, aggregates; weights as learned."""
    seen = [one for one in told if one[0] not in (trained, wide)]
    assert len(seen) > 9
    assert {signature[1] for _, signature, _, _ in seen} >= {1, 2}
    wrong = []
    for session, signature, output, said in seen:
        found = compare(session, signature, output, said)
        if found:
            wrong.append("\n".join([*found[:3], session.program()]))
    assert not wrong, "\n\n".join(wrong)


def test_a_trained_program_answers_the_same_without_the_package(trained, told) -> None:
    seen = [one for one in told if one[0] is trained]
    assert [one[1:3] for one in seen] == DIRECTIONS
    assert 'O\'Neil, "Al"' in entity_names(trained, "h", 2, 0)
    wrong = [text for one in seen for text in compare(*one)]
    assert not wrong, "\n".join(wrong)


def test_unknown_names(trained: Session, tmp_path: Path) -> None:
    import tensorflow as tf

    trained.export_saved_model("h/2", tmp_path / "strict")
    strict = tf.saved_model.load(str(tmp_path / "strict"))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"place 1 of h/2:\] \[nobody"):
        strict.query(["a", "nobody"])
    trained.export_saved_model("h/2", tmp_path / "zero", unknown="zero", dtype="float32")
    zero = tf.saved_model.load(str(tmp_path / "zero"))
    found = zero.query(["a", "nobody"])["weights"].numpy()
    assert found.dtype == np.float32
    assert found[0].any()
    assert not found[1].any()


def test_the_folder_describes_itself(trained: Session, tmp_path: Path) -> None:
    trained.export_saved_model("h/2", tmp_path / "h", output=0)
    text = (tmp_path / "h" / "assets.extra" / "neurallog.json").read_text(encoding="utf-8")
    said = json.loads(text)
    assert (said["predicate"], said["output"], said["unknown"]) == ("h/2", 1, "error")
    assert said["inputs"]["argument_2"]["place"] == 2
    assert said["names"] == sorted(entity_names(trained, "h", 2, 0))


def test_nothing_is_overwritten_unasked(trained: Session, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(NeuralLogError, match="exists already") as caught:
        trained.export_saved_model("h/2", folder)
    assert "overwrite=True" in caught.value.hint
    assert os.listdir(folder) == ["mine.txt"]
    trained.export_saved_model("h/2", folder, overwrite=True)
    assert (folder / "saved_model.pb").is_file()
    assert not (folder / "mine.txt").exists()
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(NeuralLogError, match="is not a folder"):
        trained.export_saved_model("h/2", tmp_path / "file", overwrite=True)
    assert sorted(os.listdir(tmp_path)) == ["file", "model"]


def test_a_failed_export_leaves_what_was_there(tmp_path: Path) -> None:
    session = Session()
    session.register("steep", lambda x: np.interp(x, [0, 1], [0, 2]))
    session.add("p(a, b). h(X, Y) :- p(X, Y), steep(Y). g(X, Y) :- p(X, Y).")
    session.export_saved_model("g/2", tmp_path / "model")
    before = (tmp_path / "model" / "saved_model.pb").read_bytes()
    with pytest.raises(NeuralLogError, match="steep cannot be exported"):
        session.export_saved_model("h/2", tmp_path / "model", overwrite=True)
    assert (tmp_path / "model" / "saved_model.pb").read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


def test_what_cannot_be_exported_says_what_can(tmp_path: Path) -> None:
    session = Session()
    session.add("age(a, 3). p(a, b). p(a). h(X, Y) :- p(X, Y).")
    for predicate, options, said in (
        ("age/2", {}, "holds numbers"),
        ("h/3", {}, "did you mean h/2?"),
        ("p", {}, "several arities"),
        ("h/2", {"output": 2}, "has no place 2"),
        ("h/2", {"unknown": "zeros"}, "did you mean zero?"),
        ("h/2", {"dtype": "int8"}, "float32 or float64"),
    ):
        with pytest.raises(NeuralLogError) as caught:
            session.export_saved_model(predicate, tmp_path / "model", **options)
        assert said in str(caught.value)
    assert not os.listdir(tmp_path)
