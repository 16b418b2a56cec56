"""The folder of a score: a file for each part, and a note of what was asked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neurallog_kernel.errors import LoadError
from neurallog_kernel.paths import path_of
from neurallog_kernel.writing import write_text

NOTE = "_score.json"  # readers of Parquet folders leave out what begins so
_PART = re.compile(r"part-(\d+)-of-(\d+)\.parquet")


@dataclass(frozen=True)
class ScoreFolder:
    """A folder with whole parts only. Who runs a part that is there already does nothing."""

    path: Path
    parts: int

    @classmethod
    def begun(cls, path: str | Path, parts: int, said: Mapping[str, Any]) -> ScoreFolder:
        """The folder of a score, new or to go on with. One that holds something else is an error,
        and so is one whose program or facts were others."""
        folder = Path(path_of(path))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            known = _noted(folder)
            if known is None:
                _check_empty(folder)
                write_text(folder / NOTE, json.dumps(dict(said), indent=1) + "\n")
            else:
                _check_same(folder, known, said)
        except OSError as error:
            if isinstance(error, LoadError):
                raise
            reason = error.strerror or "cannot be written"
            raise LoadError(f"{folder}: {reason}") from error
        return cls(folder, parts)

    def file(self, part: int) -> Path:
        """Where the rows of a part (counted from 1) are."""
        digits = len(str(self.parts))
        return self.path / f"part-{part:0{digits}}-of-{self.parts}.parquet"

    def missing(self) -> list[int]:
        """The parts that are not there yet."""
        return [part for part in range(1, self.parts + 1) if not self.file(part).exists()]


def _noted(folder: Path) -> dict[str, Any] | None:
    note = folder / NOTE
    if not note.exists():
        return None
    try:
        found = json.loads(note.read_text("utf-8"))
    except ValueError:
        found = None
    if not isinstance(found, dict) or "fingerprint" not in found:
        raise LoadError(
            f"{note}: this file does not describe a score", hint="choose another folder"
        )
    return found


def _check_empty(folder: Path) -> None:
    others = sorted(p.name for p in folder.iterdir() if not p.name.endswith(".part"))
    if others:
        raise LoadError(
            f"{folder}: there are other files ({', '.join(others[:3])})",
            hint="choose a new or empty folder",
        )


_WORDS = {
    "predicate": "the predicate",
    "asked": "the argument that is given",
    "top": "top",
    "of": "the list of those who ask",
    "parts": "the number of parts",
    "program": "the program",
    "fingerprint": "a table or a fact",
}


def _check_same(folder: Path, known: Mapping[str, Any], said: Mapping[str, Any]) -> None:
    for name, word in _WORDS.items():
        if known.get(name) != said.get(name):
            raise LoadError(
                f"{folder}: {word} has changed since the first part was written there",
                hint="choose another folder, or remove this one and begin again",
            )
