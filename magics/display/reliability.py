"""The reliability of probabilities in HTML: a plot, its figures, its numbers."""

from __future__ import annotations

from html import escape

from neurallog_kernel import Reliability
from neurallog_kernel.commands import Table
from neurallog_kernel.pictures.reliability import reliability_svg
from neurallog_magics.display.style import framed
from neurallog_magics.display.tables import table_body


def reliability_html(found: Reliability) -> str:
    """The plot above, what it says in words, and the numbers to unfold."""
    parts = [f'<div class="nl-title">{escape(f"reliability on the set {found.set}")}</div>']
    parts.append(f'<div style="overflow-x:auto">{reliability_svg(found)}</div>')
    parts += [f'<div class="nl-quiet">{escape(one.caption)}</div>' for one in found.targets]
    tables = "".join(
        table_body(
            Table(
                ("#said", "#is true", "#examples"),
                [(f"{b.probability:.3f}", f"{b.true:.3f}", f"{b.examples:,}") for b in target.bins],
                title=target.name,
                limit=len(target.bins),
            )
        )
        for target in found.targets
    )
    parts.append(f'<details class="nl-quiet"><summary>numbers</summary>{tables}</details>')
    return framed("".join(parts))
