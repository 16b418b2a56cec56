"""The NeuralLog kernel: every cell is NeuralLog; `python -m neurallog_magics.kernel` starts it.

It is IPython's kernel with another shell, so that displays, widgets, history, completion and
interrupts are IPython's. A cell goes to the session as it is; `%%python` cells are Python in the
same process, with `neurallog_magics.session()` as the session of the notebook.
"""

from __future__ import annotations

import re
from typing import Any

from ipykernel.ipkernel import IPythonKernel
from ipykernel.zmqshell import ZMQInteractiveShell
from traitlets import Type

from neurallog_kernel import __version__
from neurallog_magics.cells import OUR_MAGICS
from neurallog_magics.errors import fails_shortly
from neurallog_magics.extension import load
from neurallog_magics.inspection import help_about

PYTHON = "%%python"
_NOT_CODE = re.compile(r"""%[^\n]*|\#[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""", re.S)

_NAME = r"([a-z][\w-]*)(?:/\d+)?"
_HELP = re.compile(rf"\?\s*{_NAME}|help\s+{_NAME}|(?:%neurallog\s+)?{_NAME}\s*\?{{1,2}}")


def magic_of(code: str) -> str:
    """The cell magic that the cell begins with, if it is one that the kernel knows."""
    word = (code.lstrip().split(None, 1) or [""])[0]
    return word if word in (*OUR_MAGICS, PYTHON) else ""


def python_of(code: str) -> str:
    """The Python in a `%%python` cell, on the same lines."""
    return "#\n" + code.lstrip().partition("\n")[2]


def is_complete(code: str) -> bool:
    """Whether Enter may run the text: every clause ends with its full stop.

    >>> [is_complete(t) for t in ("p(a).", "p(a) :-", "p(a", "for i in a b do p({i}).", "% note")]
    [True, False, False, False, True]
    """
    bare = _NOT_CODE.sub(lambda found: '""' if found[0][0] in "\"'" else " ", code).strip()
    if re.search(r"/\*|[\"'](?!\")", bare.replace('""', "")):
        return False  # an open comment or quote
    loops = len(re.findall(r"\bfor\b", bare)) - len(re.findall(r"\bdone\b", bare))
    return not bare or (loops <= 0 and re.search(r"(\.|\bdone)$", bare) is not None)


def asked_for_help(code: str) -> str | None:
    """What a cell asks help about: "" for all, a word for that; None if it is a program.

    >>> [asked_for_help(t) for t in ("?", "help", "%neurallog", "?- p(a).", "help(a).")]
    ['', '', '', None, None]
    >>> [asked_for_help(t) for t in ("parent?", "?parent/2", "help train", "%neurallog train?")]
    ['parent', 'parent', 'train', 'train']
    """
    text = code.strip()
    if text in {"?", "??", "help", "help.", "%neurallog"}:
        return ""
    found = _HELP.fullmatch(text)
    return next(filter(None, found.groups())) if found else None


class NeuralLogShell(ZMQInteractiveShell):
    """A shell whose cells are NeuralLog."""

    def transform_cell(self, raw_cell: str) -> Any:
        """The Python that runs a cell; the history keeps the cell as it was written."""
        magic = magic_of(raw_cell)
        if magic == PYTHON:
            return super().transform_cell(python_of(raw_cell))
        if magic:
            return super().transform_cell(raw_cell)
        return f"get_ipython().run_neurallog({raw_cell!r})\n"

    def run_neurallog(self, text: str) -> Any:
        from neurallog_magics.magic import CELL

        magics = load(self).magics
        word = asked_for_help(text)
        if word is not None:
            return fails_shortly(lambda magics: help_about(magics.context, word))(magics)
        return magics.run_cell(CELL, "", text)


class NeuralLogKernel(IPythonKernel):
    """IPython's kernel, speaking NeuralLog."""

    implementation = "neurallog"
    implementation_version = __version__
    shell_class = Type(NeuralLogShell)
    language_info = {  # noqa: RUF012  # the kernel protocol's shape
        "name": "neurallog",
        "version": __version__,
        "mimetype": "text/x-neurallog",
        "file_extension": ".pl",
        "pygments_lexer": "neurallog",
        "codemirror_mode": "neurallog",
        "nbconvert_exporter": "script",
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        assert self.shell is not None
        load(self.shell).cells.from_the_start()

    @property
    def banner(self) -> str:
        return f"NeuralLog {__version__}. %neurallog --help lists the commands."

    def do_is_complete(self, code: str) -> dict[str, str]:
        magic = magic_of(code)
        if magic == PYTHON:
            return super().do_is_complete(python_of(code))
        text = code.lstrip().partition("\n")[2] if magic else code
        return (
            {"status": "complete"}
            if is_complete(text)
            else {"status": "incomplete", "indent": "    " if text.rstrip().endswith(":-") else ""}
        )

    def do_complete(self, code: str, cursor_pos: int | None) -> dict[str, Any]:
        if magic_of(code) == PYTHON and cursor_pos is not None and cursor_pos > len(PYTHON):
            start = code.index("\n") if "\n" in code else len(code)
            found = super().do_complete(code[start:], max(0, cursor_pos - start))
            for place in ("cursor_start", "cursor_end"):
                found[place] += start
            for one in found.get("metadata", {}).get("_jupyter_types_experimental", ()):
                one["start"] += start
                one["end"] += start
            return found
        return super().do_complete(code, cursor_pos)


def main() -> None:
    """Serve one notebook."""
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(kernel_class=NeuralLogKernel)


if __name__ == "__main__":
    main()
