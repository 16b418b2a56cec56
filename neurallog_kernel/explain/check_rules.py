"""Checks that look at a rule and its graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from neurallog_kernel.answers import format_weight
from neurallog_kernel.errors import Notice, Span
from neurallog_kernel.functions import Function, FunctionKind
from neurallog_kernel.knowledge.near_names import known_names, nearest_known
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.language.printer import format_literal
from neurallog_kernel.language.prolog import instead_of
from neurallog_kernel.language.syntax import Rule, Signature, Variable, variables
from neurallog_kernel.plan.row_literal import Groups, repeated_places
from neurallog_kernel.rulegraph.graph import BodyLiteral, Dag, Edge, Node, head_nodes, node_label
from neurallog_kernel.rulegraph.report import report

if TYPE_CHECKING:
    from neurallog_kernel.explain.check import Checked

_FIXES = {
    "only_any": "give it a variable that leads to the output, or read it as 'if there is any'",
    "separate_sums": "write a branch as a predicate of one argument, which is computed for "
    "each entity by itself, or write the pairs that fit as facts",
    "function_on_ones": "put the function on a variable that a literal reaches",
    "unused": "split the rule: a literal that would close a cycle needs a rule of its own",
}
_NAMES = {"unused": "unused_literal"}


def span_of(rule: Rule, literal: BodyLiteral | None) -> Span | None:
    """The place of a body literal, or of its rule."""
    if literal is None:
        return rule.span
    return rule.body[literal.index].span or rule.span


def unknown_predicates(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """Body predicates of which nothing is known."""
    program = checked.program
    known = known_names(program)
    for rule in rules:
        for literal in rule.body:
            if program.role(literal.signature) is not Role.EMPTY:
                continue
            name = f"{literal.predicate}/{literal.arity}"
            near = nearest_known(literal.signature, known)
            yield Notice(
                "unknown_predicate",
                f"nothing is known of {name}: it is 0 everywhere",
                literal.span or rule.span,
                instead_of(literal.predicate)
                or (f"did you mean {near}?" if near else "add facts or a rule for it"),
            )


def single_variables(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """Variables that occur once; those of a head over a ground body are meant (a bias)."""
    for rule in rules:
        if not any(isinstance(t, Variable) for literal in rule.body for t in literal.terms):
            continue
        counts = Counter(variables(rule))
        numbers = _number_variables(checked.program, rule)  # these stand by themselves
        once = [
            v
            for v, times in counts.items()
            if times == 1 and not v.name.startswith("_") and v not in numbers
        ]
        head = set(rule.head.terms)
        own = [v.name for v in once if v not in head]
        if own:
            they = "occurs" if len(own) == 1 else "occur"
            yield Notice(
                "single_variable",
                f"{_and(own)} {they} once: any entity fits, and the weights of all are added",
                next((v.span for v in once if v.span and v not in head), rule.span),
                f"write _ (or _{own[0]}) if that is meant; else check the spelling",
            )
        free = [v.name for v in once if v in head]
        if free:
            yield Notice(
                "single_variable",
                f"{_and(free)} of the head {'is' if len(free) == 1 else 'are'} not in the body: "
                "the value is the same for every entity",
                rule.span,
                "use the variable in the body, if it should matter",
            )


def negated_sums(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """Negated literals with a variable of their own: Prolog's *there is none* is not what it is."""
    for rule in rules:
        counts = Counter(variables(rule))
        for literal in rule.body:
            own = [t for t in literal.terms if isinstance(t, Variable) and counts[t] == 1]
            kept = [t.name for t in literal.terms if isinstance(t, Variable) and t not in own]
            if not literal.negated or not own or len(kept) != 1:
                continue
            atom, x = format_literal(replace(literal, negated=False)), kept[0]
            which = "entities" if own[0].name.startswith("_") else own[0].name
            yield Notice(
                "negated_sum",
                f"not {atom} adds up over all {which}: it counts those for which it is not true",
                literal.span or rule.span,
                f"for 'there is none', write n({x}) :- {atom}. some({x}) :- n({x}), "
                f"step({x}). and here not some({x})",
            )


def _number_variables(program: Program, rule: Rule) -> set[Variable]:
    """The variables at places that hold numbers."""
    return {
        term
        for literal in rule.body
        for term, number in zip(literal.terms, program.numeric(literal.signature), strict=True)
        if number and isinstance(term, Variable)
    }


def graph_findings(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """What the graph of a rule says of itself."""
    program = checked.program
    for rule in rules:
        dag = checked.planner.dag(checked.program, rule, None)
        for found in report(dag, lambda signature: program.function(signature) is not None):
            fix = _FIXES.get(found.kind)
            if fix is None or (found.kind == "only_any" and _is_disconnected(rule, found.literals)):
                continue
            first = found.literals[0] if found.literals else None
            kind = _NAMES.get(found.kind, found.kind)
            yield Notice(kind, found.message, span_of(rule, first), fix)


def separate_calls(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """Calls for many entities at once of a predicate whose rules branch at that place."""
    for rule in rules:
        dag = checked.planner.dag(checked.program, rule, None)
        for edge in dag.edges:
            many = [n for n in edge.inputs if isinstance(n, Variable) and n not in dag.sources]
            if many and _branches(checked, edge, set()):
                yield Notice(
                    "separate_sums",
                    f"{edge.literal} is asked for all {node_label(many[0])} at once, and its rules "
                    "branch there: the branches are summed separately, the result is not the "
                    "count of proofs",
                    span_of(rule, edge.literal),
                    _FIXES["separate_sums"],
                )


def _branches(checked: Checked, call: Edge, seen: set[tuple[Signature, int, Groups]]) -> bool:
    """Whether several branches leave an input in a rule of a predicate, or of one it calls."""
    literal, output = call.literal, call.output_place
    key = (literal.signature, output, repeated_places(literal.nodes))
    if key in seen:
        return False
    seen.add(key)
    for rule in checked.program.definition(literal.signature).rules:
        dag = checked.planner.dag(checked.program, rule, output, key[2])
        if any(isinstance(s, Variable) and _exits(dag, s) > 1 for s in dag.sources):
            return True
        called = [edge for edge in dag.edges if set(edge.inputs) & set(dag.sources)]
        if any(_branches(checked, edge, seen) for edge in called):
            return True
    return False


def _is_disconnected(rule: Rule, literals: Sequence[BodyLiteral]) -> bool:
    """Whether another finding, with its number, says it better."""
    apart = {literal for part in disconnected_parts(rule) for literal in part}
    return all(literal.index in apart for literal in literals)


def disconnected_parts(rule: Rule) -> list[list[int]]:
    """Groups of body literals (by their places) that share no variable with the rest or the head.

    >>> from neurallog_kernel.language import parse
    >>> rule, = parse("h(X, Y) :- p(X, Y), q(A, B), r(B).", "doc")
    >>> disconnected_parts(rule)
    [[1, 2]]
    """
    groups: list[tuple[set[Variable], list[int]]] = []
    for index, literal in enumerate(rule.body):
        mine = {t for t in literal.terms if isinstance(t, Variable)}
        if not mine:
            continue
        places = [index]
        apart = []
        for names, others in groups:
            if names & mine:
                mine |= names
                places = others + places
            else:
                apart.append((names, others))
        groups = [*apart, (mine, places)]
    head = {t for t in rule.head.terms if isinstance(t, Variable)}
    if not head:
        return []
    return [sorted(places) for names, places in groups if not names & head]


def functions_at_zero(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """Functions in the middle of a chain that make something of nothing."""
    program = checked.program
    for rule in rules:
        dag = checked.planner.dag(checked.program, rule, None)
        for node, literals in dag.loops.items():
            inside = any(node in edge.inputs for edge in dag.edges)
            reached = dag.incoming(node) or node in dag.sources
            if not inside or not reached or node == dag.destination:
                continue
            for literal in literals:
                function = program.function(literal.signature)
                value = None if function is None else _at_zero(function)
                if value:
                    yield Notice(
                        "function_at_zero",
                        f"{literal} gives {value} also to every entity that the rule did not "
                        "reach, and the rule goes on from all of them",
                        span_of(rule, literal),
                        "put it on the output, or use a function with f(0) = 0, such as tanh",
                    )


def _at_zero(function: Function) -> str:
    if function.kind is FunctionKind.ELEMENTWISE:
        value = function.value_at_zero
        return "" if value == 0 else format_weight(value)
    if function.kind is not FunctionKind.ROWWISE or function.model is not None:
        return ""
    zeros = [np.zeros((1, 2))] * function.inputs
    return "a share" if np.any(function.numpy(*zeros) != 0) else ""


def counted_twice(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """Weights on a node with several exits: each exit multiplies by them. Several exits may be in
    the rules of the one predicate that a node enters, too."""
    program = checked.program
    for rule in rules:
        dag = checked.planner.dag(checked.program, rule, None)
        for node in dag.nodes:
            exits, where = _exits(dag, node), ""
            if exits == 1 and node in dag.sources and dag.loops.get(node):
                (call,) = [e for e in dag.edges if node in e.inputs] or [None]
                exits = _exits_inside(checked, call, node, set()) if call else 1
                where = f" in the rules of {call.literal.predicate}" if call else ""
            if exits < 2:
                continue
            weighty = [
                literal
                for literal in (*dag.loops.get(node, ()), *(e.literal for e in dag.incoming(node)))
                if _has_weights(program, literal.signature)
            ]
            if weighty:
                names = ", ".join(map(str, weighty))
                yield Notice(
                    "counted_twice",
                    f"the weight of {names} counts {exits} times, because {exits} branches leave "
                    f"{node_label(node)}{where}",
                    span_of(rule, weighty[0]),
                    "write one branch without this literal, as a rule of another predicate",
                )


def _exits_inside(
    checked: Checked, call: Edge, node: Node, seen: set[tuple[BodyLiteral, int]]
) -> int:
    """How many branches leave a term of a call in one rule of its predicate, or of one it calls."""
    literal, output = call.literal, call.output_place
    if (literal, output) in seen:
        return 1
    seen.add((literal, output))
    most = 1
    for rule in checked.program.definition(literal.signature).rules:
        dag = checked.planner.dag(checked.program, rule, output, repeated_places(literal.nodes))
        heads = zip(head_nodes(dag.rule.head), literal.nodes, strict=True)
        for term in {term for term, own in heads if own == node} & set(dag.sources):
            inside = [edge for edge in dag.edges if term in edge.inputs]
            further = [_exits_inside(checked, edge, term, seen) for edge in inside]
            most = max([most, _exits(dag, term), *further])
    return most


def _exits(dag: Dag, node: Node) -> int:
    edges = sum(node in edge.inputs for edge in dag.edges)
    return edges + sum(node in edge.inputs for edge in dag.any_edges)


def _has_weights(program: Program, signature: Signature) -> bool:
    """Whether its values are not just 0 and 1."""
    if program.role(signature) in (Role.FUNCTION, Role.COMPARISON):
        return False
    definition = program.definition(signature)
    if definition.rules or signature in program.learnables:
        return True
    if definition.attached is not None:
        return not definition.is_unweighted or any(definition.attached.numeric)
    return any((block.weights != 1.0).any() or block.numbers for block in definition.facts)


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
