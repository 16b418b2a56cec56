"""The living network: a whole program as layers, with the numbers of a question in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from neurallog_kernel.packages import needed

if TYPE_CHECKING:
    from neurallog_kernel.pictures.live.widget import LiveNetwork, Watchable


def live(session: Watchable, question: str) -> LiveNetwork:
    """A widget that shows how an answer comes about: facts, rules, functions and predicates as
    layers, the numbers of the question in them, the answers and the weights that move them."""
    needed("anywidget", "the living network", "notebook")
    from neurallog_kernel.pictures.live.widget import LiveNetwork

    return LiveNetwork(session, question)


__all__ = ["live"]
