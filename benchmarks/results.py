"""What a run gave: each row with its figure and verdict, the machine in general terms, as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.fitting import Growth
from benchmarks.rows import Figure, Row, all_rows

PACKAGES = ("numpy", "scipy", "tensorflow", "keras", "problog", "neuralogic", "clingo")


@dataclass(frozen=True)
class Result:
    """A row that was measured, or the reason why it was not."""

    row: Row
    figure: Figure | None = None
    skipped: str = ""
    failed: str = ""

    @property
    def verdict(self) -> str:
        """pass, short, skipped, failed; "-" where there is no target."""
        if self.figure is None:
            return "failed" if self.failed else "skipped"
        if self.row.target is None:
            return "-"
        return "pass" if self.row.target.reached(self.figure.value) else "short"

    @property
    def remark(self) -> str:
        """What the figure alone does not say."""
        parts = [self.figure.note] if self.figure and self.figure.note else []
        if self.original is not None and self.row.target is not None:
            reached = self.row.target.reached(self.original)
            if reached != (self.verdict == "pass"):
                parts.append(f"{'pass' if reached else 'short'} by the original's own time")
        return "; ".join(parts)

    @property
    def original(self) -> float | None:
        """How many times as fast as the original was, when it was measured elsewhere."""
        if self.row.elsewhere is None or self.figure is None or not self.figure.ours:
            return None
        return self.row.elsewhere / self.figure.ours


@dataclass(frozen=True)
class Run:
    """All results of one command."""

    results: tuple[Result, ...]
    date: str
    machine: dict[str, str]
    quick: bool = False
    seconds: float = 0.0
    again: int = 0  # rows that were measured once more, later

    def counts(self) -> dict[str, int]:
        """How many rows have each verdict."""
        found = [result.verdict for result in self.results]
        return {name: found.count(name) for name in dict.fromkeys(found)}


def today() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d")


def machine() -> dict[str, str]:
    """The machine and the software, without any name of it."""
    found = {
        platform.system(): f"on {os.cpu_count()} cores ({platform.machine()})",
        "Python": platform.python_version(),
    }
    memory = _memory()
    if memory:
        found["memory"] = f"{memory:.0f} GB"
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _memory() -> float | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (ValueError, OSError, AttributeError):
        return None


# -- as JSON ---------------------------------------------------------------------------------------


def figure_to_json(figure: Figure) -> dict[str, Any]:
    return asdict(figure)


def figure_from_json(content: dict[str, Any]) -> Figure:
    growth = content.get("growth")
    if growth is not None:
        curves = {key: tuple(growth[key]) for key in ("sizes", "costs")}
        growth = Growth(**{**growth, **curves})
    return Figure(**{**content, "growth": growth})


def write(run: Run, path: Path) -> None:
    rows = [
        {
            "name": one.row.name,
            "verdict": one.verdict,
            "figure": figure_to_json(one.figure) if one.figure else None,
            "skipped": one.skipped,
            "failed": one.failed,
        }
        for one in run.results
    ]
    content = {
        "date": run.date,
        "machine": run.machine,
        "quick": run.quick,
        "seconds": round(run.seconds, 1),
        "again": run.again,
        "rows": rows,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> Run:
    """A run from its file; rows that no longer exist are left out."""
    content = json.loads(path.read_text(encoding="utf-8"))
    known = all_rows()
    results = [
        Result(
            known[one["name"]],
            figure_from_json(one["figure"]) if one["figure"] else None,
            one["skipped"],
            one["failed"],
        )
        for one in content["rows"]
        if one["name"] in known
    ]
    return Run(
        tuple(results),
        content["date"],
        content["machine"],
        content["quick"],
        content["seconds"],
        content.get("again", 0),
    )


def merged(old: Run, new: Run) -> Run:
    """An earlier run in which the rows that were measured now have their new figures."""
    newer = {one.row.name: one for one in new.results}
    kept = [one for one in old.results if one.row.name not in newer]
    return replace(
        old,
        results=in_order([*kept, *newer.values()]),
        date=new.date,
        machine=new.machine,
        again=old.again + len(newer),
    )


def in_order(results: Sequence[Result]) -> tuple[Result, ...]:
    """In the order of the registry."""
    places = {name: place for place, name in enumerate(all_rows())}
    return tuple(sorted(results, key=lambda one: places[one.row.name]))
