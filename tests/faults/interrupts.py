"""Interrupts at chosen places: a session must be as before an operation or as after it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import neurallog_kernel
from neurallog_kernel import NeuralLogError, Session

_OF_WEAK_REFERENCES = {"weakref.py", "_weakrefset.py"}
OURS = str(Path(neurallog_kernel.__file__).parent)

FACTS = "parent(ann, bob). 0.5::parent(bob, cid). parent(cid, dee). age(ann, 50)."
RULES = """
learn(w). w(one).
ancestor(X, Y) :- parent(X, Y).
ancestor(X, Z) :- parent(X, Y), forebear(Y, Z).
forebear(X, Y) :- ancestor(X, Y), w(one).
for i in 1 2 do near_{i}(X, Y) :- parent(X, Y). done
"""
ASKED = ("ancestor(ann, X)", "parent(X, Y)", "near_1(X, Y)", "age(ann, X)")
MAP = """
[likes]
file = "likes.csv"
pattern = "likes(who, what)"
[owns]
file = "owns.csv"
pattern = "owns(who, what)"
"""


def start() -> Session:
    """A session with something to take back and something remembered."""
    session = Session()
    session.add("parent(ann, eve).", source="facts")
    session.add(RULES, source="rules")
    session.query("ancestor(ann, X)")
    session.add(FACTS, source="facts")
    session.query("near_1(X, Y)")
    return session


def operations(folder: Path) -> dict[str, Callable[[Session], Any]]:
    """What is interrupted, by name; tables are written into the folder first."""
    (folder / "likes.csv").write_text("who,what\nann,tea\nbob,tea\n", encoding="utf-8")
    (folder / "owns.csv").write_text("who,what\nann,dog\n", encoding="utf-8")
    (folder / "maps.toml").write_text(MAP, encoding="utf-8")
    return {
        "add": lambda s: s.add("parent(dee, fay). sister(X, Y) :- parent(Z, X), parent(Z, Y)."),
        "replace": lambda s: s.add("0.25::parent(ann, gil). parent(gil, hal).", source="facts"),
        "remove": lambda s: s.remove("facts"),
        "undo": lambda s: s.undo(),
        "load_table": lambda s: s.load_table([("ann", "tea")], "likes(a, b)", columns=("a", "b")),
        "load_tables": lambda s: s.load_tables(folder / "maps.toml"),
        "register": lambda s: s.register("halve", lambda x: x / 2),
        "query": lambda s: s.query("ancestor(ann, X)"),
        "explain": lambda s: s.explain("ancestor(ann, cid)"),
    }


def view(session: Session) -> list[Any]:
    """All that a user can see of a session, now and at every `undo` back to the beginning."""
    seen: list[Any] = []
    while True:
        answers = [_answer(session, question) for question in ASKED]
        texts = sorted(session._texts.items())
        seen.append(
            (session.program(), session.sources, answers, texts, "halve" in session.registry)
        )
        try:
            session.undo()
        except NeuralLogError:
            return seen


def _answer(session: Session, question: str) -> Any:
    try:
        return session.query(question).weights
    except NeuralLogError as error:
        return str(error)


def _clears_up(frame: FrameType) -> bool:
    """Whether a dead reference is being forgotten: an exception there reaches nobody, Python only
    reports it."""
    caller = frame.f_back
    return caller is not None and Path(caller.f_code.co_filename).name in _OF_WEAK_REFERENCES


class Interrupter:
    """Raises as Ctrl-C does, when the `at`-th line or call of NeuralLog's own code begins."""

    def __init__(self, at: int | None = None) -> None:
        self.at = at
        self.seen = 0

    def __enter__(self) -> Interrupter:
        sys.settrace(self._call)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(OURS) or _clears_up(frame):
            return None
        return self._line(frame, event, argument)

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event in ("call", "line"):
            self.seen += 1
            if self.seen == self.at:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self._line


@dataclass
class Outcome:
    """How many interrupts were tried at one operation, and where one did harm."""

    name: str
    places: int
    tried: int
    wrong: list[int]


def try_all(
    name: str, operation: Callable[[Session], Any], chosen: Callable[[int], Iterator[int] | range]
) -> Outcome:
    """Interrupt an operation at the chosen ones of its places; each in a new session."""
    before, done = view(start()), start()
    with Interrupter() as counted:
        operation(done)
    after = view(done)
    outcome = Outcome(name, counted.seen, 0, [])
    for place in chosen(counted.seen):
        outcome.tried += 1
        if not holds(operation, place, before, after):
            outcome.wrong.append(place)
    return outcome


def holds(operation: Callable[[Session], Any], place: int, before: Any, after: Any) -> bool:
    """Whether the session is as before or as after, and does the operation when asked again."""
    session = start()
    try:
        with Interrupter(place):
            operation(session)
    except KeyboardInterrupt:
        pass
    seen, again = view(session), start()
    try:
        with Interrupter(place):
            operation(again)
    except KeyboardInterrupt:
        if seen == before:
            operation(again)
        seen_again = view(again)
    else:
        seen_again = view(again)
    return seen in (before, after) and seen_again == after
