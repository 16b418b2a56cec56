"""Files named on the command line: sessions in, outputs written."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from neurallog_kernel import Loaded, TableMap, is_table, read_maps, table_given
from neurallog_kernel.cli.progress import TableLine
from neurallog_kernel.errors import LoadError, NeuralLogError
from neurallog_kernel.knowledge.changes import Change
from neurallog_kernel.session import Session
from neurallog_kernel.writing import write_text

MODEL = ".nlz"
SETS = ("train", "validation", "test")


def open_files(
    options: Namespace, files: Sequence[str], strict: bool = False
) -> tuple[Session, list[Change | Loaded]]:
    """A session with all files and tables in it, and what each added; a saved model comes first,
    whatever its place. Notices are those that hold when all are there."""
    if not files and not options.input and not options.map and not options.attach:
        raise NeuralLogError("there is nothing to load", hint="name a file, or a table with -i")
    models = [file for file in files if file.endswith(MODEL)]
    if len(models) > 1:
        raise NeuralLogError(f"only one saved model can be opened, not {' and '.join(models)}")
    session = Session.open(models[0], connect=options.connect) if models else Session()
    attach_tables(session, options)
    tables = [file for file in files if not file.endswith(MODEL) and is_table(file)]
    texts = [file for file in files if not file.endswith(MODEL) and file not in tables]
    loaded = load_tables(session, options, tables)
    changes = [session.load(file) for file in texts]
    session.strict = session.strict or strict
    for place, file in enumerate(texts):
        if changes[place].notices:  # perhaps because a later file was not there yet
            session.remove(file)
            changes[place] = replace(changes[place], notices=session.load(file).notices)
            session.undo()
            session.undo()  # back at its old place
    return session, [*loaded, *changes]


def attach_tables(session: Session, options: Namespace) -> None:
    """Attach the tables of the command line, and those of the map."""
    if options.connect:
        session.connect(options.connect, options.database_memory)
    for one in options.attach:
        pattern, found, table = one.partition("=")
        if not found:
            raise NeuralLogError(
                f"--attach {one} names no table", hint="write it as 'rated(user, item)=ratings'"
            )
        session.attach(
            table.strip(), pattern.strip(), weight=options.weight, duplicates=options.duplicates
        )
    if options.map:
        session.attach_tables(options.map)


def load_tables(session: Session, options: Namespace, files: Sequence[str]) -> list[Loaded]:
    """Load the tables of the command line: files that name their predicates, those of the map that
    name their file, and those given with -i."""
    maps = read_maps(options.map) if options.map else {}
    said = {"weight": options.weight, "database": options.database}
    given = [table_given(one, maps, options=said) for one in options.input]
    tables = [(file, TableMap(), file) for file in files]
    named = {one.partition("=")[0].strip() for one in options.input}
    tables += [
        (Path(one.file), one, one.file)
        for name, one in maps.items()
        if one.file and name not in named
    ]
    line = TableLine()
    try:
        return [session.load_table(one[0], one[1], progress=line) for one in tables + given]
    finally:
        line.clear()


def load_examples(session: Session, files: Iterable[str], name: str) -> None:
    """Add files of examples as a set; a file may be in several sets."""
    for file in files:
        if is_table(file):
            session.load_table(file, set=name)
        else:
            session.load(file, set=name, source=f"{file} ({name})")


def write(path: Path, text: str) -> None:
    """Write a text file, with its folder."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LoadError(f"{path}: {error.strerror or 'cannot be written'}") from error
    write_text(path, text)
