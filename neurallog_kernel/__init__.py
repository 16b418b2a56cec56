"""NeuralLog: a logic language that is compiled to a neural network. The public surface."""

from neurallog_kernel.answers import Answers
from neurallog_kernel.errors import NeuralLogError, Notice, Span
from neurallog_kernel.session import Change, RuleView, Session

__version__ = "0.1.0"

__all__ = [
    "Answers",
    "Change",
    "NeuralLogError",
    "Notice",
    "RuleView",
    "Session",
    "Span",
    "__version__",
]
