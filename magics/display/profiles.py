"""Profiles in a notebook: the stages and the rules, each with a bar for its share."""

from __future__ import annotations

from neurallog_kernel import Profile
from neurallog_kernel.commands import Table
from neurallog_kernel.commands.results import SHOWN_ROWS
from neurallog_magics.display.style import framed
from neurallog_magics.display.tables import table_body


def profile_tables(profile: Profile, limit: int = SHOWN_ROWS) -> tuple[Table, Table]:
    """The stages, and the rules with what is to be said about the figures."""
    whole = profile.seconds or 1.0
    stages = Table(
        ("stage", "#time", "#share", "#memory"),
        profile.stage_rows(),
        title=profile.title,
        bars=[stage.seconds / whole for stage in profile.stages],
    )
    first, place, *figures = profile.rule_columns
    rules = Table(
        (f"${first}", place, *(f"#{name}" for name in figures)),
        profile.rule_rows(),
        bars=profile.shares,
        limit=limit,
    )
    return stages, rules


def profile_html(profile: Profile, limit: int = SHOWN_ROWS) -> str:
    """Both tables, one above the other."""
    stages, rules = profile_tables(profile, limit)
    gap = '<div style="height:.9em"></div>'
    said = "".join(table_body(Table((), (), note=text)) for text in profile.said)
    return framed(gap.join([table_body(stages), table_body(rules), said]))
