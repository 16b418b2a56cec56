"""Shift-Tab: what a predicate, a function, a directive or a parameter is."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from neurallog_kernel import (
    PARAMETERS,
    PredicateStatus,
    Session,
    cursor_after,
    did_you_mean,
)
from neurallog_kernel.commands import Text, Usage, counted
from neurallog_kernel.commands.tables import example_of, size
from neurallog_magics.arguments import Magic
from neurallog_magics.context import NotebookContext
from neurallog_magics.display.notes import text_html

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_SHOWN_RULES = 5
_DIRECTIVES = {
    "learn": 'learn(p) or learn("p/2"): the weights of p are learned.',
    "learn_rule_weights": 'learn_rule_weights("p/2"): the weights of the rules of p are learned.',
    "set_parameter": "set_parameter(name, value): for the whole program.",
    "set_predicate_parameter": 'set_predicate_parameter("p/2", name, value): for one predicate.',
    "example": "example(p, a, b): an example of p(a, b); its weight is the label.",
    "mega_example": "mega_example(group, p, a, b): an example that is trained with its group.",
    "example_set": "example_set(test): the examples below it are of the set test.",
}


def describe(notebook: NotebookContext, text: str, offset: int) -> str | None:
    """A few lines about the word at the cursor; None if it is not ours."""
    word = word_at(text, offset)
    if not word:
        return None
    line = text[text.rfind("\n", 0, offset) + 1 :].split("\n", 1)[0]
    command = _command_at(line, word)
    if command is not None:
        return command.help
    if not notebook.cells.is_ours(text):
        return None
    from neurallog_magics.completion import _session_of

    session = _session_of(notebook, text)
    said = about(session, word, notebook.relabel)
    return said or about(session, enclosing(text, offset), notebook.relabel)


def word_at(text: str, offset: int) -> str:
    """The name under the cursor, or else the predicate whose bracket is open there."""
    before = re.search(r"[A-Za-z0-9_-]*$", text[:offset])[0]  # type: ignore[index]
    after = re.match(r"[A-Za-z0-9_-]*", text[offset:])[0]  # type: ignore[index]
    return before + after or enclosing(text, offset)


def enclosing(text: str, offset: int) -> str:
    """The predicate whose bracket is open at the cursor."""
    return cursor_after(text[:offset]).predicate or ""


def _command_at(line: str, word: str) -> Magic | None:
    from neurallog_magics.commands import COMMANDS
    from neurallog_magics.magic import CELL, EXAMPLES

    found = re.match(r"\s*%neurallog\s+(\w+)", line)
    if found and found[1] == word:
        return COMMANDS.get(word)
    return {"%%neurallog": CELL, "%%examples": EXAMPLES}.get((line.split() or [""])[0])


def about(session: Session, word: str, relabel: Callable[[str], str] = str) -> str | None:
    """What a word is in a session."""
    said = [
        _about_predicate(session, one, relabel)
        for one in session.predicates()
        if one.name.rpartition("/")[0] == word
    ]
    function = session.registry.get(word)
    if function is not None and not said:
        example = example_of(word, function.kind.value, function.numpy)
        said.append(f"{word}: {function.kind.value} function\n{function.formula}\n{example}")
    if word in _DIRECTIVES:
        said.append(_DIRECTIVES[word])
    if word in PARAMETERS and not said:
        now = session.settings().get(word)
        said.append(f"{word}: parameter" + (f", set to {now}" if now else ", not set"))
    return "\n\n".join(said) or None


def help_about(context: NotebookContext, word: str) -> Text:
    """The commands, or what a word is in the program."""
    from neurallog_magics.commands import COMMANDS, overview

    if not word:
        return Text(overview())
    said = about(context.session, word, context.relabel)
    if said is None and word in COMMANDS:
        said = COMMANDS[word].help
    if said is None:
        names = {one.name.rpartition("/")[0] for one in context.session.predicates()}
        near = did_you_mean(word, [*names, *COMMANDS])
        raise Usage(f"nothing is known of {word}", hint=near or "? alone lists the commands")
    return Text(said)


def _about_predicate(session: Session, one: PredicateStatus, relabel) -> str:
    lines = [f"{one.name}: {one.kind}" + (", learned" if one.learned else "")]
    if one.types:
        lines.append(f"types     {' × '.join(one.types)}")
    held = (
        counted(one.facts, "fact"),
        counted(one.rules, "rule"),
        counted(one.examples, "example"),
    )
    lines.append(f"holds     {', '.join(held)}, {size(one.bytes)}")
    if one.sources:
        lines.append(f"from      {', '.join(relabel(source) for source in one.sources)}")
    if one.rules:
        rules = session.rules(one.name)
        lines += [str(rule) for rule in rules[:_SHOWN_RULES]]
        if len(rules) > _SHOWN_RULES:
            lines.append(f"… {len(rules) - _SHOWN_RULES} more rules")
    return "\n".join(lines)


def wrap_inspection(shell: InteractiveShell, notebook: NotebookContext) -> Any:
    """Let the kernel ask us first; gives back what it did before, or None without a kernel."""
    kernel: Any = getattr(shell, "kernel", None)
    if kernel is None:
        return None
    before = kernel.do_inspect

    def do_inspect(code: str, cursor_pos: int, detail_level: int = 0, omit_sections=()) -> dict:
        text = describe(notebook, code, cursor_pos)
        if text is None:
            return before(code, cursor_pos, detail_level, omit_sections)
        shown = Text(text)
        data = {"text/plain": str(shown), "text/html": text_html(shown)}
        return {"status": "ok", "found": True, "data": data, "metadata": {}}

    kernel.do_inspect = do_inspect
    return before
