"""What `profile` gives back: costs by stage and by rule, as text and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

from neurallog_kernel.answers import Answers
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

SHOWN_RULES = 20
_BAR = 12


@dataclass(frozen=True)
class StageCost:
    """A stage: its seconds without the stages inside it, and the bytes that it left in memory
    (None where that was not measured)."""

    stage: str
    seconds: float
    bytes: int | None = None


@dataclass(frozen=True)
class RuleCost:
    """A rule, or the facts and the OR of a predicate.

    `seconds` add up over all rows: what several rules share is divided equally among them, and what
    a rule calls is counted with the rules that are called. Rules of a predicate that end with the
    same relation share one product. `with_calls` is all that is computed for the rule, shared or
    not. `operations`, `facts` (gone through), `entries` (of results) and `bytes` count what the
    rule needs itself, shared or not. `layers` is how often it was read for other inputs. `step` is
    what its part of the network takes in an epoch by itself, measured apart from the training that
    is profiled, whose step is compiled as one; None if it is folded or not a target's.
    """

    rule: str
    predicate: str
    place: str
    seconds: float
    with_calls: float
    layers: int
    operations: int
    facts: int
    entries: int
    bytes: int
    step: float | None = None


@dataclass(frozen=True)
class Profile(Tabular):
    """Where the time went. `rules` begin with the most expensive: by the time per epoch where that
    was measured, otherwise by their seconds.

    `of_rules` are the seconds that the rules divide among themselves: those of the stage
    `divided`; `accounted` says which part of that stage they are. The rest goes into finding out
    what is to be computed.
    """

    title: str
    seconds: float
    stages: tuple[StageCost, ...]
    rules: tuple[RuleCost, ...]
    divided: str
    peak: int | None = None
    loading: tuple[StageCost, ...] = ()  # what adding the program took, before this
    notes: tuple[str, ...] = ()
    answers: Answers | None = None  # of a question

    @property
    def of_rules(self) -> float:
        return sum(rule.seconds for rule in self.rules)

    @property
    def accounted(self) -> float:
        """Which part of the stage `divided` is told apart by rule."""
        whole = sum(one.seconds for one in self.stages if one.stage == self.divided)
        return min(self.of_rules / whole, 1.0) if whole else 1.0

    def to_pandas(self) -> pd.DataFrame:
        """One row per rule, the most expensive first."""
        import pandas as pd

        rows = [asdict(rule) for rule in self.rules]
        names = [one.name for one in fields(RuleCost) if self.has_steps or one.name != "step"]
        return pd.DataFrame(rows, columns=names)

    def stages_to_pandas(self) -> pd.DataFrame:
        """One row per stage, in the order in which they run."""
        import pandas as pd

        return pd.DataFrame([asdict(stage) for stage in self.stages])

    # -- as text --------------------------------------------------------------------------------

    @property
    def has_steps(self) -> bool:
        return any(rule.step is not None for rule in self.rules)

    def stage_rows(self) -> list[tuple[str, ...]]:
        """The cells of the stages: name, time, share, memory."""
        return [
            (
                one.stage,
                time_text(one.seconds),
                share_text(one.seconds, self.seconds),
                "" if one.bytes is None else size_text(one.bytes),
            )
            for one in self.stages
        ]

    @property
    def shares(self) -> list[float]:
        """Which part each rule has of what they are sorted by."""
        figures = [(one.step or 0.0) if self.has_steps else one.seconds for one in self.rules]
        whole = sum(figures)
        return [figure / whole if whole else 0.0 for figure in figures]

    def rule_rows(self) -> list[tuple[str, ...]]:
        """The cells of the rules; see `rule_columns`."""
        return [
            (
                one.rule,
                one.place,
                *([_step_text(one.step), share_text(share, 1)] if self.has_steps else []),
                time_text(one.seconds),
                *([] if self.has_steps else [share_text(share, 1)]),
                time_text(one.with_calls),
                f"{one.operations:,}",
                f"{one.facts:,}",
                f"{one.entries:,}",
                size_text(one.bytes),
            )
            for one, share in zip(self.rules, self.shares, strict=True)
        ]

    @property
    def rule_columns(self) -> tuple[str, ...]:
        figures = ("epoch alone", "share", "folding") if self.has_steps else ("time", "share")
        return ("rule", "place", *figures, "with calls", "operations", "facts", "entries", "memory")

    @property
    def summary(self) -> str:
        """What the figures say in one line."""
        parts = [f"{time_text(self.seconds)} in all"]
        if self.rules:
            told = f"the rules account for {self.accounted:.0%} of the stage {self.divided}"
            parts.append(told)
        if self.peak is not None:
            parts.append(f"at most {size_text(self.peak)} more memory at once")
        return "; ".join(parts)

    @property
    def said(self) -> tuple[str, ...]:
        """The lines below the tables."""
        before = ", ".join(f"{one.stage} {time_text(one.seconds)}" for one in self.loading)
        loaded = (f"before, to add the program: {before}",) if before else ()
        return (self.summary, *loaded, *self.notes)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def to_text(self, rows: int | None = SHOWN_RULES) -> str:
        """The tables with bars; None shows all rules."""
        stages = [[*cells, _bar(one.seconds, self.seconds)] for cells, one in self._stages()]
        lines = [self.title, *_table(["stage", "time", "share", "memory", ""], stages, 1)]
        if self.rules:
            shown = [
                [*cells, _bar(share, 1)]
                for cells, share in zip(self.rule_rows()[:rows], self.shares, strict=False)
            ]
            lines += ["", *_table([*self.rule_columns, ""], shown, 2)]
            if len(self.rules) > len(shown):
                lines.append(f"  ... {len(self.rules) - len(shown):,} more")
        return "\n".join([*lines, "", *(f"  {text}" for text in self.said)])

    def _stages(self) -> list[tuple[tuple[str, ...], StageCost]]:
        return list(zip(self.stage_rows(), self.stages, strict=True))


def _table(names: list[str], rows: Sequence[list[str]], left: int) -> list[str]:
    """Aligned lines; the first `left` columns and the bars are words, the others numbers."""
    table = [names, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(names))]
    last = len(names) - 1
    return [
        "  "
        + "  ".join(
            cell.ljust(width) if place < left or place == last else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def _bar(part: float, whole: float) -> str:
    return "█" * round(_BAR * part / whole) if whole else ""


def share_text(part: float, whole: float) -> str:
    """A part as per cent.

    >>> share_text(1, 3), share_text(1, 5000), share_text(0, 1)
    ('33 %', '<1 %', '')
    """
    share = 100 * part / whole if whole else 0.0
    if not share:
        return ""
    return "<1 %" if 0 < share < 0.5 else f"{share:.0f} %"


def time_text(seconds: float) -> str:
    """Seconds in the unit that fits.

    >>> time_text(0.0000123), time_text(0.0123), time_text(12.3)
    ('12 µs', '12.3 ms', '12.3 s')
    """
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def size_text(size: int) -> str:
    """Bytes in the unit that fits.

    >>> size_text(12), size_text(123_456), size_text(-2_500_000)
    ('12 B', '123 kB', '-2.5 MB')
    """
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if abs(size) >= factor:
            number = size / factor
            return f"{number:.0f} {unit}" if abs(number) >= 10 else f"{number:.1f} {unit}"
    return f"{size} B"


def _step_text(seconds: float | None) -> str:
    return "" if seconds is None else time_text(seconds)
