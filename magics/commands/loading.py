"""The command that loads a file: program text, or a table in any format."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from neurallog_kernel import Loaded, TableMap, is_table, read_maps
from neurallog_kernel.commands import Note, Usage, argument, at_least
from neurallog_magics.arguments import NOTEBOOK
from neurallog_magics.context import NotebookContext
from neurallog_magics.display.live_line import LiveLine
from neurallog_magics.display.notes import change_note, notices_note

_TABLE = (
    *("weight", "label", "seed", "negatives", "key"),
    *("missing", "format", "delimiter", "database"),
)


@NOTEBOOK.command(
    "load",
    "Add a file of program text, or a table (CSV, TSV, JSON lines, Parquet, SQLite, RDF, ..., or "
    "the rows of a query); loading it again replaces it.",
    argument("path", nargs="?", help="the file, a variable, or a query", completes="path"),
    argument("--as", dest="pattern", metavar="PATTERN", help='as in "friends(person, other)"'),
    argument("--key", metavar="COLUMN", help="no pattern: all other columns are about this one"),
    argument("--weight", metavar="COLUMN", help="the weights of the rows"),
    argument("--set", help="the rows (or plain atoms) are examples of this set", completes="set"),
    argument("--label", metavar="COLUMN", help="the labels of examples"),
    argument("--split", help="a column of sets, or parts such as 0.8,0.1,0.1"),
    argument(
        "--negatives",
        type=at_least(0),
        metavar="K",
        help="draw K negative examples for each subject",
    ),
    argument("--seed", type=at_least(0), help="seed of the split and the negatives"),
    argument("--missing", choices=("skip", "error"), help="what to do with rows without a value"),
    argument("--columns", help="names for the columns, as in person,other,w"),
    argument("--no-header", action="store_true", help="the first row is data"),
    argument("--format", help="the format, if the file's name does not tell it"),
    argument("--delimiter", help="between the columns of a text file"),
    argument("--database", metavar="URL", help="where a query goes, as in sqlite:///people.db"),
    argument("--map", metavar="FILE", help="how tables are read; without PATH, all that it names"),
    argument("--name", help="the name of this source"),
)
def load(context: NotebookContext, options: Namespace) -> Any:
    live = context.live
    owners = dict(live.owners)
    if options.path is None and options.map is None:
        raise Usage("%neurallog load: a file is missing", hint="as in %neurallog load people.csv")
    if options.path is None:
        loaded = live.session.load_tables(options.map)
        live.done(len(loaded), owners)
        return loaded_note(loaded)
    found = context.user_ns.get(options.path)
    if found is not None or _says_table(options) or is_table(options.path):
        note = _load_table(context, options, found)
        live.done(1, owners)
        return note
    change = live.session.load(options.path, set=options.set, source=options.name)
    live.done(1, owners)
    context.show(notices_note(change.notices, context.relabel))
    return change_note([change])


def _says_table(options: Namespace) -> bool:
    given = (options.pattern, options.columns, options.split, options.map)
    return any(value is not None for value in (*given, *(getattr(options, n) for n in _TABLE)))


def _load_table(context: NotebookContext, options: Namespace, found: Any) -> Any:
    table = options.path if found is None else found
    line = LiveLine(context.has_kernel, context.settings.updates)
    mapping = _mapping(options)
    called = options.path if found is not None else "the table"
    loaded = context.session.load_table(
        table, mapping, source=options.name, progress=line, called=called
    )
    return line.finish(loaded_note([loaded]))


def _mapping(options: Namespace) -> TableMap:
    said = {name: getattr(options, name) for name in _TABLE if getattr(options, name) is not None}
    if options.set is not None:
        said["set"] = options.set
    if options.columns is not None:
        said["columns"] = [name.strip() for name in options.columns.split(",")]
    if options.no_header:
        said["header"] = False
    if options.split is not None:
        said["split"] = _split(options.split)
    if options.map is None:
        return TableMap.of(options.pattern, said)
    maps = read_maps(options.map)
    section = maps.get(options.pattern or "")
    if section is None and len(maps) == 1:
        (section,) = maps.values()
    if section is None:
        raise Usage(
            "%neurallog load: the map has several sections", hint=f"--as one of {', '.join(maps)}"
        )
    return section


def _split(text: str) -> Any:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        return text


def loaded_note(loaded: list[Loaded]) -> Note:
    """What tables became, the details below."""
    if len(loaded) == 1:
        return Note(loaded[0].line, loaded[0].details)
    lines = [line for one in loaded for line in (one.line, *(f"  {d}" for d in one.details))]
    return Note(f"{len(loaded)} tables", tuple(lines))
