"""Algorithm 2 of the paper: breadth-first search for the paths from one term to another."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from neurallog_kernel.errors import BoundError
from neurallog_kernel.language.syntax import Variable
from neurallog_kernel.rulegraph.graph import BodyLiteral, Node, Path, PathStep

MAXIMUM_PATHS = 20_000  # beyond this a body is a tangle that no network should be built from


@dataclass
class LiteralsByNode:
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


@dataclass
class PathSearch:
    """One search: `visited` is shared with the caller and grows; `banned` ends are skipped.

    `allowed` restricts the literals that may be walked; `joins` says where a path may stop because
    the node is already in the graph.
    """

    body: LiteralsByNode
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
            yield path.extended(PathStep(path.end, end, literal))

    def _end_of_step(self, path: Path, literal: BodyLiteral) -> Node | None:
        """Where the path goes along the literal: a term that has no value on it yet, so that no
        literal is walked twice and none is left because its best term is taken. One of arity above
        2 goes to the term searched for, else to the last of those that lead on to it, else to the
        last that leads on at all (LANGUAGE 3.1 d)."""
        ends = [node for node in literal.nodes if self._is_free(path, node)]
        if len(ends) < 2 or self.target in ends:
            return self.target if self.target in ends else next(iter(ends), None)
        leading = [node for node in ends if self._leads_to_target(path, literal, node)]
        if not leading:
            leading = [node for node in ends if self._onwards(path, literal, node)]
        if leading:
            return leading[-1]
        if ends[-1] == literal.nodes[-1]:
            return ends[-1]
        return next((node for node in ends if isinstance(node, Variable)), ends[0])

    def _is_free(self, path: Path, node: Node) -> bool:
        return not path.touches(node) and (node not in self.banned or node == self.source)

    def _leads_to_target(self, path: Path, literal: BodyLiteral, start: Node) -> bool:
        """Whether other literals lead from a term of a literal to the term searched for."""
        seen, todo = {start}, [start]
        while self.target is not None and todo:
            new = self._onwards(path, literal, todo.pop()) - seen
            if self.target in new:
                return True
            seen |= new
            todo += new
        return False

    def _onwards(self, path: Path, literal: BodyLiteral, node: Node) -> set[Node]:
        """The terms that other literals lead to from a term of a literal."""
        others = (x for x in self.body.edges[node] if x != literal and self.allowed(x))
        ends = {end for other in others for end in other.nodes if self._is_free(path, end)}
        return ends - {node}

    def _dead_end(self, path: Path) -> Path:
        if self.target is None or self.source == self.target:
            return path
        if not path.steps and self.joins(path.start):
            return path  # the free variable is in the graph already: nothing to add
        self._visit_loops(self.target)
        return path.extended(PathStep(path.end, self.target, None))

    def _visit_loops(self, node: Node) -> None:
        self.visited.update(self.body.loops.get(node, ()))
