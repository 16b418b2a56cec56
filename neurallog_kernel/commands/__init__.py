"""The commands of every front end: each declared once, for its help, its completion and its run."""

from neurallog_kernel.commands import learning, persistence, queries, reasons
from neurallog_kernel.commands.context import Context
from neurallog_kernel.commands.declaration import (
    Argument,
    Command,
    CommandTable,
    Usage,
    argument,
    at_least,
)
from neurallog_kernel.commands.learning import CHECKPOINT, TRAINING, training_options
from neurallog_kernel.commands.results import Note, Table, Text
from neurallog_kernel.commands.shared import SHARED

__all__ = [
    "CHECKPOINT",
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
    "learning",
    "persistence",
    "queries",
    "reasons",
    "training_options",
]
