"""Commands that write files: a saved session, tables of weights, the program, a model."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from neurallog_kernel.commands.context import Context
from neurallog_kernel.commands.declaration import argument, at_least
from neurallog_kernel.commands.results import Note, Text
from neurallog_kernel.commands.shared import SPREADSHEET_SAFE, command


@command(
    "save",
    "Save program and learned weights.",
    argument(
        "path",
        metavar="PATH",
        help="the file to write, usually *.nlz",
        completes="path",
        writes=True,
    ),
    examples="neurallog save facts.pl rules.pl family.nlz",
)
def save(context: Context, options: Namespace) -> Any:
    context.session.save(options.path)
    return Note(f"saved; %neurallog open {options.path} brings it back")


@command(
    "export",
    "Write weights, embeddings, the program, or a predicate as a TensorFlow SavedModel.",
    argument(
        "predicate",
        nargs="?",
        metavar="PREDICATE",
        help="p/2; for tables by default all that are learned",
        completes="predicate",
    ),
    argument(
        "--weights", metavar="FILE", help="facts with their weights", completes="path", writes=True
    ),
    argument(
        "--embedding",
        metavar="FILE",
        help="predicates as features of entities; PREDICATE may be a pattern such as feature_*",
        completes="path",
        writes=True,
    ),
    argument("--history", metavar="FILE", help="the last training", completes="path", writes=True),
    argument(
        "--program", metavar="FILE", help="the program as text", completes="path", writes=True
    ),
    argument(
        "--saved-model",
        metavar="FOLDER",
        help="the predicate's network: names in, weights out, without NeuralLog",
        completes="path",
        writes=True,
    ),
    argument(
        "--output",
        type=at_least(1),
        metavar="PLACE",
        help="of the SavedModel: the open place, counted from 1 (default: the last)",
    ),
    argument(
        "--unknown",
        choices=("error", "zero"),
        default="error",
        help="of the SavedModel: what to do with a name that the program does not know",
    ),
    argument(
        "--dtype",
        choices=("float32", "float64"),
        default="float64",
        help="of the SavedModel's weights",
    ),
    argument("--force", action="store_true", help="overwrite the SavedModel's folder"),
    SPREADSHEET_SAFE,
    examples="neurallog export model.nlz -p grandparent/2 --saved-model grandparent\n"
    "neurallog export model.nlz --weights weights.csv --history history.parquet\n"
    "neurallog export model.nlz -p 'feature_*' --embedding features.parquet\n"
    "neurallog export model.nlz --program trained.pl",
)
def export(context: Context, options: Namespace) -> Any:
    written = context.session.export(
        options.predicate,
        weights=options.weights,
        embedding=options.embedding,
        history=options.history,
        program=options.program,
        saved_model=options.saved_model,
        spreadsheet_safe=options.spreadsheet_safe,
        output=None if options.output is None else options.output - 1,
        unknown=options.unknown,
        dtype=options.dtype,
        overwrite=options.force,
    )
    return Text("\n".join(written))
