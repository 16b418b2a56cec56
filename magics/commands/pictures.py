"""Commands that draw, explanations with pictures, and the traceback of the last error."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from neurallog_kernel import Explanation, MissingPackageError
from neurallog_kernel.commands import SHARED, Note, Text, argument, at_least
from neurallog_kernel.commands.shared import question
from neurallog_kernel.pictures.drawing import Drawing
from neurallog_kernel.pictures.proof import proof_picture
from neurallog_kernel.pictures.show import KINDS
from neurallog_kernel.pictures.show import show as draw
from neurallog_kernel.pictures.xray import xrays
from neurallog_magics.arguments import NOTEBOOK
from neurallog_magics.context import NotebookContext
from neurallog_magics.errors import last_traceback

_DRAWN = 5  # rules of an explanation that are drawn
_SHOWN = 10  # rules of a predicate that are drawn, as of a network

_KIND = argument(
    "--kind",
    choices=KINDS,
    help="the graph of each rule, its paths, the network of the predicate, or the type map",
)


_HTML = argument(
    "--html",
    metavar="FILE",
    help="write a page that plays without a kernel",
    completes="path",
    writes=True,
)


@NOTEBOOK.command(
    "show",
    "A picture of a predicate's rules, of its network, or of the types.",
    argument(
        "target",
        nargs="?",
        metavar="PREDICATE",
        help="p/2, or p/2:3 for its third rule",
        completes="predicate",
    ),
    _KIND,
    argument("--output", type=at_least(1), metavar="PLACE", help="the open place, counted from 1"),
)
def show(context: NotebookContext, options: Namespace) -> Any:
    output = None if options.output is None else options.output - 1
    drawn = draw(context.session, options.target, options.kind, output)
    if not isinstance(drawn, list):
        return drawn
    *before, last = drawn[:_SHOWN]
    for one in before:
        context.show(one)
    if len(drawn) == len(before) + 1:
        return last
    context.show(last)
    named = f"{options.target}:{_SHOWN + 1} names the next"
    return Note(f"showing {_SHOWN} of {len(drawn):,} rules; {named}")


@NOTEBOOK.command(
    "xray",
    "The numbers of a question, written into the graph of each rule it goes through.",
    rest="p(a, Y)",
)
def xray(context: NotebookContext, options: Namespace) -> Any:
    asked = question(options.rest, "xray", "xray p(a, Y)")
    *before, last = xrays(context.session, asked)
    for one in before:
        context.show(Drawing(one))
    return Drawing(last)


@NOTEBOOK.command(
    "explore",
    "An interactive picture.",
    argument("target", nargs="?", metavar="PREDICATE", help="p/2", completes="predicate"),
    _HTML,
)
def explore(context: NotebookContext, options: Namespace) -> Any:
    session = context.session
    try:
        explorer = session.explore(options.target)
        if options.html:
            explorer.write_html(options.html)
            return Text(f"written: {options.html}")
        return explorer
    except MissingPackageError:
        return _text_trees(session, options.target)


@NOTEBOOK.command(
    "live",
    "The network of a question with its numbers: play it, move its weights, watch it learn.",
    _HTML,
    rest="p(a, Y)",
)
def live(context: NotebookContext, options: Namespace) -> Any:
    network = context.session.live(question(options.rest, "live", "live p(a, Y)"))
    if options.html:
        network.write_html(options.html)
        return Text(f"written: {options.html}")
    return network


@NOTEBOOK.command("traceback", "The Python traceback of the last error.")
def show_traceback(context: NotebookContext, options: Namespace) -> Any:
    return last_traceback(context.notebook)


_EXPLAIN = SHARED.commands["explain"]


@NOTEBOOK.command(
    "explain",
    _EXPLAIN.summary,
    *_EXPLAIN.arguments,
    argument("--draw", action="store_true", help="draw the strongest proof over each rule"),
    rest=_EXPLAIN.rest,
)
def explain(context: NotebookContext, options: Namespace) -> Any:
    found = _EXPLAIN(context, options)
    if not options.draw or not isinstance(found, Explanation):
        return found
    context.show(found)
    return _draw(context, found)


def _draw(context: NotebookContext, found: Explanation) -> Any:
    """The rules of an explanation with their strongest groundings; the last one is returned."""
    drawn = [Drawing(proof_picture(rule)) for rule in found.rules[:_DRAWN]]
    for one in drawn[:-1]:
        context.show(one)
    return drawn[-1] if drawn else None


def _text_trees(session: Any, target: str | None) -> Text:
    views = session.rules(target)
    return Text("\n\n".join(f"{view}\n{view.path_tree}" for view in views) or "There is no rule.")
