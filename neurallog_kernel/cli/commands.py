"""The commands that look and take: run, query, evaluate, export, profile, draw, lab."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

from neurallog_kernel import Change
from neurallog_kernel.answers import SHOWN_ROWS
from neurallog_kernel.cli.files import load_examples, open_files
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.profiling.profile import SHOWN_RULES
from neurallog_kernel.tabular import Tabular, check_format


def run(options: Namespace) -> None:
    """Add the files, then answer their questions in order."""
    session, changes = open_files(options, options.files, options.strict)
    for change in changes:
        for notice in change.notices if isinstance(change, Change) else change.details:
            print(notice, file=sys.stderr)
    asked = [query for change in changes if isinstance(change, Change) for query in change.queries]
    for query in asked:
        print(session.query(query))
    if not asked:
        for change in changes:
            print(change if isinstance(change, Change) else change.line)


def query(options: Namespace) -> None:
    """Answer one question."""
    _check_to(options)
    session, _ = open_files(options, options.files)
    answers = session.query(options.question, top=options.top)
    if options.to:
        return _write(answers, options.to)
    print(answers.to_text(None if options.all or options.top else SHOWN_ROWS))


def evaluate(options: Namespace) -> None:
    """Print the figures of a set."""
    _check_to(options)
    session, _ = open_files(options, options.files)
    load_examples(session, options.test, options.set)
    metrics = session.evaluate(options.set, ranks=not options.no_ranks)
    if options.to:
        return _write(metrics, options.to)
    print(metrics)


def _check_to(options: Namespace) -> None:
    if options.to:
        check_format(options.to)  # before the work, not after it


def _write(table: Tabular, path: str) -> None:
    table.save_table(path)
    print(f"{path}: {len(table.to_pandas()):,} rows")


def export(options: Namespace) -> None:
    """Write tables, the program or a model."""
    session, _ = open_files(options, options.files)
    written = session.export(
        options.predicate,
        weights=options.weights,
        embedding=options.embedding,
        history=options.history,
        program=options.program,
        saved_model=options.saved_model,
        output=None if options.output is None else options.output - 1,
        unknown=options.unknown,
        dtype=options.dtype,
        overwrite=options.force,
    )
    print("\n".join(written))


def profile(options: Namespace) -> None:
    """Print where the time of a question, or of a training, goes."""
    session, _ = open_files(options, options.files)
    load_examples(session, options.train, "train")
    if options.question == "train":
        given = {"epochs": options.epochs, "batch_size": options.batch_size}
        found = session.profile_training(**{k: v for k, v in given.items() if v is not None})
    else:
        found = session.profile(options.question)
    print(found.to_text(None if options.all else SHOWN_RULES))


def draw(options: Namespace) -> None:
    """Write a picture."""
    session, _ = open_files(options, options.files)
    try:
        from neurallog_magics.display.draw import draw as write_picture
    except ImportError as error:
        raise NeuralLogError(
            "pictures need the notebook packages, which are not installed",
            hint='install them with: pip install "neurallog[notebook]"',
        ) from error
    print(write_picture(session, options.target, options.kind, options.output))


def lab(options: Namespace) -> int:
    """Start JupyterLab and wait for it."""
    if importlib.util.find_spec("jupyterlab") is None:
        raise NeuralLogError(
            "JupyterLab is not installed", hint='install it with: pip install "neurallog[notebook]"'
        )
    folder = Path(options.folder or ("tutorials" if Path("tutorials").is_dir() else "."))
    if not folder.is_dir():
        raise NeuralLogError(f"{folder} is not a folder")
    words = [sys.executable, "-m", "jupyterlab", f"--port={options.port}"]
    words += [f"--ServerApp.root_dir={folder.resolve()}", "--LabApp.extension_manager=readonly"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        words.append("--allow-root")  # wanted by nobody but root, and refused without it
    if options.no_browser or not _has_screen():
        words.append("--no-browser")
    return subprocess.run(words, env=_quiet(folder)).returncode


def _has_screen() -> bool:
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _quiet(folder: Path) -> dict[str, str]:
    """The environment, with the settings that keep JupyterLab from fetching news."""
    environment = dict(os.environ)
    settings = folder / ".jupyter"
    if settings.is_dir():
        before = environment.get("JUPYTER_CONFIG_PATH")
        parts = [str(settings.resolve()), *([before] if before else [])]
        environment["JUPYTER_CONFIG_PATH"] = os.pathsep.join(parts)
    return environment
