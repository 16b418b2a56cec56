"""Edits: add, remove, undo, ask, some interrupted; then all is as in a new session."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

from neurallog_kernel import NeuralLogError, Session
from tests.faults.interrupts import Interrupter
from tests.fuzz.kinds import Input, Kind, WrongError
from tests.programs import Drawn, session

_ASKED = ("f(X, Y)", "g(a, Y)", "h(X)", "p(X, Y)", "k(X)", "used(X)")
_FUNCTION = "used(X) :- u(X), scaled(X)."
_BROKEN = "p(a, fresh). p(1, b)."


def _make(chance: random.Random) -> Input:
    """The parts are operations; `at` is where an interrupt comes, 0 for none."""
    operations: list[list[Any]] = []
    for edit in session(Drawn(chance.randrange(1 << 30))):
        at = chance.choice((0, 0, chance.randrange(1, 60), chance.randrange(1, 3000)))
        if edit.text is None:
            operations.append(["remove", edit.source, "", at])
        else:
            operations.append(["add", edit.source, edit.text, at])
        for extra in ("undo", "ask", "register", "function", "broken"):
            if chance.random() < 0.15:
                at = chance.choice((0, chance.randrange(1, 2000)))
                operations.append([extra, "function", str(chance.randint(1, 3)), at])
    return Input("edits", operations, {})


def _run(given: Input) -> None:
    live = _Live()
    for name, source, text, at in given.parts:
        live.do(name, source, text, at)
    live.compare()


@dataclass(frozen=True)
class _State:
    """What a session should hold: its sources in order, and what its function multiplies by."""

    texts: dict[str, str]
    scale: float | None = None

    def same_as(self, other: _State) -> bool:
        """Whether it is the same text in the same order, with the same function."""
        return [*self.texts.items()] == [*other.texts.items()] and self.scale == other.scale

    def session(self) -> Session:
        """A new session with this in it."""
        new = Session()
        if self.scale is not None:
            new.register("scaled", _times(self.scale))
        for source, text in self.texts.items():
            new.add(text, source=source)
        return new


class _Live:
    """A session and what it should hold."""

    def __init__(self) -> None:
        self.session = Session()
        self.state = _State({})
        self.before: list[_State] = []  # what `undo` leads back to
        self._new: list[tuple[_State, Session | None, str]] = []  # the last states, made anew

    def do(self, name: str, source: str, text: str, at: int) -> None:
        if name == "ask":
            interrupted(lambda: [answer(self.session, asked) for asked in _ASKED], at)
            self.compare()
            return
        operation = {
            "add": lambda: self.session.add(text, source=source),
            "function": lambda: self.session.add(_FUNCTION, source=source),
            "broken": lambda: self.session.add(_BROKEN, source=source),
            "remove": lambda: self.session.remove(source),
            "undo": lambda: self.session.undo(),
            "register": lambda: self.session.register("scaled", _times(float(text))),
        }[name]
        after = self._expected(name, source, text)
        made, new = (None, "") if after is None else self._made_anew(after)
        if after is None or made is None:
            if not refused(operation):
                raise WrongError(f"{name} should be refused as in a new session")
            return
        self._edit(name, operation, after, new, at)

    def _made_anew(self, state: _State) -> tuple[Session | None, str]:
        """A new session with that state and the text of its program; None where it is refused."""
        for known, made, text in self._new:
            if known.same_as(state):
                return made, text
        try:
            made = state.session()
            text = made.program()
        except NeuralLogError:
            made, text = None, ""
        self._new = [(state, made, text), *self._new[:2]]
        return made, text

    def _edit(self, name: str, operation: Any, after: _State, new: str, at: int) -> None:
        old = self._made_anew(self.state)[1]
        # an interrupt is no use where before and after cannot be told apart
        done = interrupted(operation, at if old != new else 0)
        found = self.session.program()
        if found not in ((new,) if done else (old, new)):
            raise WrongError(f"{name} leaves another program")
        if found == new and after is not self.state:
            self.before = self.before[:-1] if name == "undo" else [*self.before, self.state]
            self.state = after
        if self.session.sources != tuple(self.state.texts):
            raise WrongError(f"{name} leaves another order of sources")

    def _expected(self, name: str, source: str, text: str) -> _State | None:
        """What the state is after an operation; None where it is refused."""
        texts = dict(self.state.texts)
        if name == "broken":
            return None
        if name == "undo":
            return self.before[-1] if self.before else None
        if name == "add" and source not in texts and not text.strip():
            return self.state  # a text that says nothing is no change
        if name == "register":
            return replace(self.state, scale=float(text))
        if name == "remove":
            if source not in texts:
                return None
            del texts[source]
        else:
            texts[source] = _FUNCTION if name == "function" else text
        return replace(self.state, texts=texts)

    def compare(self) -> None:
        new, _ = self._made_anew(self.state)
        if new is None:
            raise WrongError("a new session refuses what was accepted")
        for asked in _ASKED:
            mine, theirs = answer(self.session, asked), answer(new, asked)
            if not same(mine, theirs):
                raise WrongError(f"{asked} is {mine}, and in a new session {theirs}")


def interrupted(operation: Any, at: int) -> bool:
    """Do it, with an interrupt at a place if that is not 0; whether it was done to its end."""
    if not at:
        operation()
        return True
    try:
        with Interrupter(at):
            operation()
    except KeyboardInterrupt:
        return False
    return True


def _times(scale: float) -> Any:
    return lambda values: values * scale


def answer(session: Session, question: str) -> Any:
    """The weights, or the message of the refusal."""
    try:
        return session.query(question).weights
    except NeuralLogError as error:
        return error.message


def refused(operation: Any) -> bool:
    try:
        operation()
    except NeuralLogError:
        return True
    return False


def same(one: Any, other: Any) -> bool:
    """Equal but for the last digits, which the order of sums decides."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return type(one) is type(other)
    return all(_near(one.get(key, 0.0), other.get(key, 0.0)) for key in {*one, *other})


def _near(one: float, other: float) -> bool:
    if one != one or other != other:
        return one != one and other != other
    return one == other or abs(one - other) <= 1e-9 * max(1.0, abs(one), abs(other))


KIND = Kind("edits", 4, _make, _run)
