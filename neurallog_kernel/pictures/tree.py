"""The paths of a rule as a tree: the right half of the paper's Figure 1."""

from __future__ import annotations

from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.pictures.model import Arrow, Mark, Picture, lines, shorten
from neurallog_kernel.pictures.rule import literal_id
from neurallog_kernel.rulegraph.graph import BodyLiteral, node_label
from neurallog_kernel.rulegraph.tree import PathTree, TreeNode


def tree_picture(
    tree: PathTree,
    inspector: Inspector | None = None,
    ids: dict | None = None,
    title: str = "",
) -> Picture:
    """From the inputs downwards; a unary literal or a function is a step that stays at its term.

    `ids` names the terms as the picture of the DAG does, so that the two can be linked.
    """
    growing = _TreePicture(inspector, ids or {})
    for root in tree.roots:
        growing.grow(root, None)
    return Picture(
        "tree",
        title,
        tuple(growing.marks),
        tuple(growing.arrows),
        direction="TB",
        text=str(tree),
    ).cut(noun="steps")


class _TreePicture:
    """The tree as it grows; marks and arrows are counted in the order of drawing."""

    def __init__(self, inspector: Inspector | None, ids: dict) -> None:
        self.inspector = inspector
        self.ids = ids
        self.marks: list[Mark] = []
        self.arrows: list[Arrow] = []

    def grow(self, tree: TreeNode, above: TreeNode | None, parent: str = "") -> None:
        name = self.mark(tree)
        if above is not None and tree.literal is None:
            self.any(above, tree, parent, name)
        elif tree.literal is not None:
            self.step(tree, tree.literal, parent, name, "literal")
        for literal in tree.loops:
            parent, name = name, self.mark(tree)
            self.step(tree, literal, parent, name, "loop")
        for child in sorted(tree.children, key=_place):
            self.grow(child, tree, name)

    def mark(self, tree: TreeNode) -> str:
        name = f"t{len(self.marks)}"
        label = node_label(tree.node)
        links = (self.node(tree),)
        self.marks.append(Mark(name, shorten(label, 24), "step", lines(label), links=links))
        return name

    def any(self, above: TreeNode, tree: TreeNode, start: str, end: str) -> None:
        links = (f"a-{self.node(above)}-{self.node(tree)}",)
        self.arrows.append(Arrow(f"s-{end}", start, end, "any", "any", "any", links=links))

    def step(self, tree: TreeNode, literal: BodyLiteral, start: str, end: str, kind: str) -> None:
        label = f"{'not ' if literal.negated else ''}{literal.predicate}"
        if literal.signature[1] > 2:
            label = str(literal)  # the ends of the step are not all of its terms
        label = shorten(label, 24)
        about = None if self.inspector is None else self.inspector.predicate(literal.signature)
        learned = about is not None and about.learnable
        hover = lines(str(literal), str(about or ""))
        links = (literal_id(literal),)
        self.arrows.append(Arrow(f"s-{end}", start, end, label, kind, hover, learned, links))

    def node(self, tree: TreeNode) -> str:
        return self.ids.get(tree.node, "")


def _place(tree: TreeNode) -> tuple[bool, int]:
    """The order of the body; any comes last."""
    return (tree.literal is None, 0 if tree.literal is None else tree.literal.index)
