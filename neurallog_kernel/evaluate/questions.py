"""Answering a query: which place is open, what is asked of the network, and the list of answers."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nsmallest

import numpy as np

from neurallog_kernel.answers import Answers
from neurallog_kernel.errors import (
    TypeConflictError,
    UnknownEntityError,
    UnknownPredicateError,
    nearest,
    nearest_predicate,
)
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.open_places import OpenPlaces, fitting_rows
from neurallog_kernel.evaluate.rows import Rows, look_up
from neurallog_kernel.knowledge.relations import scalar
from neurallog_kernel.knowledge.roles import Role, owner_place
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.language.hints import lower_case_variable
from neurallog_kernel.language.printer import format_constant, format_literal, format_number
from neurallog_kernel.language.prolog import instead_of
from neurallog_kernel.language.syntax import Constant, Literal, Number, Signature, Term, Variable
from neurallog_kernel.plan.exprs import Expr


@dataclass
class Questions:
    """Answers queries about one program."""

    evaluator: Evaluator

    def __post_init__(self) -> None:
        self.program = self.evaluator.program
        self.planner = self.evaluator.planner

    def answer(self, atom: Literal, top: int | None = None) -> Answers:
        self._check_predicate(atom)
        role = self.program.role(atom.signature)
        if role is Role.ATTRIBUTE:
            return self._attribute(atom, top)
        if role is Role.NUMERIC:
            return self._numbers(atom)
        places = [place for place, term in enumerate(atom.terms) if isinstance(term, Variable)]
        # the first unknown entity is the error, whatever is asked
        given = {p: self.index(atom, p) for p in range(atom.arity) if p not in places}
        return self._relation(atom, places, given, top)

    # -- checks ---------------------------------------------------------------------------------

    def _check_predicate(self, atom: Literal) -> None:
        if self.program.is_known(atom.signature) or atom.signature in _TRUTH:
            return
        name, arity = atom.signature
        same = sorted(a for n, a in self.program.predicates() if n == name)
        if same:
            known = " and ".join(f"{name}/{a}" for a in same)
            hint = f"the program has {known}"
        elif self.program.function(atom.signature) is not None:
            hint = f"{name} is a function: use it in the body of a rule"
        else:
            names = {f"{n}/{a}" for n, a in self.program.predicates()}
            near = nearest_predicate(f"{name}/{arity}", names)
            hint = f"did you mean {near}?" if near else "add facts or a rule for it first"
            hint = instead_of(name) or hint
        raise UnknownPredicateError(f"unknown predicate {name}/{arity}", atom.span, hint)

    def index(self, atom: Literal, place: int) -> int:
        """The index of the entity at a place, or an error that says where it does occur."""
        term = atom.terms[place]
        if isinstance(term, Number):
            raise _place_error(atom, term, place, "an entity", "a number")
        assert isinstance(term, Constant)
        index = self.evaluator.index(atom.signature, place, term.name)
        if index is None:
            raise self._unknown_entity(atom, term, place)
        return index

    def _unknown_entity(self, atom: Literal, term: Constant, place: int) -> UnknownEntityError:
        name = f"{atom.predicate}/{atom.arity}"
        elsewhere = self._occurrences(self.evaluator.symbols.find(term.name))
        hint = self._missing_in_rules(atom.signature) or self._without_start(atom.signature, place)
        if not hint and elsewhere:
            places = ", ".join(elsewhere[:5])
            hint = f"{term.name} occurs at {places}, but nothing says that it can stand here"
        elif not hint:
            members = self.evaluator.domain(atom.signature, place).some(50_000)
            near = nearest(term.name, self.evaluator.symbols.names(members.tolist()))
            hint = f"did you mean {format_constant(near)}?" if near else _as_variable(term)
        message = f"unknown entity {term.name} at place {place + 1} of {name}"
        return UnknownEntityError(message, term.span, hint)

    def _missing_in_rules(self, signature: Signature) -> str:
        """The first predicate in the rules of this one of which nothing is known."""
        definition = self.program.definitions.get(signature)
        for literal in (
            (one for rule in definition.rules for one in rule.body) if definition else ()
        ):
            known = self.program.is_known(literal.signature) or literal.signature in _TRUTH
            if known or self.program.function(literal.signature) is not None:
                continue
            name = f"{literal.predicate}/{literal.arity}"
            near = nearest_predicate(name, (f"{n}/{a}" for n, a in self.program.predicates()))
            advice = f"did you mean {near}?" if near else "add its facts or rules first"
            return f"a rule uses {name}, of which nothing is known: {advice}"
        return ""

    def _without_start(self, signature: Signature, place: int) -> str:
        """A recursion that never begins: every rule calls its own head, and there are no facts."""
        definition = self.program.definitions.get(signature)
        rules = definition.rules if definition else ()
        calls_itself = all(any(one.signature == signature for one in rule.body) for rule in rules)
        if not rules or not calls_itself or len(self.evaluator.domain(signature, place).some(1)):
            return ""
        name = f"{signature[0]}/{signature[1]}"
        return f"every rule of {name} calls {name}: add one that does not, where it starts"

    def _occurrences(self, symbol: int | None) -> list[str]:
        if symbol is None:
            return []
        return sorted(
            {
                f"place {slot[2] + 1} of {slot[0]}/{slot[1]}"
                for contents in self.program.sources.values()
                for slot, symbols in contents.constants.items()
                if _contains(symbols, symbol)
            }
        )

    # -- relations ------------------------------------------------------------------------------

    def _relation(
        self, atom: Literal, places: list[int], given: dict[int, int], top: int | None
    ) -> Answers:
        arity = atom.arity
        names = {term.name for term in atom.terms if isinstance(term, Variable)}
        if not places:
            return self._ground(atom, given)
        if arity == 1:
            vector = self.evaluator.layer(atom.signature).result
            return self._vector(atom, vector, atom.signature, 0, top)
        if len(places) == 1:
            return self._open(atom, places[0], given, top)
        if arity == 2 and len(names) == 1:
            return self._diagonal(atom, top)
        return self._several(atom, given, top)

    def _row(self, atom: Literal, output: int, given: dict[int, int]) -> Rows:
        """The result for the entities given at the other places."""
        layer = self.evaluator.layer(atom.signature, output)
        indexes = {place: index for place, index in given.items() if place != output}
        inputs = self.evaluator.given(atom.signature, indexes)
        return self.evaluator.rows(layer.result, inputs, tuple(indexes.items()))

    def _ground(self, atom: Literal, given: dict[int, int]) -> Answers:
        """One number; of a unary predicate only that of the entity is computed."""
        last = atom.arity - 1
        if atom.arity < 2:
            result = self.evaluator.layer(atom.signature).result
            if atom.arity:
                result = self._entry(atom, result)
            return self._one(atom, self.evaluator.at(result, None))
        row = self._row(atom, last, given)
        at = np.array([given[last]], dtype=np.int64)
        return self._one(atom, float(look_up(row, at, 1)[0]))

    def _entry(self, atom: Literal, vector: Expr) -> Expr:
        """The entry of a vector at the entity of a unary atom."""
        algebra, term = self.planner.algebra, atom.terms[0]
        assert isinstance(term, Constant)
        at = algebra.one_hot(self.planner.domain(self.program, atom.signature, 0), term.name)
        return algebra.total(algebra.multiply(at, vector))

    def _open(self, atom: Literal, output: int, given: dict[int, int], top: int | None) -> Answers:
        if atom.arity > 2 and not self.program.definition(atom.signature).rules:
            rows = self.evaluator.storage.rows(atom.signature)
            chosen = fitting_rows(rows, given)
            weights = rows.weights.weights[chosen]
            indexes = rows.columns[output][chosen[weights != 0]]
            weights = weights[weights != 0]
        else:
            indexes, weights = _entries(self._row(atom, output, given))
        return self._listed(
            atom, self.evaluator.domain(atom.signature, output), indexes, weights, top
        )

    def _vector(
        self, atom: Literal, vector: Expr, signature: Signature, place: int, top: int | None
    ) -> Answers:
        indexes, weights = _entries(self.evaluator.rows(vector))
        return self._listed(atom, self.evaluator.domain(signature, place), indexes, weights, top)

    def _diagonal(self, atom: Literal, top: int | None) -> Answers:
        first, second = (self.evaluator.domain(atom.signature, place) for place in (0, 1))
        if first is second:
            diagonal = self.planner.diagonal(self.program, atom.signature, ()).result
            return self._vector(atom, diagonal, atom.signature, 0, top)
        # two types that share names: only those entities can stand in both places
        common = np.intersect1d(first.members, second.members)
        rows, columns = first.positions(common), second.positions(common)
        weights = np.zeros(len(common))
        layer = self.evaluator.layer(atom.signature)
        for chosen, found in self.evaluator.batches(layer, {0: rows}):
            count = len(chosen)
            keys = np.arange(count, dtype=np.int64) * len(second) + columns[chosen]
            weights[chosen] = look_up(found, keys, count)
        there = np.flatnonzero(weights)
        return self._listed(atom, first, rows[there], weights[there], top)

    def _several(self, atom: Literal, given: dict[int, int], top: int | None) -> Answers:
        """All choices of entities for the open places that have a weight; the best are kept."""
        found = OpenPlaces(self.evaluator, atom, given, top).answer()
        lists = [self.evaluator.symbols.names(column.tolist()) for column in found.columns]
        names = list(dict.fromkeys(t for t in atom.terms if isinstance(t, Variable)))
        shown = ["_" if one.anonymous else one.name for one in names]
        return Answers(_text(atom), shown, lists, found.weights, found.total)

    # -- numbers --------------------------------------------------------------------------------

    def _attribute(self, atom: Literal, top: int | None) -> Answers:
        """An attribute lists its facts: the owner, the number, the fact's weight."""
        numeric = self.program.numeric(atom.signature)
        at = owner_place(numeric)
        owner, number = atom.terms[at], atom.terms[1 - at]
        if isinstance(number, Constant):
            raise _place_error(atom, number, 1 - at, "a number", "an entity")
        facts = self.evaluator.storage.relations.vector(self.program, atom.signature)
        assert facts.values is not None
        chosen = np.ones(len(facts.indexes), dtype=bool)
        if not isinstance(owner, Variable):
            chosen &= facts.indexes == self.index(atom, at)
        if isinstance(number, Number):
            chosen &= facts.values == number.value
        if not isinstance(owner, Variable) and not isinstance(number, Variable):
            return self._one(atom, float(facts.weights[chosen].sum()))
        chosen &= facts.weights != 0
        members = self.evaluator.domain(atom.signature, at).symbols_at(facts.indexes[chosen])
        columns = {
            at: self.evaluator.symbols.names(members.tolist()),
            1 - at: [format_number(value) for value in facts.values[chosen].tolist()],
        }
        lists = [columns[p] for p in range(2) if isinstance(atom.terms[p], Variable)]
        answers = Answers(_text(atom), _variables(atom), lists, facts.weights[chosen])
        return answers if top is None else answers.top(top)

    def _numbers(self, atom: Literal) -> Answers:
        """An all-numeric predicate has one fact."""
        for place, term in enumerate(atom.terms):
            if isinstance(term, Constant):
                raise _place_error(atom, term, place, "a number", "an entity")
        weight, values = scalar(self.program, atom.signature)
        fits = all(
            not isinstance(term, Number) or term.value == value
            for term, value in zip(atom.terms, values, strict=True)
        ) and bool(self.program.definition(atom.signature).fact_count)
        shown = [format_number(v) for t, v in zip(atom.terms, values, strict=True) if _is_open(t)]
        if not shown:
            return self._one(atom, weight if fits else 0.0)
        lists = [[text] if fits else [] for text in shown]
        return Answers(_text(atom), _variables(atom), lists, np.array([weight] if fits else []))

    # -- lists ----------------------------------------------------------------------------------

    def _one(self, atom: Literal, weight: float) -> Answers:
        return Answers(_text(atom), (), (), np.array([weight]))

    def _listed(
        self,
        atom: Literal,
        kind: EntityType,
        indexes: np.ndarray,
        weights: np.ndarray,
        top: int | None,
    ) -> Answers:
        total = len(weights)
        if top is not None and top < total:
            chosen = self._best(kind, indexes, weights, top)
            indexes, weights = indexes[chosen], weights[chosen]
        names = self.evaluator.symbols.names(kind.symbols_at(indexes).tolist())
        return Answers(_text(atom), _variables(atom)[:1], [names], weights, total)

    def _best(
        self, kind: EntityType, indexes: np.ndarray, weights: np.ndarray, top: int
    ) -> np.ndarray:
        """The places of the best answers. Of those that tie with the last one, which may be most
        of a type, the first by name."""
        weights = np.where(np.isnan(weights), -np.inf, weights)  # last, as in a whole list
        least = np.partition(weights, len(weights) - top)[len(weights) - top]
        better, equal = np.flatnonzero(weights > least), np.flatnonzero(weights == least)
        names = self.evaluator.symbols.names(kind.symbols_at(indexes[equal]).tolist())
        return np.concatenate([better, equal[_first_by_name(names, top - len(better))]])


def _first_by_name(names: list[str], wanted: int) -> list[int]:
    """The places of the first names. A few of them tell which of a long list may be first."""
    last = max(nsmallest(wanted, names[: 20 * wanted]), default="")
    near = [place for place, name in enumerate(names) if name <= last]
    return nsmallest(wanted, near, key=names.__getitem__)


_TRUTH = {("true", 0), ("false", 0)}


def _entries(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Indexes and weights of the non-zero entries of one row."""
    if rows.is_sparse:
        there = rows.values != 0
        return rows.keys[there], rows.values[there]
    dense = rows.dense()[0]
    indexes = np.flatnonzero(dense)
    return indexes, dense[indexes]


def _contains(ordered: np.ndarray, symbol: int) -> bool:
    place = int(np.searchsorted(ordered, symbol))
    return place < len(ordered) and int(ordered[place]) == symbol


def _is_open(term: Term) -> bool:
    return isinstance(term, Variable)


def _text(atom: Literal) -> str:
    return format_literal(atom)


def _variables(atom: Literal) -> list[str]:
    return ["_" if t.anonymous else t.name for t in atom.terms if isinstance(t, Variable)]


def _as_variable(term: Constant) -> str:
    """For a name that nothing knows: a variable may be meant."""
    return lower_case_variable(term.name) if term.name.isidentifier() else ""


def _place_error(
    atom: Literal, term: Term, place: int, wanted: str, found: str
) -> TypeConflictError:
    return TypeConflictError(
        f"place {place + 1} of {atom.predicate}/{atom.arity} holds {wanted}, not {found}", term.span
    )
