"""Errors in a notebook: a few lines with a caret instead of a Python traceback."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

from neurallog_kernel import NeuralLogError, Notice
from neurallog_kernel.commands import Note, Text
from neurallog_magics.display.notes import notices_note
from neurallog_magics.state import Notebook

_LONGEST = 6  # lines


class Interrupted(NeuralLogError):
    """The user stopped a cell."""

    kind = "interrupted"


def short(error: NeuralLogError, notebook: Notebook) -> NeuralLogError:
    """The error, named as a person names things, and shown without a traceback."""
    if error.span is not None:
        error.span = replace(error.span, source=notebook.label(error.span.source))
    error.message = notebook.relabel(error.message)
    error.hint = notebook.relabel(error.hint)
    lines = str(error).splitlines()
    if len(lines) > _LONGEST:
        lines = [*lines[: _LONGEST - 1], "    …"]
    error._render_traceback_ = lambda: lines  # type: ignore[attr-defined]
    notebook.last_error = error
    return error


def fails_shortly(method: Callable[..., Any]) -> Callable[..., Any]:
    """For methods of the magics: what is wrong with the user's text is shown in a few lines."""

    @wraps(method)
    def guarded(self: Any, *arguments: Any, **options: Any) -> Any:
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("default")
                result = method(self, *arguments, **options)
            self.context.show(_collected(caught))
            return result
        except NeuralLogError as error:
            raise short(error, self.context.notebook) from error.__cause__
        except KeyboardInterrupt as error:
            stopped = Interrupted("interrupted; the session is as it was before this cell")
            raise short(stopped, self.context.notebook) from error

    return guarded


def _collected(caught: list[warnings.WarningMessage]) -> Note | None:
    """Python's warnings in one line, instead of on stderr."""
    texts = dict.fromkeys(f"{one.category.__name__}: {one.message}" for one in caught)
    return notices_note([Notice("python", text) for text in texts])


def last_traceback(notebook: Notebook) -> Text:
    """The Python side of the last error."""
    error = notebook.last_error
    if error is None:
        return Text("There was no error.")
    return Text("".join(traceback.format_exception(error)).rstrip())
