"""Live pictures: the explorer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neurallog_kernel import Session
    from neurallog_magics.widgets.explorer import Explorer


def explore(
    session: Session, target: str | None = None, output: int | None = None, query: str | None = None
) -> Explorer:
    """A widget that shows a rule's graph and paths, and the numbers that flow through them.

    `target` is a predicate (`p/2`), one of its rules (`p/2:3`) or None for the first that has
    rules; `output` the open place, counted from 0; `query` an entity or a question (`p(ann, Y)`).
    """
    from neurallog_magics.widgets.explorer import Explorer

    return Explorer(session, target, output, query)


__all__ = ["explore"]
