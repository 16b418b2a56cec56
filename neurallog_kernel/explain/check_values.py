"""Checks that need the facts: parts that stand apart, empty types, rules that never fire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from neurallog_kernel.answers import format_weight
from neurallog_kernel.errors import NeuralLogError, Notice
from neurallog_kernel.evaluate.rows import Rows, constant
from neurallog_kernel.explain.check_rules import disconnected_parts, span_of
from neurallog_kernel.explain.lookup import find_fact
from neurallog_kernel.functions import MULTIPLY
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.language.printer import format_literal
from neurallog_kernel.language.syntax import Constant, Literal, Number, Rule, Signature, Variable
from neurallog_kernel.plan.layers import RuleLayer
from neurallog_kernel.plan.origins import sums_in
from neurallog_kernel.plan.stored_facts import combiner_set
from neurallog_kernel.rulegraph.graph import node_label

if TYPE_CHECKING:
    from neurallog_kernel.explain.check import Checked

MANY_FACTS = 2_000_000  # beyond this, what has to be computed is not
_NO_FACTS = (Role.FUNCTION, Role.COMPARISON)
_MULTIPLIED = ("path_combining_function", "and_combining_function", "edge_combining_function")


def layer_of(checked: Checked, rule: Rule) -> RuleLayer | None:
    """The rule as a part of its predicate's network; None if that cannot be built."""
    try:
        layer = checked.evaluator.layer(rule.head.signature)
    except NeuralLogError:
        return None
    return next((found for found in layer.rules if found.rule == rule), None)


def disconnected(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """Parts of a body that share no variable with the head: a factor of every answer."""
    for rule in rules:
        for places in disconnected_parts(rule):
            literals = [rule.body[i] for i in places]
            if all(checked.program.role(x.signature) in _NO_FACTS for x in literals):
                continue
            names = ", ".join(format_literal(literal) for literal in literals)
            factor = None if checked.quick else _factor(checked, rule, places)
            said = "" if factor is None else f", which is {format_weight(factor)} now"
            yield Notice(
                "disconnected",
                f"{names} shares no variable with the head: it multiplies every answer by its "
                f"sum{said}",
                literals[0].span or rule.span,
                "join it to the rest by a variable, or leave it out",
            )


def _factor(checked: Checked, rule: Rule, places: Sequence[int]) -> float | None:
    """What the part contributes: the sums of its ends."""
    layer = layer_of(checked, rule)
    if layer is None:
        return None
    mine = {t for i in places for t in rule.body[i].terms if isinstance(t, Variable)}
    ends = [one.expr for one in sums_in(layer.body) if one.node in mine]
    if not ends:
        return None
    values = []
    for expr in ends:
        if expr.uses_input:
            return None
        found = checked.evaluator.value(expr)
        assert isinstance(found, np.ndarray)
        values.append(float(found[0]))
    return float(prod(values))


def empty_types(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """Variables over a type without any entity."""
    program = checked.program
    for rule in rules:
        types = program.rule_types.get(rule)
        unknown = any(program.role(x.signature) is Role.EMPTY for x in rule.body)
        if types is None or unknown:  # of an unknown predicate another finding says more
            continue
        empty = [
            node_label(node)
            for node, slot in types.slots.items()
            if isinstance(node, Variable)
            and slot is not None
            and not len(program.entity_type(slot))
        ]
        if empty:
            yield Notice(
                "empty_type",
                f"there is no entity for {', '.join(dict.fromkeys(empty))}: sums over "
                f"{'it' if len(set(empty)) == 1 else 'them'} are 0",
                rule.span,
                "add facts or examples that name entities there",
            )


# -- rules that never fire ------------------------------------------------------------------------


def never_fires(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """Rules whose value is 0 whatever is asked."""
    program = checked.program
    alive = _alive(program)
    facts = sum(d.fact_count for d in program.definitions.values())
    for rule in rules:
        if not _multiplies(program, rule):
            continue
        dead = [x for x in rule.body if not x.negated and not _can_hold(program, x, alive)]
        if dead:
            if program.role(dead[0].signature) is Role.EMPTY:
                continue  # said already: nothing is known of it
            yield Notice(
                "never_fires",
                f"the rule never gives an answer: {format_literal(dead[0])} is 0",
                dead[0].span or rule.span,
                "add the facts it needs, or remove the rule",
            )
        elif not checked.quick and facts < MANY_FACTS:
            yield from _no_join(checked, rule)


def _multiplies(program: Program, rule: Rule) -> bool:
    """Whether one literal that is 0 makes the rule 0."""
    head = rule.head.signature
    if any(combiner_set(program, name, head) is not MULTIPLY for name in _MULTIPLIED):
        return False
    for literal in rule.body:
        function = program.function(literal.signature)
        if function is not None and (function.model is not None or _wakes(function)):
            return False
    return True


def _wakes(function) -> bool:
    zeros = [np.zeros((1, 2))] * function.inputs
    with np.errstate(all="ignore"):
        return bool(np.any(function.numpy(*zeros) != 0))


def _alive(program: Program) -> set[Signature]:
    """The predicates that can be other than 0."""
    alive = {
        s
        for s, d in program.definitions.items()
        if s in program.learnables
        or any((block.weights != 0).any() for block in d.facts)
        or (d.attached is not None and d.attached.count)
    }
    growing = True
    while growing:
        growing = False
        for rule in program.rules():
            head = rule.head.signature
            if head in alive:
                continue
            holds = all(x.negated or _can_hold(program, x, alive) for x in rule.body)
            if holds or not _multiplies(program, rule):
                alive.add(head)
                growing = True
    return alive


def _can_hold(program: Program, literal: Literal, alive: set[Signature]) -> bool:
    signature = literal.signature
    role = program.role(signature)
    if role in _NO_FACTS or signature in program.learnables or signature == ("true", 0):
        return True
    if role is Role.NUMERIC:
        return bool(program.definition(signature).fact_count)
    if signature not in alive:
        return False
    if program.definition(signature).rules:
        return True
    constants = [t for t in literal.terms if isinstance(t, Constant)]
    if len(constants) < len(literal.terms):
        numbers = [t.value for t in literal.terms if isinstance(t, Number)]
        if role is Role.ATTRIBUTE and numbers:
            definition = program.definition(signature)
            if definition.attached is not None:
                return True
            return any((block.numbers[0] == numbers[0]).any() for block in definition.facts)
        return True
    return True  # a ground fact is looked up where symbols are known


def _no_join(checked: Checked, rule: Rule) -> Iterator[Notice]:
    """Every literal has facts, but no entities fit all of them: the rule for all inputs at once."""
    program = checked.program
    for literal in rule.body:
        if not _is_there(checked, literal):
            yield Notice(
                "never_fires",
                f"the rule never gives an answer: there is no fact {format_literal(literal)}",
                literal.span or rule.span,
                "add the fact, or remove the rule",
            )
            return
    learned = rule.head.signature in program.learned_rules
    if (rule.weight == 0 and not learned) or not rule.body or _may_cancel(program, rule):
        return
    layer = layer_of(checked, rule)
    if layer is None:
        return
    places = range(rule.head.arity)
    sizes = [len(program.entity_type((*rule.head.signature, place))) for place in places]
    everything = {place: constant(size, np.ones(1)) for place, size in enumerate(sizes)}
    for node in layer.dag.topological():
        found = checked.evaluator.value(layer.nodes[node].expr, everything)
        values = found.values if isinstance(found, Rows) else found
        if (isinstance(found, Rows) and found.rest.any()) or np.any(values):
            continue
        edges = layer.dag.incoming(node)
        by = ", ".join(str(edge.literal) for edge in edges)
        by = by or ", ".join(map(str, layer.dag.loops.get(node, ())))
        literal = edges[0].literal if edges else None
        yield Notice(
            "never_fires",
            f"the rule never gives an answer: no entity for {node_label(node)} fits {by}"
            " and the literals before it",
            span_of(rule, literal),
            "check that the facts use the same names and that the arguments are in order",
        )
        return


def _is_there(checked: Checked, literal: Literal) -> bool:
    """Whether the fact of a ground literal is there; rules and learnables may yet make it so."""
    program, signature = checked.program, literal.signature
    plain = program.role(signature) is Role.RELATION and not program.definition(signature).rules
    if not plain or literal.negated or not literal.terms or signature in program.learnables:
        return True
    if not all(isinstance(t, Constant) for t in literal.terms):
        return True
    names = [t.name for t in literal.terms if isinstance(t, Constant)]
    return find_fact(program, checked.evaluator.symbols, signature, names) is not None


def _may_cancel(program: Program, rule: Rule) -> bool:
    """Whether negative or learned weights or negation could make a sum 0 by chance."""
    seen: set[Signature] = set()
    queue = [x for x in rule.body if any(isinstance(t, Variable) for t in x.terms)]
    while queue:
        literal = queue.pop()
        signature = literal.signature
        if literal.negated:
            return True
        if signature in seen:
            continue
        seen.add(signature)
        definition = program.definition(signature)
        if signature in program.learnables or signature in program.learned_rules:
            return True
        if definition.may_be_negative:
            return True
        queue += [x for other in definition.rules for x in other.body]
    return False
