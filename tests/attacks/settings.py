"""Line 22: odd values for every parameter of a program and every option of a training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.functions.combining import is_setting
from neurallog_kernel.functions.keras_names import LOSSES
from neurallog_kernel.induction.options import LearnOptions
from neurallog_kernel.knowledge.parameter_table import PARAMETERS, WITHOUT_EFFECT
from neurallog_kernel.learning.choices.options import TrainOptions
from tests.attacks.corpus import Attack


def attacks() -> Iterator[Attack]:
    yield from _parameters()
    yield from _options()
    yield from _rule_options()
    yield from _other_calls()
    yield from _losses()


# A binary and a unary target, the second with one output; both learn.
PROGRAM = """
learn(w). p(ann, bob). p(ann, cid). p(bob, cid).
q(X, Y) :- p(X, Y), w(one).
u(X) :- p(X, Y), w(two).
p(cid, dan). p(dan, eve). p(eve, ann).
example_set(train). example(q, ann, bob). example(q, cid, dan). example(q, dan, eve).
0::example(q, bob, cid).
example(u, ann). 0::example(u, bob).
example_set(validation). example(q, ann, cid). 0::example(u, cid).
example_set(program).
"""


def _session() -> Session:
    session = Session()
    session.add(PROGRAM)
    return session


# -- set_parameter --------------------------------------------------------------------------------

_TEXTS = (
    "abc", '"two words"', '""', "none", "X", '"True"', "-1", "0", "0.5", "3", "1e30", "1e300",
    "1e999", "[]", "[1, 2]", "[abc, -1]", "[[1, [2]], [abc]]", '"$p/2[0]"', '"1"',
)  # fmt: skip
_BELOW = ("config, ", "config, learning_rate, ", "q, ", "all, ")
_FEW = ("abc", "-1", "[abc, -1]")


def _parameters() -> Iterator[Attack]:
    for name in PARAMETERS:
        rests = [*_TEXTS, *(f"class_name, {text}" for text in _TEXTS)]
        rests += [f"{below}{text}" for below in _BELOW for text in _FEW]
        for rest in rests:
            run = partial(_parameter, name, rest)
            yield Attack(22, f"set_parameter({name}, {rest})", run, refused=False)


def _parameter(name: str, rest: str, folder: Path) -> None:
    """The value is refused at its place, or it is one that the program can be used with; a training
    that cannot use it says which parameter is meant."""
    session = _session()
    quoted = f'"{name}"' if ":" in name else name
    try:
        session.add(f"set_parameter({quoted}, {rest}).", source="setting")
    except NeuralLogError as error:
        assert error.span is not None, f"no place: {error}"
        return
    _answers(session)
    if name in WITHOUT_EFFECT or is_setting(name):
        return  # training does not read it
    try:
        session.train(epochs=1)
    except NeuralLogError as error:
        _names_it(error, name)
        _answers(session)


def _answers(session: Session) -> None:
    for question in ("q(ann, X)", "u(X)", "u(ann)"):
        session.query(question)


def _names_it(error: NeuralLogError, *names: str) -> None:
    said = (
        str(error).lower().replace("optimiser", "optimizer").replace("regulariser", "regularizer")
    )
    words = [word for name in names for word in (name, name.partition("_function")[0])]
    words += [word.replace("_", " ") for word in words]
    words += {"metrics": ["metric"], "initial_value": ["float32"], "number": ["negative"]}.get(
        names[0], []
    )
    assert any(word in said for word in words), f"{names} is not named: {error}"


# -- options of a call ----------------------------------------------------------------------------

VALUES: tuple[Any, ...] = (
    "abc", "", "1", -1, 0, 0.5, 3, 2**70, -(2**70), 10**400, 1e30, float("nan"),
    float("inf"), -float("inf"), True, [], [1, 2], ["abc"], [["abc"]], {},
    {"abc": 1}, {"class_name": 3}, {"q": None}, {1: 2},
    {"class_name": "adam", "learning_rate": "abc"}, b"abc", object(), len, np.array([1, 2]),
    np.float32(0.5), np.int64(3), Ellipsis, 1j,
)  # fmt: skip


def _options() -> Iterator[Attack]:
    names = [field.name for field in fields(TrainOptions)]
    for name in (*names, "callbacks", "resume", "checkpoint", "every"):
        for place, value in enumerate(VALUES):
            if name == "epochs" and repr(value) in (repr(2**70), repr(10**400)):
                continue  # it is what the user wants
            title = f"train({name}={shown(value)}), value {place}"
            yield Attack(22, title, partial(_call, "train", name, value), refused=False)


def _rule_options() -> Iterator[Attack]:
    for field in fields(LearnOptions):
        for place, value in enumerate(VALUES):
            title = f"learn_rules({field.name}={shown(value)}), value {place}"
            yield Attack(22, title, partial(_call, "learn_rules", field.name, value), refused=False)


def _other_calls() -> Iterator[Attack]:
    for call, names in {
        "evaluate": ("set", "ranks", "filtered", "ties", "hits", "inverse"),
        "sample_negatives": ("set", "number", "seed"),  # `source` is among all arguments
        "inference": ("set",),
    }.items():
        for name in names:
            for place, value in enumerate(VALUES):
                title = f"{call}({name}={shown(value)}), value {place}"
                yield Attack(22, title, partial(_call, call, name, value), refused=False)


_OTHER_WORDS = {
    "examples": ["set"],
    "set": ["examples"],
    "metarules": ["metarule"],
    **{name: ["predicate"] for name in ("heads", "bodies", "constants", "each")},
}
"""What an error may name instead of the option."""


def _call(call: str, name: str, value: Any, folder: Path) -> None:
    session = _session()
    first: dict[str, Any] = {
        "train": {"epochs": 1, "examples": "train"},
        "evaluate": {"set": "train"},
        "sample_negatives": {"set": "train"},
        "learn_rules": {"heads": ("q/2",), "set": "train"},
    }.get(call, {})
    if name == "every":
        first["checkpoint"] = folder / "run.nlz"
    try:
        getattr(session, call)(**{**first, name: value})
    except NeuralLogError as error:
        _names_it(error, name, *_OTHER_WORDS.get(name, []))
    _answers(session)


def shown(value: Any) -> str:
    return type(value).__name__ if type(value) in (object, np.ndarray) else repr(value)[:30]


# -- losses ---------------------------------------------------------------------------------------


def _losses() -> Iterator[Attack]:
    """Each is one that both targets can be trained with, or is refused by name."""
    for name in LOSSES.classes:
        yield Attack(22, f"the loss {name}", partial(_loss, name), refused=False)
    for name in ("categorical_crossentropy", "cosine_similarity"):
        yield Attack(22, f"the loss {name} of a unary target", partial(_train_with, {"u": name}))


def _loss(name: str, folder: Path) -> None:
    session = _session()
    try:
        session.train(epochs=1, loss=name)
    except NeuralLogError as error:
        _names_it(error, name.lower())
    _answers(session)


def _train_with(loss: dict[str, str], folder: Path) -> None:
    _session().train(epochs=1, loss=loss)
