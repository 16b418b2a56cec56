"""A real IPython shell with the extension, whose cells have ids as JupyterLab gives them."""

import builtins
from dataclasses import dataclass, field
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config


@dataclass
class Ran:
    """What one run of a cell gave: the result, what was displayed, and the error."""

    result: Any
    shown: list[Any]
    error: BaseException | None
    out: str
    err: str
    data: list[dict] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        return [data["text/plain"] for data in self.data]


class Notebook:
    """Runs cells by id; `deleted` ids go along, as JupyterLab sends them."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self._unnamed = 0

    def run(self, text: str, cell: str | None = None, deleted=()) -> Ran:
        if cell is None:
            self._unnamed += 1
            cell = f"unnamed-{self._unnamed}"
        header = {"metadata": {"cellId": cell, "deletedCells": list(deleted)}}
        self.shell.parent_header = header  # type: ignore[attr-defined]
        with capture_output() as captured:
            ran = self.shell.run_cell(text, store_history=True)
        outputs = [output for output in captured.outputs if output.data]
        data = [output.data for output in outputs]
        return Ran(ran.result, outputs, ran.error_in_exec, captured.stdout, captured.stderr, data)

    def neurallog(self, text: str, cell: str | None = None, options: str = "", **more) -> Ran:
        return self.run(f"%%neurallog {options}\n{text}", cell, **more)

    def line(self, text: str) -> Any:
        ran = self.run(f"%neurallog {text}")
        if ran.error is not None:
            raise ran.error
        return ran.result


@pytest.fixture
def shell():
    # a doctest that ran before leaves its last value in builtins, where IPython respects it and
    # would not set `_`
    vars(builtins).pop("_", None)
    InteractiveShell.clear_instance()
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.cache_size = 100_000  # a long test would fill the usual one
    made = InteractiveShell.instance(config=config)
    made.run_line_magic("load_ext", "neurallog_magics")
    yield made
    made.run_line_magic("unload_ext", "neurallog_magics")
    InteractiveShell.clear_instance()


@pytest.fixture
def notebook(shell) -> Notebook:
    return Notebook(shell)
