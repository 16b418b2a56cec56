"""Exercises as Markdown: the task, a mark for each check, hints, solutions."""

from __future__ import annotations

from neurallog_kernel.course import ExerciseReport, Hints, Outcome, ShownSolution, Verdict

# Legible on light and on dark pages.
_COLOURS = {Outcome.RIGHT: "#2da44e", Outcome.WRONG: "#d1493f", Outcome.MISSING: "#8c959f"}


def report_markdown(report: ExerciseReport) -> str:
    """The task, and of each check whether it is right and what differs."""
    checks = "\n".join(map(_verdict, report.verdicts)) if report.begun else ""
    mark = _mark(Outcome.RIGHT if report.solved else Outcome.MISSING)
    parts = [f"**{report.heading}**", report.exercise.task, checks, f"{mark} *{report.said}*"]
    return "\n\n".join(part for part in parts if part)


def hints_markdown(hints: Hints) -> str:
    """The hints as a numbered list."""
    lines = [f"{place}. {hint}" for place, hint in enumerate(hints.shown, start=1)]
    return "\n".join([*lines, "", f"*{hints.said}*"])


def solution_markdown(shown: ShownSolution) -> str:
    """The cells of the solution and why they solve it."""
    cells = [f"```neurallog\n{cell.rstrip()}\n```" for cell in shown.solution.cells]
    heading = f"**A solution of {shown.exercise.name}**"
    return "\n\n".join([heading, *cells, shown.solution.because])


def _verdict(verdict: Verdict) -> str:
    below = [f"  - {text}" for text in verdict.lines]
    return "\n".join([f"- {_mark(verdict.outcome)} `{verdict.subject}`", *below])


def _mark(outcome: Outcome) -> str:
    """A coloured sign that every font has: not every machine can show emoji."""
    return f'<span style="color:{_COLOURS[outcome]}">{outcome.value}</span>'
