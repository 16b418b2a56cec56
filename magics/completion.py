"""Tab: names of the program inside our cells, and the commands with their options."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from glob import glob
from os.path import isdir
from pathlib import Path

from IPython.core.completer import CompletionContext, SimpleCompletion, context_matcher

from neurallog_kernel import DIRECTIVES, KEYWORDS, PARAMETERS, Cursor, Session, cursor_after
from neurallog_kernel.commands import Argument
from neurallog_kernel.commands.parsing import split_options
from neurallog_kernel.course import list_exercises
from neurallog_magics.arguments import Magic
from neurallog_magics.cells import OUR_MAGICS
from neurallog_magics.context import NotebookContext

_LIMIT = 200
_WORD = re.compile(r"[A-Za-z0-9_-]*$")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d*[1-9])?")  # its shortest text, which is a name
_LAST_WORD = re.compile(r"\S*$")
_NAMES_OF_PARAMETERS = {"set_parameter": 0, "set_predicate_parameter": 1}
_TAKES_PREDICATE = {
    "learn": 0,
    "learn_rule_weights": 0,
    "set_predicate_parameter": 0,
    "example": 0,
    "mega_example": 1,
}

Completions = Iterator[SimpleCompletion]


def matcher_of(notebook: NotebookContext) -> Callable:
    """The matcher that goes into the shell's completer; outside our text it stays silent."""

    @context_matcher()
    def neurallog_matcher(context: CompletionContext) -> dict:
        found = complete(notebook, context.full_text, _offset(context))
        if found is None:
            return {"completions": [], "suppress": False}
        fragment, completions = found
        return {
            "completions": completions,
            "matched_fragment": fragment,
            "suppress": True,
            "ordered": True,
        }

    return neurallog_matcher


def _offset(context: CompletionContext) -> int:
    lines = context.full_text.split("\n")
    return sum(len(line) + 1 for line in lines[: context.cursor_line]) + context.cursor_position


def complete(
    notebook: NotebookContext, text: str, offset: int
) -> tuple[str, list[SimpleCompletion]] | None:
    """The fragment before the cursor and what it may become; None outside NeuralLog."""
    before = text[:offset]
    line = before.rpartition("\n")[2]
    first = before.split("\n", 1)[0].split(None, 1)[:1]
    if re.match(r"\s*%neurallog\s", line):
        return _in_line(notebook, line.split("%neurallog", 1)[1].lstrip())
    if first and first[0] in OUR_MAGICS and "\n" not in before:
        return _in_options(notebook, _cell_magic(first[0]), line) if " " in line else None
    if not notebook.cells.is_ours(text):
        return None
    return _in_program(_session_of(notebook, text), before)


def _cell_magic(magic: str) -> Magic:
    from neurallog_magics.magic import CELL, EXAMPLES

    return CELL if magic == CELL.name else EXAMPLES


def _session_of(notebook: NotebookContext, text: str) -> Session:
    found = re.match(r"\s*%%\w+[^\n]*--session[ =](\S+)", text)
    return notebook.notebook.live(found[1] if found else None).session


# -- inside a program -----------------------------------------------------------------------------


def _in_program(session: Session, before: str) -> tuple[str, list[SimpleCompletion]]:
    fragment = _WORD.search(before)[0]  # type: ignore[index]
    head = before[: len(before) - len(fragment)]
    at = cursor_after(head)
    if fragment[:1].isupper() or fragment.startswith("_"):
        return fragment, _unique(_variables(at, fragment))
    if at.predicate is None and re.search(r"\?-[^.]*$", head):  # a question has predicates only
        return fragment, _unique(_predicate_names(session, fragment))
    if at.predicate is None:
        return fragment, _unique(_predicates(session, fragment, at.in_body))
    return fragment, _unique(_terms(session, fragment, at.predicate, at.place))


def _predicates(session: Session, prefix: str, in_body: bool) -> Completions:
    for one in session.predicates():
        name, _, _arity = one.name.rpartition("/")
        if name.startswith(prefix):
            yield SimpleCompletion(text=name, type=f"predicate {one.name}")
    if in_body:
        for function in session.registry:
            if function.name.startswith(prefix):
                yield SimpleCompletion(text=function.name, type="function")
        words = ["not"]
    else:
        words = sorted(KEYWORDS - {"not"})
        for name in sorted(DIRECTIVES):
            if name.startswith(prefix):
                yield SimpleCompletion(text=name, type="directive")
    for word in words:
        if word.startswith(prefix):
            yield SimpleCompletion(text=word, type="keyword")


def _has_many_places(session: Session, predicate: str) -> bool:
    """Whether a number among its arguments is a name."""
    arities = (one.name.rpartition("/") for one in session.predicates())
    return any(name == predicate and int(arity) > 2 for name, _, arity in arities)


def _terms(session: Session, prefix: str, predicate: str, place: int) -> Completions:
    if _NAMES_OF_PARAMETERS.get(predicate) == place:
        for name in sorted(PARAMETERS):
            if name.startswith(prefix):
                yield SimpleCompletion(text=name, type="parameter")
        return
    if predicate in DIRECTIVES and _TAKES_PREDICATE.get(predicate) == place:
        yield from _predicate_names(session, prefix)
        return
    if predicate == "example_set":
        names, kind = [name for name in _sets(session) if name.startswith(prefix)], "set"
    else:
        names, kind = session.constants(prefix, _LIMIT, (predicate, place)), "constant"
    for name in names:
        plain = re.fullmatch(r"[a-z][A-Za-z0-9_-]*", name)
        if plain or (_NUMBER.fullmatch(name) and _has_many_places(session, predicate)):
            yield SimpleCompletion(text=name, type=kind)


def _sets(session: Session) -> list[str]:
    return sorted({"train", "validation", "test", *session.example_sets()})


def _predicate_names(session: Session, prefix: str) -> Completions:
    for one in session.predicates():
        name = one.name.rpartition("/")[0]
        if name.startswith(prefix):
            yield SimpleCompletion(text=name, type=f"predicate {one.name}")


def _variables(at: Cursor, prefix: str) -> Completions:
    for name in at.variables:
        if name.startswith(prefix) and name != prefix and name != "_":
            yield SimpleCompletion(text=name, type="variable")


def _unique(found: Completions) -> list[SimpleCompletion]:
    kept: dict[str, SimpleCompletion] = {}
    for one in found:
        kept.setdefault(one.text, one)
    return list(kept.values())[:_LIMIT]


# -- command lines --------------------------------------------------------------------------------


def _in_line(notebook: NotebookContext, line: str) -> tuple[str, list[SimpleCompletion]]:
    from neurallog_magics.commands import COMMANDS

    name, space, rest = line.partition(" ")
    if not space:
        found = (SimpleCompletion(text=n, type="command") for n in COMMANDS if n.startswith(name))
        return name, list(found)
    if name == "?-":
        return _in_program(notebook.notebook.live().session, f"?- {rest}")
    magic = COMMANDS.get(name)
    if magic is None:
        return "", []
    return _in_question(notebook, magic, rest) or _in_options(notebook, magic, rest)


def _in_question(
    notebook: NotebookContext, magic: Magic, line: str
) -> tuple[str, list[SimpleCompletion]] | None:
    """After a command that takes a question: names of the program, unless an option is written."""
    fragment = _LAST_WORD.search(line)[0]  # type: ignore[index]
    words = line[: len(line) - len(fragment)].split()
    last = words[-1] if words else ""
    wants = any(last in one.flags and one.takes_value for one in magic.arguments)
    if not magic.command.rest or fragment.startswith("-") or wants:
        return None
    options, asked = split_options(line, magic.arguments)
    found = re.search(r"--session[= ]+(\S+)", options)
    session = notebook.notebook.live(found[1] if found else None).session
    return _in_program(session, f"?- {asked}")


def _in_options(
    notebook: NotebookContext, magic: Magic, line: str
) -> tuple[str, list[SimpleCompletion]]:
    fragment = _LAST_WORD.search(line)[0]  # type: ignore[index]
    words = line[: len(line) - len(fragment)].split()
    if fragment.startswith("-"):
        flags = [flag for flag in magic.flags if flag.startswith(fragment)]
        return fragment, [SimpleCompletion(text=flag, type="option") for flag in flags]
    last = words[-1] if words else ""
    for one in magic.arguments:
        if last in one.flags and one.takes_value:
            return fragment, list(_values(notebook, one, fragment))
    for one in magic.arguments:
        if not one.is_option:
            return fragment, list(_values(notebook, one, fragment))
    return fragment, []


def _values(notebook: NotebookContext, one: Argument, prefix: str) -> Completions:
    session = notebook.notebook.live().session
    names: list[str] = [*one.options.get("choices", ()), *one.offers]
    if one.completes == "predicate":
        names = [p.name for p in session.predicates()]
    elif one.completes == "session":
        names = list(notebook.notebook.sessions)
    elif one.completes == "function":
        names = [function.name for function in session.registry]
    elif one.completes == "exercise":
        names = [exercise.name for exercise in list_exercises(Path())]
    elif one.completes == "set":
        names = _sets(session)
    elif one.completes == "variable":
        names = [name for name in notebook.user_ns if not name.startswith("_")]
    elif one.completes == "path":
        names = [f"{path}/" if isdir(path) else path for path in sorted(glob(f"{prefix}*"))]
    for name in names:
        if name.startswith(prefix):
            yield SimpleCompletion(text=name, type=one.completes or "value")
