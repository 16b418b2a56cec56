"""Edits and re-trainings leave nothing behind (the benchmark `soak` does many more of them)."""

from __future__ import annotations

from benchmarks.subjects.soak import rounds


def test_nothing_piles_up(eager: None) -> None:
    """The edits are random, so counts go up and down; a leak of one object a round would show."""
    done = list(rounds(20))
    for name in done[-1].alive:
        early = max(r.alive[name] for r in done[2:11])
        late = [r.alive[name] for r in done[11:]]
        assert min(late) <= early, f"{name}: at most {early} in the first half, then {late}"
        assert max(late) <= 1.5 * early + 8, (
            f"{name}: at most {early} in the first half, then {late}"
        )
