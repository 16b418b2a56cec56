"""The table, for the terminal and for RESULTS.md, and the comparison of two runs."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.results import Result, Run
from benchmarks.rows import Figure

WORTH_A_MARK = 0.2  # a figure that moves by more than this between two runs is marked

EXPLANATION = """
How to read it. Ours and the other side take turns in one process, with one thread each; a figure
is the median over the rounds of the ratio within a round, with the quartiles in brackets, so that
a busy moment hits both. Ratios are of processor time; where Java is the other side, and where the
target is in seconds, the clock counts. `python -m benchmarks NAME` measures a row again,
`--into benchmarks/RESULTS.json` puts it into this table, and `python -m benchmarks --compare
benchmarks/RESULTS.json` measures all, with the change of each.

- *The original's way, ported* is how the paper's program computes, in today's TensorFlow: dense
  [batch, entities] activations, sparse-dense products, Keras' `fit`, facts parsed by the grammar
  one by one. It runs our plan, so it is spared the original's own detours. The last column but one
  has what the paper's program itself took, measured elsewhere on a machine of this kind, and how
  many times as fast ours is. The verdict is by the figure of this run.
- *SciPy by hand* is the limit: the sparse products of that one rule and nothing else, no parsing of
  the question, no names, no order of the answers.
- *PyNeuraLogic* and *ProbLog* do the same work on the same facts. That the outputs (PyNeuraLogic)
  or the sets of answers (ProbLog, whose numbers are probabilities by design) agree is checked
  before anything is timed.
- *clingo* works out what every entity reaches, and so do we. The pairs are compared before anything
  is timed; the time is that from the text to all pairs in Python.
- *PyReason* and *Scallop* are left out: PyReason had no answer after four minutes, and PyPI has no
  package of Scallop for Python.
- Processes that are started anew (`first-answer`, `first-training`, `tutorial-04`) read compiled
  modules, as an installed package has them; a first process, which does not count, compiles them.
- *Growth* is the exponent of cost over size, fitted to the large half of the sizes: at most 1 where
  the facts touched grow with the size, at most 0 where they stay the same, and a tenth more for
  logarithms and caches. Nothing may grow faster than the facts it touches.
"""


def seconds(value: float | None) -> str:
    """A time in the unit that suits it.

    >>> seconds(0.00123), seconds(75.2), seconds(None)
    ('1.23 ms', '75.2 s', '')
    """
    if value is None:
        return ""
    for limit, factor, unit in ((1e-3, 1e6, "µs"), (1.0, 1e3, "ms")):
        if value < limit:
            return f"{_digits(value * factor)} {unit}"
    return f"{_digits(value)} s"


def _digits(value: float) -> str:
    """Three digits that mean something."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def shown(figure: Figure) -> str:
    return f"{_digits(figure.value)} {figure.unit}"


def spread(figure: Figure) -> str:
    if figure.low is None or figure.high is None or figure.rounds < 2:
        return ""
    return f"[{_digits(figure.low)}, {_digits(figure.high)}]"


def target_text(result: Result) -> str:
    target = result.row.target
    if target is None:
        return ""
    return f"{'≥' if target.at_least else '≤'} {_digits(target.value)}"


def original_text(result: Result) -> str:
    if result.original is None:
        return ""
    return f"{seconds(result.row.elsewhere)} ({_digits(result.original)}×)"


# -- the terminal ----------------------------------------------------------------------------------

_WIDTHS = (26, 62, 11, 11, 18, 18, 9)
_TITLES = ("row", "work", "ours", "theirs", "figure", "quartiles", "target")


def heading() -> str:
    return _line(_TITLES) + "  verdict"


def line(result: Result) -> str:
    """One row for the terminal, as soon as it is known."""
    figure, row = result.figure, result.row
    if figure is None:
        reason = result.failed or result.skipped
        return f"{row.name:<26} {row.work:<62} {result.verdict}: {reason}"
    cells = (
        row.name,
        row.work,
        seconds(figure.ours),
        seconds(figure.theirs),
        shown(figure),
        spread(figure),
        target_text(result),
    )
    tail = [result.verdict]
    if result.original is not None:
        tail.append(f"original elsewhere {original_text(result)}")
    if result.remark:
        tail.append(result.remark)
    return _line(cells) + "  " + "; ".join(tail)


def _line(cells: Sequence[str]) -> str:
    left = " ".join(f"{c:<{w}}" for c, w in zip(cells[:2], _WIDTHS[:2], strict=True))
    right = " ".join(f"{c:>{w}}" for c, w in zip(cells[2:], _WIDTHS[2:], strict=True))
    return f"{left} {right}"


def growth_verdict(run: Run) -> str:
    """Whether anything grows faster than the facts it touches, in one sentence; empty if no growth
    was measured."""
    judged = [one for one in run.results if one.figure and one.figure.growth and one.row.target]
    if not judged:
        return ""
    faster = [one.row.name for one in judged if one.verdict == "short"]
    if not faster:
        return "Nothing grows faster than the facts it touches: pass."
    return f"Faster than the facts touched grow: {', '.join(faster)}: short."


def summary(run: Run) -> str:
    counted = ", ".join(f"{n} {name}" for name, n in run.counts().items() if name != "-")
    return f"{len(run.results)} rows: {counted}; {run.seconds:.0f} s"


# -- Markdown --------------------------------------------------------------------------------------

_HEADER = (
    *("row", "work", "against", "ours", "theirs", "figure", "target", "verdict"),
    *("original, elsewhere", "note"),
)


def markdown(run: Run) -> str:
    """RESULTS.md: the date, the machine in general terms, the table, and how to read it."""
    about = ", ".join(f"{k} {v}" for k, v in run.machine.items())
    kind = "quick run, for orientation only" if run.quick else "full run"
    taken = f"{run.seconds / 60:.0f} minutes"
    if run.again:
        taken += f"; {run.again} rows measured again"
    lines = [
        "# Benchmarks",
        "",
        f"`python -m benchmarks`, {run.date}, {kind} of {taken}: {about}.",
        f"{summary(run).split(';')[0].capitalize()}. {growth_verdict(run)}".rstrip(),
        "",
        f"| {' | '.join(_HEADER)} |",
        "|---|---|---|---:|---:|---:|---:|---|---:|---|",
    ]
    lines += [f"| {' | '.join(_cells(one))} |" for one in run.results]
    lines += ["", "![every figure against its target, and how costs grow](RESULTS.svg)"]
    return "\n".join(lines) + "\n" + EXPLANATION


def _cells(result: Result) -> list[str]:
    row, figure = result.row, result.figure
    if figure is None:
        reason = result.failed or result.skipped
        return [
            row.name,
            row.work,
            row.against,
            "",
            "",
            "",
            target_text(result),
            result.verdict,
            "",
            reason,
        ]
    return [
        row.name,
        row.work,
        row.against,
        seconds(figure.ours),
        seconds(figure.theirs),
        f"{shown(figure)} {spread(figure)}".strip(),
        target_text(result),
        f"**{result.verdict}**" if result.verdict == "short" else result.verdict,
        original_text(result),
        result.remark,
    ]


# -- two runs --------------------------------------------------------------------------------------


def comparison(old: Run, new: Run) -> str:
    """The change of each figure that both runs have; what moved by more than a fifth is marked."""
    before = {one.row.name: one for one in old.results if one.figure}
    lines = [f"{'row':<28} {old.date:>16} {new.date:>16} {'change':>9}"]
    moved = 0
    for one in new.results:
        earlier = before.get(one.row.name)
        if one.figure is None or earlier is None or earlier.figure is None:
            continue
        change = _change(earlier.figure, one.figure)
        far = abs(change) > WORTH_A_MARK
        moved += far
        verdict = "" if earlier.verdict == one.verdict else f"  {earlier.verdict} -> {one.verdict}"
        lines.append(
            f"{one.row.name:<28} {shown(earlier.figure):>16} {shown(one.figure):>16} "
            f"{change:>+8.0%}{' *' if far else '  '}{verdict}".rstrip()
        )
    lines.append(f"{moved} of {len(lines) - 1} moved by more than {WORTH_A_MARK:.0%}")
    return "\n".join(lines)


def _change(old: Figure, new: Figure) -> float:
    """Relative; exponents, which may be near zero, by their difference."""
    if new.growth is not None:
        return new.value - old.value
    return new.value / old.value - 1 if old.value else 0.0
