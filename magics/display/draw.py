"""`neurallog draw`: a picture in a file."""

from __future__ import annotations

from pathlib import Path

from neurallog_kernel import NeuralLogError, Session
from neurallog_magics.display.pictures import Drawing, show

ENDINGS = ("svg", "png", "pdf", "dot", "txt")


def draw(
    session: Session,
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
    missing = NeuralLogError(
        f"a .{ending} picture needs Graphviz", hint="pip install 'neurallog[notebook]'"
    )
    try:
        from neurallog_magics.display.graphs.render import render

        source = drawing.dot
    except ImportError:
        raise missing from None
    if ending == "dot":
        return source.encode()
    if ending == "svg":
        found = drawing.svg
        if found is None:
            raise missing
        return found.encode()
    content = render(source.replace("bgcolor=transparent", "bgcolor=white"), ending)
    if content is None:
        raise missing
    return content
