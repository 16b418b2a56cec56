"""Rule to graph: the paper's paths and DAG, as plain data."""

from neurallog_kernel.rulegraph.build import build_dag, check_paths
from neurallog_kernel.rulegraph.graph import (
    AnyEdge,
    BodyLiteral,
    Dag,
    Edge,
    Node,
    NumberNode,
    Path,
    PathStep,
    node_label,
)

__all__ = [
    "AnyEdge",
    "BodyLiteral",
    "Dag",
    "Edge",
    "Node",
    "NumberNode",
    "Path",
    "PathStep",
    "build_dag",
    "check_paths",
    "node_label",
]
