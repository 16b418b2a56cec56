"""Exercises as Markdown: the task, a mark for each check, hints, solutions."""

from __future__ import annotations

from neurallog_kernel.course import ExerciseReport, Hints, ShownSolution, Verdict


def report_markdown(report: ExerciseReport) -> str:
    """The task, and of each check whether it is right and what differs."""
    checks = "\n".join(map(_verdict, report.verdicts)) if report.begun else ""
    mark = "✅" if report.solved else "✏️"
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
    mark = {"✓": "✅", "✗": "❌", "○": "⬜"}[verdict.outcome.value]
    below = [f"  - {text}" for text in verdict.differs]
    return "\n".join([f"- {mark} `{verdict.subject}`", *below])
