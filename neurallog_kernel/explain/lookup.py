"""Finding facts: the weight of one, and the source and line that it comes from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.explain.parts import Part
from neurallog_kernel.functions import COMPARISONS
from neurallog_kernel.knowledge.attached import AttachedTable
from neurallog_kernel.knowledge.blocks import Block, row_keys
from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import Relation, row_values
from neurallog_kernel.knowledge.roles import owner_place
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.language.printer import format_clause, format_constant, format_number
from neurallog_kernel.language.syntax import Rule, Signature
from neurallog_kernel.plan.origins import Called
from neurallog_kernel.plan.row_literal import Groups, given_numbers
from neurallog_kernel.rulegraph.graph import AttributeCondition

_NUMBER = re.compile(r'^"(-?\d+(?:\.\d+)?)"$')


def atom_text(name: str, arguments: Sequence[str]) -> str:
    """An atom of these arguments, as a program writes it: of three and more, a number is a name.

    >>> print(atom_text("enrolled", ["ann", "logic", '"2024"']), atom_text("p", ['"2024"']))
    enrolled(ann, logic, 2024) p("2024")
    """
    if len(arguments) > 2:
        arguments = [_NUMBER.sub(r"\1", argument) for argument in arguments]
    return f"{name}({', '.join(arguments)})" if arguments else name


def rule_text(program: Program, rule: Rule) -> str:
    """A rule as a label. A learned weight is said beside it: the label stays what it was."""
    learned = rule.head.signature in program.learned_rules
    return format_clause(replace(rule, weight=1.0) if learned else rule)


@dataclass(frozen=True)
class StoredFact:
    """A fact where it is stored: its weight, the number of an attribute, and the place."""

    weight: float
    number: float | None
    place: str  # source and line, or table and row


def find_fact(
    program: Program, symbols: SymbolTable, signature: Signature, names: Sequence[str]
) -> StoredFact | None:
    """The fact about these entities; of several, the one that counts."""
    stated = row_that_counts(program.definition(signature).facts, symbols, names)
    if stated is not None:
        block, row = stated
        number = float(block.numbers[0][row]) if block.numbers else None
        return StoredFact(float(block.weights[row]), number, place_of(block, row))
    table = program.definition(signature).attached
    return None if table is None else _in_table(table, names)


def row_that_counts(
    facts: Sequence[Block], symbols: SymbolTable, names: Sequence[str]
) -> tuple[Block, int] | None:
    """The last statement of a fact among these: the block, and the row in it."""
    found = [symbols.find(name) for name in names]
    if None in found:
        return None
    wanted = row_keys([np.array([symbol], dtype=np.int32) for symbol in found], 1)
    for block in reversed(facts):
        row = int(block.rows_with(wanted)[0]) if len(block) else -1
        if row >= 0:
            return block, row
    return None


def _in_table(table: AttachedTable, names: Sequence[str]) -> StoredFact | None:
    found = table.reader.rows(table, [[name] for name in names])
    if not len(found):
        return None
    number = next((float(column[0]) for column in found.numbers.values()), None)
    return StoredFact(float(found.weights[0]), number, table.reader.place_of(table, names))


def place_of(block: Block, row: int) -> str:
    """The source and line of a fact."""
    if block.source == LEARNED:
        return "learned"
    return f"{block.source}:{int(block.lines[row])}"


@dataclass(frozen=True)
class FoundFacts:
    """Some facts: where each stands in the vectors of its places, what it gives, and the indexes
    of its entities where these are others: the vectors of declared numbers are over the facts."""

    columns: list[np.ndarray]
    weights: np.ndarray
    named: list[np.ndarray] | None = None

    def entities(self, fact: int) -> list[int]:
        return [int(column[fact]) for column in self.named or self.columns]


@dataclass
class FactParts:
    """The facts of one program, as parts of an explanation."""

    evaluator: Evaluator

    @property
    def program(self) -> Program:
        return self.evaluator.program

    def rows(
        self, signature: Signature, output: int, index: int, groups: Groups = ()
    ) -> tuple[list[np.ndarray], np.ndarray]:
        """The facts with an entity at a place: the entities at each place, and the weights. Those
        count that have one entity at the places of each group."""
        if signature[1] == 2:
            return self._pairs(signature, output, index)
        found = self.evaluator.storage.rows(signature)
        rows = np.flatnonzero(found.columns[output] == index)
        for places in groups:
            rows = rows[np.isin(rows, found.agreeing(places).indexes)]
        return [column[rows] for column in found.columns], found.weights.weights[rows]

    def of_call(self, called: Called, index: int) -> FoundFacts:
        """The facts that a call in a rule leads along to an entity, or to a fact where the output
        is one of its declared numbers."""
        literal = called.literal
        numeric = self.program.numeric(literal.signature)
        if literal.signature[1] < 3 or not any(numeric):
            return FoundFacts(*self.rows(literal.signature, called.output, index, called.groups))
        stored, symbols = self.evaluator.storage.rows(literal.signature), self.evaluator.symbols
        every, given = np.arange(len(stored)), given_numbers(literal)
        rows = every if numeric[called.output] else stored.columns[called.output]
        rows = np.flatnonzero(rows == index)
        for places in called.groups:
            rows = rows[np.isin(rows, stored.agreeing(places).indexes)]
        for place, number in given.items():
            rows = rows[np.isin(rows, stored.values(place, number, symbols).indexes)]
        named = [column[rows] for column in stored.columns]
        columns = [rows if number else c for c, number in zip(named, numeric, strict=True)]
        return FoundFacts(columns, row_values(self.program, stored, symbols)[rows], named)

    def _pairs(
        self, signature: Signature, output: int, index: int
    ) -> tuple[list[np.ndarray], np.ndarray]:
        others, weights = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for part in self._relation(signature).rows_of(np.array([index]), output != 0):
            if index < part.shape[0]:
                here = slice(int(part.starts[index]), int(part.starts[index + 1]))
                others.append(part.columns[here].astype(np.int64))
                weights.append(part.weights[here])
        columns = [np.concatenate(others)] * 2
        columns[output] = np.full(len(columns[0]), index)
        return columns, np.concatenate(weights)

    def weight(self, signature: Signature, indexes: Sequence[int]) -> float:
        """The weight of the fact about some entities; 0 if there is none."""
        if len(indexes) == 1:
            facts = self.evaluator.layer(signature).facts
            return 0.0 if facts is None else self.evaluator.at(facts, indexes[0])
        if len(indexes) == 2:
            return self._relation(signature).entry(*indexes)
        columns, weights = self.rows(signature, 0, indexes[0])
        there = np.logical_and.reduce([c == i for c, i in zip(columns, indexes, strict=True)])
        return float(weights[there].sum())

    def _relation(self, signature: Signature) -> Relation:
        return self.evaluator.storage.relations.relation(self.program, signature)

    def name(self, kind: EntityType, index: int) -> str:
        """An entity as a program writes it."""
        return format_constant(self.evaluator.symbols.name(kind.symbol_at(index)))

    def part(self, signature: Signature, indexes: Sequence[int], weight: float) -> Part:
        """The fact about the entities with these indexes."""
        kinds = [self.program.entity_type((*signature, p)) for p in range(signature[1])]
        names = [self.name(k, i) for k, i in zip(kinds, indexes, strict=True)]
        found = self.stored(signature, kinds, indexes)
        place = "" if found is None else found.place
        stated = weight if found is None else found.weight
        numbers = signature[1] > 2 and any(self.program.numeric(signature))
        note = f"weight {stated:.4g}" if numbers and stated not in (weight, 1.0) else ""
        return Part("fact", atom_text(signature[0], names), weight, place=place, note=note)

    def stored(
        self, signature: Signature, kinds: Sequence[EntityType], indexes: Sequence[int]
    ) -> StoredFact | None:
        """The fact about the entities with these indexes of their types."""
        symbols = self.evaluator.symbols
        names = [symbols.name(k.symbol_at(i)) for k, i in zip(kinds, indexes, strict=True)]
        return find_fact(self.program, symbols, signature, names)

    def attribute(self, signature: Signature, owner: int, at: int, value: float) -> Part:
        """The fact about an owner (at place `at`) of an attribute; the value is what it gives."""
        kind = self.program.entity_type((*signature, at))
        found = self.stored(signature, [kind], [owner])
        names = [self.name(kind, owner)]
        if found is None:
            names.insert(1 - at, "_")
            return Part("missing", atom_text(signature[0], names), value, note="no such fact")
        assert found.number is not None
        names.insert(1 - at, format_number(found.number))
        plain = found.weight == 1.0 and value == found.number
        note = "" if plain else f"weight {found.weight:.4g}"
        label = atom_text(signature[0], names)
        return Part("fact", label, value, place=found.place, note=note)

    def compared(
        self, signature: Signature, owner: int, condition: AttributeCondition, value: float
    ) -> Part:
        """The fact about an owner whose value is compared; what the comparison gives, 0 or 1."""
        at = owner_place(self.program.numeric(signature))
        fact = self.attribute(signature, owner, at, value)
        if fact.kind == "missing":
            return fact
        words = COMPARISONS[condition.comparison].words
        if not value:
            words = words.replace("is ", "is not ", 1)
        label = f"{fact.label} {words} {format_number(condition.number)}"
        return replace(fact, label=label, note="")

    def scalar(self, signature: Signature, value: float) -> Part:
        """The one fact of a propositional or all-numeric predicate."""
        blocks = [b for b in self.program.definition(signature).facts if len(b)]
        if not blocks:
            return Part("fact", signature[0], value)
        numbers = [format_number(float(column[-1])) for column in blocks[-1].numbers]
        place = place_of(blocks[-1], len(blocks[-1]) - 1)
        return Part("fact", atom_text(signature[0], numbers), value, place=place)
