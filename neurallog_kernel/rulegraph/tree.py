"""The paths of a rule as a tree: the right half of the paper's Figure 1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from neurallog_kernel.rulegraph.graph import BodyLiteral, Dag, Node, Path, node_label


@dataclass(frozen=True)
class TreeNode:
    """A node on some paths: how it was reached (`literal` None: by any, or it is a root), the
    unary literals and functions on it, and where the paths go from here."""

    node: Node
    literal: BodyLiteral | None
    by_any: bool
    loops: tuple[BodyLiteral, ...]
    children: tuple[TreeNode, ...]


@dataclass(frozen=True)
class PathTree:
    """One root for each input and for each free start."""

    roots: tuple[TreeNode, ...]

    def __str__(self) -> str:
        return "\n".join(line for root in self.roots for line in _lines(root))


def path_tree(dag: Dag) -> PathTree:
    """Paths with a common beginning share it, in the order in which they were found."""
    starts = dict.fromkeys(path.start for path in dag.paths)
    roots = []
    for start in starts:
        paths = [path for path in dag.paths if path.start == start]
        roots.append(_grow(dag, start, None, False, [(path, 0) for path in paths]))
    return PathTree(tuple(roots))


def _grow(
    dag: Dag,
    node: Node,
    literal: BodyLiteral | None,
    by_any: bool,
    paths: Iterable[tuple[Path, int]],
) -> TreeNode:
    branches: dict[tuple[BodyLiteral | None, Node], list[tuple[Path, int]]] = {}
    for path, depth in paths:
        if depth < len(path.steps):
            step = path.steps[depth]
            branches.setdefault((step.literal, step.end), []).append((path, depth + 1))
    children = tuple(
        _grow(dag, end, via, via is None, below) for (via, end), below in branches.items()
    )
    return TreeNode(node, literal, by_any, dag.loops.get(node, ()), children)


def _label(tree: TreeNode) -> str:
    marks = "".join(f" [{literal}]" for literal in tree.loops)
    return f"{node_label(tree.node)}{marks}"


def _lines(tree: TreeNode, indent: str = "") -> list[str]:
    lines = [_label(tree)] if not indent and tree.literal is None and not tree.by_any else []
    for place, child in enumerate(tree.children):
        last = place == len(tree.children) - 1
        via = "any" if child.by_any else str(child.literal)
        lines.append(f"{indent}{'└─' if last else '├─'} {via} → {_label(child)}")
        lines += _lines(child, indent + ("   " if last else "│  "))
    return lines
