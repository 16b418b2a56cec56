"""Commands that say why: explanations of answers, and what to look at in a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neurallog_kernel import Explanation, NeuralLogError, format_weight
from neurallog_magics.arguments import argument, command
from neurallog_magics.display.notes import Text
from neurallog_magics.display.tables import Table

if TYPE_CHECKING:
    from argparse import Namespace

    from neurallog_magics.magic import NeuralLogMagics

_DRAWN = 5  # rules of an explanation that are drawn


@command(
    "explain",
    "Why an answer has its weight: facts, rules and their strongest groundings.",
    argument("--best", type=int, default=5, metavar="N", help="show the N best groundings"),
    argument(
        "--without",
        action="append",
        metavar="FACT",
        help="as if this fact were not there, written without blanks",
    ),
    argument("--draw", action="store_true", help="draw the strongest proof over each rule"),
    rest="p(a, b)",
)
def explain(magics: NeuralLogMagics, options: Namespace) -> Any:
    if not options.rest:
        raise NeuralLogError("explain what?", hint="%neurallog explain p(a, b)")
    session = magics.live(options.session).session
    found = session.explain(_question(options.rest), options.best, options.without)
    if options.draw:
        magics.show(found)
        return _draw(magics, found)
    return found


def _draw(magics: NeuralLogMagics, found: Explanation) -> Any:
    """The rules of an explanation with their strongest groundings; the last one is returned."""
    from neurallog_magics.display.graphs.proof import proof_picture
    from neurallog_magics.display.pictures import Drawing

    drawn = [Drawing(proof_picture(rule)) for rule in found.rules[:_DRAWN]]
    for one in drawn[:-1]:
        magics.show(one)
    return drawn[-1] if drawn else None


def _question(text: str) -> str:
    return text.strip().removeprefix("?-").strip().removesuffix(".")


@command(
    "sensitivity",
    "How fast an answer changes with each fact's and rule's weight.",
    rest="p(a, b)",
)
def sensitivity(magics: NeuralLogMagics, options: Namespace) -> Any:
    if not options.rest:
        raise NeuralLogError("the sensitivity of what?", hint="%neurallog sensitivity p(a, b)")
    found = magics.live(options.session).session.sensitivity(_question(options.rest))
    rows = [
        (
            one.name,
            format_weight(one.weight),
            magics.notebook.relabel(one.place),
            format_weight(one.slope),
        )
        for one in found
    ]
    return Table(
        ("$weight of", "#is", "from", "#slope"),
        rows,
        title=f"{found.query} = {format_weight(found.weight)}",
        bars=[one.slope for one in found],
        limit=magics.settings.rows,
        note="slope: how much the answer grows for a little more of the weight, per unit",
    )


@command(
    "check",
    "Where the program may not mean what it seems to, and what to do.",
    argument("--source", metavar="NAME", help="only what this cell or file says"),
)
def check(magics: NeuralLogMagics, options: Namespace) -> Any:
    findings = magics.live(options.session).session.check(options.source)
    if not len(findings):
        return Text("Nothing to remark.")
    relabel = magics.notebook.relabel
    rows = [
        (
            f"{relabel(f.span.source)}:{f.span.line}" if f.span else "",
            f.kind.replace("_", " "),
            f.message,
            f.hint,
        )
        for f in findings
    ]
    return Table(("place", "finding", "$why", "$what to do"), rows, limit=magics.settings.rows)


@command(
    "diff",
    "The answers that moved most since an earlier point, and the rules that moved them.",
    argument(
        "--since",
        default="1",
        metavar="POINT",
        help="so many changes back (default 1), or what came then: training, a file",
    ),
    argument("--top", type=int, default=10, metavar="N", help="show the N largest moves"),
    rest="p(a, Y)",
)
def diff(magics: NeuralLogMagics, options: Namespace) -> Any:
    session = magics.live(options.session).session
    since = int(options.since) if options.since.isdigit() else options.since
    found = session.diff(since, _question(options.rest) or None, options.top)
    return Text(magics.notebook.relabel(str(found)))
