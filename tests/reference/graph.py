"""One rule as a graph, for any choice of output (LANGUAGE 3; O 5.1 to 5.3; the paper's
Algorithms 1 and 2). Nothing here knows about weights: terms, literals and directions only.

Choices where the text leaves one:

* A path that is a dead end gets its any-edge and goes to the back of the queue (O 5.2 step 4: "step
  3 then adds dst's loops"). This is the order of the paper's Algorithm 2, where a path is complete
  when its last literal is appended and a dead end when it is taken from the queue.
* The backward search runs when a literal *with a variable* is unvisited (O 5.3 step 2 would run it
  for ground ones too; LANGUAGE 3.4 says ground literals never cause an any at the destination).
  It is otherwise literal: with no edge at the destination it finds any(source, destination), which
  is one more exit of that source.
* (d) would lose the second literal of `loan(R, B, _), kind(B, K)`, where the logic joins them. A
  literal of arity above 2 goes to the term searched for; else to the last of its terms from which
  the other literals lead on to that, past no term that the path holds; else to the last from which
  they lead anywhere; else to its last term, its first other variable, its first other term. A term
  that the path already holds has its value and is never entered.
* (d), what hangs on a further input of such a literal, and is found by no search from an input or
  the output, is walked towards that input from its far ends, their values being 1-vectors.
* (c), a discarded path that would enter a further input of such a literal goes on from there.
  Beside such a literal none is in no path: one that would be enters the last of its terms that is
  no input and closes no directed cycle, else the last input.
* One that would have the destination among its inputs closes a directed cycle; further places of
  its output are no inputs (4.8).
* (b), a search from a node U that is already in the graph: what leaves U is walked; if nothing
  does, the search has met the graph and adds no any (the unary literals of U act there).
* (b), a left-over literal with two or more inputs among its terms is an edge into the one that
  comes last in the head.
* (c), a prefix that is kept leaves its last node as a dead end only if nothing else leaves it.
* A ground literal is "in no path" if it is in no kept path.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from neurallog_kernel.language.syntax import Constant, Number, Variable
from neurallog_kernel.language.syntax import Literal as SyntaxLiteral


@dataclass(frozen=True)
class NumberNode:
    """2.3: every occurrence of a number is a node of its own."""

    value: float
    occurrence: tuple[int, int]  # literal of the body, place


Node: TypeAlias = Variable | Constant | NumberNode


@dataclass(frozen=True)
class BodyLiteral:
    """A body literal over nodes; equal literals are one edge (O 5.2)."""

    predicate: str
    nodes: tuple[Node, ...]
    negated: bool = False

    @property
    def signature(self) -> tuple[str, int]:
        return (self.predicate, len(self.nodes))

    @property
    def is_ground(self) -> bool:
        return not any(isinstance(node, Variable) for node in self.nodes)

    @property
    def is_loop(self) -> bool:
        """O 5.1: a literal that stays at one node."""
        return len(self.nodes) > 0 and len(set(self.nodes)) == 1

    def place_of(self, node: Node) -> int:
        """The place of the output: the last one that holds the node."""
        return max(i for i, n in enumerate(self.nodes) if n == node)

    def inputs_towards(self, output: Node) -> list[tuple[int, Node]]:
        """Every place of another node, when the literal runs towards `output`."""
        return [(i, n) for i, n in enumerate(self.nodes) if n != output]


def body_nodes(
    body: Iterable[SyntaxLiteral], declared: Callable[[tuple[str, int]], set[int]]
) -> tuple[BodyLiteral, ...]:
    """O 5.1: the terms of a body as nodes; `declared` are the places of a predicate that hold
    numbers because the program says so (2.5)."""
    literals = []
    for i, literal in enumerate(body):
        nodes: list[Node] = []
        for j, term in enumerate(literal.terms):
            if isinstance(term, Number):
                nodes.append(NumberNode(term.value, (i, j)))
            elif isinstance(term, Constant) and j in declared(literal.signature):
                nodes.append(NumberNode(float(term.name), (i, j)))
            else:
                assert isinstance(term, Variable | Constant)
                nodes.append(term)
        literals.append(BodyLiteral(literal.predicate, tuple(nodes), literal.negated))
    return tuple(literals)


@dataclass(frozen=True)
class Step:
    """A literal, or any (None), walked from one node to another."""

    literal: BodyLiteral | None
    start: Node
    end: Node


@dataclass(frozen=True)
class Path:
    start: Node
    steps: tuple[Step, ...] = ()
    joined: bool = field(default=False, compare=False)  # (b): ends where the graph goes on

    @property
    def end(self) -> Node:
        return self.steps[-1].end if self.steps else self.start

    def holds(self, node: Node) -> bool:
        """Whether the node occurs in the path, the other terms of its literals included."""
        return node == self.start or any(
            node == step.end or (step.literal is not None and node in step.literal.nodes)
            for step in self.steps
        )

    def then(self, step: Step) -> Path:
        return Path(self.start, (*self.steps, step))

    def reversed(self) -> Path:
        steps = tuple(Step(s.literal, s.end, s.start) for s in reversed(self.steps))
        return Path(self.end, steps)


@dataclass
class Graph:
    """The kept graph of a rule for one output."""

    inputs: tuple[Node, ...]
    destination: Node | None  # of a unary head, its input too; None for a head of arity 0
    edges: dict[Node, list[BodyLiteral]] = field(default_factory=dict)  # by the node they enter
    any_into: dict[Node, list[Node]] = field(default_factory=dict)
    loops: dict[Node, list[BodyLiteral]] = field(default_factory=dict)  # in body order
    ends: list[Node] = field(default_factory=list)  # heads of arity 0 and 1
    ground: list[BodyLiteral] = field(default_factory=list)  # in no path
    unused: list[BodyLiteral] = field(default_factory=list)  # not ground, and in no path


def build(head: Sequence[Node], body: Sequence[BodyLiteral], output: int | None) -> Graph:
    """Section 3.1: the graph of a rule. `head` holds each of its terms once; `output` is the place
    of the destination, None for a head of arity 0."""
    return _Builder(tuple(head), tuple(body), output).build()


class _Builder:
    def __init__(
        self, head: tuple[Node, ...], body: tuple[BodyLiteral, ...], output: int | None
    ) -> None:
        self.head = head
        self.body = body
        self.output = output
        self.unary = len(head) == 1
        self.destination = None if output is None else head[output]
        if len(head) > 1:
            self.sources = tuple(n for i, n in enumerate(head) if i != output)
        else:
            self.sources = head
        self.walked = [x for x in dict.fromkeys(body) if len(x.nodes) > 1 and not x.is_loop]
        self.visited: set[BodyLiteral] = set()
        self.graph = Graph(self.sources, self.destination)
        self.direction: dict[BodyLiteral, Node] = {}  # of kept edges: the node they enter
        self.in_kept_path: set[BodyLiteral] = set()
        self.links: set[BodyLiteral] = set()

    def build(self) -> Graph:
        paths = self.forward()
        paths += self.backward(paths)
        paths += self.left_over(paths)
        self.keep(paths)
        self.drop_any_of_linked_inputs()
        self.finish()
        return self.graph

    # O 5.1 ---------------------------------------------------------------------------------

    def loops_of(self, node: Node) -> list[BodyLiteral]:
        return [x for x in self.body if x.is_loop and x.nodes[0] == node]

    def edges_of(self, node: Node, aside: set[BodyLiteral]) -> list[BodyLiteral]:
        return [x for x in self.walked if node in x.nodes and x not in aside]

    def led_to(self, literal: BodyLiteral, start: Node, usable) -> set[Node]:
        """Where the other literals lead from a term of a literal, in any number of steps."""
        found: set[Node] = {start}
        while True:
            near = {
                node
                for other in self.walked
                if other != literal and usable(other) and found & set(other.nodes)
                for node in other.nodes
                if usable(node)
            }
            if near <= found:
                return found - {start}
            found |= near

    # O 5.2 ---------------------------------------------------------------------------------

    def search(
        self,
        start: Node,
        searched: Node | None,
        visited: set[BodyLiteral],
        banned: Iterable[Node],
        aside: Iterable[BodyLiteral] = (),
        joined: Iterable[Node] = (),
    ) -> list[Path]:
        """O 5.2, Algorithm 2: all paths from `start` to the term searched for; adds to `visited`.

        For (b): literals `aside` are not walked, and a path that meets a node of `joined` is
        complete there.
        """
        aside, joined, banned = set(aside), set(joined), set(banned)
        dead_ends_are_ends = start == searched or self.unary or searched is None

        def end_of(path: Path, literal: BodyLiteral) -> Node | None:
            """(d): where a path goes along a literal; None if it cannot."""

            def usable(thing: Node | BodyLiteral) -> bool:
                if isinstance(thing, BodyLiteral):
                    return thing not in aside
                return not path.holds(thing) and (thing not in banned or thing == start)

            ends = [n for n in literal.nodes if usable(n)]
            led = {n: self.led_to(literal, n, usable) for n in ends}
            choices = [n for n in ends if n == searched]
            choices += [n for n in reversed(ends) if searched in led[n]]
            choices += [n for n in reversed(ends) if led[n]]
            choices += [n for n in ends if n == literal.nodes[-1]]
            choices += [n for n in ends if isinstance(n, Variable)]
            return next(iter(choices + ends), None)

        def extended(path: Path, literals: Iterable[BodyLiteral]) -> list[Path]:
            found = []
            for literal in literals:
                end = end_of(path, literal)
                if end is None:
                    continue
                visited.add(literal)
                if end != searched and end not in joined:
                    visited.update(self.loops_of(end))
                found.append(path.then(Step(literal, path.end, end)))
            return found

        initial = Path(start)
        visited.update(self.loops_of(start))
        first = [x for x in self.edges_of(start, aside) if x not in visited]
        queue = deque(extended(initial, first) or [initial])
        complete: list[Path] = []
        while queue:
            path = queue.popleft()
            if path.steps and (path.end == searched or path.end in joined):
                visited.update(self.loops_of(path.end))
                complete.append(Path(path.start, path.steps, joined=path.end in joined))
                continue
            longer = extended(path, self.edges_of(path.end, aside))
            if longer:
                queue.extend(longer)
            elif dead_ends_are_ends or path.end in joined:
                complete.append(Path(path.start, path.steps, joined=path.end in joined))
            else:
                assert searched is not None
                queue.append(path.then(Step(None, path.end, searched)))
        return complete

    # O 5.3 ---------------------------------------------------------------------------------

    def forward(self) -> list[Path]:
        """O 5.3 step 1: from every input to the destination."""
        paths: list[Path] = []
        for source in self.sources:
            visited: set[BodyLiteral] = set()
            paths += self.search(source, self.destination, visited, self.sources)
            self.visited |= visited
        return paths

    def unvisited(self) -> list[BodyLiteral]:
        return [x for x in self.body if not x.is_ground and x not in self.visited]

    def backward(self, known: list[Path]) -> list[Path]:
        """O 5.3 step 2: from the destination to every input, reversed."""
        if len(self.head) < 2 or not self.unvisited():
            return []
        assert self.destination is not None
        seen = set(known)
        paths = []
        for source in self.sources:
            banned = [n for n in self.head if n != source]
            for path in self.search(self.destination, source, self.visited, banned):
                if path.reversed() not in seen:
                    seen.add(path.reversed())
                    paths.append(path.reversed())
        return paths

    def left_over(self, known: list[Path]) -> list[Path]:
        """3.1 (b): literals that neither search has reached."""
        nodes: set[Node] = set(self.head)
        for path in known:
            nodes |= _nodes_of(path)
        paths: list[Path] = []
        while True:
            paths += self.hanging([*known, *paths], nodes)
            if not (literals := self.unvisited()):
                return paths
            literal = literals[0]
            joins = [n for n in self.sources if n in literal.nodes]
            if len(joins) > 1:
                found = [Path(joins[0], (Step(literal, joins[0], joins[-1]),))]
                self.links.add(literal)
            else:
                start = next(n for n in literal.nodes if isinstance(n, Variable))
                visited: set[BodyLiteral] = set()
                found = self.search(
                    start, self.destination, visited, (), aside=self.visited, joined=nodes
                )
                self.visited |= visited
            self.visited.add(literal)
            for path in found:
                nodes |= _nodes_of(path)
            paths += found

    def hanging(self, known: Iterable[Path], nodes: set[Node]) -> list[Path]:
        """3.1 (d): what hangs on the further inputs of a literal, from its far ends; `nodes` are
        those of the graph and grow."""
        paths: list[Path] = []
        todo = list(self.kept_walks(known))
        for literal, end in todo:
            for node in dict.fromkeys(literal.nodes):
                if node == end or node in self.head or len(literal.nodes) < 3:
                    continue
                if not self.edges_of(node, self.visited):
                    continue
                visited: set[BodyLiteral] = set()
                found = self.search(node, None, visited, (), aside=self.visited, joined=nodes)
                self.visited |= visited
                found = [
                    path if path.end in nodes else Path(path.end, path.reversed().steps, True)
                    for path in found
                ]
                for path in found:
                    nodes |= _nodes_of(path)
                paths += found
                todo += [pair for pair in self.kept_walks(found) if pair not in todo]
        return paths

    def kept_walks(self, paths: Iterable[Path]) -> Iterable[tuple[BodyLiteral, Node]]:
        """The literals of the paths that will be kept, in order, with the terms they enter."""
        twin = _Builder(self.head, self.body, self.output)
        twin.visited = set(self.body)
        for path in paths:
            if twin.legal_steps(path) == len(path.steps):
                twin.add(path)
        return list(twin.direction.items())

    # 3.1 (c) -------------------------------------------------------------------------------

    def keep(self, paths: list[Path]) -> None:
        """O 5.3 steps 4 and 5 with repair (c)."""
        discarded, unfinished = [], []
        for path in paths:
            if self.legal_steps(path) < len(path.steps):
                discarded.append(path)
                continue
            self.add(path)
            if path.joined:
                unfinished.append(path)
            elif len(self.head) < 2:
                self.record_end(path.end)
        for path in discarded:
            steps = self.legal_steps(path)
            prefix = Path(path.start, path.steps[:steps])
            cut = path.steps[steps : steps + 1]
            if cut and cut[0].literal is not None and len(cut[0].literal.nodes) > 2:
                discarded.append(Path(cut[0].end, path.steps[steps + 1 :]))
            if _literals_of(prefix, self.loops_of) - self.in_kept_path:
                self.add(prefix)
                unfinished.append(prefix)
        unfinished += self.late()
        for path in unfinished:
            if path.end not in self.head and not self.has_exit(path.end):
                if len(self.head) < 2:
                    self.record_end(path.end)
                else:
                    assert self.destination is not None
                    self.add(path.then(Step(None, path.end, self.destination)))

    def late(self) -> list[Path]:
        """3.1 (d): beside a literal of arity above 2, what is in no path."""
        late: list[Path] = []
        if any(len(literal.nodes) > 2 for literal in self.walked):
            for literal in [x for x in self.body if not x.is_ground]:
                if literal in self.in_kept_path:
                    continue
                if len(set(literal.nodes)) == 1:  # it stays at its term
                    late.append(Path(literal.nodes[0]))
                    self.add(late[-1])
                    continue
                order = sorted(range(len(literal.nodes)), key=lambda p: -p)
                order.sort(key=lambda p: literal.nodes[p] in self.sources)
                ends = [literal.nodes[place] for place in order]
                steps = [Step(literal, next(n for n in ends if n != end), end) for end in ends]
                paths = [Path(step.start, (step,)) for step in steps]
                late.append(next(path for path in paths if self.legal_steps(path)))
                self.add(late[-1])
        return late

    def record_end(self, node: Node) -> None:
        if node not in self.graph.ends:
            self.graph.ends.append(node)

    def has_exit(self, node: Node) -> bool:
        return any(
            node in literal.nodes and output != node for literal, output in self.direction.items()
        )

    def legal_steps(self, path: Path) -> int:
        """How many steps of the path can be taken before one runs against the kept direction of
        its literal or closes a directed cycle."""
        direction = dict(self.direction)
        for i, step in enumerate(path.steps):
            if step.literal is None:
                continue
            if direction.get(step.literal, step.end) != step.end:
                return i
            inputs = [n for _, n in step.literal.inputs_towards(step.end)]
            if self.destination in inputs and not self.unary:
                return i
            if any(_reaches(direction, step.end, n) for n in inputs):
                return i
            direction[step.literal] = step.end
        return len(path.steps)

    def add(self, path: Path) -> None:
        """O 5.3 steps 4 and 5: equal edges once, any-edges merged."""
        for step in path.steps:
            if step.literal is None:
                terms = self.graph.any_into.setdefault(step.end, [])
                if step.start not in terms:
                    terms.append(step.start)
            elif step.literal not in self.direction:
                self.direction[step.literal] = step.end
                self.graph.edges.setdefault(step.end, []).append(step.literal)
        self.in_kept_path |= _literals_of(path, self.loops_of)

    def drop_any_of_linked_inputs(self) -> None:
        """3.1 (b): an input whose only exit is an edge into another input has no any."""
        if len(self.head) < 2:
            return
        assert self.destination is not None
        for node in self.sources:
            exits = {x for x, end in self.direction.items() if node in x.nodes and end != node}
            terms = self.graph.any_into.get(self.destination, [])
            if exits and exits <= self.links and node in terms:
                terms.remove(node)
                if not terms:
                    del self.graph.any_into[self.destination]

    def finish(self) -> None:
        """O 5.3 step 3 and repair (a): unary literals in body order; what is in no path."""
        for literal in self.body:
            if literal in self.in_kept_path:
                if literal.is_loop:
                    self.graph.loops.setdefault(literal.nodes[0], []).append(literal)
            elif literal.is_ground:
                self.graph.ground.append(literal)
            else:
                self.graph.unused.append(literal)


def _nodes_of(path: Path) -> set[Node]:
    nodes = {path.start, path.end}
    for step in path.steps:
        nodes |= {step.start, step.end}
        if step.literal is not None:
            nodes |= set(step.literal.nodes)
    return nodes


def _literals_of(path: Path, loops_of) -> set[BodyLiteral]:
    """The literals of a path, with the unary ones of the nodes it passes."""
    literals = {step.literal for step in path.steps if step.literal is not None}
    for node in {path.start, *(step.end for step in path.steps)}:
        literals |= set(loops_of(node))
    return literals


def _reaches(direction: dict[BodyLiteral, Node], start: Node, goal: Node) -> bool:
    """Whether kept edges lead from `start` to `goal`."""
    reached, todo = {start}, [start]
    while todo:
        node = todo.pop()
        if node == goal:
            return True
        for literal, output in direction.items():
            if node in literal.nodes and output != node and output not in reached:
                reached.add(output)
                todo.append(output)
    return False
