"""DOT to bytes: in this process by pygraphviz, else by a `dot` on the PATH, else not at all."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

FORMATS = ("svg", "png", "pdf")
_lock = Lock()  # Graphviz keeps global state, and so does file descriptor 2


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
        with _silent():
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


@contextmanager
def _silent() -> Iterator[None]:
    """Without what Fontconfig and Graphviz print on fonts to file descriptor 2."""
    try:
        kept = os.dup(2)
    except OSError:  # no such descriptor: nothing to silence
        yield
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)
