"""Commands that draw, and the traceback of the last error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neurallog_kernel import NeuralLogError
from neurallog_magics.arguments import argument, command
from neurallog_magics.display.notes import Text
from neurallog_magics.errors import last_traceback

if TYPE_CHECKING:
    from argparse import Namespace

    from neurallog_magics.magic import NeuralLogMagics

_KIND = argument(
    "--kind",
    choices=("rule", "tree", "network", "types"),
    help="the graph of each rule, its paths, the network of the predicate, or the type map",
)


@command(
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
    argument("--output", type=int, metavar="PLACE", help="the open place, counted from 1"),
)
def show(magics: NeuralLogMagics, options: Namespace) -> Any:
    session = magics.live(options.session).session
    output = None if options.output is None else options.output - 1
    try:
        from neurallog_magics.display.pictures import show as draw
    except ImportError:
        return _text_trees(session, options.target)
    drawn = draw(session, options.target, options.kind, output)
    if isinstance(drawn, list):
        for one in drawn[:-1]:
            magics.show(one)
        return drawn[-1]
    return drawn


@command(
    "xray",
    "The numbers of a question, written into the graph of each rule it goes through.",
    rest="p(a, Y)",
)
def xray(magics: NeuralLogMagics, options: Namespace) -> Any:
    from neurallog_magics.display.graphs.xray import xrays
    from neurallog_magics.display.pictures import Drawing

    question = options.rest.removeprefix("?-").strip().removesuffix(".")
    if not question:
        raise NeuralLogError("an X-ray of what?", hint="%neurallog xray p(a, Y)")
    *before, last = xrays(magics.live(options.session).session, question)
    for one in before:
        magics.show(Drawing(one))
    return Drawing(last)


@command(
    "explore",
    "An interactive picture.",
    argument("target", nargs="?", metavar="PREDICATE", help="p/2", completes="predicate"),
)
def explore(magics: NeuralLogMagics, options: Namespace) -> Any:
    session = magics.live(options.session).session
    try:
        from neurallog_magics.widgets import explore as open_explorer
    except ImportError:
        return _text_trees(session, options.target)
    return open_explorer(session, options.target)


@command("traceback", "The Python traceback of the last error.")
def show_traceback(magics: NeuralLogMagics, options: Namespace) -> Any:
    return last_traceback(magics.notebook)


def _text_trees(session: Any, target: str | None) -> Text:
    views = session.rules(target)
    return Text("\n\n".join(f"{view}\n{view.path_tree}" for view in views) or "There is no rule.")
