"""What a reader of a rule should know: where the network is not what the logic says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from neurallog_kernel.language.syntax import Signature, Variable, variables
from neurallog_kernel.rulegraph.graph import BodyLiteral, Dag, Node, node_label

IsFunction = Callable[[Signature], bool]


@dataclass(frozen=True)
class Finding:
    """One observation: its kind, a sentence, and the literals and nodes concerned."""

    kind: str
    message: str
    literals: tuple[BodyLiteral, ...] = ()
    nodes: tuple[Node, ...] = ()

    def __str__(self) -> str:
        return self.message


def report(dag: Dag, is_function: IsFunction) -> tuple[Finding, ...]:
    """All findings of a rule read for one output."""
    return tuple(
        finding
        for look in (_only_any, _free_variables, _separate_sums, _on_ones, _unused)
        for finding in look(dag, is_function)
    )


def _only_any(dag: Dag, _: IsFunction) -> Iterator[Finding]:
    """Literals that reach the output only through any."""
    if dag.destination is None or not dag.sources:
        return
    reaching = _reaching(dag)
    only = [edge.literal for edge in dag.edges if edge.output not in reaching]
    if only:
        names = ", ".join(map(str, only))
        yield Finding(
            "only_any",
            f"{names} reach{'es' if len(only) == 1 else ''} the output only as a sum (any)",
            tuple(only),
        )


def _reaching(dag: Dag) -> set[Node]:
    """The nodes from which literals lead to the output."""
    reaching: set[Node] = {dag.destination} if dag.destination is not None else set()
    for node in reversed(list(dag.topological())):
        if node in reaching:
            reaching.update(source for edge in dag.incoming(node) for source in edge.inputs)
    return reaching


def _free_variables(dag: Dag, _: IsFunction) -> Iterator[Finding]:
    """Variables that occur once in the rule."""
    counts = Counter(variables(dag.rule))
    free = [v for v, times in counts.items() if times == 1 and not v.anonymous]
    if free:
        names = ", ".join(v.name for v in free)
        plural = "s" if len(free) > 1 else ""
        yield Finding("free_variable", f"free variable{plural} {names}", nodes=tuple(free))


def _separate_sums(dag: Dag, _: IsFunction) -> Iterator[Finding]:
    """Inner nodes with several exits: the branches may take different entities for them."""
    for node in dag.nodes:
        if not isinstance(node, Variable) or node in dag.sources or node == dag.destination:
            continue
        exits = [str(edge.literal) for edge in dag.edges if node in edge.inputs]
        exits += ["any" for edge in dag.any_edges if node in edge.inputs]
        if len(exits) > 1:
            yield Finding(
                "separate_sums",
                f"{', '.join(exits)} start at {node_label(node)}, and each is summed by itself: "
                f"the result is not the number of proofs",
                tuple(edge.literal for edge in dag.edges if node in edge.inputs),
                (node,),
            )


def _on_ones(dag: Dag, is_function: IsFunction) -> Iterator[Finding]:
    """Functions that act on the 1-vector instead of a computed value."""
    for node in dag.nodes:
        functions = [
            literal for literal in dag.loops.get(node, ()) if is_function(literal.signature)
        ]
        if functions and _is_ones(dag, node):
            names = ", ".join(map(str, functions))
            yield Finding(
                "function_on_ones",
                f"{names} act{'s' if len(functions) == 1 else ''} on the 1-vector of "
                f"{node_label(node)}, not on a computed value",
                tuple(functions),
                (node,),
            )


def _is_ones(dag: Dag, node: Node) -> bool:
    if node == dag.destination and dag.sources:
        return dag.any_into(node) is not None
    return node not in dag.sources and node != dag.destination and not dag.incoming(node)


def _unused(dag: Dag, _: IsFunction) -> Iterator[Finding]:
    """Literals in no path: their direction would close a cycle."""
    if dag.unused:
        names = ", ".join(map(str, dag.unused))
        yield Finding(
            "unused", f"{names} is in no path and does not influence the result", dag.unused
        )
