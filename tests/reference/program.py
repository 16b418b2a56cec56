"""Clauses as tables, and the types of their places (LANGUAGE 1.4 and 2).

Choices where the text leaves one:

* A function and a predicate are told apart by name and arity, so facts for `tanh/1` leave
  `tanh/2` a function.
* A rule that is its own head is ignored altogether: it joins nothing and adds no constant.
* 2.1, functions: the arguments of one function literal are one type. A variable that stands in
  functions only takes the type of the arguments beside it if one of them has a type, and the type
  of the head's last term otherwise. A constant that stands in functions only is in no slot, so it
  is no member of the type of the arguments beside it: its one-hot there is zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from neurallog_kernel.language.syntax import (
    Clause,
    Constant,
    Example,
    Fact,
    Learn,
    Literal,
    MegaExample,
    Number,
    Rule,
    SetParameter,
    SetPredicateParameter,
    Signature,
    Variable,
)

from .functions import FUNCTIONS
from .graph import BodyLiteral, Node, body_nodes

DEFAULTS = {
    "recursion_depth": 1,
    "and_combining_function": "multiply",
    "edge_combining_function": "multiply",
    "literal_negation_function": "complement",
    "path_combining_function": "multiply",
    "literal_combining_function": "add",
    "any_aggregation_function": "sum",
    "weighted_attribute_combining_function": "multiply",
    "attributes_combine_function": "multiply",
}


@dataclass(frozen=True)
class StoredFact:
    """A fact: its entities by place, its numbers by place, its weight."""

    entities: tuple[str, ...]
    numbers: tuple[float, ...]
    weight: float


@dataclass(frozen=True)
class HeadAndBody:
    """A rule over nodes."""

    index: int
    signature: Signature
    head: tuple[Node, ...]
    body: tuple[BodyLiteral, ...]
    weight: float


@dataclass
class Program:
    """What the clauses say, once templates are expanded."""

    clauses: Sequence[Clause]
    facts: dict[Signature, dict[tuple[str, ...], StoredFact]] = field(default_factory=dict)
    rules: dict[Signature, list[HeadAndBody]] = field(default_factory=dict)
    example_signatures: set[Signature] = field(default_factory=set)
    learned: list[Learn] = field(default_factory=list)
    parameters: dict[tuple[str, ...], Any] = field(default_factory=dict)
    predicate_parameters: list[SetPredicateParameter] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.facts[("true", 0)] = {(): StoredFact((), (), 1.0)}
        self.facts[("false", 0)] = {(): StoredFact((), (), 0.0)}
        seen: set[object] = set()
        for clause in self.clauses:
            match clause:
                case Fact():
                    self._add_fact(clause)
                case Rule():
                    self._add_rule(clause, seen)
                case Example() | MegaExample():
                    self.example_signatures.add(clause.atom.signature)
                case Learn():
                    self.learned.append(clause)
                case SetParameter():
                    self.parameters[clause.path] = clause.value
                case SetPredicateParameter():
                    self.predicate_parameters.append(clause)
        self.numeric = self._numeric_places()
        self.types = Types(self)

    def _add_fact(self, fact: Fact) -> None:
        """1.4 (O 2.1): the last definition wins; numbers are no part of what is defined."""
        entities = tuple(t.name for t in fact.atom.terms if isinstance(t, Constant))
        numbers = tuple(t.value for t in fact.atom.terms if isinstance(t, Number))
        stored = StoredFact(entities, numbers, fact.weight)
        table = self.facts.setdefault(fact.atom.signature, {})
        table.pop(entities, None)
        table[entities] = stored

    def _add_rule(self, rule: Rule, seen: set[object]) -> None:
        """1.4: equal up to variable names and weight, once. O 2.2: its own head, ignored."""
        if rule.body == (rule.head,):
            return
        key = (canonical(rule), rule.weight)
        if key in seen:
            return
        seen.add(key)
        head = tuple(t for t in rule.head.terms if isinstance(t, Variable | Constant))
        assert len(head) == rule.head.arity, "a number in a head"
        known = self.rules.setdefault(rule.head.signature, [])
        index = sum(len(rules) for rules in self.rules.values())
        body = body_nodes(rule.body)
        known.append(HeadAndBody(index, rule.head.signature, head, body, rule.weight))

    def all_rules(self) -> Iterable[HeadAndBody]:
        for rules in self.rules.values():
            yield from rules

    def is_known(self, signature: Signature) -> bool:
        """2.4: has a fact, rule, example or `learn`."""
        name, arity = signature
        return (
            signature in self.facts
            or signature in self.rules
            or signature in self.example_signatures
            or any(
                (name.startswith(x.predicate) if x.prefix else name == x.predicate)
                and x.arity in (None, arity)
                for x in self.learned
            )
        )

    def is_function(self, signature: Signature) -> bool:
        """5: a name of the registry, unless facts and the like shadow it."""
        name, arity = signature
        return name in FUNCTIONS and arity in (1, 2) and not self.is_known(signature)

    def parameter(self, name: str, signature: Signature) -> Any:
        """O 2.3, lookup: the predicate's own setting, else the global one, else the default."""
        for setting in reversed(self.predicate_parameters):
            if (
                setting.path == (name,)
                and setting.predicate == signature[0]
                and setting.arity in (None, signature[1])
            ):
                return setting.value
        return self.parameters.get((name,), DEFAULTS[name])

    def _numeric_places(self) -> dict[Signature, set[int]]:
        """2.2: a position that ever holds a number is numeric."""
        numeric: dict[Signature, set[int]] = {}

        def see(atom: Literal) -> None:
            for place, term in enumerate(atom.terms):
                if isinstance(term, Number):
                    numeric.setdefault(atom.signature, set()).add(place)

        for clause in self.clauses:
            if isinstance(clause, Fact | Example | MegaExample):
                see(clause.atom)
            elif isinstance(clause, Rule):
                for literal in clause.body:
                    if not self.is_function(literal.signature):
                        see(literal)
        return numeric

    def numeric_places(self, signature: Signature) -> set[int]:
        return self.numeric.get(signature, set())

    def is_attribute(self, signature: Signature) -> bool:
        """2.3: one place of two is numeric."""
        return signature[1] == 2 and len(self.numeric_places(signature)) == 1

    def is_all_numeric(self, signature: Signature) -> bool:
        """2.3: every place is numeric."""
        return signature[1] > 0 and len(self.numeric_places(signature)) == signature[1]

    def owner_place(self, signature: Signature) -> int:
        """Of an attribute: the place that holds the entity."""
        return next(i for i in range(2) if i not in self.numeric_places(signature))


def canonical(rule: Rule) -> object:
    """1.4: the rule with its variables numbered by first occurrence."""
    names: dict[str, int] = {}

    def term(t: object) -> object:
        if isinstance(t, Variable):
            return ("variable", names.setdefault(t.name, len(names)))
        return t

    return tuple(
        (x.predicate, x.negated, tuple(term(t) for t in x.terms)) for x in (rule.head, *rule.body)
    )


class Types:
    """2.1: slots joined by shared terms, each type with its members in order of name.

    The things joined are slots `(signature, place)` and the nodes of each rule `(rule, node)`.
    """

    def __init__(self, program: Program) -> None:
        self._parent: dict[object, object] = {}
        self._slots: set[object] = set()
        self._scalars: set[object] = set()
        self._program = program
        constants: list[tuple[object, str]] = []
        for signature, facts in program.facts.items():
            for fact in facts.values():
                places = [p for p in range(signature[1]) if p in program.numeric_places(signature)]
                entity_places = [p for p in range(signature[1]) if p not in places]
                for place, name in zip(entity_places, fact.entities, strict=True):
                    constants.append((self.slot(signature, place), name))
        for clause in program.clauses:
            if isinstance(clause, Example | MegaExample):
                for place, term in enumerate(clause.atom.terms):
                    if isinstance(term, Constant):
                        constants.append((self.slot(clause.atom.signature, place), term.name))
        for rule in program.all_rules():
            constants += self._join(rule)
        self._members: dict[object, set[str]] = {}
        for thing, name in constants:
            self._members.setdefault(self._find(thing), set()).add(name)
        self.of_slot = cache(self._of_slot)
        self.of_node = cache(self._of_node)

    def slot(self, signature: Signature, place: int) -> object:
        """The slot of a place; a numeric place of an attribute has its owner's (2.3)."""
        if self._program.is_attribute(signature):
            place = self._program.owner_place(signature)
        slot = (signature, place)
        self._slots.add(slot)
        return slot

    def _join(self, rule: HeadAndBody) -> list[tuple[object, str]]:
        """Join the slots of one rule; returns the constants it adds."""
        program, constants = self._program, []
        head = BodyLiteral(rule.signature[0], rule.head)
        typed: set[object] = set()
        for literal in (head, *rule.body):
            function = literal is not head and program.is_function(literal.signature)
            for place, node in enumerate(literal.nodes):
                term = (rule.index, node)
                self._find(term)
                if function:
                    self._union(term, (rule.index, literal.nodes[0]))
                elif program.is_all_numeric(literal.signature):
                    self._scalars.add(term)
                else:
                    self._union(term, self.slot(literal.signature, place))
                    typed.add(term)
                    if isinstance(node, Constant):
                        constants.append((self.slot(literal.signature, place), node.name))
        has_type = {self._find(term) for term in typed}
        numeric = {self._find(term) for term in self._scalars}
        for literal in rule.body:
            for node in literal.nodes:
                term = (rule.index, node)
                if (
                    isinstance(node, Variable)
                    and rule.head
                    and self._find(term) not in has_type
                    and self._find(term) not in numeric
                ):
                    self._union(term, (rule.index, rule.head[-1]))
        return constants

    def _find(self, thing: object) -> object:
        parent = self._parent.setdefault(thing, thing)
        return thing if parent == thing else self._find(parent)

    def _union(self, one: object, other: object) -> None:
        self._parent[self._find(one)] = self._find(other)

    def _of_slot(self, signature: Signature, place: int) -> list[str]:
        """The members of a slot's type."""
        return sorted(self._members.get(self._find(self.slot(signature, place)), ()))

    def _of_node(self, rule: HeadAndBody, node: Node) -> list[str] | None:
        """The members of a term's type in a rule; None for a scalar (2.3, all-numeric)."""
        root = self._find((rule.index, node))
        if any(self._find(slot) == root for slot in self._slots):
            return sorted(self._members.get(root, ()))
        if any(self._find(term) == root for term in self._scalars):
            return None
        return []
