"""Commands about learning: examples, training, evaluation, weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from neurallog_magics.arguments import PREDICATE, TO, argument, command
from neurallog_magics.listing import example_table, saved, weight_table

if TYPE_CHECKING:
    from argparse import Namespace

    from neurallog_magics.magic import NeuralLogMagics


@command(
    "examples",
    "The examples of each set, or of one predicate.",
    PREDICATE,
    argument("--set", help="only this set", completes="set"),
)
def examples(magics: NeuralLogMagics, options: Namespace) -> Any:
    live = magics.live(options.session)
    return example_table(live.session, options.predicate, options.set, magics.settings.rows)


@command(
    "weights",
    "The facts of a predicate with their weights, as they are now.",
    argument("predicate", metavar="PREDICATE", help="p/2 or p", completes="predicate"),
    TO,
)
def weights(magics: NeuralLogMagics, options: Namespace) -> Any:
    live = magics.live(options.session)
    if options.to:
        return saved(live.session.weights(options.predicate), options.to)
    return weight_table(live.session, options.predicate, magics.settings.rows)


@command(
    "train",
    "Learn from the examples; interrupting keeps what was learned.",
    argument("--epochs", type=int, help="how many times through the examples"),
    argument("--batch-size", type=int, metavar="N", help="examples in a batch"),
    argument("--learning-rate", type=float, metavar="RATE", help="the optimizer's step"),
    argument("--optimizer", metavar="NAME", help="a Keras optimizer, such as adam"),
    argument("--loss", metavar="NAME", help="a Keras loss, such as binary_crossentropy"),
    argument(
        "--unlisted",
        choices=("false", "unknown"),
        help="what outputs without an example count as (default: false, the closed world)",
    ),
    argument("--seed", type=int, help="the same seed gives the same weights"),
    argument("--resume", action="store_true", help="go on where the last training stopped"),
)
def train(magics: NeuralLogMagics, options: Namespace) -> Any:
    from neurallog_magics.training import run

    chosen = chosen_options(options)
    if options.resume:
        chosen["resume"] = True
    return run(magics, magics.live(options.session), chosen)


def chosen_options(options: Namespace) -> dict[str, Any]:
    """The options of `train` that were given, as the session takes them."""
    names = ("epochs", "batch_size", "learning_rate", "optimizer", "loss", "unlisted", "seed")
    given = {name: getattr(options, name) for name in names}
    return {name: value for name, value in given.items() if value is not None}


@command(
    "evaluate",
    "Metrics over a set of examples.",
    argument("set", nargs="?", default="test", help="the set (default: test)", completes="set"),
    argument("--no-ranks", action="store_true", help="leave MRR, mean rank and hits@k out"),
    TO,
)
def evaluate(magics: NeuralLogMagics, options: Namespace) -> Any:
    from neurallog_magics.training import metrics_table

    metrics = magics.live(options.session).session.evaluate(options.set, ranks=not options.no_ranks)
    return saved(metrics, options.to) if options.to else metrics_table(metrics, options.set)
