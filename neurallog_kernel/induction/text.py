"""The table of learned rules as text: for a terminal, a saved notebook, and the live table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neurallog_kernel.induction.candidates import Candidate, HeadReport
from neurallog_kernel.knowledge.loaded import counted

if TYPE_CHECKING:
    from neurallog_kernel.induction.table import RuleTable

COLUMNS = ("", "", "weight", "right / fires", "conf.", "+held-out", "new", "rule", "like it")
_RIGHT = {1, 2, 4, 5, 6, 8}  # columns of numbers
_WIDEST = 100  # characters of a rule in the text


@dataclass(frozen=True)
class Section:
    """The rows of one head, as texts."""

    title: str
    rows: tuple[tuple[Candidate, tuple[str, ...]], ...]
    none: str  # why there is no row
    held_out: str


def sections(table: RuleTable) -> tuple[Section, ...]:
    """The table, head by head."""
    found = []
    for report in table.heads:
        rows = table.candidates.of(report.head)
        found.append(
            Section(
                title(table, report),
                tuple((row, cells(table, row)) for row in rows),
                "" if rows else why_none(table, report),
                held_out(report, sum(row.kept for row in rows)),
            )
        )
    return tuple(found)


def as_text(table: RuleTable) -> str:
    """The whole table."""
    lines = []
    for section in sections(table):
        lines.append(section.title)
        if section.rows:
            lines += _aligned([COLUMNS, *(texts for _, texts in section.rows)])
        lines += [f"  {section.none}"] if section.none else []
        lines += [section.held_out] if section.held_out else []
    return "\n".join([*lines, *table.notes])


def title(table: RuleTable, report: HeadReport) -> str:
    """What was looked at for one head, in one line."""
    found = table.candidates
    name = f"{report.head[0]}/{report.head[1]}"
    kept = sum(table.is_ticked(row) for row in found.of(report.head))
    exact = "exact" if found.exact else "a sample"
    line = (
        f"{name}: {counted(report.examples, 'example')}, {counted(report.negatives, 'negative')}; "
        f"{report.bodies:,} bodies counted in {found.seconds:.1f} s, {exact}; "
    )
    # while the search runs nothing is compared yet
    return line + (f"{report.differ:,} differ, " if report.differ else "") + f"{kept:,} kept"


def cells(table: RuleTable, row: Candidate) -> tuple[str, ...]:
    """One row, as texts."""
    mark = "[x]" if table.is_ticked(row) else "[ ]"
    gain = "" if row.gain is None else f"{row.gain:+.3f}"
    return (
        mark,
        str(row.number),
        _weight(row),
        f"{row.right:>5,} / {row.fires:,}",
        f"{row.confidence:.3f}",
        gain,
        f"{row.new:,}",
        row.text,
        remark(row),
    )


def _weight(row: Candidate) -> str:
    """The weight of a rule, or the least and the largest of a rule with one for each entity."""
    if not row.weights:
        return weight_text(row.weight)
    own = [weight for _, weight in row.weights]
    return f"{weight_text(min(own))} to {weight_text(max(own))}"


def weight_text(weight: float) -> str:
    """Two digits behind the point, a third for a weight that would be 0 so, or its size.

    >>> weight_text(1.689), weight_text(0.0046), weight_text(-0.0004), weight_text(0.0)
    ('+1.69', '+0.005', '-4e-04', '+0.00')
    """
    if abs(weight) >= 0.005 or weight == 0:
        return f"{weight:+.2f}"
    return f"{weight:+.3f}" if abs(weight) >= 0.0005 else f"{weight:+.0e}"


def remark(row: Candidate) -> str:
    """What is said beside a rule: how many are like it, and what to beware of."""
    said = [str(len(row.like_it))] if row.like_it else []
    said += [f"{len(row.weights):,} weights"] if row.weights else []
    said += ["in your program"] if row.known else []
    return "; ".join([*said, *row.notes]) or "-"


def held_out(report: HeadReport, kept: int) -> str:
    """What the rules are worth on examples that did not choose them."""
    if report.held_out is None:
        return ""
    rules = f"the {kept}" if kept != 1 else "one rule"
    line = f"held out: {report.measure} {report.held_out:.3f} with {rules}"
    others = []
    if report.held_out_kept is not None and report.kept > kept:
        others.append(f"{report.held_out_kept:.3f} with all {report.kept:,} that have a weight")
    if report.held_out_before is not None:
        others.append(f"{report.held_out_before:.3f} with your own rules")
    line += f" ({'; '.join(others)})" if others else ""
    if report.aggregation:
        line += f"; put together by {report.aggregation}"
        line += f" ({report.why})" if report.why else ""
    return line


def why_none(table: RuleTable, report: HeadReport) -> str:
    """Why no rule was found, with what would change that."""
    options = table.options
    if table.finished or not table.stage:
        least = options.min_support
        line = (
            f"no rule: none of {report.bodies:,} bodies of up to {options.length} literals gets "
            f"{least} example{'' if least == 1 else 's'} right"
        )
        if options.metarules:
            line += " and has the form of a metarule"
        return "\n    ".join([line + ("; nearest:" if report.nearest else ""), *report.nearest])
    return "nothing yet"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    cut = [
        [cell if len(cell) <= _WIDEST else f"{cell[: _WIDEST - 3]}..." for cell in row]
        for row in rows
    ]
    widths = [max(len(row[place]) for row in cut) for place in range(len(COLUMNS))]
    return [
        "  ".join(
            cell.rjust(width) if place in _RIGHT else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cut
    ]
