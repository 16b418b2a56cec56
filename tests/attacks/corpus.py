"""What an attack is: an input that must be refused, or taken without harm; and what came of it."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from neurallog_kernel import NeuralLogError

TURN = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Marks that turn the direction of writing, so that a text looks like another."""

Run = Callable[[Path], object]


@dataclass(frozen=True)
class Attack:
    """One input. `run` gets an empty folder; `refused` says that it must end in an error of ours,
    else it may be taken, and `run` itself asserts that nothing went wrong."""

    line: int
    name: str
    run: Run
    refused: bool = True

    def __str__(self) -> str:
        return f"{self.line}: {self.name}"


def attacks() -> Iterator[Attack]:
    """All of them."""
    from tests.attacks import arguments, faults, files, numbers, queries, settings

    for module in (files, numbers, queries, faults, settings, arguments):
        yield from module.attacks()


def outcome(attack: Attack, folder: Path) -> str:
    """Nothing where the attack failed; else what it broke."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        attack.run(folder)
    except NeuralLogError as error:
        return unreadable(str(error))
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:100]!r}"
    finally:
        os.chdir(here)
    return "it was taken" if attack.refused else ""


def unreadable(text: str) -> str:
    """Why a message is not fit for a terminal."""
    hidden = [
        c for c in text if c != "\n" and (unicodedata.category(c) in ("Cc", "Cs") or c in TURN)
    ]
    if hidden:
        return f"a message with the character {hidden[0]!r}"
    return f"a message of {len(text)} characters" if len(text) > 4000 else ""
