"""A rule's DAG as a picture: the left half of the paper's Figure 1."""

from __future__ import annotations

from collections.abc import Iterable

from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.pictures.model import Arrow, Mark, Picture, lines, shorten
from neurallog_kernel.rulegraph.graph import BodyLiteral, Dag, Edge, Node, node_label

NOTES = 4
LONGEST = 240  # characters of a remark; the caption wraps


def rule_picture(
    dag: Dag, inspector: Inspector | None = None, findings: Iterable[object] = (), title: str = ""
) -> Picture:
    """Terms as marks and literals as arrows; what acts on one term is a loop at it."""
    return _RulePicture(dag, inspector).picture([str(f) for f in findings], title)


def node_ids(dag: Dag) -> dict[Node, str]:
    """A name for each term that stays the same while the rule does."""
    nodes = dict.fromkeys([*dag.nodes, *(n for edge in dag.edges for n in edge.inputs)])
    return {node: f"n{place}" for place, node in enumerate(nodes)}


def literal_id(literal: BodyLiteral) -> str:
    """A name for each literal: its place in the body."""
    return f"e{literal.index}"


class _RulePicture:
    """The parts of one picture as they are collected."""

    def __init__(self, dag: Dag, inspector: Inspector | None) -> None:
        self.dag = dag
        self.inspector = inspector
        self.ids = node_ids(dag)
        self.marks: list[Mark] = []
        self.arrows: list[Arrow] = []

    def picture(self, findings: list[str], title: str) -> Picture:
        for node in self.ids:
            self.marks.append(self.mark(node))
        for edge in self.dag.edges:
            self.edge(edge)
        for node, literals in self.dag.loops.items():
            for place, literal in enumerate(literals):
                self.loop(node, literal, place, len(literals))
        for into in self.dag.any_edges:
            for source in into.inputs:
                self.any(source, into.output, len(into.inputs))
        for literal in self.dag.grounded:
            self.grounded(literal)
        notes = [shorten(finding, LONGEST) for finding in findings[:NOTES]]
        if len(findings) > NOTES:
            notes.append(f"and {len(findings) - NOTES} more remarks")
        if not findings and self.dag.unused:
            notes.append("not used: " + shorten(", ".join(map(str, self.dag.unused)), LONGEST))
        return Picture(
            "rule", title, tuple(self.marks), tuple(self.arrows), tuple(notes), text=str(self.dag)
        ).cut(noun="terms")

    # -- terms ----------------------------------------------------------------------------------

    def mark(self, node: Node) -> Mark:
        return Mark(
            self.ids[node],
            shorten(node_label(node), 24),
            self.kind(node),
            lines(f"{node_label(node)}: {self.role(node)}"),
        )

    def kind(self, node: Node) -> str:
        dag = self.dag
        if node == dag.destination and dag.sources:
            return "output"
        if node == dag.destination and node in dag.ends:
            return "both"
        if node == dag.destination or node in dag.sources:
            return "input"
        return "end" if node in dag.ends else "term"

    def role(self, node: Node) -> str:
        return {
            "input": "an input",
            "output": "the output",
            "both": "the input; the value is read at it",
            "end": "an end: its entries are summed",
            "term": "a term of the body",
        }[self.kind(node)]

    # -- literals -------------------------------------------------------------------------------

    def edge(self, edge: Edge) -> None:
        literal, name = edge.literal, literal_id(edge.literal)
        turned = "from its last term to its first: the transposed matrix"
        hover = self.hover(literal, turned if _is_turned(edge) else "")
        common = {"hover": hover, "learned": self.learned(literal), "kind": self.sort(literal)}
        end = self.ids[edge.output]
        if len(edge.inputs) == 1:
            start = self.ids[edge.inputs[0]]
            self.arrows.append(Arrow(name, start, end, self.label(literal), **common))
            return
        joint = f"j{literal.index}"
        self.marks.append(Mark(joint, "", "joint", hover))
        for place, node in enumerate(edge.inputs):
            part = Arrow(f"{name}-{place}", self.ids[node], joint, "", "part", hover)
            self.arrows.append(part)
        self.arrows.append(Arrow(name, joint, end, self.label(literal), **common))

    def loop(self, node: Node, literal: BodyLiteral, place: int, count: int) -> None:
        order = f"acts on {node_label(node)}" + (f", {place + 1} of {count}" if count > 1 else "")
        kind = "function" if self.sort(literal) == "function" else "loop"
        name, at = literal_id(literal), self.ids[node]
        hover = self.hover(literal, order)
        label = self.label(literal)
        self.arrows.append(Arrow(name, at, at, label, kind, hover, self.learned(literal)))

    def any(self, source: Node, output: Node, inputs: int) -> None:
        if output == self.dag.destination:
            said = f"the sum of {node_label(source)} reaches every entity of the output"
        else:
            said = f"{node_label(output)} is free: it starts as the 1-vector"
        label = f"any({shorten(node_label(source), 12)}, {shorten(node_label(output), 12)})"
        start, end = self.ids[source], self.ids[output]
        self.arrows.append(Arrow(f"a-{start}-{end}", start, end, label, "any", lines(said)))

    def grounded(self, literal: BodyLiteral) -> None:
        """Beside the output, as a factor of the whole."""
        name = literal_id(literal)
        hover = self.hover(literal, "multiplies the result")
        self.marks.append(Mark(name, self.label(literal), "ground", hover, self.learned(literal)))
        beside = self.dag.destination or next(iter(self.ids), None)
        if beside is not None:
            start, learned = self.ids[beside], self.learned(literal)
            self.arrows.append(Arrow(f"b-{name}", start, name, "", "beside", "", learned))

    # -- what is said of a literal --------------------------------------------------------------

    def label(self, literal: BodyLiteral) -> str:
        return shorten(str(literal))

    def hover(self, literal: BodyLiteral, remark: str = "") -> str:
        about = "" if self.inspector is None else str(self.inspector.predicate(literal.signature))
        return lines(str(literal), about, remark)

    def learned(self, literal: BodyLiteral) -> bool:
        if self.inspector is None or literal.condition is not None:
            return False
        return self.inspector.predicate(literal.signature).learnable

    def sort(self, literal: BodyLiteral) -> str:
        if self.inspector is None:
            return "literal"
        role = self.inspector.predicate(literal.signature).role
        return "function" if role == "function" else "literal"


def _is_turned(edge: Edge) -> bool:
    return edge.output_place == 0 and len(edge.literal.nodes) > 1
