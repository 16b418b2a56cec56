"""Commands about learning: examples, weights, evaluation; and the options of a training."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from neurallog_kernel.commands.context import Context
from neurallog_kernel.commands.declaration import argument, at_least, number
from neurallog_kernel.commands.results import saved
from neurallog_kernel.commands.shared import PREDICATE, SPREADSHEET_SAFE, TO, command
from neurallog_kernel.commands.tables import example_table, metrics_table, weight_table
from neurallog_kernel.functions.keras_names import LOSSES, METRICS, OPTIMIZERS, REGULARIZERS
from neurallog_kernel.tabular import check_format

if TYPE_CHECKING:
    from neurallog_kernel.profiling.device import DeviceReport
    from neurallog_kernel.session import Session


def _weight(text: str) -> float | str:
    """A number, or `balanced`."""
    return text if text == "balanced" else float(text)


TRAINING = (
    argument("--epochs", type=at_least(0), help="how many times through the examples"),
    argument("--batch-size", type=at_least(1), metavar="N", help="examples in a batch"),
    argument("--learning-rate", type=number, metavar="RATE", help="the optimizer's step"),
    argument(
        "--optimizer",
        metavar="NAME",
        help="a Keras optimizer, such as adam",
        offers=OPTIMIZERS.usual(),
    ),
    argument(
        "--schedule",
        choices=("constant", "cosine", "linear", "plateau"),
        help="how the learning rate changes",
    ),
    argument(
        "--warm-up",
        type=at_least(0),
        metavar="EPOCHS",
        help="epochs of a growing rate at the start",
    ),
    argument("--clip-norm", type=number, metavar="LENGTH", help="shorten longer gradients to this"),
    argument(
        "--average", type=number, metavar="SHARE", help="average the weights of the last epochs"
    ),
    argument(
        "--backend",
        choices=("numpy", "tensorflow"),
        help="what computes it (default: numpy for small trainings)",
    ),
    argument(
        "--loss", metavar="NAME", help="a loss, such as binary_crossentropy", offers=LOSSES.usual()
    ),
    argument("--regularizer", metavar="NAME", help="l1, l2 or l1_l2", offers=REGULARIZERS.usual()),
    argument(
        "--anchor", type=number, metavar="STRENGTH", help="hold weights near those of the start"
    ),
    argument(
        "--seeds",
        type=at_least(1),
        metavar="N",
        help="train an ensemble of N members; answers are their means",
    ),
    argument(
        "--restarts",
        type=at_least(1),
        metavar="N",
        help="train from N start weights and keep the lowest loss",
    ),
    argument(
        "--hold-out",
        type=number,
        metavar="SHARE",
        help="validate with this share of the training examples",
    ),
    argument(
        "--groups",
        metavar="NAME",
        help="held-out examples that stay together: connected, subject, example, or a predicate",
    ),
    argument(
        "--unlisted",
        choices=("false", "unknown"),
        help="what outputs without an example count as (default: false, the closed world)",
    ),
    argument("--seed", type=at_least(0), help="the same seed gives the same weights"),
    argument(
        "--negatives",
        type=at_least(0),
        metavar="K",
        help="draw K negative examples for each subject",
    ),
    argument("--shuffle", action="store_true", default=None, help="new batches in each epoch"),
    argument(
        "--positive-weight", type=_weight, metavar="N", help="weight of a true example, or balanced"
    ),
    argument(
        "--keep-best", action="store_true", default=None, help="end with the best epoch's weights"
    ),
    argument("--monitor", metavar="NAME", help="what best means: loss, val_loss, or a metric"),
    argument("--mode", choices=("min", "max"), help="whether less or more of it is better"),
    argument(
        "--dtype", choices=("float32", "float64"), help="how exactly weights are kept (float32)"
    ),
    argument(
        "--inverse-relations",
        action="store_true",
        default=None,
        help="learn from p(a, b) as a question for a, too",
    ),
    argument(
        "--workers",
        metavar="HOST:PORT,...",
        help="share the examples with these processes (neurallog worker)",
    ),
    argument(
        "--metrics",
        nargs="+",
        metavar="NAME",
        help="metrics to show beside the loss",
        offers=METRICS.usual(),
    ),
    argument(
        "--patience",
        type=at_least(1),
        metavar="EPOCHS",
        help="stop after this number of epochs without improvement, and keep the best weights",
    ),
)

CHECKPOINT = (
    argument(
        "--checkpoint",
        metavar="FILE",
        help="write this file (.nlz) after epochs; if it is there, go on from it",
        completes="path",
        writes=True,
    ),
    argument(
        "--every",
        type=at_least(1),
        metavar="EPOCHS",
        help="how often the checkpoint is written (default: after each epoch)",
    ),
)


DEVICE = argument(
    "--explain-device",
    action="store_true",
    help="say what a GPU or XLA would need for a step; nothing is learned",
)


def training_options(options: Namespace) -> dict[str, Any]:
    """The options of a training that were given, as `Session.train` takes them."""
    names = [one.flags[0].lstrip("-").replace("-", "_") for one in (*TRAINING, *CHECKPOINT)]
    given = {name: getattr(options, name, None) for name in names}
    chosen = {name: value for name, value in given.items() if value is not None}
    return chosen | {"keep_best": True} if "patience" in chosen else chosen


def explain_device(session: Session, options: Namespace, **more: Any) -> DeviceReport:
    """What `train --explain-device` says, of the training that the other options describe."""
    elsewhere = ("checkpoint", "every", "workers")
    chosen = {k: v for k, v in training_options(options).items() if k not in elsewhere}
    return session.explain_device(**chosen, **more)


@command(
    "evaluate",
    "Metrics over a set of examples.",
    argument(
        "set", nargs="?", default="test", metavar="SET", help="the set (test)", completes="set"
    ),
    argument("--no-ranks", action="store_true", help="leave MRR, mean rank and hits@k out"),
    TO,
    SPREADSHEET_SAFE,
    examples="neurallog evaluate model.nlz --test test.pl\n"
    "neurallog evaluate model.nlz --set train",
)
def evaluate(context: Context, options: Namespace) -> Any:
    if options.to:
        check_format(options.to, options.spreadsheet_safe)
    metrics = context.session.evaluate(options.set, ranks=not options.no_ranks)
    if options.to:
        return saved(metrics, options.to, options.spreadsheet_safe)
    return metrics_table(metrics, options.set)


@command(
    "examples",
    "The examples of each set, or of one predicate.",
    PREDICATE,
    argument("--set", help="only this set", completes="set"),
    examples="neurallog examples theory.pl --train train.pl",
)
def examples(context: Context, options: Namespace) -> Any:
    return example_table(context.session, options.predicate, options.set, context.rows)


@command(
    "weights",
    "The facts of a predicate with their weights, or of all learned predicates.",
    PREDICATE,
    TO,
    SPREADSHEET_SAFE,
    examples="neurallog weights model.nlz -p w/1",
)
def weights(context: Context, options: Namespace) -> Any:
    if options.to:
        found = context.session.weights(options.predicate)
        return saved(found, options.to, options.spreadsheet_safe)
    return weight_table(context.session, options.predicate, context.rows)
