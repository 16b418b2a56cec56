"""Predicates and rules as numbers (LANGUAGE 3.2 to 3.5, 4, 5), on dense vectors.

Choices where the text leaves one:

* 3.1 (b), an edge between two inputs, and 3.3, the one-hot of a constant, multiply whatever
  `and_combining_function` says; edges into an inner node are combined with it, and `any` into an
  inner node is one more part, the 1-vector, after the others.
* 3.2: a function of two terms keeps a scalar a scalar, as a function of one does.
* 4.2: the ends of a concept are its destinations (O 5.3), so what enters them, and the ends
  themselves, are combined with `path_combining_function`; an end is summed, whatever
  `any_aggregation_function` says. An end that is a numeric variable is summed over the owners.
* 4.4: a constant in a head restricts the input and no more: `k(a, Y) :- p(a, Y), sigmoid(Y).` is
  sigmoid(0) for any other first argument.
* 4.4: a head such as h(X, Y, X) is evaluated as h(Y, X) and multiplied by the vector of the other
  X. A variable at several inputs, as X in h(X, X, Y) asked at Y, has their product; where that is
  zero everywhere, off the diagonal, the rule is zero, whatever its body makes of zero.
* 4.8: a literal with a repeated term takes of each rule what has one term at those places: the
  terms of its head there are made one (4.4 then says how it is evaluated), two constants give
  nothing. Only a number in the head cannot be made one with an entity: that rule gets the value of
  the term at each place. The facts of the predicate are those whose places agree. The sums of `not`
  count a term once.
* 4.5: the sums of a complement are sums, whatever `any_aggregation_function` says.
* 4.7: the parts present are the facts, if the predicate has any at all, and every rule, also one
  whose body is zero; settings of a rule are those of its head.
* 3.3: a ground function of two constants sends the one-hot of the first to the second and is read
  there, so `tanh(a, b)` is tanh(0); a ground function of a number is its value at the number.
* 2.3: the weight is combined with the value, or with the combined values of an all-numeric fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, reduce
from typing import TypeAlias

import numpy as np

from neurallog_kernel.language.syntax import Constant, Signature, Variable

from .functions import aggregation, apply, bare, combination
from .graph import BodyLiteral, Graph, Node, NumberNode, build
from .program import HeadAndBody, Program, StoredFact

Array: TypeAlias = np.ndarray
Opened: TypeAlias = tuple[Signature, ...]  # 4.6: the predicates on the chain of calls, sorted


class Evaluator:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.delicate = False  # see `seen`
        self.graph = cache(self._graph)
        self.concept = cache(self._concept)
        self.diagonal = cache(self._diagonal)

    def seen(self, value: Array) -> Array:
        """Notes values that another order of the same operations may not reproduce: not finite,
        very large, or nearly zero (zero or not makes a difference to aggregates and 1/x)."""
        size = np.abs(value)
        if (
            not np.all(np.isfinite(value))
            or np.any(size > 1e9)
            or np.any((size > 0) & (size < 1e-9))
        ):
            self.delicate = True
        return value

    # Predicates ----------------------------------------------------------------------------

    def size(self, signature: Signature, place: int) -> int:
        return len(self.program.types.of_slot(signature, place))

    def open(self, signature: Signature, opened: Opened) -> Opened | None:
        """4.6: the chain with one more call; None where the call is beyond the depth."""
        if opened.count(signature) > int(self.program.parameter("recursion_depth", signature)):
            return None
        return tuple(sorted((*opened, signature)))

    def alternatives(self, signature: Signature, parts: Sequence[Array], zero: Array) -> Array:
        """4.1, 4.7: OR over the parts present."""
        name = self.program.parameter("literal_combining_function", signature)
        if name.startswith("top_") and parts:
            best = np.sort(np.stack(np.broadcast_arrays(*parts)), axis=0)[::-1][: int(name[4:])]
            return 1.0 - np.prod(1.0 - best, axis=0)
        return reduce(combination(name), parts) if parts else zero

    def proposition(self, signature: Signature, opened: Opened) -> float:
        """4.1 for arity 0."""
        chain = self.open(signature, opened)
        if chain is None:
            return 0.0
        parts = [np.asarray(f.weight) for f in self.facts(signature)]
        for rule in self.program.rules.get(signature, ()):
            graph = self.graph(rule, None)
            parts.append(rule.weight * RuleValue(self, rule, graph, {}, chain).of_ends(None))
        return float(self.alternatives(signature, parts, np.asarray(0.0)))

    def _concept(self, signature: Signature, opened: Opened) -> Array:
        """4.2: the vector of all h(e)."""
        members = self.program.types.of_slot(signature, 0)
        zero = np.zeros(len(members))
        chain = self.open(signature, opened)
        if chain is None:
            return zero
        parts = []
        if facts := self.facts(signature):
            vector = zero.copy()
            for fact in facts:
                vector[members.index(fact.entities[0])] = fact.weight
            parts.append(vector)
        for rule in self.program.rules.get(signature, ()):
            parts.append(rule.weight * self.one_by_one(rule, rule.head[0], chain))
        return self.seen(self.alternatives(signature, parts, zero))

    def one_by_one(self, rule: HeadAndBody, node: Node, chain: Opened) -> Array:
        """4.2: a rule with one term in its head, for the one-hot input of every entity."""
        members = self.program.types.of_node(rule, node) or []
        graph = self.graph(rule, 0)
        values = [
            RuleValue(self, rule, graph, {node: one_hot}, chain).of_ends(i)
            for i, one_hot in enumerate(np.eye(len(members)))
        ]
        return np.array(values, dtype=float)

    def relation(
        self,
        signature: Signature,
        output: int,
        inputs: Mapping[int, Array],
        opened: Opened,
        terms: Sequence[object] | None = None,
    ) -> Array:
        """4.1, 4.3: a predicate of arity 2 or more, from its other places to place `output`;
        `terms` are what a literal holds at its places, where one may stand at several."""
        if terms is not None and self.program.declared(signature):
            return self.of_numbered_facts(signature, output, inputs, terms)
        zero = np.zeros(self.size(signature, output))
        chain = self.open(signature, opened)
        if chain is None:
            return zero
        parts = []
        if self.facts(signature):
            parts.append(self.of_facts(signature, output, inputs, terms or range(signature[1])))
        for rule in self.program.rules.get(signature, ()):
            value = self.called(rule, output, inputs, chain, terms)
            parts.append(rule.weight * (zero if value is None else value))
        return self.seen(self.alternatives(signature, parts, zero))

    def called(
        self,
        rule: HeadAndBody,
        output: int,
        inputs: Mapping[int, Array],
        chain: Opened,
        terms: Sequence[object] | None,
    ) -> Array | None:
        """4.8: a rule for the terms of a literal; None if one of them would be two entities."""
        places = range(len(rule.head))
        pairs = [(p, q) for p in places for q in places[:p] if terms and terms[p] == terms[q]]
        if any(self.is_number(rule, rule.head[place]) for pair in pairs for place in pair):
            return self.rule(rule, output, inputs, chain)
        for later, first in pairs:
            one, other = rule.head[first], rule.head[later]
            if isinstance(one, Constant) and isinstance(other, Constant) and one != other:
                return None
            if one != other:
                old, new = (one, other) if isinstance(other, Constant) else (other, one)
                rule = rule.with_one_term(old, new)
        again = {later for later, _ in pairs}
        once = {place: value for place, value in inputs.items() if place not in again}
        return self.rule(rule, output, once, chain)

    def is_number(self, rule: HeadAndBody, node: Node) -> bool:
        """2.3, 2.5: whether a term of a rule is a number."""
        attributes = [x for x in rule.body if self.program.is_attribute(x.signature)]
        values = [x.nodes[1 - self.program.owner_place(x.signature)] for x in attributes]
        return node in values or self.program.types.is_one_number(rule, node)

    def of_facts(
        self,
        signature: Signature,
        output: int,
        inputs: Mapping[int, Array],
        terms: Sequence[object],
    ) -> Array:
        """4.8: fact by fact. The value of a term counts once, wherever it stands, and a fact counts
        if it has one entity at all the places of each term."""
        members = [self.program.types.of_slot(signature, p) for p in range(signature[1])]
        result = np.zeros(len(members[output]))
        for fact in self.facts(signature):
            entity_of = dict(zip(terms, fact.entities, strict=True))
            if any(entity_of[t] != e for t, e in zip(terms, fact.entities, strict=True)):
                continue
            value = fact.weight
            for term, entity in entity_of.items():
                place = list(terms).index(term)
                if term != terms[output]:
                    value = value * inputs[place][members[place].index(entity)]
            result[members[output].index(fact.entities[output])] += value
        return result

    def of_numbered_facts(
        self,
        signature: Signature,
        output: int,
        inputs: Mapping[int, Array],
        terms: Sequence[object],
    ) -> Array:
        """2.5: a literal of a rule whose predicate has declared numbers, fact by fact. The vector
        of such a number is over the facts; each gives its weight times its numbers."""
        facts, declared = self.facts(signature), self.program.declared(signature)
        members = [self.program.types.of_slot(signature, p) for p in range(signature[1])]
        result = np.zeros(len(facts) if output in declared else len(members[output]))
        for row, fact in enumerate(facts):
            names = dict(zip(terms, fact.entities, strict=True))
            if any(names[t] != n for t, n in zip(terms, fact.entities, strict=True)):
                continue
            at = [
                row if p in declared else members[p].index(fact.entities[p])
                for p in range(signature[1])
            ]
            asked = [
                t.value if isinstance(t, NumberNode) else None
                for p, t in enumerate(terms)
                if p in declared
            ]
            value = self.attribute_value(signature, fact, asked)
            for term in dict.fromkeys(terms):
                place = list(terms).index(term)
                if term != terms[output]:
                    value = value * inputs[place][at[place]]
            result[at[output]] += value
        return result

    def rule(
        self, rule: HeadAndBody, output: int, inputs: Mapping[int, Array], chain: Opened
    ) -> Array:
        """3.5, 4.3, 4.4: one rule with a head of arity 2 or more."""
        given: dict[Node, Array] = {}
        for place, vector in inputs.items():
            node = rule.head[place]
            given[node] = given[node] * vector if node in given else vector
        result_node = rule.head[output]
        if len(set(rule.head)) == 1:
            return given[result_node] * self.one_by_one(rule, result_node, chain)
        diagonal = given.pop(result_node, None)
        value = RuleValue(self, rule, self.graph(rule, output), given, chain).of_destination()
        if any(rule.head.count(node) > 1 and not given[node].any() for node in _variables(given)):
            value = np.zeros_like(value)  # two inputs of one variable with nothing in common
        return value if diagonal is None else value * diagonal

    def _graph(self, rule: HeadAndBody, output: int | None) -> Graph:
        """3.1; 4.4: a repeated head term is one node."""
        head = tuple(dict.fromkeys(rule.head))
        place = None if output is None else head.index(rule.head[output])
        return build(head, rule.body, place)

    def _diagonal(self, signature: Signature, opened: Opened) -> Array:
        """4.4: d(e) is the entry e of r(e, .., Y), over the type of the first place."""
        arity = signature[1]
        members = [self.program.types.of_slot(signature, p) for p in range(arity)]
        values = []
        for entity in members[0]:
            if any(entity not in m for m in members):
                values.append(0.0)
                continue
            inputs = {p: _one_hot(members[p], entity) for p in range(arity - 1)}
            row = self.relation(signature, arity - 1, inputs, opened)
            values.append(row[members[-1].index(entity)])
        return np.array(values, dtype=float)

    # Facts ---------------------------------------------------------------------------------

    def facts(self, signature: Signature) -> list[StoredFact]:
        return list(self.program.facts.get(signature, {}).values())

    def attribute_value(
        self, signature: Signature, fact: StoredFact, numbers: Sequence[float | None]
    ) -> float:
        """2.3: weight times value; 0 where a number is given and is another."""
        for asked, value in zip(numbers, fact.numbers, strict=True):
            if asked is not None and asked != value:
                return 0.0
        values = combination(self.program.parameter("attributes_combine_function", signature))
        weight = combination(
            self.program.parameter("weighted_attribute_combining_function", signature)
        )
        return float(weight(fact.weight, reduce(values, fact.numbers)))

    def attribute(self, literal: BodyLiteral) -> Array:
        """2.3: weight times value over the owners."""
        signature = literal.signature
        owners = self.program.types.of_slot(signature, self.program.owner_place(signature))
        vector = np.zeros(len(owners))
        for fact in self.facts(signature):
            vector[owners.index(fact.entities[0])] = self.attribute_value(
                signature, fact, self.numbers(literal)
            )
        return vector

    def all_numeric(self, literal: BodyLiteral) -> float:
        """2.3: the weight times the value of the one fact of an all-numeric predicate."""
        signature = literal.signature
        for fact in self.facts(signature):
            return self.attribute_value(signature, fact, self.numbers(literal))
        return 0.0

    def numbers(self, literal: BodyLiteral) -> list[float | None]:
        places = sorted(self.program.numeric_places(literal.signature))
        nodes = [literal.nodes[p] for p in places]
        return [n.value if isinstance(n, NumberNode) else None for n in nodes]

    # Ground literals -----------------------------------------------------------------------

    def ground(self, literal: BodyLiteral, rule: HeadAndBody, chain: Opened) -> float:
        """3.3, 4.3, 4.5: a ground literal in no path."""
        value = self.ground_value(literal, rule, chain)
        return self.whole(literal, 1.0) - value if literal.negated else value

    def whole(self, literal: BodyLiteral, total: float) -> float:
        """4.5, 4.7: what a negated literal is taken from."""
        name = self.program.parameter("literal_negation_function", literal.signature)
        return 0.0 if bare(name) == "negative" else total

    def ground_value(self, literal: BodyLiteral, rule: HeadAndBody, chain: Opened) -> float:
        signature = literal.signature
        if self.program.is_function(signature):
            return self.ground_function(literal, rule)
        if self.program.is_all_numeric(signature):
            return self.all_numeric(literal)
        if self.program.is_attribute(signature):
            place = self.program.owner_place(signature)
            owner = literal.nodes[place]
            assert isinstance(owner, Constant)
            index = self.program.types.of_slot(signature, place).index(owner.name)
            return float(self.attribute(literal)[index])
        names = [node.name for node in literal.nodes if isinstance(node, Constant)]
        if self.program.declared(signature):
            return self.ground_numbers(literal)
        return self.entry(signature, names, chain)

    def ground_numbers(self, literal: BodyLiteral) -> float:
        """2.5, 3.3: the fact with these entities and numbers."""
        places = list(enumerate(literal.nodes))
        for fact in self.facts(literal.signature):
            if all(fact.entities[p] == n.name for p, n in places if isinstance(n, Constant)):
                asked = [n.value for _, n in places if isinstance(n, NumberNode)]
                return self.attribute_value(literal.signature, fact, asked)
        return 0.0

    def entry(self, signature: Signature, names: Sequence[str], opened: Opened) -> float:
        """4.3: a ground atom is the entry of its last argument."""
        if not names:
            return self.proposition(signature, opened)
        members = [self.program.types.of_slot(signature, p) for p in range(len(names))]
        last = members[-1].index(names[-1])
        if len(names) == 1:
            return float(self.concept(signature, opened)[last])
        inputs = {p: _one_hot(members[p], names[p]) for p in range(len(names) - 1)}
        return float(self.relation(signature, len(names) - 1, inputs, opened)[last])

    def ground_function(self, literal: BodyLiteral, rule: HeadAndBody) -> float:
        """3.3: the value at the constant, or at the number. A constant that is in no type is a row
        of its own."""
        first, last = literal.nodes[0], literal.nodes[-1]
        if isinstance(first, NumberNode):
            return float(apply(literal.predicate, np.asarray(first.value)))
        if not isinstance(first, Constant) or not isinstance(last, Constant):
            return float(apply(literal.predicate, np.asarray(1.0)))
        members = self.program.types.of_node(rule, first) or sorted({first.name, last.name})
        value = apply(literal.predicate, _one_hot(members, first.name))
        return float(value if value.ndim == 0 else value[members.index(last.name)])


class RuleValue:
    """3.2 to 3.4, O 5.4: the value of one rule for given input vectors, node by node."""

    def __init__(
        self,
        evaluator: Evaluator,
        rule: HeadAndBody,
        graph: Graph,
        inputs: Mapping[Node, Array],
        chain: Opened,
    ) -> None:
        self.evaluator = evaluator
        self.program = evaluator.program
        self.rule = rule
        self.graph = graph
        self.inputs = inputs
        self.chain = chain
        self.value = cache(self._value)

    def setting(self, name: str):
        return combination(self.program.parameter(name, self.rule.signature))

    # Results -------------------------------------------------------------------------------

    def of_destination(self) -> Array:
        """3.3 to 3.5: the vector over the output's type."""
        assert self.graph.destination is not None
        value = self.times_ground(self.destination_value(self.graph.destination))
        return value * self.ones(self.graph.destination)

    def of_ends(self, entity: int | None) -> float:
        """3.1 (b), 4.2: ends multiply; an end at the input is read there, others are summed."""
        together = self.setting("path_combining_function")
        parts = []
        for end in self.graph.ends:
            value = self.value(end)
            if end in self.inputs and value.ndim > 0:
                assert entity is not None
                parts.append(value[entity])
            else:
                parts.append(value.sum())
        value = reduce(together, parts) if parts else None
        return float(self.times_ground(value))

    def times_ground(self, value: Array | None) -> Array:
        """3.3: times every ground literal that is in no path (O 5.4: by the paths' function)."""
        together = self.setting("path_combining_function")
        for literal in self.graph.ground:
            weight = np.asarray(self.evaluator.ground(literal, self.rule, self.chain))
            value = weight if value is None else together(value, weight)
        return np.asarray(1.0) if value is None else np.asarray(value)

    # Nodes ---------------------------------------------------------------------------------

    def members(self, node: Node) -> list[str] | None:
        return self.program.types.of_node(self.rule, node)

    def ones(self, node: Node) -> Array:
        """3.2: the 1-vector of a node's type."""
        members = self.members(node)
        return np.asarray(1.0) if members is None else np.ones(len(members))

    def _value(self, node: Node) -> Array:
        """O 5.4, the paper: incoming edges in order, then unary literals in body order."""
        edges = [self.edge(literal, node) for literal in self.graph.edges.get(node, ())]
        if node in self.inputs:
            combined = reduce(np.multiply, edges, self.inputs[node])
        else:
            if node in self.graph.any_into:
                edges.append(self.ones(node))
            is_end = node in self.graph.ends
            name = "path_combining_function" if is_end else "and_combining_function"
            combined = reduce(self.setting(name), edges) if edges else self.ones(node)
        return self.evaluator.seen(self.with_loops(node, combined))

    def destination_value(self, node: Node) -> Array:
        """3.4, O 5.4: the destination of a head of arity 2 or more."""
        parts = [self.edge(literal, node) for literal in self.graph.edges.get(node, ())]
        terms = self.graph.any_into.get(node)
        together = self.setting("path_combining_function")
        if not terms:
            return self.with_loops(node, reduce(together, parts) if parts else self.ones(node))
        name = self.program.parameter("any_aggregation_function", self.rule.signature)
        any_value = self.with_loops(node, self.ones(node))
        for term in terms:
            any_value = aggregation(name)(self.value(term)) * any_value
        return self.at_constant(node, reduce(together, [*parts, any_value]))

    def at_constant(self, node: Node, value: Array) -> Array:
        """3.3: a constant's value is multiplied by its one-hot."""
        if not isinstance(node, Constant):
            return value
        return value * _one_hot(self.members(node) or [], node.name)

    def with_loops(self, node: Node, value: Array) -> Array:
        """3.1 (a), 3.3: unary literals and functions of a node, in body order."""
        value = self.at_constant(node, value)
        for literal in self.graph.loops.get(node, ()):
            value = self.loop(literal, self.evaluator.seen(value))
        return self.at_constant(node, value)

    # Literals ------------------------------------------------------------------------------

    def loop(self, literal: BodyLiteral, value: Array) -> Array:
        """3.1 (a), 4.2, 4.4, 4.5: a literal that stays at its node."""
        signature = literal.signature
        if self.program.is_function(signature):
            return apply(literal.predicate, value)
        if self.program.is_all_numeric(signature):
            together = self.setting("edge_combining_function")
            return together(value, self.evaluator.all_numeric(literal))
        if signature[1] == 1:
            weights = self.evaluator.concept(signature, self.chain)
        else:
            weights = self.evaluator.diagonal(signature, self.chain)
        if literal.negated:
            weights = self.evaluator.whole(literal, 1.0) - weights
        return self.setting("edge_combining_function")(value, weights)

    def edge(self, literal: BodyLiteral, output: Node) -> Array:
        """3.2, 4.1, 4.3, 4.5: a literal that enters `output` from its other terms."""
        signature = literal.signature
        given = {place: self.value(node) for place, node in literal.inputs_towards(output)}
        if self.program.is_function(signature):
            return apply(literal.predicate, next(iter(given.values())))
        if self.program.is_all_numeric(signature):
            together = self.setting("edge_combining_function")
            return together(next(iter(given.values())), self.evaluator.all_numeric(literal))
        vectors = {p: value * self.ones(literal.nodes[p]) for p, value in given.items()}
        if self.program.is_attribute(signature):
            together = self.setting("edge_combining_function")
            return together(next(iter(vectors.values())), self.evaluator.attribute(literal))
        place = literal.place_of(output)
        value = self.evaluator.relation(signature, place, vectors, self.chain, literal.nodes)
        if literal.negated:
            by_term = {literal.nodes[p]: vector for p, vector in vectors.items()}
            total = reduce(np.multiply, [vector.sum() for vector in by_term.values()])
            return self.evaluator.whole(literal, total) - value
        return value


def _variables(nodes: Iterable[Node]) -> list[Variable]:
    return [node for node in nodes if isinstance(node, Variable)]


def _one_hot(members: Sequence[str], name: str) -> Array:
    return np.array([float(member == name) for member in members])
