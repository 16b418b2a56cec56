"""Profiles in a notebook: the stages and the rules, each with a bar for its share."""

from __future__ import annotations

from neurallog_kernel import Profile
from neurallog_magics.display.style import framed
from neurallog_magics.display.tables import ROWS, Table


def profile_tables(profile: Profile, limit: int = ROWS) -> tuple[Table, Table]:
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


def profile_html(profile: Profile, limit: int = ROWS) -> str:
    """Both tables, one above the other."""
    stages, rules = profile_tables(profile, limit)
    gap = '<div style="height:.9em"></div>'
    said = "".join(Table((), (), note=text).html() for text in profile.said)
    return framed(gap.join([stages.html(), rules.html(), said]))
