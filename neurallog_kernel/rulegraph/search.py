"""Algorithm 2 of the paper: breadth-first search for the paths from one term to another."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from neurallog_kernel.errors import BoundError
from neurallog_kernel.language.syntax import Variable
from neurallog_kernel.rulegraph.graph import BodyLiteral, Node, Path, Step

MAXIMUM_PATHS = 20_000  # beyond this a body is a tangle that no network should be built from


@dataclass
class Body:
    """The literals of a body, by the nodes they touch."""

    literals: tuple[BodyLiteral, ...]
    loops: dict[Node, list[BodyLiteral]] = field(default_factory=dict)
    edges: dict[Node, list[BodyLiteral]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for literal in self.literals:
            if literal.is_loop:
                self.loops.setdefault(literal.nodes[0], []).append(literal)
                continue
            for node in dict.fromkeys(literal.nodes):
                attached = self.edges.setdefault(node, [])
                if literal not in attached:  # equal literals are one edge
                    attached.append(literal)


def walks(literal: BodyLiteral, start: Node, target: Node | None) -> list[Node]:
    """The terms a step from `start` along the literal may lead to, best first (LANGUAGE 3.1 d)."""
    others = [node for node in literal.nodes if node != start]
    if len(literal.nodes) == 2:
        return others
    preferred = [target] if target is not None and target in others else []
    preferred += [literal.nodes[-1]] if literal.nodes[-1] != start else []
    preferred += [node for node in others if isinstance(node, Variable)]
    return list(dict.fromkeys(preferred or others))


@dataclass
class Search:
    """One search: `visited` is shared with the caller and grows; `banned` ends are skipped.

    `allowed` restricts the literals that may be walked; `joins` says where a path may stop because
    the node is already in the graph.
    """

    body: Body
    source: Node
    target: Node | None
    visited: set[BodyLiteral]
    banned: Collection[Node] = ()
    allowed: Callable[[BodyLiteral], bool] = lambda _: True
    joins: Callable[[Node], bool] = lambda _: False

    def run(self) -> list[Path]:
        """All paths; one that cannot go on ends in `any`, or where it is if there is no target."""
        self._visit_loops(self.source)
        start = Path(self.source)
        first = list(self._extensions(start, lambda literal: literal not in self.visited))
        queue = deque(first or [start])
        complete: list[Path] = []
        while queue:
            path = queue.popleft()
            if path.steps and (path.end == self.target or self.joins(path.end)):
                self._visit_loops(path.end)
                complete.append(path)
                continue
            extended = list(self._extensions(path, lambda _: True))
            queue.extend(extended)
            if not extended:
                ended = self._dead_end(path)
                # the any makes the target its end: it is complete when its turn comes again
                (complete if ended is path else queue).append(ended)
            if len(queue) + len(complete) > MAXIMUM_PATHS:
                raise BoundError(
                    f"the body has more than {MAXIMUM_PATHS:,} paths",
                    hint="split the rule: give a part of the body a predicate of its own",
                )
        return complete

    def _extensions(self, path: Path, wanted: Callable[[BodyLiteral], bool]) -> Iterator[Path]:
        for literal in self.body.edges.get(path.end, ()):
            if not (self.allowed(literal) and wanted(literal)):
                continue
            end = self._end_of_step(path, literal)
            if end is None:
                continue
            self.visited.add(literal)
            if end != self.target:
                self._visit_loops(end)
            yield path.extended(Step(path.end, end, literal))

    def _end_of_step(self, path: Path, literal: BodyLiteral) -> Node | None:
        """Where the path goes along the literal: a term that has no value on it yet, so that no
        literal is walked twice and none is left because its best term is taken."""
        for end in walks(literal, path.end, self.target):
            if not path.touches(end) and (end not in self.banned or end == self.source):
                return end
        return None

    def _dead_end(self, path: Path) -> Path:
        if self.target is None or self.source == self.target:
            return path
        if not path.steps and self.joins(path.start):
            return path  # the free variable is in the graph already: nothing to add
        self._visit_loops(self.target)
        return path.extended(Step(path.end, self.target, None))

    def _visit_loops(self, node: Node) -> None:
        self.visited.update(self.body.loops.get(node, ()))
