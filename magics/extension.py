"""Loading and unloading: what `%load_ext` puts into a shell, and takes out again."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from neurallog_kernel import (
    TRAINING_VIEWS,
    Answers,
    Explanation,
    Misses,
    Profile,
    Reliability,
    Revision,
    RowReasons,
    RuleTable,
    Session,
)
from neurallog_kernel.commands import Note, Table, Text
from neurallog_kernel.course import ExerciseReport, Hints, ShownSolution
from neurallog_magics.cells import CellOwners, with_a_body
from neurallog_magics.commands import overview
from neurallog_magics.config import NeuralLog
from neurallog_magics.context import NotebookContext
from neurallog_magics.display.exercises import (
    hints_markdown,
    report_markdown,
    solution_markdown,
)
from neurallog_magics.display.explanations import explanation_html
from neurallog_magics.display.notes import note_html, text_html
from neurallog_magics.display.pictures import register_formatters
from neurallog_magics.display.profiles import profile_html
from neurallog_magics.display.reliability import reliability_html
from neurallog_magics.display.rules import rules_html
from neurallog_magics.display.tables import answers_table, table_html
from neurallog_magics.magic import CELL, EXAMPLES, NeuralLogMagics
from neurallog_magics.state import notebook_of

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


_RULES = (RuleTable, RowReasons, Misses, Revision)
_EXERCISES = {
    ExerciseReport: report_markdown,
    Hints: hints_markdown,
    ShownSolution: solution_markdown,
}


@dataclass
class LoadedExtension:
    """The parts that were put into a shell."""

    magics: NeuralLogMagics
    settings: NeuralLog
    cells: CellOwners
    matcher: Any
    inspect: Any  # what the kernel did before


_loaded: WeakKeyDictionary[InteractiveShell, LoadedExtension] = WeakKeyDictionary()


def load(shell: InteractiveShell) -> LoadedExtension:
    """Put the magics into a shell; loading twice changes nothing."""
    if shell in _loaded:
        return _loaded[shell]
    from neurallog_magics.completion import matcher_of
    from neurallog_magics.inspection import wrap_inspection

    notebook = notebook_of(shell)
    settings = NeuralLog(notebook, parent=shell)
    cells = CellOwners(shell, notebook)
    context = NotebookContext(shell, notebook, settings, cells)
    magics = NeuralLogMagics(context)
    NeuralLogMagics.neurallog.__doc__ = f"{CELL.help}\n\n{overview()}"
    NeuralLogMagics.examples.__doc__ = EXAMPLES.help
    shell.register_magics(magics)
    shell.configurables.append(settings)  # type: ignore[arg-type]
    shell.events.register("pre_run_cell", cells.before_cell)
    shell.events.register("post_run_cell", cells.after_cell)
    shell.input_transformers_cleanup.append(with_a_body)
    matcher = matcher_of(context)
    if shell.Completer is not None:
        shell.Completer.custom_matchers.append(matcher)
    _show_answers(shell, settings)
    loaded = LoadedExtension(magics, settings, cells, matcher, wrap_inspection(shell, context))
    _loaded[shell] = loaded
    _show_trainings(context)
    _quiet_tensorflow()
    return loaded


def _quiet_tensorflow() -> None:
    """A cell may import Keras before the kernel does: then, too, TensorFlow says little of devices
    that are not there, and computes the same every time."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")


def _show_answers(shell: InteractiveShell, settings: NeuralLog) -> None:
    formatters = shell.display_formatter.formatters  # type: ignore[union-attr]
    formatters["text/html"].for_type(
        Answers, lambda answers: table_html(answers_table(answers, settings.rows))
    )
    shown = ((Table, table_html), (Note, note_html), (Text, text_html))
    for kind, html in (*shown, (Reliability, reliability_html)):
        formatters["text/html"].for_type(kind, html)
    for kind, markdown in _EXERCISES.items():
        formatters["text/markdown"].for_type(kind, markdown)
    relabel = settings.notebook.relabel
    for kind in (RowReasons, Misses, Revision):
        formatters["text/plain"].for_type(kind, lambda why, p, cycle: p.text(relabel(str(why))))
    formatters["text/html"].for_type(RuleTable, lambda table: relabel(rules_html(table)))
    owners = settings.notebook.owners
    formatters["text/html"].for_type(
        Explanation, lambda why: relabel(explanation_html(why, owners()))
    )
    formatters["text/html"].for_type(
        Profile, lambda profile: relabel(profile_html(profile, settings.rows))
    )
    formatters["text/plain"].for_type(
        Profile, lambda profile, p, cycle: p.text(relabel(profile.to_text(settings.rows)))
    )
    formatters["text/plain"].for_type(Explanation, lambda why, p, cycle: p.text(relabel(str(why))))
    formatters["text/plain"].for_type(
        Answers, lambda answers, p, cycle: p.text(str(answers_table(answers, settings.rows)))
    )
    register_formatters(shell)


def _show_trainings(context: NotebookContext) -> None:
    """Let every training in this process be seen, also one that Python calls."""

    def view(session: Session, resumed: bool) -> Any:
        from neurallog_magics.training import NotebookView

        return NotebookView(context, session, resumed)

    TRAINING_VIEWS[:] = [view]


def unload(shell: InteractiveShell) -> None:
    """Take everything out again; the sessions stay where they are."""
    loaded = _loaded.pop(shell, None)
    if loaded is None:
        return
    TRAINING_VIEWS.clear()
    shell.events.unregister("pre_run_cell", loaded.cells.before_cell)
    shell.events.unregister("post_run_cell", loaded.cells.after_cell)
    shell.configurables.remove(loaded.settings)  # type: ignore[arg-type]
    shell.input_transformers_cleanup.remove(with_a_body)
    if shell.Completer is not None:
        shell.Completer.custom_matchers.remove(loaded.matcher)
    kernel = getattr(shell, "kernel", None)
    if kernel is not None and loaded.inspect is not None:
        kernel.do_inspect = loaded.inspect
    for kind, names in (("line", ["neurallog"]), ("cell", ["neurallog", "examples"])):
        for name in names:
            shell.magics_manager.magics[kind].pop(name, None)
    for kind in _EXERCISES:
        shell.display_formatter.formatters["text/markdown"].pop(kind, None)  # type: ignore[union-attr]
    for form in ("text/html", "text/plain"):
        for shown in (Answers, Explanation, Profile, *_RULES, Reliability, Table, Note, Text):
            shell.display_formatter.formatters[form].pop(shown, None)  # type: ignore[union-attr]
