"""Algorithm 1 of the paper with the repairs of the language: from a rule to its paths and DAG."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from neurallog_kernel.errors import BoundError
from neurallog_kernel.knowledge.rule_types import AttributeComparison
from neurallog_kernel.language.syntax import Rule, Variable
from neurallog_kernel.rulegraph.graph import (
    AnyEdge,
    BodyLiteral,
    Dag,
    Edge,
    Node,
    Path,
    PathStep,
    body_literals,
    head_nodes,
)
from neurallog_kernel.rulegraph.search import LiteralsByNode, PathSearch

FEW_CYCLES = 10  # in a body; one that has no more has few paths


def build_dag(
    rule: Rule,
    output_place: int | None = None,
    compared: Sequence[AttributeComparison] = (),
    declared: Collection[tuple[int, int]] = (),
) -> Dag:
    """The rule's DAG with the head term at `output_place` (default: the last) as the output;
    `compared` says which literals compare an attribute with a number, `declared` which places of
    which literals hold numbers because the program says so."""
    try:
        return _Builder(rule, output_place, body_literals(rule, compared, declared)).build()
    except BoundError as error:
        raise BoundError(error.message, rule.span, error.hint) from None


def check_paths(rules: Iterable[Rule]) -> None:
    """Refuse a rule whose body has too many paths; only a body with many cycles can."""
    for rule in rules:
        edges = [set(one.terms) for one in rule.body if len(set(one.terms)) > 1]
        terms = set().union(rule.head.terms, *edges)
        if sum(len(edge) - 1 for edge in edges) - len(terms) > FEW_CYCLES:
            build_dag(rule)


class _Builder:
    """The state of one construction; each method is one stage of it."""

    def __init__(
        self, rule: Rule, output_place: int | None, literals: tuple[BodyLiteral, ...]
    ) -> None:
        self.rule = rule
        self.head = head_nodes(rule.head)
        self.literals = literals
        self.body = LiteralsByNode(self.literals)
        if self.head:
            self.place = len(self.head) - 1 if output_place is None else output_place
            self.destination: Node | None = self.head[self.place]
        else:
            self.place, self.destination = None, None
        distinct = list(dict.fromkeys(self.head))
        self.sources = [node for node in distinct if node != self.destination]
        self.unary = self.destination is not None and not self.sources
        self.visited: set[BodyLiteral] = set()
        self.graph = _Graph(
            self.sources if self.sources else distinct,
            self.destination if self.sources else None,
        )
        self.paths: list[Path] = []
        self.discarded: list[Path] = []
        self.unfinished: list[Path] = []  # they stop where the graph goes on, or were cut
        self.ends: list[Node] = []

    def build(self) -> Dag:
        for path in [*self._forward(), *self._backward()]:
            self._keep(path)
        self._left_over()
        self._take_again()
        self._enter_late()
        self._finish()
        placed = self._literals(self.paths)
        passed = {node for path in self.paths for node in path.nodes}
        self._drop_needless_any()
        return self._dag(placed, passed)

    # -- the searches ---------------------------------------------------------------------------

    def _forward(self) -> list[Path]:
        found: list[Path] = []
        starts = self.sources
        if self.unary and self.destination is not None:
            starts = [self.destination]
        for source in starts:
            visited: set[BodyLiteral] = set()
            search = PathSearch(self.body, source, self.destination, visited, set(starts))
            found += search.run()
            self.visited |= visited
        self._found = list(found)
        return found

    def _backward(self) -> list[Path]:
        # ground literals are scalars of the result and start no search (LANGUAGE 3.4)
        missed = [x for x in self.literals if x not in self.visited and not x.is_ground]
        if not self.sources or not missed:
            return []
        assert self.destination is not None
        known = {_key(path) for path in self._found}
        found: list[Path] = []
        for source in self.sources:
            banned = set(self.head) - {source}
            search = PathSearch(self.body, self.destination, source, self.visited, banned)
            for backward in search.run():
                path = backward.reversed()
                if _key(path) not in known:
                    known.add(_key(path))
                    found.append(path)
        return found

    def _left_over(self) -> None:
        """What touches neither input nor output: searched from its first variable (3.1 b)."""
        self._hang_on()
        for literal in self.literals:
            if literal in self.visited or literal.is_ground:
                continue
            inputs = [node for node in self.sources if node in literal.nodes]
            if len(inputs) > 1:
                self.graph.between_inputs.add(literal)
                self._keep(Path(inputs[0], (PathStep(inputs[0], inputs[-1], literal),)))
            else:
                start = next(node for node in literal.nodes if isinstance(node, Variable))
                # of a unary head a dead end is one more end
                for path, joined in self._beside(start, None if self.unary else self.destination):
                    self._keep(path, joined)
            self.visited.add(literal)
            self._hang_on()

    def _hang_on(self) -> None:
        """What hangs on a further input of a literal of arity above 2 is walked towards it, from
        its far ends (3.1 d)."""
        for edge in self.graph.edges:  # it grows meanwhile: what hangs on what hangs there
            for node in edge.inputs if len(edge.literal.nodes) > 2 else ():
                hanging = (x for x in self.body.edges[node] if x not in self.visited)
                if node not in self.head and any(hanging):
                    for path, joined in self._beside(node, None):
                        self._keep(path if joined else path.reversed(), joined=True)

    def _beside(self, start: Node, target: Node | None) -> list[tuple[Path, bool]]:
        """The paths from a term along what is in no path yet; whether they stop at the graph. What
        a discarded path touches will be in it."""
        aside, known = frozenset(self.visited), set(self.graph.nodes)
        known.update(node for path in self.discarded for node in path.all_nodes)
        search = PathSearch(
            self.body,
            start,
            target,
            self.visited,
            allowed=lambda found: found not in aside,
            joins=lambda node: node in known,
        )
        return [(path, path.end in known) for path in search.run()]

    # -- from paths to the graph ----------------------------------------------------------------

    def _keep(self, path: Path, joined: bool = False) -> None:
        if not self.graph.add_path(path):
            self.discarded.append(path)
            return
        self.paths.append(path)
        if joined:
            self.unfinished.append(path)
        else:
            self._record_end(path.end)

    def _record_end(self, node: Node) -> None:
        if node not in self.ends:
            self.ends.append(node)

    def _take_again(self) -> None:
        """Cut each discarded path before its first illegal step; keep it if it adds a literal. A
        literal of arity above 2 that is kept towards another term has the one that the path enters
        as an input: the path goes on from there (3.1 d)."""
        placed = self._literals(self.paths) if self.discarded else set()
        for path in self.discarded:  # it grows meanwhile
            prefix = Path(path.start)
            for place, step in enumerate(path.steps):
                longer = prefix.extended(step)
                if not self.graph.is_legal(_edges(longer)):
                    if step.literal is not None and len(step.literal.nodes) > 2:
                        self.discarded.append(Path(step.end, path.steps[place + 1 :]))
                    break
                prefix = longer
            own = self._literals([prefix])
            if not own <= placed:
                placed |= own
                self.graph.add_path(prefix)
                self.paths.append(prefix)
                self.unfinished.append(prefix)

    def _enter_late(self) -> None:
        """Beside a literal of arity above 2 none is lost: one in no path enters the last of its
        terms that it can, an input only if no other; one of a single term stays there (3.1 d)."""
        if all(len(literal.nodes) < 3 or literal.is_loop for literal in self.literals):
            return
        placed = self._literals(self.paths)
        for literal in self.literals:
            if literal in placed or literal.is_ground:
                continue
            path = Path(literal.nodes[0]) if literal.is_loop else self._entering(literal)
            self.graph.add_path(path)
            self.paths.append(path)
            self.unfinished.append(path)

    def _entering(self, literal: BodyLiteral) -> Path:
        inputs = self.sources or self.head
        nodes = [node for node in reversed(literal.nodes) if node not in inputs]
        nodes += [node for node in reversed(literal.nodes) if node in self.sources]
        end = next(node for node in nodes if self.graph.is_legal([Edge(literal, node)]))
        start = next(node for node in literal.nodes if node != end)
        return Path(start, (PathStep(start, end, literal),))

    def _finish(self) -> None:
        """What stops at a node that nothing leaves is a dead end like any other."""
        for path in self.unfinished:
            if path.end in self.head or self.graph.has_exit(path.end):
                continue
            self._record_end(path.end)
            if self.sources and self.destination is not None:
                ended = path.extended(PathStep(path.end, self.destination, None))
                self.graph.add_path(ended)
                self.paths[self.paths.index(path)] = ended

    def _literals(self, paths: Iterable[Path]) -> set[BodyLiteral]:
        """The literals of the paths, with the unary ones of the nodes they pass."""
        found: set[BodyLiteral] = set()
        for path in paths:
            found.update(step.literal for step in path.steps if step.literal is not None)
            found.update(loop for node in path.nodes for loop in self.body.loops.get(node, ()))
        return found

    def _drop_needless_any(self) -> None:
        """An input whose only exit is an edge into another input needs no any (3.1 b)."""
        for source in self.sources:
            exits = [edge for edge in self.graph.edges if source in edge.inputs]
            if exits and all(edge.literal in self.graph.between_inputs for edge in exits):
                self.graph.any_edges = [
                    pair for pair in self.graph.any_edges if pair != (source, self.destination)
                ]
                self.paths = [
                    path
                    for path in self.paths
                    if not (path.start == source and [s.literal for s in path.steps] == [None])
                ]

    def _dag(self, placed: set[BodyLiteral], passed: set[Node]) -> Dag:
        nodes = list(self.graph.nodes)
        if self.destination is not None and self.destination not in nodes:
            nodes.append(self.destination)
        loops = {
            node: tuple(self.body.loops[node])
            for node in nodes
            if node in passed and node in self.body.loops
        }
        outside = [literal for literal in self.literals if literal not in placed]
        return Dag(
            rule=self.rule,
            output_place=self.place,
            sources=tuple(self.sources),
            destination=self.destination,
            nodes=tuple(nodes),
            edges=tuple(self.graph.edges),
            any_edges=_merge_any(self.graph.any_edges),
            loops=loops,
            ends=tuple(self.ends) if self.unary or self.destination is None else (),
            grounded=tuple(literal for literal in outside if literal.is_ground),
            unused=tuple(literal for literal in outside if not literal.is_ground),
            paths=tuple(self.paths),
        )


class _Graph:
    """The graph as it grows: every literal has one direction, and there is no directed cycle."""

    def __init__(self, nodes: Iterable[Node], last: Node | None) -> None:
        self.nodes: dict[Node, None] = dict.fromkeys(nodes)
        self.edges: list[Edge] = []
        self.direction: dict[BodyLiteral, Node] = {}
        self.any_edges: list[tuple[Node, Node]] = []
        self.between_inputs: set[BodyLiteral] = set()
        self.last = last  # nothing leaves it

    def add_path(self, path: Path) -> bool:
        """Add the path's edges, or nothing if one of them is illegal."""
        if not self.add_edges(_edges(path)):
            return False
        self.nodes.update(dict.fromkeys(path.nodes))
        for step in path.steps:
            if step.literal is None and (step.start, step.end) not in self.any_edges:
                self.any_edges.append((step.start, step.end))
        return True

    def add_edges(self, edges: Sequence[Edge]) -> bool:
        if not self.is_legal(edges):
            return False
        for edge in edges:
            if edge.literal not in self.direction:
                self.direction[edge.literal] = edge.output
                self.edges.append(edge)
                self.nodes.update(dict.fromkeys((*edge.inputs, edge.output)))
        return True

    def has_exit(self, node: Node) -> bool:
        return any(node in edge.inputs for edge in self.edges)

    def is_legal(self, edges: Sequence[Edge]) -> bool:
        if any(self.direction.get(e.literal, e.output) != e.output for e in edges):
            return False
        new = [edge for edge in edges if edge.literal not in self.direction]
        if any(self.last in edge.inputs for edge in new):
            return False
        return not new or not _has_cycle([*self.edges, *new])


def _edges(path: Path) -> list[Edge]:
    return [Edge(step.literal, step.end) for step in path.steps if step.literal is not None]


def _key(path: Path) -> tuple:
    return (path.start, tuple((step.literal, step.start, step.end) for step in path.steps))


def _has_cycle(edges: Sequence[Edge]) -> bool:
    following: dict[Node, set[Node]] = {}
    for edge in edges:
        for node in edge.inputs:
            following.setdefault(node, set()).add(edge.output)
    state: dict[Node, bool] = {}  # False: being looked at, True: done

    def closes(node: Node) -> bool:
        if node in state:
            return not state[node]
        state[node] = False
        if any(closes(after) for after in following.get(node, ())):
            return True
        state[node] = True
        return False

    return any(closes(node) for node in list(following))


def _merge_any(pairs: Sequence[tuple[Node, Node]]) -> tuple[AnyEdge, ...]:
    merged: dict[Node, list[Node]] = {}
    for start, end in pairs:
        merged.setdefault(end, []).append(start)
    return tuple(AnyEdge(tuple(starts), end) for end, starts in merged.items())
