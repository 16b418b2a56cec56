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
from dataclasses import dataclass, field, replace
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
    of: HeadAndBody | None = None  # 4.8: the rule whose terms `was` were made one term here
    was: tuple[tuple[Node, Node], ...] = ()  # each such term, with one that it stands for

    def with_one_term(self, old: Node, new: Node) -> HeadAndBody:
        """The rule with a term in the place of another."""

        def put(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
            return tuple(new if node == old else node for node in nodes)

        body = tuple(replace(literal, nodes=put(literal.nodes)) for literal in self.body)
        was = ((new, old), *self.was)
        return replace(self, head=put(self.head), body=body, of=self.of or self, was=was)


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
        self.clauses = without_comparisons(self.clauses)
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
        """1.4 (O 2.1): the last definition wins; numbers are no part of what is defined, declared
        ones neither (2.5), though these keep their names."""
        entities = tuple(t.name for t in fact.atom.terms if isinstance(t, Constant))
        numbers = tuple(t.value for t in fact.atom.terms if isinstance(t, Number))
        declared = self.declared(fact.atom.signature)
        key = tuple(n for place, n in enumerate(entities) if place not in declared)
        values = tuple(float(n) for place, n in enumerate(entities) if place in declared)
        stored = StoredFact(entities, numbers or values, fact.weight)
        table = self.facts.setdefault(fact.atom.signature, {})
        table.pop(key, None)
        table[key] = stored

    def declared(self, signature: Signature) -> set[int]:
        """2.5: the places of a predicate that the program declares to hold numbers."""
        found: set[int] = set()
        for clause in self.clauses:
            if not isinstance(clause, SetPredicateParameter) or clause.path != ("numeric",):
                continue
            if (clause.predicate, clause.arity) == signature:
                given = clause.value if isinstance(clause.value, tuple) else (clause.value,)
                found = {int(place) - 1 for place in given if isinstance(place, float)}
        return found

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
        body = body_nodes(rule.body, self.declared)
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


COMPARISONS = {"at_least": lambda value, number: value >= number, "at_most": lambda v, n: v <= n}


def without_comparisons(clauses: Sequence[Clause]) -> list[Clause]:
    """2.3: `age(X, A), at_least(A, 50)` is a concept of X with the weight 1 for each owner whose
    value fits: it is written so, and the attribute stays if its value is used in other ways."""
    values: dict[str, dict[Constant, float]] = {}
    owner_places: dict[str, int] = {}
    atoms = [c.atom for c in clauses if isinstance(c, Fact)]
    for atom in atoms:
        for place in (0, 1) if len(atom.terms) == 2 else ():
            owner, number = atom.terms[place], atom.terms[1 - place]
            if isinstance(owner, Constant) and isinstance(number, Number):
                values.setdefault(atom.predicate, {})[owner] = number.value
                owner_places[atom.predicate] = place
    if any(atom.predicate in COMPARISONS for atom in atoms):  # facts hide it
        return list(clauses)
    made: list[Clause] = []
    for clause in clauses:
        if isinstance(clause, Rule) and any(x.predicate in COMPARISONS for x in clause.body):
            clause = _without_comparisons(clause, values, owner_places, made)
        made.append(clause)
    return made


def _without_comparisons(
    rule: Rule,
    values: dict[str, dict[Constant, float]],
    owner_places: dict[str, int],
    made: list[Clause],
) -> Rule:
    comparisons = [x for x in rule.body if x.predicate in COMPARISONS]
    others = [x for x in rule.body if x not in comparisons]
    attributes = {
        x.terms[1 - owner_places[x.predicate]]: x for x in others if x.predicate in values
    }
    body: list[Literal] = []
    for literal in rule.body:
        value = literal.terms[0] if literal.terms else None
        if literal not in comparisons:
            compared = [x for x in comparisons if attributes.get(x.terms[0]) == literal]
            elsewhere = [x for x in (rule.head, *others) if x != literal]
            if any(x.terms[0] in y.terms for x in compared for y in elsewhere) or not compared:
                body.append(literal)
            continue
        attribute, number = attributes[value], literal.terms[1]
        assert isinstance(number, Number)
        name = f"{attribute.predicate} {literal.predicate} {number.value}"  # nobody can ask it
        place = owner_places[attribute.predicate]
        body.append(Literal(name, (attribute.terms[place],)))
        made.append(_one_type(name, attribute.predicate, place))
        for owner, found in values[attribute.predicate].items():
            fits = COMPARISONS[literal.predicate](found, number.value)
            made.append(Fact(Literal(name, (owner,)), float(fits)))
    return replace(rule, body=tuple(body))


def _one_type(concept: str, attribute: str, place: int) -> Rule:
    """A rule that nobody asks: the attribute's owners are one type with the concept's (2.1)."""
    owner, value = Variable("O"), Variable("N")
    terms = (owner, value) if place == 0 else (value, owner)
    body = (Literal(attribute, terms), Literal(concept, (owner,)))
    return Rule(Literal(f"{concept} of", (owner,)), body)


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
        self._rows: dict[object, Signature] = {}  # declared numbers (2.5): over the facts
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
                elif literal is not head and place in program.declared(literal.signature):
                    self._rows[term] = literal.signature
                else:
                    self._union(term, self.slot(literal.signature, place))
                    typed.add(term)
                    if isinstance(node, Constant):
                        constants.append((self.slot(literal.signature, place), node.name))
        has_type = {self._find(term) for term in typed}
        numeric = {self._find(term) for term in (*self._scalars, *self._rows)}
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

    def is_one_number(self, rule: HeadAndBody, node: Node) -> bool:
        """Whether a term is a scalar (2.3) or a declared number (2.5)."""
        root = self._find((rule.index, node))
        return any(self._find(term) == root for term in (*self._scalars, *self._rows))

    def _of_node(self, rule: HeadAndBody, node: Node) -> list[str] | None:
        """The members of a term's type in a rule; None for a scalar (2.3, all-numeric); of a
        declared number (2.5) one for each fact."""
        if rule.of is not None:
            return self._of_node(rule.of, dict(rule.was).get(node, node))
        root = self._find((rule.index, node))
        for term, signature in self._rows.items():
            if self._find(term) == root:
                return [str(row) for row in range(len(self._program.facts.get(signature, ())))]
        if any(self._find(slot) == root for slot in self._slots):
            return sorted(self._members.get(root, ()))
        if any(self._find(term) == root for term in self._scalars):
            return None
        return []
