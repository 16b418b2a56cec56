"""NeuralLog: a logic language that is compiled to a neural network. The public surface."""

from neurallog_kernel.answers import Answers
from neurallog_kernel.errors import NeuralLogError, Notice, Span
from neurallog_kernel.evaluate.inspection import (
    Inspector,
    PredicateSummary,
    Trace,
    TypeSummary,
    Value,
)
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.plan.network import LiteralLayer, RuleLayer
from neurallog_kernel.rulegraph.graph import AnyEdge, BodyLiteral, Dag, Edge, Node, node_label
from neurallog_kernel.rulegraph.tree import PathTree, TreeNode
from neurallog_kernel.session import Change, RuleView, Session

__version__ = "0.1.0"

__all__ = [
    "Answers",
    "AnyEdge",
    "BodyLiteral",
    "Change",
    "Dag",
    "Edge",
    "Inspector",
    "LiteralLayer",
    "NeuralLogError",
    "Node",
    "Notice",
    "PathTree",
    "PredicateSummary",
    "RuleLayer",
    "RuleView",
    "Session",
    "Span",
    "Trace",
    "TreeNode",
    "TypeSummary",
    "Value",
    "__version__",
    "format_clause",
    "node_label",
]
