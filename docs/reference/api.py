"""The page of the Python API: everything public, in groups, from its docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import neurallog_kernel
from docs.reference.markdown import block, sections

GROUPS: dict[str, tuple[str, ...]] = {
    "The session": ("Session", "Change"),
    "Answers": ("Answers",),
    "Rules and their graphs": (
        *("RuleView", "Dag", "Node", "node_label", "BodyLiteral", "Edge", "AnyEdge"),
        *("PathTree", "TreeNode"),
    ),
    "Looking inside": (
        *("Inspector", "PredicateStatus", "PredicateSummary", "TypeSummary"),
        *("LiteralLayer", "RuleLayer", "Trace", "Value"),
    ),
    "Why": (
        *("Explanation", "Part", "Line", "Sensitivity", "Slope", "Difference", "Move"),
        "Findings",
    ),
    "Learning": (
        "neurallog_kernel.learning.history.History",
        "neurallog_kernel.learning.figures.evaluation.Metrics",
        *("Decoded", "DecodedSequence", "viterbi", "BestPath"),
    ),
    "Data": ("TableMap", "Loaded", "Progress", "Tabular", "Weights", "Embedding"),
    "Where time goes": ("Profile", "StageCost", "RuleCost"),
    "Errors and places": ("NeuralLogError", "Notice", "Span"),
}
_REST = "More"


def python_api() -> str:
    """Every public name once; those of no group come last."""
    grouped = {name for names in GROUPS.values() for name in names}
    rest = [n for n in neurallog_kernel.__all__ if n not in grouped and n != "__version__"]
    parts = []
    for title, names in (*GROUPS.items(), (_REST, rest)):
        known = [n for n in names if "." in n or n in neurallog_kernel.__all__]
        if known:
            text = ".. currentmodule:: neurallog_kernel\n\n" + "\n".join(_documented(known))
            parts += [f"## {title}", block(text, "{eval-rst}")]
    return sections(parts)


def _documented(names: list[str]) -> Iterator[str]:
    for name in names:
        value = getattr(neurallog_kernel, name, None)
        if inspect.isfunction(value):
            yield f".. autofunction:: {name}"
        elif inspect.isclass(value) or "." in name:
            yield f".. autoclass:: {name}\n   :members:"
            if name == "Session":
                yield "   :inherited-members:"
        else:
            yield f".. autodata:: {name}\n   :no-value:"
