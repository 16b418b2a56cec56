"""How large weights are before learning: by the sums they feed and by what follows these sums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np

from neurallog_kernel.functions import LINEAR, Function, FunctionKind
from neurallog_kernel.knowledge.matrices import Relation
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import Relations, attribute_values
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.language.syntax import Constant, Literal, Rule, Signature, Variable

_MEAN, _SHARE = 0.5, 0.25  # of one weight that stands alone; the deviation is this share of it


@dataclass(frozen=True)
class Start:
    """The normal distribution that a start weight is drawn from."""

    mean: float = _MEAN
    deviation: float = _SHARE * _MEAN

    def __str__(self) -> str:
        return f"{self.mean:.2g} ± {self.deviation:.2g}"


LANGUAGE = Start()  # where nothing is summed


@dataclass(frozen=True)
class Starts:
    """Those of one predicate: of all its cells, and of the single ones that rules name."""

    of_all: Start = LANGUAGE
    of_cells: Mapping[tuple[str, ...], Start] = field(default_factory=dict)

    def __str__(self) -> str:
        found = [*self.of_cells.values()] or [self.of_all]
        low, high = (min(found, key=_size), max(found, key=_size))
        return str(high) if low == high else f"{low} to {high}"


def _size(start: Start) -> float:
    return abs(start.mean) + start.deviation


class StartValues:
    """The start weights of a program's learned predicates.

    A rule sums over the entities of its body, and so do the rules that call it: that is the fan of
    its learned literals. They begin so small that the sum is about a half, whatever the fan.
    Where a function such as tanh follows, in the rule or further up, numbers of entities
    (`feat(R)`) and biases (`h(X) :- b(h).`) have the mean 0: the sum stays where the function has a
    slope, and the sign is for learning to find. Pairs (`layer(I, H)`) begin larger than numbers of
    single entities: what is seen in few examples should not drown in noise. The weight of a rule,
    such as w(k), stays positive, because a rule says what speaks for its head.
    """

    def __init__(self, program: Program, relations: Relations) -> None:
        self._program = program
        self._relations = relations
        self._passing: dict[Signature, float] = {}
        self._bending: dict[Signature, bool] = {}

    def of(self, signature: Signature) -> Starts:
        """Of a learned predicate; the smallest one where it is used in several ways."""
        everywhere: list[Start] = []
        cells: dict[tuple[str, ...], list[Start]] = {}
        for rule in self._uses.get(signature, ()):
            for literal in rule.body:
                if literal.signature != signature:
                    continue
                start = self._start(rule, literal)
                if _is_ground(literal) and literal.terms:
                    cells.setdefault(_names(literal), []).append(start)
                else:
                    everywhere.append(start)
        found = {names: min(starts, key=_size) for names, starts in cells.items()}
        if everywhere:
            least = min(everywhere, key=_size)
            return Starts(least, {n: min(s, least, key=_size) for n, s in found.items()})
        return Starts(LANGUAGE, found)

    @cached_property
    def _uses(self) -> dict[Signature, list[Rule]]:
        """The rules whose bodies name a predicate."""
        found: dict[Signature, list[Rule]] = {}
        for rule in self._program.rules():
            for signature in dict.fromkeys(literal.signature for literal in rule.body):
                found.setdefault(signature, []).append(rule)
        return found

    def _start(self, rule: Rule, literal: Literal) -> Start:
        learned = [one for one in rule.body if one.signature in self._program.learnables]
        numbers = [one for one in learned if not _is_ground(one)]
        inside, head = self._function(rule), rule.head.signature
        bends = self._bends(head) or (inside and not _is_ground(literal))
        fan = 1.0 if inside and _is_ground(literal) else self._fan(rule)
        if not inside or _is_ground(literal):
            fan *= self._passed(head)
        if not _is_ground(literal) and bends:
            size = LANGUAGE.deviation if literal.arity == 1 else 1.0
            return Start(0.0, size * fan ** (-0.5 / len(numbers)))
        if bends and len(learned) == len(rule.body):
            return Start(0.0, LANGUAGE.deviation * fan**-0.5)
        if numbers and bends:
            return LANGUAGE  # the numbers of entities beside it are as small as it takes
        mean = _MEAN * fan ** (-1 / len(learned))
        return Start(mean, _SHARE * mean)

    # -- what follows ---------------------------------------------------------------------------

    def _function(self, rule: Rule) -> bool:
        """Whether the rule itself applies a function that is not a line."""
        found = (self._program.function(literal.signature) for literal in rule.body)
        return any(_is_bent(function) for function in found if function is not None)

    def _bends(self, head: Signature) -> bool:
        """Whether such a function follows the sum of a predicate's rules."""
        if head not in self._bending:
            self._bending[head] = False  # as long as nothing else is known: rules may call in rings
            callers = self._uses.get(head, ())
            self._bending[head] = any(
                self._function(rule) or self._bends(rule.head.signature) for rule in callers
            )
        return self._bending[head]

    # -- sums -----------------------------------------------------------------------------------

    def _passed(self, head: Signature) -> float:
        """The fan of the rules further up that sum a predicate and have nothing to learn."""
        if head not in self._passing:
            self._passing[head] = 1.0
            callers = [rule for rule in self._uses.get(head, ()) if self._only_sums(rule)]
            fans = [self._fan(rule) * self._passed(rule.head.signature) for rule in callers]
            self._passing[head] = max([1.0, *fans])
        return self._passing[head]

    def _only_sums(self, rule: Rule) -> bool:
        learns = any(literal.signature in self._program.learnables for literal in rule.body)
        return not learns and not self._function(rule)

    def _fan(self, rule: Rule) -> float:
        """About how much a rule sums for one answer: facts by their number and weight, walked from
        the variables of the head; at least 1."""
        seen = {term.name for term in rule.head.terms if isinstance(term, Variable)}
        left, fan = [one for one in rule.body if self._relates(one)], 1.0
        while left:
            literal = next((one for one in left if not seen.isdisjoint(_variables(one))), None)
            if literal is None:
                break  # what the head does not reach is there or not
            left.remove(literal)
            fan *= self._weight(literal, seen)
            seen.update(_variables(literal))
        return max(1.0, fan)

    def _relates(self, literal: Literal) -> bool:
        """Whether the literal is one of stored pairs, or of pairs that are learned."""
        if literal.negated or literal.arity != 2:
            return False
        facts = self._program.definition(literal.signature).fact_count
        return bool(facts) or literal.signature in self._program.learnables

    def _weight(self, literal: Literal, seen: set[str]) -> float:
        """How much weight the facts of a literal have for each entity that is reached."""
        signature = literal.signature
        role = self._program.role(signature)
        if role is Role.ATTRIBUTE:
            vector = self._relations.vector(self._program, signature)
            values = np.abs(attribute_values(self._program, vector))
            return float(np.median(values)) if len(values) else 1.0
        if role is not Role.RELATION:
            return 1.0
        known = [
            place
            for place, term in enumerate(literal.terms)
            if not isinstance(term, Variable) or term.name in seen
        ]
        sizes = [len(self._program.entity_type((*signature, place))) for place in (0, 1)]
        relation = self._relations.relation(self._program, signature)
        if not relation.count:  # all pairs are learned
            return float(sizes[1 - known[0]]) if len(known) == 1 else 1.0
        sums = self._sums(relation, known[0], sizes[known[0]])
        # of learned pairs the weights themselves are what is to be chosen
        learned = signature in self._program.learnables
        weight = float(relation.count) if learned else float(np.abs(sums).sum())
        reached = prod(sizes) if len(known) == 2 else np.count_nonzero(sums)
        return weight / max(1, reached)

    def _sums(self, relation: Relation, place: int, size: int) -> np.ndarray:
        """The sum of the weights of each entity's facts."""
        found = np.zeros(size)
        for part in relation.column_sums(inverted=place == 0):
            found[: len(part)] += part
        return found


def _is_bent(function: Function) -> bool:
    return function.kind is not FunctionKind.AGGREGATE and function is not LINEAR


def _is_ground(literal: Literal) -> bool:
    return not any(isinstance(term, Variable) for term in literal.terms)


def _names(literal: Literal) -> tuple[str, ...]:
    return tuple(term.name for term in literal.terms if isinstance(term, Constant))


def _variables(literal: Literal) -> Iterator[str]:
    return (term.name for term in literal.terms if isinstance(term, Variable))


def described(starts: Mapping[Signature, Starts], most: int = 8) -> str:
    """What the report of a training says of its start weights.

    >>> described({("w", 1): Starts(), ("feat", 1): Starts(Start(0.0, 0.05))})
    'feat/1 0 ± 0.05, w/1 0.5 ± 0.12'
    """
    words = [f"{name}/{arity} {starts[name, arity]}" for name, arity in sorted(starts)]
    more = [] if len(words) <= most else [f"and {len(words) - most} more"]
    return ", ".join(_first(words, most) + more)


def _first(words: Iterable[str], most: int) -> list[str]:
    return list(words)[:most]
