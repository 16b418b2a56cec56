"""NeuralLog: a logic language that is compiled to a neural network. The public surface."""

from neurallog_kernel.answers import Answers, format_weight
from neurallog_kernel.engines.estimates import Estimate
from neurallog_kernel.engines.job import Job, Scored, ScoreProgress
from neurallog_kernel.errors import (
    ArityError,
    AttributeJoinError,
    BoundError,
    CheckpointError,
    DirectiveError,
    LoadError,
    NegationError,
    NeuralLogError,
    NotGroundError,
    Notice,
    ParameterError,
    ProgramSyntaxError,
    QueryError,
    Span,
    TableError,
    TemplateError,
    TypeConflictError,
    UnknownEntityError,
    UnknownNameError,
    UnknownPredicateError,
    did_you_mean,
)
from neurallog_kernel.evaluate.inspection import (
    Inspector,
    PredicateSummary,
    Trace,
    TypeSummary,
    Value,
)
from neurallog_kernel.evaluate.ranking import Rankings
from neurallog_kernel.evaluate.rule_view import RuleView
from neurallog_kernel.explain.check import Findings
from neurallog_kernel.explain.difference import Difference, Move
from neurallog_kernel.explain.explanation import Explanation
from neurallog_kernel.explain.parts import Part
from neurallog_kernel.explain.sensitivity import Sensitivity, Slope
from neurallog_kernel.explain.text import Line
from neurallog_kernel.export.embedding import Embedding
from neurallog_kernel.export.weights import Weights
from neurallog_kernel.induction.candidates import Candidate, Snapshot
from neurallog_kernel.induction.options import LearnOptions
from neurallog_kernel.induction.reasons import Misses, RowReasons
from neurallog_kernel.induction.revision import Revision
from neurallog_kernel.induction.table import RuleTable
from neurallog_kernel.knowledge.changes import Change
from neurallog_kernel.knowledge.describe import PredicateStatus
from neurallog_kernel.knowledge.loaded import Loaded, Progress
from neurallog_kernel.knowledge.parameter_table import PARAMETERS
from neurallog_kernel.language.cursor import Cursor, cursor_after
from neurallog_kernel.language.printer import format_clause, format_constant, format_number
from neurallog_kernel.language.words import DIRECTIVES, KEYWORDS
from neurallog_kernel.learning.figures.calibration import Calibration
from neurallog_kernel.learning.figures.evaluation import Metrics
from neurallog_kernel.learning.figures.reliability import Reliability
from neurallog_kernel.learning.history import Callback, History, TrainingState
from neurallog_kernel.learning.runs import Run, RunComparison, Runs
from neurallog_kernel.learning.sequences.decoding import Decoded, DecodedSequence
from neurallog_kernel.learning.sequences.viterbi import BestPath, viterbi
from neurallog_kernel.observing import TRAINING_VIEWS
from neurallog_kernel.packages import MissingPackageError
from neurallog_kernel.plan.layers import LiteralLayer, RuleLayer
from neurallog_kernel.profiling.profile import Profile, RuleCost, StageCost
from neurallog_kernel.rulegraph.graph import AnyEdge, BodyLiteral, Dag, Edge, Node, node_label
from neurallog_kernel.rulegraph.tree import PathTree, TreeNode
from neurallog_kernel.session import Session
from neurallog_kernel.tables.input_option import is_table, table_given
from neurallog_kernel.tables.mapping import TableMap, read_maps
from neurallog_kernel.tabular import Tabular

__version__ = "0.1.0"

__all__ = [
    "DIRECTIVES",
    "KEYWORDS",
    "PARAMETERS",
    "TRAINING_VIEWS",
    "Answers",
    "AnyEdge",
    "ArityError",
    "AttributeJoinError",
    "BestPath",
    "BodyLiteral",
    "BoundError",
    "Calibration",
    "Callback",
    "Candidate",
    "Change",
    "CheckpointError",
    "Cursor",
    "Dag",
    "Decoded",
    "DecodedSequence",
    "Difference",
    "DirectiveError",
    "Edge",
    "Embedding",
    "Estimate",
    "Explanation",
    "Findings",
    "History",
    "Inspector",
    "Job",
    "LearnOptions",
    "Line",
    "LiteralLayer",
    "LoadError",
    "Loaded",
    "Metrics",
    "Misses",
    "MissingPackageError",
    "Move",
    "NegationError",
    "NeuralLogError",
    "Node",
    "NotGroundError",
    "Notice",
    "ParameterError",
    "Part",
    "PathTree",
    "PredicateStatus",
    "PredicateSummary",
    "Profile",
    "ProgramSyntaxError",
    "Progress",
    "QueryError",
    "Rankings",
    "Reliability",
    "Revision",
    "RowReasons",
    "RuleCost",
    "RuleLayer",
    "RuleTable",
    "RuleView",
    "Run",
    "RunComparison",
    "Runs",
    "ScoreProgress",
    "Scored",
    "Sensitivity",
    "Session",
    "Slope",
    "Snapshot",
    "Span",
    "StageCost",
    "TableError",
    "TableMap",
    "Tabular",
    "TemplateError",
    "Trace",
    "TrainingState",
    "TreeNode",
    "TypeConflictError",
    "TypeSummary",
    "UnknownEntityError",
    "UnknownNameError",
    "UnknownPredicateError",
    "Value",
    "Weights",
    "__version__",
    "cursor_after",
    "did_you_mean",
    "format_clause",
    "format_constant",
    "format_number",
    "format_weight",
    "is_table",
    "node_label",
    "read_maps",
    "table_given",
    "viterbi",
]
