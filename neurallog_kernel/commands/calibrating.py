"""Commands about probabilities: fit them, take them back, see how reliable they are."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from neurallog_kernel.commands.context import Context
from neurallog_kernel.commands.declaration import argument, at_least
from neurallog_kernel.commands.results import Note, Table, saved
from neurallog_kernel.commands.shared import SPREADSHEET_SAFE, TO, command
from neurallog_kernel.knowledge.calibrated import CALIBRATION
from neurallog_kernel.tabular import check_format
from neurallog_kernel.writing import write_text

METHODS = ("temperature", "isotonic")


@command(
    "calibrate",
    "Make probabilities of the weights, by examples that the training did not see.",
    argument("set", nargs="?", metavar="SET", help="the examples (validation)", completes="set"),
    argument("--method", choices=METHODS, default="temperature", help="how (temperature)"),
    argument("--predicate", metavar="PREDICATE", help="only this one", completes="predicate"),
    argument("--off", action="store_true", help="take the probabilities back"),
    argument(
        "--save",
        metavar="FILE",
        help="save the session with its probabilities (.nlz)",
        completes="path",
        writes=True,
    ),
    examples="neurallog calibrate model.nlz --validation held.pl --save model.nlz\n"
    "neurallog calibrate model.nlz --set validation --method isotonic --save model.nlz",
)
def calibrate(context: Context, options: Namespace) -> Any:
    session = context.session
    if options.off:
        session.remove(CALIBRATION)
        result: Any = Note("no probabilities any more")
    else:
        found = session.calibrate(options.set, options.method, options.predicate)
        rows = [
            (
                one.name,
                f"{one.examples:,}",
                *(f"{one.before[name]:.4f} → {one.after[name]:.4f}" for name in one.before),
            )
            for one in found.fitted
        ]
        result = Table(
            ("predicate", "#examples", "#Brier score", "#log loss"),
            rows,
            title=f"{found.method}, by the set {found.set}",
            limit=context.rows,
            note="answers have a probability now; undo or calibrate --off takes it back",
        )
    if options.save:
        session.save(options.save)
    return result


@command(
    "reliability",
    "Compare probabilities, or weights, with how often the answers are true.",
    argument(
        "set", nargs="?", default="test", metavar="SET", help="the set (test)", completes="set"
    ),
    argument("--bins", type=at_least(1), default=10, metavar="N", help="parts from 0 to 1 (10)"),
    argument("--predicate", metavar="PREDICATE", help="only this one", completes="predicate"),
    argument("--svg", metavar="FILE", help="write the plot", completes="path", writes=True),
    TO,
    SPREADSHEET_SAFE,
    examples="neurallog reliability model.nlz --test test.pl\n"
    "neurallog reliability model.nlz --test test.pl --svg reliability.svg",
)
def reliability(context: Context, options: Namespace) -> Any:
    if options.to:
        check_format(options.to, options.spreadsheet_safe)
    found = context.session.reliability(options.set, options.bins, options.predicate)
    if options.to:
        return saved(found, options.to, options.spreadsheet_safe)
    if options.svg:
        from neurallog_kernel.pictures.reliability import reliability_svg

        write_text(Path(options.svg), reliability_svg(found))
        return Note(f"{options.svg}: the plot")
    return found
