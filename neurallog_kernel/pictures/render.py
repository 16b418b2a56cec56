"""DOT to bytes: in this process by pygraphviz, else by a `dot` on the PATH, else not at all."""

from __future__ import annotations

import shutil
import warnings
from threading import Lock

from neurallog_kernel.quiet import quiet_stderr

FORMATS = ("svg", "png", "pdf")
_lock = Lock()  # Graphviz keeps global state


def render(source: str, form: str = "svg") -> bytes | None:
    """The laid-out picture; None where there is no Graphviz."""
    with _lock:
        found = _in_process(source, form)
        return _by_program(source, form) if found is None else found


def _in_process(source: str, form: str) -> bytes | None:
    try:
        import pygraphviz
    except ImportError:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # remarks on fonts
        if form == "svg":  # its words are not Graphviz's to draw, so it looks for no font
            return _draw(pygraphviz, source, form)
        with quiet_stderr():
            return _draw(pygraphviz, source, form)


def _draw(pygraphviz, source: str, form: str) -> bytes | None:
    graph = pygraphviz.AGraph(string=source)
    try:
        return graph.draw(format=form, prog="dot")
    finally:
        graph.close()


def _by_program(source: str, form: str) -> bytes | None:
    if shutil.which("dot") is None:
        return None
    import graphviz

    return graphviz.Source(source).pipe(format=form, quiet=True)
