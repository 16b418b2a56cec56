"""Trainings among edits: some fail, some are interrupted or taken back; then all is as in a session
that was given the text of the program."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from neurallog_kernel import NeuralLogError, Session
from tests.fuzz.edits import answer, interrupted, same
from tests.fuzz.kinds import Input, Kind, WrongError

_TEXTS = {
    "facts": (
        "p(a, b). 0.5::p(b, c). v(a, 2). e(a). e(b).",
        "0.25::p(a, b). p(c, a). p(b, d). v(a, 2). v(b, 0.5). e(c).",
        "p(b, c). e(a). e(d). t(a, b, c). 0.5::t(b, c, a).",
        "",
    ),
    "learns": (
        "learn(w). learn_rule_weights(k).",
        "learn(w). learn(u). learn(p).",
        "learn_rule_weights(k). learn_rule_weights(h).",
        'learn("w/1"). learn(v). learn(t).',
        "set_parameter(initial_value, constant). learn(w). learn_rule_weights(r).",
    ),
    "rules": (
        "h(X, Y) :- p(X, Y), w(one). k(X, Y) :- h(X, Y). k(X, Y) :- w(two).",
        "h(X, Y) :- p(X, Y), w(one). h(X, Y) :- p(X, Z), h(Z, Y), w(two). k(X, Y) :- h(X, Y).",
        "h(X, Y) :- p(X, Y), u(X). 0.5::k(X, Y) :- p(X, Y), not h(X, Y). r(X) :- e(X), w(one).",
        "for i in one two do h(X, Y) :- p(X, Y), w({i}). done k(X, Y) :- h(X, Z), p(Z, Y).",
        "h(X, X) :- e(X), w(one). k(X, Y) :- t(X, Y, c), w(two). r(X) :- v(X), tanh(X).",
    ),
    "examples": (
        "0.3::example(h, a, b). 0.7::example(k, a, b). example(k, b, c).",
        "example(h, a, b). 0::example(h, b, c).",
        "0.4::example(r, a). example(h, a, a). example(k, a, b).",
        "example(h, a, b). example_set(test). 0.5::example(k, a, b).",
    ),
    "stated": ("0.9::w(one).", "w(two). 2::p(a, b).", "0.5::k(X, Y) :- h(X, Y).", "u(a)."),
}
_ASKED = ("h(a, Y)", "h(X, c)", "k(X, Y)", "r(X)", "w(X)", "p(X, Y)", "v(X, Y)", "t(a, b, Y)")
_GOOD: tuple[dict[str, Any], ...] = (
    {},
    {"learning_rate": 0.1},
    {"optimizer": "adam", "seed": 3},
    {"resume": True},
    {"batch_size": 1, "shuffle": True},
    {"dtype": "float64", "validation": "test", "keep_best": True},
    {"seeds": 2},
    {"restarts": 2},
    {"negatives": 1},
)
_BAD: tuple[dict[str, Any], ...] = (
    {"optimizer": "adma"},
    {"loss": "nosuch"},
    {"regularizer": "nosuch"},
    {"monitor": "nosuch", "patience": 1},
    {"metrics": ["nosuch"]},
    {"learning_rate": -1.0},
    {"examples": "nosuch"},
    {"dtype": "float8"},
)
_REWEIGHED = ("w(one)", "p(a, b)", "p(b, c)", "u(a)", "k(X, Y) :- h(X, Y)", "t(a, b, c)")


class _Broken(Exception):
    """What a callback of a user raises."""


class _Breaks:
    """A callback that fails at one of its moments."""

    def __init__(self, moment: str) -> None:
        def fail(state: object) -> None:
            raise _Broken

        setattr(self, moment, fail)


def _make(chance: random.Random) -> Input:
    """The parts are operations: a name, what it is about, and the place of an interrupt or 0."""
    parts = [["add", [source, texts[0]], 0] for source, texts in list(_TEXTS.items())[:4]]
    for _ in range(chance.randint(3, 12)):
        at = chance.choice((0, 0, 0, chance.randrange(1, 100), chance.randrange(1, 4000)))
        source = chance.choice(list(_TEXTS))
        about: dict[str, Callable[[], Any]] = {
            "add": lambda source=source: [source, chance.choice(_TEXTS[source])],
            "remove": lambda source=source: source,
            "train": lambda: chance.randrange(len(_GOOD)),
            "fail": lambda: chance.randrange(len(_BAD)),
            "break": lambda: chance.choice(("on_begin", "on_batch", "on_epoch", "on_end")),
            "reweigh": lambda: [chance.choice(_REWEIGHED), chance.choice((0.25, 1.0, -2.0))],
            "undo": lambda: None,
            "back_to": lambda: chance.randint(1, 3),
            "open": lambda: None,
        }
        name = chance.choice((*about, "train", "add", "undo", "undo"))
        parts.append([name, about[name](), at])
    return Input("trainings", parts, {})


def _run(given: Input) -> None:
    live = _Live()
    for name, about, at in given.parts:
        live.do(name, about, at)


class _Live:
    """A session, and the texts of its program that `undo` leads back to."""

    def __init__(self) -> None:
        self.session = Session()
        self.before: list[str] = []
        self.known: tuple[str, dict[str, Any]] = "", {}

    def do(self, name: str, about: Any, at: int) -> None:
        """An operation: it is there whole or not at all."""
        before, undone = self.session.program(), len(self.session._state.changes)
        done = self._attempt(name, about, at)
        after, changes = self.session.program(), len(self.session._state.changes)
        if name == "open":
            self.before = self.before if after == before and changes == undone else []
        elif name == "undo" and changes < undone:
            expected = self.before.pop()
            if after != expected:
                raise WrongError("undo leads to another program")
        elif changes > undone:  # two for a training that takes a calibration back
            self.before += [before] * (changes - undone)
        elif after != before:
            raise WrongError(f"{name} changes the program without a way back")
        if name in ("fail", "break") and (done or after != before):
            raise WrongError(f"a training that fails at {name} changes the program")
        if name == "open" and after != before:
            raise WrongError("a saved session opens as another program")
        self.compare(after)

    def _attempt(self, name: str, about: Any, at: int) -> bool:
        """Whether it was done to its end, neither refused nor interrupted."""
        operation: Callable[[], Any] = {
            "add": lambda: self.session.add(about[1], source=about[0]),
            "remove": lambda: self.session.remove(about),
            "train": lambda: self._train(_GOOD[about]),
            "fail": lambda: self._train(_BAD[about]),
            "break": lambda: self.session.train(epochs=2, callbacks=[_Breaks(about)]),
            "reweigh": partial(self._reweigh, about),
            "undo": lambda: self.session.undo(),
            "back_to": lambda: self.session.back_to(about),
            "open": self._open,
        }[name]
        try:
            return interrupted(operation, at)
        except (NeuralLogError, _Broken):
            return False

    def _train(self, options: dict[str, Any]) -> None:
        chosen: dict[str, Any] = {"epochs": 2, **options}
        self.session.train(**chosen)

    def _reweigh(self, about: list[Any]) -> None:
        clause, weight = about
        self.session.reweigh({clause: weight})
        if ":-" not in clause and answer(self.session, clause) != {(): weight}:
            raise WrongError("a weight that is given does not count")

    def _open(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.session.save(Path(folder) / "session.nlz")
            self.session = Session.open(Path(folder) / "session.nlz")

    def compare(self, text: str) -> None:
        """Every answer is that of a new session with the text of the program."""
        if self.session.members:  # its text is that of one member
            return
        if self.known[0] != text:
            new = Session()
            new.add(text)
            self.known = text, {asked: answer(new, asked) for asked in _ASKED}
        for asked, theirs in self.known[1].items():
            mine = answer(self.session, asked)
            if not same(mine, theirs):
                raise WrongError(f"{asked} is {mine}, and from the text {theirs}")


KIND = Kind("trainings", 2, _make, _run)
