"""Line 22: odd values for every argument of every public method of a session."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from neurallog_kernel import NeuralLogError, Session
from tests.attacks.corpus import Attack
from tests.attacks.settings import PROGRAM, VALUES, shown

_MORE: tuple[Any, ...] = (
    None, "a\0b", "x" * 5000, "\ud800", (1, 2), ("q", 0), Path("/nonexistent"), "q/2", "q(ann, X)",
    "q/\u00b2", {1: [2]}, 5.0,
)  # fmt: skip
_ELSEWHERE = {"train", "explore", "live"}  # in `settings`, and in the notebook's own tests
_FIRST: dict[str, Callable[[Path], dict[str, Any]]] = {
    "add": lambda folder: {"text": "r(a)."},
    "load": lambda folder: {"path": _file(folder / "facts.pl", "r(a).")},
    "load_table": lambda folder: {
        "table": [("ann", "bob", 0.5)],
        "pattern": "f(a, b)",
        "columns": ("a", "b", "w"),
    },
    "load_tables": lambda folder: {"path": _file(folder / "map.toml", '[t]\npattern = "t(a)"\n')},
    "remove": lambda folder: {"source": "input-1"},
    "query": lambda folder: {"text": "q(ann, X)"},
    "profile": lambda folder: {"query": "q(ann, X)"},
    "plan": lambda folder: {"predicate": "q/2"},
    "decode": lambda folder: {"predicate": "q/2", "sequences": [["ann"]]},
    "attach": lambda folder: {"table": "t", "pattern": "t(a, b)"},
    "connect": lambda folder: {"address": f"duckdb:{folder / 'facts.duckdb'}"},
    "compare_runs": lambda folder: {"first": 1, "second": 2},
    "load_rules": lambda folder: {"path": _file(folder / "rules.txt", "")},
    "score": lambda folder: {"predicate": "q/2"},
    "what_would_change": lambda folder: {"question": "q(ann, bob)"},
    "rank": lambda folder: {"predicate": "q/2"},
    "cost": lambda folder: {"predicate": "q/2"},
    "select": lambda folder: {"space": {"epochs": [1]}},
    "explain": lambda folder: {"query": "q(ann, bob)"},
    "evaluate": lambda folder: {"set": "train"},
    "inference": lambda folder: {"set": "train"},
    "save": lambda folder: {"path": folder / "saved.nlz"},
    "open": lambda folder: {"path": _saved(folder)},
    "load_weights": lambda folder: {"path": _saved(folder)},
    "register": lambda folder: {"name": "twice", "function": abs},
    "to_keras": lambda folder: {"predicate": "q/2"},
    "export": lambda folder: {"predicate": "p/2", "program": folder / "program.pl"},
    "export_saved_model": lambda folder: {"predicate": "q/2", "path": folder / "model"},
}
"""Arguments that a call is right with; one of them is then another."""


def attacks() -> Iterator[Attack]:
    for method, function in inspect.getmembers(Session, callable):
        if method.startswith("_") or method in _ELSEWHERE:
            continue
        for name, parameter in inspect.signature(function).parameters.items():
            if name != "self" and parameter.kind is not parameter.VAR_KEYWORD:
                run = partial(_call, method, name)
                yield Attack(22, f"{method}({name}=...)", run, refused=False)


def _call(method: str, name: str, folder: Path) -> None:
    """Each value is taken, or refused with an error that can be shown; the session stays right."""
    for place, value in enumerate((*VALUES, *_MORE)):
        if name == "progress" and callable(value):
            continue  # what it raises is the user's own
        inside = folder / str(place)
        inside.mkdir()
        session = Session()
        session.add(PROGRAM)
        given = _FIRST.get(method, lambda folder: {})(inside) | {name: value}
        try:
            getattr(session, method)(**given)
        except NeuralLogError as error:
            str(error)
        except Exception as error:
            said = f"{type(error).__name__}: {str(error)[:100]!r}"
            raise AssertionError(f"{name}={shown(value)}, value {place}: {said}") from error
        session.query("u(X)")


def _file(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def _saved(folder: Path) -> Path:
    session = Session()
    session.add(PROGRAM)
    session.save(folder / "program.nlz")
    return folder / "program.nlz"
