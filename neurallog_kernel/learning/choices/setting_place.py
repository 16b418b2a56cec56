"""Where a program sets what a training cannot use: errors name the parameter and its place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from neurallog_kernel.errors import NeuralLogError, Span
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import SetParameter, SetPredicateParameter


@contextmanager
def set_in(program: Program, name: str) -> Iterator[None]:
    """An error inside is about this parameter of the program."""
    try:
        yield
    except NeuralLogError as error:
        if name not in error.message:
            error.message = f"{name}: {error.message}"
        if error.span is None:
            error.span = _place(program, name)
        raise


def _place(program: Program, name: str) -> Span | None:
    """Where the parameter is set last."""
    places = [
        directive.span
        for contents in program.sources.values()
        for directive in contents.directives
        if isinstance(directive, SetParameter | SetPredicateParameter) and directive.path[0] == name
    ]
    return places[-1] if places else None
