"""What the playground shows of a program: a value that is JSON, made here or inside the browser.

`python -m docs.playground` records it for the examples; where Pyodide is beside the page, the same
function runs in the browser. It needs NumPy, SciPy and packages of plain Python, no TensorFlow.
"""

from __future__ import annotations

from typing import Any

from neurallog_kernel import MissingPackageError, NeuralLogError, Session
from neurallog_kernel.commands import Text
from neurallog_kernel.language.printer import format_literal
from neurallog_kernel.language.syntax import Query
from neurallog_kernel.pictures.drawing import Drawing
from neurallog_kernel.pictures.model import Picture
from neurallog_kernel.pictures.show import show
from neurallog_kernel.pictures.svg import inline
from neurallog_kernel.pictures.xray import xrays
from neurallog_magics.display.explanations import explanation_html
from neurallog_magics.display.notes import note_html, notices_note, text_html
from neurallog_magics.display.tables import answers_table, table_html

SOURCE = "program"
QUESTIONS = 8
ANSWERS = 10
PICTURES = 6


def answer(text: str) -> dict[str, Any]:
    """The answers of a program's questions, with graphs and reasons; what is wrong is a text."""
    session = Session()
    try:
        change = session.add(text, source=SOURCE)
    except NeuralLogError as error:
        return {"error": str(error), "line": _line(error), "notices": "", "questions": []}
    remarks = session.check(SOURCE, quick=True).important
    known = {notice.span for notice in change.notices}
    notices = [*change.notices, *(remark for remark in remarks if remark.span not in known)]
    notice = notices_note(notices, str)
    shown = change.queries[:QUESTIONS]
    return {
        "error": "",
        "line": 0,
        "notices": note_html(notice) if notice else "",
        "left_out": len(change.queries) - len(shown),
        "questions": [_question(session, query) for query in shown],
    }


def _question(session: Session, query: Query) -> dict[str, Any]:
    question = format_literal(query.atom)
    asked = f"?- {question}."
    try:
        answers = session.query(query)
    except NeuralLogError as error:
        return {"asked": asked, "error": str(error), "line": _line(error)}
    table = answers_table(answers, ANSWERS)
    asks = list(table.asks) or ([question] if not answers.variables else [])
    return {
        "asked": asked,
        "error": "",
        "answers": table_html(table),
        "text": str(answers),
        "reasons": {one: _reasons(session, one) for one in asks},
        "first": asks[0] if asks else "",
        "pictures": _pictures(session, query, question),
        "live": _live(session, question),
    }


def _line(error: NeuralLogError) -> int:
    return error.span.line if error.span is not None else 0


def _reasons(session: Session, question: str) -> str:
    try:
        return explanation_html(session.explain(question))
    except NeuralLogError as error:
        return text_html(Text(str(error)))


def _pictures(session: Session, query: Query, question: str) -> list[dict[str, str]]:
    """The graphs of the rules, with the numbers of the question where it has one open place."""
    try:
        found = [Drawing(picture) for picture in xrays(session, question)]
    except NeuralLogError:
        try:
            shown = show(session, "{}/{}".format(*query.atom.signature))
        except NeuralLogError:  # facts only: there is no rule to draw
            return []
        found = shown if isinstance(shown, list) else [shown]
    return [_drawn(one) for one in found[:PICTURES]]


def _drawn(drawing: Drawing) -> dict[str, str]:
    picture: Picture = drawing.picture
    svg = inline(drawing.svg) if drawing.svg else ""
    return {"title": picture.title, "svg": svg, "text": str(drawing)}


def _live(session: Session, question: str) -> str:
    """The living network as a page, where the widget's packages are: not inside a browser."""
    try:
        return session.live(question).html()
    except (MissingPackageError, NeuralLogError):
        return ""
