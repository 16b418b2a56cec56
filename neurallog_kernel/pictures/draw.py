"""`neurallog draw`: a picture in a file."""

from __future__ import annotations

from pathlib import Path

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.packages import missing, needed
from neurallog_kernel.pictures.drawing import Drawing
from neurallog_kernel.pictures.inspectable import Inspectable
from neurallog_kernel.pictures.show import show

ENDINGS = ("svg", "png", "pdf", "dot", "txt")


def draw(
    session: Inspectable,
    target: str | None,
    kind: str | None,
    path: str | Path,
    output: int | None = None,
) -> Path:
    """Write the picture; the ending of the file's name decides the format.

    Of a predicate with several rules the first goes to the file named, the others beside it, with
    their numbers in the names.
    """
    file = Path(path)
    ending = file.suffix.removeprefix(".").lower()
    if ending not in ENDINGS:
        raise NeuralLogError(
            f"cannot draw a .{ending} file" if ending else "the file's name has no ending",
            hint=f"end the name in one of {', '.join('.' + e for e in ENDINGS)}",
        )
    shown = show(session, target, kind, output)
    drawings = shown if isinstance(shown, list) else [shown]
    for number, drawing in enumerate(drawings, start=1):
        place = file if number == 1 else file.with_stem(f"{file.stem}-{number}")
        place.write_bytes(_content(drawing, ending))
    return file


def _content(drawing: Drawing, ending: str) -> bytes:
    if ending == "txt":
        return (str(drawing) + "\n").encode()
    needed("graphviz", f"a .{ending} picture", "notebook")
    from neurallog_kernel.pictures.render import render

    source = drawing.dot
    if ending == "dot":
        return source.encode()
    if ending == "svg":
        found = drawing.svg
        if found is None:
            raise missing("pygraphviz", "a .svg picture", "notebook")
        return found.encode()
    content = render(source.replace("bgcolor=transparent", "bgcolor=white"), ending)
    if content is None:
        raise missing("pygraphviz", f"a .{ending} picture", "notebook")
    return content
