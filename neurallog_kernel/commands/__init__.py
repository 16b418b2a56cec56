"""The commands of every front end: each declared once, for its help, its completion and its run."""

from neurallog_kernel.commands import (
    calibrating,
    exercises,
    learning,
    persistence,
    queries,
    reasons,
    rules,
    runs,
    scores,
    selecting,
    sequences,
)
from neurallog_kernel.commands.context import Context
from neurallog_kernel.commands.declaration import (
    Argument,
    Command,
    CommandTable,
    Usage,
    argument,
    at_least,
)
from neurallog_kernel.commands.learning import (
    CHECKPOINT,
    DEVICE,
    TRAINING,
    explain_device,
    training_options,
)
from neurallog_kernel.commands.queries import untrained_note
from neurallog_kernel.commands.results import Note, Table, Text
from neurallog_kernel.commands.rules import learn_options
from neurallog_kernel.commands.shared import SHARED
from neurallog_kernel.knowledge.loaded import counted
from neurallog_kernel.language.prolog import instead_of

__all__ = [
    "CHECKPOINT",
    "DEVICE",
    "SHARED",
    "TRAINING",
    "Argument",
    "Command",
    "CommandTable",
    "Context",
    "Note",
    "Table",
    "Text",
    "Usage",
    "argument",
    "at_least",
    "calibrating",
    "counted",
    "exercises",
    "explain_device",
    "instead_of",
    "learn_options",
    "learning",
    "persistence",
    "queries",
    "reasons",
    "rules",
    "runs",
    "scores",
    "selecting",
    "sequences",
    "training_options",
    "untrained_note",
]
