"""Failures: what went wrong and where, made small, written down and run again."""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tests.fuzz.kinds import Input, WrongError, run_input

_ATTEMPTS = 400  # runs that making one failure smaller may take


@dataclass(frozen=True)
class Failure:
    """`what` is the same for failures of one cause; `number` is that of the input in its run."""

    what: str
    details: str
    seed: int
    number: int
    given: Input

    @property
    def file_name(self) -> str:
        cause = re.sub(r"\W+", "-", self.what).strip("-")[:60]
        return f"{self.given.kind}-{cause}-{self.number}.json"

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.file_name
        path.write_text(self.to_json(), encoding="ascii")
        return path

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> Failure:
        found = json.loads(text)
        return cls(**{**found, "given": Input(**found["given"])})


def failure_of(
    given: Input, seed: int, number: int, run: Callable[[Input], None] = run_input
) -> Failure | None:
    """Run an input; None if all is well."""
    try:
        run(given)
    except (Exception, KeyboardInterrupt) as error:
        details = "".join(traceback.format_exception(error))[-6000:]
        return Failure(_cause(error), details, seed, number, given)
    return None


def _cause(error: BaseException) -> str:
    """The kind of the error and the function of ours that it came from."""
    if isinstance(error, WrongError):
        return f"wrong: {re.sub(r'[^a-z ]+.*', '', str(error))[:60].strip()}"
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "neurallog_kernel" in frame.filename]
    last = (ours or frames)[-1]
    return f"{type(error).__name__} in {Path(last.filename).stem}.{last.name}"


def smaller(
    failure: Failure,
    run: Callable[[Input], None] = run_input,
    starting: Callable[[], None] = lambda: None,
) -> Failure:
    """The same failure with as many parts left out as a bounded number of runs allows."""
    left, size = _ATTEMPTS, max(1, len(failure.given.parts) // 2)
    while size and left > 0:
        place = 0
        while place < len(failure.given.parts) and left > 0:
            left -= 1
            starting()
            found = failure_of(
                _without(failure.given, place, size), failure.seed, failure.number, run
            )
            if found is not None and found.what == failure.what:
                failure = found
            else:
                place += size
        size //= 2
    return failure


def _without(given: Input, place: int, size: int) -> Input:
    parts: Sequence[Any] = given.parts
    return replace(given, parts=[*parts[:place], *parts[place + size :]])
