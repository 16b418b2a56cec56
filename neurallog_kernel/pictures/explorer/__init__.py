"""The explorer: a picture that answers to clicks and to training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neurallog_kernel.packages import needed
from neurallog_kernel.pictures.inspectable import Inspectable

if TYPE_CHECKING:
    from neurallog_kernel.pictures.explorer.widget import Explorer


def explore(
    session: Inspectable,
    target: str | None = None,
    output: int | None = None,
    query: str | None = None,
) -> Explorer:
    """A widget that shows a rule's graph and paths, and the numbers that flow through them.

    `target` is a predicate (`p/2`), one of its rules (`p/2:3`) or None for the first that has
    rules; `output` the open place, counted from 0; `query` an entity or a question (`p(ann, Y)`).
    """
    needed("anywidget", "the explorer", "notebook")
    from neurallog_kernel.pictures.explorer.widget import Explorer

    return Explorer(session, target, output, query)


__all__ = ["explore"]
