"""Running the examples of a Markdown page: what a block says it gives is what it gives.

`python -m tests.docs.pages docs/language.md` writes into the page what its examples give now; read
the difference before you commit it.
"""

from __future__ import annotations

import doctest
import re
import sys
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from neurallog_kernel import NeuralLogError, Session

_FENCE = re.compile(r"^(`{3,})([^`\n]*)\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_NOTEBOOK = re.compile(r"%(?!%neurallog\n)")  # a line or a cell that needs a notebook's names
_SECTION = re.compile(r"^## ", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language and text, where it stands, and the section it is in."""

    language: str
    text: str
    line: int
    start: int
    section: int


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page in order.

    >>> [(b.language, b.text, b.line) for b in blocks("a\\n```text\\nb\\n```\\n")]
    [('text', 'b\\n', 2)]
    """
    for found in _FENCE.finditer(page):
        before = page[: found.start()]
        line, section = before.count("\n") + 1, len(_SECTION.findall(before))
        yield Block(found[2].strip(), found[3], line, found.start(3), section)


@dataclass(frozen=True)
class Told:
    """A block of a program, what the session said to it, and the block that shows it."""

    block: Block
    said: str
    failed: bool
    shown: Block | None


def run_page(page: str, name: str) -> Iterator[Told | None]:
    """Run the blocks of a page; each section (`##`) begins with an empty session.

    A `neurallog` block is added to the session and its questions are answered; a `text` block that
    follows shows what it says. A cell magic in its first line is left out. A `python` block with
    prompts is a doctest that finds the session under the name `session`.
    """
    listed = list(blocks(page))
    section, names = -1, {}
    for block, following in zip_longest(listed, listed[1:]):
        if block.section != section:
            section, names = block.section, {"session": Session(), "Session": Session}
        if block.language == "neurallog" and not _NOTEBOOK.match(block.text):
            said, failed = _tell(names["session"], block)
            shown = following if following and following.language == "text" else None
            yield Told(block, said, failed, shown)
        elif block.language == "python" and ">>> " in block.text:
            _doctest(block, f"{name}:{block.line}", names)
            yield None


def check_page(path: Path) -> int:
    """Compare what the examples of a page give with what it shows; the number of examples.

    They run in a folder of their own, where they may write files.
    """
    number = 0
    page = path.read_text(encoding="utf-8")
    with TemporaryDirectory() as folder, chdir(folder):
        listed = list(run_page(page, path.name))
    for told in listed:
        number += 1
        if told is None:
            continue
        place = f"{path.name}:{told.block.line}"
        if told.shown:
            shown = told.shown.text.rstrip()
            assert shown == told.said, f"{place}: the page says otherwise\n{told.said}"
        else:
            assert not told.failed, f"{place}: {told.said}"
    return number


def _tell(session: Session, block: Block) -> tuple[str, bool]:
    """What the session says to a block, and whether it is an error."""
    source = f"line {block.line}"
    text = block.text.removeprefix("%%neurallog\n")
    text = re.sub(r"^\w+ << (?=\?-)", "", text, flags=re.MULTILINE)
    try:
        change = session.add(text, source=source)
        said = [*map(str, change.notices), *(repr(session.query(q)) for q in change.queries)]
        return "\n".join(said).replace(f"{source}:", "cell:"), False
    except NeuralLogError as error:
        return str(error).replace(f"{source}:", "cell:"), True


def _doctest(block: Block, place: str, names: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, place, place, block.line)
    report: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert results.failed == 0, "".join(report)


def write_page(path: Path) -> None:
    """Put what the examples give into the `text` blocks that show it."""
    path = path.resolve()
    page = path.read_text(encoding="utf-8")
    with TemporaryDirectory() as folder, chdir(folder):
        listed = list(run_page(page, path.name))
    for told in reversed(listed):
        if told and told.shown:
            end = told.shown.start + len(told.shown.text)
            page = f"{page[: told.shown.start]}{told.said}\n{page[end:]}"
    path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write_page(Path(name))
