"""Proofs of a rule among the facts: the entities of its variables, and the facts that say so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.explain.lookup import atom_text, find_fact
from neurallog_kernel.functions import COMPARISONS
from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.language.printer import format_constant, format_number
from neurallog_kernel.language.syntax import Constant, Literal, Number, Rule, Signature, Variable

Binding: TypeAlias = Mapping[str, int]  # the entity of each variable, by its index in the graph
MOST_STEPS = 200_000  # facts that are tried for one question before it is given up


@dataclass(frozen=True)
class ProofFact:
    """A fact of a proof, and where it was read."""

    text: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.text} [{self.place}]" if self.place else self.text


@dataclass(frozen=True)
class Proof:
    """One way to prove an atom: the entities of the body's own variables, and the facts used."""

    atom: str
    names: tuple[tuple[str, str], ...]
    facts: tuple[ProofFact, ...]

    def __str__(self) -> str:
        names = ", ".join(f"{variable} = {name}" for variable, name in self.names)
        facts = ", ".join(map(str, self.facts))
        return f"{self.atom}: {names}: {facts}" if names else f"{self.atom}: {facts}"


@dataclass
class Prover:
    """Looks for proofs as the miner counts them: by facts alone, with a different entity for every
    variable, and without the fact that is to be proved."""

    evaluator: Evaluator
    graph: Graph
    steps: int = field(default=0, init=False)  # facts tried for the question at hand

    def __post_init__(self) -> None:
        graph = self.graph
        self._steps = {(s.signature, s.inverse): n for n, s in enumerate(graph.steps)}
        self._concepts = {s: set(own.tolist()) for s, own in graph.concepts.items()}
        self._values = {
            s: dict(zip(own.tolist(), values.tolist(), strict=True))
            for s, (own, values) in graph.attributes.items()
        }

    def index(self, name: str) -> int | None:
        """Where an entity stands in the graph."""
        symbol = self.evaluator.symbols.find(name)
        if symbol is None:
            return None
        found = int(self.graph.index(np.array([symbol]))[0])
        return None if found < 0 else found

    def proofs(self, rule: Rule, given: Binding) -> Iterator[dict[str, int]]:
        """The bindings that make the body true, for the given entities of some variables."""
        self.steps = 0
        goals = self._facts_of(rule)
        compared = [x for x in rule.body if self._is_comparison(x)]
        yield from self._prove(rule, goals, compared, dict(given))

    def proves(self, rule: Rule, given: Binding) -> bool:
        return next(self.proofs(rule, given), None) is not None

    # -- the search -----------------------------------------------------------------------------

    def _prove(
        self, rule: Rule, goals: list[Literal], compared: list[Literal], bound: dict[str, int]
    ) -> Iterator[dict[str, int]]:
        if not goals:
            yield dict(bound)
            return
        goal = min(goals, key=lambda x: self._open(x, bound))
        left = [x for x in goals if x is not goal]
        for more in self._matches(goal, compared, bound):
            self.steps += 1
            if self.steps > MOST_STEPS:
                return
            taken = {**bound, **more}
            if len(set(taken.values())) == len(taken) and not self._is_itself(rule, goal, taken):
                yield from self._prove(rule, left, compared, taken)

    def _open(self, goal: Literal, bound: Binding) -> int:
        """How many of its entities are not known yet; a concept is looked up late."""
        names = [t for t in self._entity_terms(goal) if isinstance(t, Variable)]
        missing = sum(t.name not in bound for t in names)
        return missing * 2 + (missing > 0 and len(self._entity_terms(goal)) == 1)

    def _entity_terms(self, goal: Literal) -> tuple:
        if goal.signature in self._values:
            place = self._owner(goal)
            return goal.terms[place : place + 1]
        return goal.terms

    def _owner(self, goal: Literal) -> int:
        return self.evaluator.program.numeric(goal.signature).index(False)

    def _matches(
        self, goal: Literal, compared: Sequence[Literal], bound: Binding
    ) -> Iterator[dict[str, int]]:
        if goal.signature in self._values:
            yield from self._attribute(goal, compared, bound)
            return
        places = [self._entity(t, bound) for t in goal.terms]
        if len(places) == 1:
            own = self._concepts.get(goal.signature, set())
            if places[0] is None:
                yield from (self._named(goal.terms, (e,)) for e in sorted(own))
            elif places[0] in own:
                yield {}
        elif len(places) == 2:
            yield from self._pairs(goal, places[0], places[1])

    def _pairs(self, goal: Literal, first: int | None, second: int | None) -> Iterator[dict]:
        if first is not None:
            for found in self.beyond(goal.signature, False, first).tolist():
                if second is None or found == second:
                    yield self._named(goal.terms, (first, found))
        elif second is not None:
            for found in self.beyond(goal.signature, True, second).tolist():
                yield self._named(goal.terms, (found, second))
        else:
            for entity in range(self.graph.size):
                yield from self._pairs(goal, entity, None)

    def beyond(self, signature: Signature, inverse: bool, entity: int) -> np.ndarray:
        """The entities that a relation leads to."""
        step = self._steps.get((signature, inverse), self._steps.get((signature, False)))
        if step is None:
            return np.zeros(0, dtype=np.int64)
        matrix = self.graph.matrices[step]
        return matrix.indices[matrix.indptr[entity] : matrix.indptr[entity + 1]]

    def _attribute(
        self, goal: Literal, compared: Sequence[Literal], bound: Binding
    ) -> Iterator[dict[str, int]]:
        place = self._owner(goal)
        owner, value = goal.terms[place], goal.terms[1 - place]
        values = self._values[goal.signature]
        known = self._entity(owner, bound)
        for entity in sorted(values) if known is None else [known]:
            number = values.get(entity)
            if number is not None and self._fits(value, number, compared):
                yield self._named((owner,), (entity,))

    def _fits(self, value: object, number: float, compared: Sequence[Literal]) -> bool:
        if isinstance(value, Number):
            return value.value == number
        return all(
            COMPARISONS[x.predicate](np.array(number), float(x.terms[1].value))  # type: ignore[union-attr]
            for x in compared
            if x.terms[0] == value
        )

    def _facts_of(self, rule: Rule) -> list[Literal]:
        """The literals that facts make true: functions and comparisons are none."""
        role = self.evaluator.program.role
        skipped = (Role.FUNCTION, Role.COMPARISON)
        return [x for x in rule.body if role(x.signature) not in skipped]

    def _is_comparison(self, literal: Literal) -> bool:
        known = self.evaluator.program.is_known(literal.signature)
        return literal.predicate in COMPARISONS and not known

    def _entity(self, term: object, bound: Binding) -> int | None:
        if isinstance(term, Variable):
            return bound.get(term.name)
        found = self.index(term.name) if isinstance(term, Constant) else None
        return -1 if found is None else found  # an entity that no fact names

    def _named(self, terms: Sequence, entities: Sequence[int]) -> dict[str, int]:
        pairs = zip(terms, entities, strict=True)
        return {term.name: entity for term, entity in pairs if isinstance(term, Variable)}

    def _is_itself(self, rule: Rule, goal: Literal, bound: Binding) -> bool:
        """Whether the goal is the very fact that the rule is to prove."""
        if goal.signature != rule.head.signature:
            return False
        own = [self._entity(t, bound) for t in goal.terms]
        return None not in own and own == [self._entity(t, bound) for t in rule.head.terms]

    # -- in words -------------------------------------------------------------------------------

    def proof(self, rule: Rule, bound: Binding) -> Proof:
        """A binding as a text, with the lines of its facts."""
        head = {t.name for t in rule.head.terms if isinstance(t, Variable)}
        inner = [(name, entity) for name, entity in bound.items() if name not in head]
        names = tuple((name, self.name(entity)) for name, entity in inner)
        facts = [self._fact(x, bound) for x in self._facts_of(rule)]
        atom = atom_text(rule.head.predicate, [self._term(t, bound) for t in rule.head.terms])
        return Proof(atom, names, tuple(facts))

    def name(self, entity: int) -> str:
        return format_constant(self.graph.name(entity))

    def _term(self, term: object, bound: Binding) -> str:
        if isinstance(term, Variable):
            return self.name(bound[term.name]) if term.name in bound else term.name
        return format_constant(term.name) if isinstance(term, Constant) else "_"

    def _fact(self, literal: Literal, bound: Binding) -> ProofFact:
        entities = [self._entity(t, bound) for t in self._entity_terms(literal)]
        symbols = [int(self.graph.entities[e]) for e in entities if e is not None and e >= 0]
        table = self.evaluator.symbols
        found = find_fact(self.evaluator.program, table, literal.signature, table.names(symbols))
        arguments = [self._term(t, bound) for t in literal.terms]
        if literal.signature in self._values and found is not None:
            place = 1 - self._owner(literal)
            arguments[place] = format_number(found.number or 0.0)
        text = atom_text(literal.predicate, arguments)
        return ProofFact(text, "" if found is None else found.place)
