"""Inside a rule: a value as the sum of its groundings, the strongest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from math import prod

from neurallog_kernel.evaluate.rows import Rows
from neurallog_kernel.explain.bound_rule import Frame, Goal, Option, goal_at, strongest
from neurallog_kernel.explain.edges import EdgeReader
from neurallog_kernel.explain.parts import Part, number, of_literal
from neurallog_kernel.functions import AGGREGATIONS, MULTIPLY, SUM, Combiner, FunctionKind
from neurallog_kernel.knowledge.roles import Role, owner_place
from neurallog_kernel.language.syntax import Constant
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.plan.planner import combiner_set
from neurallog_kernel.rulegraph.graph import BodyLiteral, Edge, Node, node_label

LOOKS = 400  # groundings looked at before the rest is left as one line
MANY = 60  # entities of one node that are looked at


@dataclass(frozen=True)
class _State:
    """A grounding half done: the factors found so far and the goals that are left."""

    factors: tuple[Part, ...]
    goals: tuple[Goal, ...]
    names: tuple[tuple[Node, str], ...] = ()


class Groundings(EdgeReader):
    """Turns goals into parts. The options of a goal add up to its value, so do its groundings."""

    def total(self, goal: Goal, best: int) -> Part:
        """A goal's value, explained."""
        return self.summed(goal.frame, goal.value, [Option(goal.value, goals=(goal,))], best)

    def summed(self, frame: Frame, value: float, options: Sequence[Option], best: int) -> Part:
        """A value as the sum of groundings; one that is all of it stands for itself.

        The best first: a state is worth the product of its factors and of the values of its goals,
        which no grounding that comes of it exceeds while all weights are positive.
        """
        order = count()
        heap: list[tuple[float, int, _State]] = []

        def push(state: _State) -> None:
            worth = prod(f.value for f in state.factors) * prod(g.value for g in state.goals)
            if worth != 0:
                heappush(heap, (-abs(worth), next(order), state))

        for option in options:
            push(_State(option.factors, option.goals, option.names))
        done: list[Part] = []
        for _ in range(LOOKS + 20 * best):
            if not heap or len(done) == best:
                break
            state = heappop(heap)[2]
            if not state.goals:
                done.append(self.grounding(frame, state))
                continue
            for option in self.options(state.goals[0]):
                goals = (*option.goals, *state.goals[1:])
                push(
                    _State((*state.factors, *option.factors), goals, (*state.names, *option.names))
                )
        rest = value - sum(part.value for part in done)
        if heap or abs(rest) > 1e-9 * max(1.0, abs(value)):
            done.append(Part("rest", "all other groundings", rest))
        if len(done) == 1:
            return done[0]
        if not done:
            return Part("nothing", "nothing reached it", 0.0)
        return Part("sum", "", value, "sum", tuple(done))

    def grounding(self, frame: Frame, state: _State) -> Part:
        factors = state.factors[::-1]  # the walk was from the output back
        entities: dict[Node, str] = {}
        for node, name in reversed(state.names):
            entities.setdefault(node, name)
        names = tuple(
            (node_label(node), name)
            for node, name in entities.items()
            if node in frame.own_variables and node not in self.numeric(frame)
        )
        if not factors and not names:
            return Part("nothing", "true", 1.0)
        if len(factors) == 1 and not names and factors[0].kind != "fact":
            return factors[0]
        value = float(prod(f.value for f in factors))
        label = ", ".join(f"{variable} = {name}" for variable, name in names)
        return Part("grounding", label, value, "product", factors, names=names, entities=entities)

    def numeric(self, frame: Frame) -> set[Node]:
        """The nodes that stand for numbers: they go by their owner's name, which says nothing."""
        found: set[Node] = set()
        for edge in frame.layer.dag.edges:
            signature = edge.literal.signature
            if self.program.role(signature) is Role.ATTRIBUTE:
                found.add(edge.literal.nodes[1 - owner_place(self.program.numeric(signature))])
        return found

    # -- nodes ----------------------------------------------------------------------------------

    def options(self, goal: Goal) -> list[Option]:
        """The ways to a goal; their values add up to it."""
        frame, node = goal.frame, goal.node
        dag = frame.layer.dag
        if goal.value == 0:
            return []
        at_any = node == dag.destination and dag.sources and dag.any_into(node) is not None
        if at_any and not goal.on_ones:
            return self.at_any(goal)
        if goal.steps:
            return self.step(goal)
        if goal.on_ones:
            return [Option(1.0)]
        return self.base(goal)

    def named(self, goal: Goal) -> tuple[tuple[Node, str], ...]:
        """The entity that a node takes, if it is a variable of the body's own."""
        node, domain = goal.node, goal.expr.domain
        if domain is None or goal.index is None or isinstance(node, Constant):
            return ()
        return ((node, self.facts.name(domain, goal.index)),)

    def step(self, goal: Goal) -> list[Option]:
        """The last literal that acted on the node."""
        frame = goal.frame
        applied = frame.layer.applied[goal.node][goal.steps - 1]
        before = Goal(frame, goal.node, goal.index, goal.steps - 1, goal.on_ones)
        if applied.factor is None:
            applying = self.function_step(goal, before, applied.literal)
            factor = of_literal(applying, applied.literal)
            return [Option(goal.value, (factor,), names=self.named(goal))]
        factor = self.acting(frame, goal.node, applied.literal, goal.index, applied.factor)
        factor = of_literal(factor, applied.literal)
        combiner = self.setting(frame, "edge_combining_function")
        if combiner is MULTIPLY:
            return [Option(goal.value, (factor,), (before,))]
        children = (self.total(before, frame.best), factor)
        return [Option(goal.value, (combined(combiner, goal.value, children),))]

    def function_step(self, goal: Goal, before: Goal, literal: BodyLiteral) -> Part:
        function = self.program.function(literal.signature)
        assert function is not None
        label = f"{function.name}({node_label(goal.node)})"
        if function.kind is FunctionKind.ELEMENTWISE:
            inner = self.total(before, goal.frame.best)
            return Part("function", label, goal.value, "function", (inner,), function=function)
        inner = self.entries(goal.frame, before)
        operation = "sum" if function is SUM else "whole"
        if operation == "sum" and inner.operation == "sum":
            return Part("function", label, goal.value, "sum", inner.children, function=function)
        return Part("function", label, goal.value, operation, (inner,), function=function)

    def acting(
        self, frame: Frame, node: Node, literal: BodyLiteral, index: int | None, expr: Expr
    ) -> Part:
        """What a unary literal (or a diagonal) is at an entity."""
        asked = node in frame.layer.rule.head.terms  # there is one such entity only
        best = frame.best if asked else frame.best // 2
        signature = literal.signature
        role = self.program.role(signature)
        value = frame.at(expr, index)
        if role is Role.NUMERIC:
            return self.facts.scalar(signature, value)
        if role is Role.EMPTY or index is None:
            inner = Part("missing", str(literal), 0.0, note="nothing is known of it")
        elif signature[1] == 1:
            inner = self.concept(signature, index, frame.layer.chain, best)
        else:
            inner = self.diagonal(signature, index, frame.layer.chain, best)
        if not literal.negated:
            return inner
        return self.negation(signature, f"not {inner.label}", number(1.0, "1"), inner)

    def base(self, goal: Goal) -> list[Option]:
        """A node before anything acted on it."""
        frame, node, layer = goal.frame, goal.node, goal.frame.layer
        dag = layer.dag
        value, names = goal.value, self.named(goal)
        incoming = dag.incoming(node)
        if node in dag.sources:
            factors = self.given(frame, node, goal.index)
            factors += [self.edge_part(frame, edge, goal.index) for edge in incoming]
            return [Option(value, tuple(factors), names=names)]
        if node == dag.destination and not dag.sources:
            return [Option(value, names=names)]
        ones = [number(1.0, "1")] if dag.any_into(node) is not None or not incoming else []
        combiner = self.joining(frame, node)
        if len(incoming) + len(ones) == 1 or (combiner is MULTIPLY and len(incoming) == 1):
            if not incoming:
                return [Option(value, names=names)]
            return self.with_names(self.edge_options(frame, incoming[0], goal.index), names)
        parts = [self.edge_part(frame, edge, goal.index) for edge in incoming]
        if combiner is MULTIPLY:
            return [Option(value, tuple(parts), names=names)]
        return [Option(value, (combined(combiner, value, [*parts, *ones]),), names=names)]

    def with_names(self, options: Sequence[Option], names) -> list[Option]:
        return [Option(o.value, o.factors, o.goals, (*names, *o.names)) for o in options]

    def joining(self, frame: Frame, node: Node) -> Combiner:
        """How several edges into a node are combined."""
        dag = frame.layer.dag
        of_paths = node == dag.destination or node in dag.ends
        return self.setting(
            frame, "path_combining_function" if of_paths else "and_combining_function"
        )

    def given(self, frame: Frame, node: Node, index: int | None) -> list[Part]:
        """The inputs of the rule at this node, where they are not just the entity asked for."""
        assert index is not None
        parts = []
        for place, term in enumerate(frame.layer.rule.head.terms):
            rows = frame.inputs.rows.get(place)
            if term != node or rows is None:
                continue
            explain = frame.inputs.given.get(place)
            if explain is not None:
                parts.append(explain(index))
        return parts

    def at_any(self, goal: Goal) -> list[Option]:
        """An output that any reaches: sums of other nodes, times what acts on the 1-vector."""
        frame, node, dag = goal.frame, goal.node, goal.frame.layer.dag
        into = dag.any_into(node)
        assert into is not None
        edges = [self.edge_part(frame, edge, goal.index) for edge in dag.incoming(node)]
        acting = Goal(frame, node, goal.index, len(frame.layer.applied.get(node, ())), on_ones=True)
        combiner = self.setting(frame, "path_combining_function")
        sums = [self.entries_of(frame, source) for source in into.inputs]
        if combiner is MULTIPLY:
            return [Option(goal.value, (*edges, *sums), (acting,))]
        whole = [*sums, self.total(acting, frame.best)]
        anything = Part("any", "any", float(prod(p.value for p in whole)), "product", tuple(whole))
        if not edges:
            return [Option(goal.value, (anything,))]
        return [Option(goal.value, (combined(combiner, goal.value, [*edges, anything]),))]

    def entries_sum(self, frame: Frame, node: Node) -> Part:
        """The entries of a node added up; "nothing" if that is the 1 of a given entity."""
        goal = goal_at(frame, node, None)
        if frame.layer.nodes[node].domain is None:
            return self.total(goal, frame.best)
        part = self.entries(frame, goal)
        if part.kind in ("sum", "nothing"):
            return part
        return Part("sum", "", part.value, "sum", (part,))

    def entries_of(self, frame: Frame, node: Node) -> Part:
        """The entries of a node as one number: what any does."""
        head = frame.layer.rule.head.signature
        function = AGGREGATIONS[str(self.program.parameters.get("any_aggregation_function", head))]
        goal = goal_at(frame, node, None)
        part = self.entries(frame, goal)
        label = f"{function.name} over {node_label(node)}"
        expr = self.planner.algebra.aggregate(function, frame.layer.nodes[node])
        value = frame.at(expr, None)
        if function is SUM:
            if part.kind == "nothing":
                return part
            children = part.children if part.operation == "sum" else (part,)
            return Part("any", label, value, "sum", children)
        return Part("any", label, value, "whole", (part,))

    def entries(self, frame: Frame, goal: Goal) -> Part:
        """All entries of a goal's vector, added up, the strongest explained."""
        expr = goal.expr
        if expr.domain is None:
            return self.total(Goal(frame, goal.node, None, goal.steps, goal.on_ones), frame.best)
        indexes, values = frame.entries(expr)
        chosen = strongest(values, max(MANY, frame.best))
        options = [
            Option(
                float(values[i]),
                goals=(Goal(frame, goal.node, int(indexes[i]), goal.steps, goal.on_ones),),
            )
            for i in chosen.tolist()
        ]
        return self.summed(frame, float(values.sum()), options, frame.best)

    def edge_part(self, frame: Frame, edge: Edge, index: int | None) -> Part:
        """An edge's value at an entity, as one of several that are combined."""
        value = frame.at(frame.layer.edges[edge], index)
        part = self.summed(frame, value, self.edge_options(frame, edge, index), frame.best)
        if part.kind in ("fact", "negation", "function"):
            return part
        return Part("path", f"by {edge.literal}", value, "sum", _children(part))

    def setting(self, frame: Frame, name: str) -> Combiner:
        return combiner_set(self.program, name, frame.layer.rule.head.signature)

    def vector(self, frame: Frame, node: Node, domain) -> Rows:
        """A node's value over a type."""
        found = frame.value(self.planner.algebra.expand(frame.layer.nodes[node], domain))
        assert isinstance(found, Rows)
        return found


def combined(combiner: Combiner, value: float, children: Sequence[Part]) -> Part:
    """Parts put together by a combiner that is not the usual one."""
    if len(children) == 1:
        return children[0]
    return Part("combine", combiner.name, value, "combine", tuple(children), combiner=combiner)


def _children(part: Part) -> tuple[Part, ...]:
    return part.children if part.kind == "sum" else (part,)
