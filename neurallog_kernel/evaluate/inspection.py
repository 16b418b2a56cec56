"""Looking inside a program: what a predicate is, its facts, its types, and a rule's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neurallog_kernel.depth import deep
from neurallog_kernel.errors import QueryError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.rows import Rows, total
from neurallog_kernel.evaluate.summaries import PredicateSummary, Trace, TypeSummary, Value
from neurallog_kernel.knowledge.relations import FactVector, Relation, scalar
from neurallog_kernel.knowledge.roles import Role, owner_place
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.language import parse_query
from neurallog_kernel.language.printer import format_number
from neurallog_kernel.language.syntax import Constant, Literal, Rule, Signature
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.plan.layers import LiteralLayer, RuleLayer
from neurallog_kernel.plan.origins import Complement, Ground, Origin, Reached, Unknown, sums_in

SHOWN = 5  # entities listed of a vector


@dataclass
class Inspector:
    """Answers about one state of a program; what it returns is plain data."""

    evaluator: Evaluator

    def __post_init__(self) -> None:
        self.program = self.evaluator.program
        self.planner = self.evaluator.planner

    # -- predicates -----------------------------------------------------------------------------

    def predicate(self, signature: Signature) -> PredicateSummary:
        program = self.program
        role = program.role(signature)
        definition = program.definition(signature)
        facts = definition.fact_count
        weights = self._weights(signature, role) if facts else np.zeros(0)
        return PredicateSummary(
            signature,
            role.value,
            signature in program.learnables,
            facts if definition.attached else len(weights),  # a learned one is not counted twice
            len(definition.rules),
            self._shape(signature, role),
            (float(weights.min()), float(weights.max())) if len(weights) else None,
        )

    def facts(
        self, signature: Signature, limit: int = 20
    ) -> tuple[list[tuple[tuple[str, ...], float]], int]:
        """The facts with the greatest weights (in absolute value), and how many there are."""
        if not self.program.definition(signature).fact_count:
            return [], 0
        role = self.program.role(signature)
        if role is Role.NUMERIC or signature[1] == 0:
            weight, numbers = scalar(self.program, signature)
            return [(tuple(map(format_number, numbers)), weight)], 1
        if role is Role.ATTRIBUTE or signature[1] == 1:
            return self._vector_facts(signature, limit)
        if signature[1] > 2:
            return self._row_facts(signature, limit)
        return self._matrix_facts(signature, limit)

    def signatures(self) -> tuple[Signature, ...]:
        """All known predicates, in order of appearance."""
        return tuple(self.program.predicates())

    def rules(self, signature: Signature) -> tuple[Rule, ...]:
        return self.program.definition(signature).rules

    @deep
    def layer(self, signature: Signature, output: int | None = None) -> LiteralLayer:
        """The network of a predicate with `output` as the open place (default: the last)."""
        return self.evaluator.layer(signature, output)

    def _shape(self, signature: Signature, role: Role) -> tuple[int, ...]:
        if role not in (Role.RELATION, Role.ATTRIBUTE):
            return ()
        numeric = self.program.numeric(signature)
        return tuple(
            len(self.program.entity_type((*signature, place)))
            for place in range(signature[1])
            if not numeric[place]
        )

    def _stored(self, signature: Signature) -> Relation | FactVector:
        if self.program.role(signature) is Role.ATTRIBUTE or signature[1] == 1:
            return self.evaluator.storage.relations.vector(self.program, signature)
        return self.evaluator.storage.relations.relation(self.program, signature)

    def _weights(self, signature: Signature, role: Role) -> np.ndarray:
        if role is Role.NUMERIC or signature[1] == 0:
            return np.array([scalar(self.program, signature)[0]])
        if signature[1] > 2:
            return self.evaluator.storage.rows(signature).weights.weights
        stored = self._stored(signature)
        if isinstance(stored, FactVector):
            return stored.weights
        return np.concatenate([part.csr.data for part in stored.matrices(False)])

    def _vector_facts(self, signature: Signature, limit: int):
        stored = self.evaluator.storage.relations.vector(self.program, signature)
        place = owner_place(self.program.numeric(signature))
        owner = self.program.entity_type((*signature, place))
        chosen = _strongest(stored.weights, limit)
        listed = []
        for i in chosen.tolist():
            key = [self._name(owner, int(stored.indexes[i]))]
            if stored.values is not None:
                key.insert(1 - place, format_number(float(stored.values[i])))
            listed.append((tuple(key), float(stored.weights[i])))
        return listed, len(stored.indexes)

    def _matrix_facts(self, signature: Signature, limit: int):
        relation = self.evaluator.storage.relations.relation(self.program, signature)
        first, second = (self.program.entity_type((*signature, place)) for place in (0, 1))
        rows, columns, weights = [], [], []
        for part in relation.matrices(False):
            best = _strongest(part.csr.data, limit)
            rows.append(np.searchsorted(part.csr.indptr, best, side="right") - 1)
            columns.append(part.csr.indices[best])
            weights.append(part.csr.data[best])
        row, column, weight = (np.concatenate(part) for part in (rows, columns, weights))
        listed = [
            ((self._name(first, int(row[i])), self._name(second, int(column[i]))), float(weight[i]))
            for i in _strongest(weight, limit).tolist()
        ]
        return listed, relation.count

    def _row_facts(self, signature: Signature, limit: int):
        stored = self.evaluator.storage.rows(signature)
        weights, symbols = stored.weights.weights, self.evaluator.symbols
        listed = [
            (tuple(symbols.names([int(column[row]) for column in stored.symbols])), weights[row])
            for row in _strongest(weights, limit).tolist()
        ]
        return [(key, float(weight)) for key, weight in listed], len(stored)

    # -- types ----------------------------------------------------------------------------------

    def types(self, shown: int = 3) -> list[TypeSummary]:
        """The entity types that the places of known predicates have, in order of appearance."""
        slots: dict[int, list[tuple[str, int, int]]] = {}
        kinds: dict[int, EntityType] = {}
        for signature in self.signatures():
            numeric = self.program.numeric(signature)
            for place in range(signature[1]):
                if not numeric[place]:
                    kind = self.program.entity_type((*signature, place))
                    kinds.setdefault(kind.index, kind)
                    slots.setdefault(kind.index, []).append((*signature, place))
        return [
            TypeSummary(index, len(kind), self._names(kind, shown), tuple(slots[index]))
            for index, kind in kinds.items()
        ]

    def type_of(self, signature: Signature, place: int) -> int | None:
        """The index of the type of a place; None for numbers."""
        if self.program.numeric(signature)[place]:
            return None
        return self.program.entity_type((*signature, place)).index

    def entities(self, signature: Signature, place: int, limit: int = 200) -> tuple[str, ...]:
        """Names that can stand at a place."""
        return self._names(self.program.entity_type((*signature, place)), limit)

    def _names(self, kind: EntityType, limit: int) -> tuple[str, ...]:
        return tuple(self.evaluator.symbols.names(kind.some(limit).tolist()))

    def _name(self, kind: EntityType, index: int) -> str:
        return self.evaluator.symbols.name(kind.symbol_at(index))

    # -- a rule's numbers -----------------------------------------------------------------------

    @deep
    @np.errstate(all="ignore")
    def trace(self, rule: Rule, output: int | None, given: Mapping[int, str]) -> Trace:
        """The rule for a question that names the entities at the other places of its head."""
        layer, chosen = self._rule_layer(rule, output)
        indexes = {place: self._index(rule.head, place, name) for place, name in given.items()}
        bindings = self.evaluator.given(rule.head.signature, indexes)
        if bindings and rule.head.arity > 1 and not chosen.dag.sources:
            bindings[0] = next(iter(bindings.values()))  # h(X, X): the entity, at whichever place
        key = tuple(indexes.items())

        def value(expr: Expr) -> Value:
            return self.described(
                self.evaluator.value(expr, bindings, key), self.evaluator.kind(expr)
            )

        to_output = sums_in(chosen.body) if isinstance(chosen.body, Reached) else ()
        return Trace(
            {node: value(origin.expr) for node, origin in chosen.nodes.items()},
            {edge: value(origin.expr) for edge, origin in chosen.edges.items()},
            {one.node: value(one.expr).total for one in to_output},
            {
                origin.literal: value(origin.expr).total
                for origin in chosen.factors
                if _has_weight(origin)
            },
            value(chosen.result),
            value(layer.result) if rule.head.arity != 1 else self._concept(layer, indexes),
        )

    def _rule_layer(self, rule: Rule, output: int | None) -> tuple[LiteralLayer, RuleLayer]:
        layer = self.layer(rule.head.signature, output)
        return layer, next(one for one in layer.rules if one.rule == rule)

    def read_query(self, text: str) -> tuple[Signature, list[str | None]]:
        """The predicate a question names and its entities; None where a place is open."""
        atom = parse_query(text)
        names = [term.name if isinstance(term, Constant) else None for term in atom.terms]
        return atom.signature, names

    def position(self, signature: Signature, place: int, name: str) -> int | None:
        """Where an entity stands in the vectors of a place; None if it is not of that type."""
        return self.evaluator.index(signature, place, name)

    def _index(self, head: Literal, place: int, name: str) -> int:
        index = self.position(head.signature, place, name)
        if index is None:
            raise QueryError(f"unknown entity {name} at place {place + 1} of {head.predicate}")
        return index

    def _concept(self, layer: LiteralLayer, given: Mapping[int, int]) -> Value:
        """A unary predicate at the entity asked for."""
        number = self.evaluator.at(layer.result, given[0])
        return Value((), number, int(number != 0), None)

    def described(self, found: Rows | np.ndarray, kind: EntityType | None) -> Value:
        """A value with its strongest entries by name."""
        if isinstance(found, np.ndarray) or kind is None:
            number = float(np.asarray(found).reshape(-1)[0])
            return Value((), number, int(number != 0), None)
        sums = float(total(found)[0])
        if found.is_sparse:
            indexes, weights = found.columns(), found.values
        else:
            weights = found.dense()[0]
            indexes = np.arange(len(weights))
        there = weights != 0
        indexes, weights = indexes[there], weights[there]
        names = [
            (self._name(kind, int(indexes[i])), float(weights[i]))
            for i in _strongest(weights, SHOWN).tolist()
        ]
        return Value(tuple(names), sums, len(weights), found.size)


def _has_weight(ground: Origin) -> bool:
    """Whether a ground literal has a weight to show: not a function, not a number's."""
    found = ground.found if isinstance(ground, Complement) else ground
    return isinstance(found, Unknown) or (isinstance(found, Ground) and found.layer is not None)


def _strongest(weights: np.ndarray, limit: int) -> np.ndarray:
    """The places of the greatest absolute values, greatest first, equal ones in their order."""
    strength = np.abs(weights)
    if len(strength) > 4 * limit:
        least = np.partition(strength, len(strength) - limit)[len(strength) - limit]
        among = np.flatnonzero(strength >= least)
        return among[np.argsort(-strength[among], kind="stable")][:limit]
    return np.argsort(-strength, kind="stable")[:limit]


__all__: Sequence[str] = ["Inspector", "PredicateSummary", "Trace", "TypeSummary", "Value"]
