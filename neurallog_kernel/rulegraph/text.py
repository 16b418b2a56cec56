"""A rule's DAG as text, one line for each node in the order of computation."""

from __future__ import annotations

from neurallog_kernel.rulegraph.graph import Dag, Edge, Node, node_label


def dag_text(dag: Dag) -> str:
    """Where each node's value comes from.

    A literal walked from its last term to its first is marked ⁻¹.
    """
    lines = [_line(dag, node) for node in dag.topological()]
    if dag.ends:
        lines.append("value = " + " * ".join(_end(dag, node) for node in dag.ends))
    for literal in dag.grounded:
        lines.append(f"times {literal}")
    for literal in dag.unused:
        lines.append(f"not used: {literal}")
    return "\n".join(lines)


def _line(dag: Dag, node: Node) -> str:
    parts = ["input"] if node in dag.sources or _is_entity(dag, node) else []
    parts += [_edge(edge) for edge in dag.incoming(node)]
    into = dag.any_into(node)
    if into is not None and node == dag.destination:
        sums = ", ".join(node_label(source) for source in into.inputs)
        loops = "".join(f" [{literal}]" for literal in dag.loops.get(node, ()))
        parts.append(f"any({sums}){loops}")
        marks = ""
    else:
        if not parts:
            parts.append("1-vector")
        marks = "".join(f" [{literal}]" for literal in dag.loops.get(node, ()))
    role = " (output)" if node == dag.destination and dag.sources else ""
    return f"{node_label(node)}{role} = " + " * ".join(parts) + marks


def _is_entity(dag: Dag, node: Node) -> bool:
    return node == dag.destination and not dag.sources


def _edge(edge: Edge) -> str:
    inputs = ", ".join(node_label(node) for node in edge.inputs)
    inverted = "⁻¹" if edge.output_place == 0 and len(edge.literal.nodes) > 1 else ""
    return f"{inputs} → {edge.literal}{inverted}"


def _end(dag: Dag, node: Node) -> str:
    return (
        f"{node_label(node)} at the input" if _is_entity(dag, node) else f"sum({node_label(node)})"
    )
