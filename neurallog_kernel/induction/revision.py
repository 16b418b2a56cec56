"""What a change of the rules would change: a rule less or more, a literal less or more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from neurallog_kernel.functions import COMPARISONS
from neurallog_kernel.induction.heads import Head
from neurallog_kernel.induction.proofs import Prover
from neurallog_kernel.induction.reasons import given_entities, pairs_of
from neurallog_kernel.language.printer import format_clause, format_literal
from neurallog_kernel.language.syntax import Literal, Number, Rule, Variable

MOST_RIGHT = 300  # examples that judge
WRONG_EACH = 4  # drawn for each of them, where no negatives are listed
MOST_TRIED = 400  # changes
CUTS = np.linspace(0.1, 0.9, 9)  # of the values of an attribute


@dataclass(frozen=True)
class Weighed:
    """A rule with its weight; `row` is its number in the table, None for a rule of the program."""

    rule: Rule
    weight: float
    row: int | None = None
    weights: Mapping[str, float] = field(default_factory=dict)  # of a rule with one for each entity

    @property
    def text(self) -> str:
        return format_clause(replace(self.rule, weight=1.0))


@dataclass(frozen=True)
class Revised:
    """One change, and by how much it moves the figure."""

    what: str
    rule: str
    difference: float

    def __str__(self) -> str:
        return f"{self.difference:+.3f}  {self.what}  {self.rule}"


@dataclass(frozen=True)
class Revision:
    """All changes that were tried, the best first."""

    head: str
    figure: float  # ROC AUC as it is
    right: int
    wrong: int
    drawn: bool  # whether other pairs count as negatives, for none are listed
    rules: int
    changes: tuple[Revised, ...]

    def __iter__(self) -> Iterator[Revised]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    def __str__(self) -> str:
        others = f"{self.wrong:,} {'other pairs' if self.drawn else 'negatives'}"
        lines = [
            f"{self.head}: ROC AUC {self.figure:.3f} with {self.rules} rule"
            f"{'' if self.rules == 1 else 's'}, on {self.right:,} examples and {others}"
        ]
        better = [one for one in self.changes if one.difference > 0.0005]
        worse = [one for one in reversed(self.changes) if one.difference < -0.0005]
        for title, some in (("better", better), ("worse", worse)):
            lines.append(f"{title}:" + ("" if some else " no change that was tried"))
            lines += [f"  {one}" for one in some[:8]]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


class Reviser:
    """Tries changes of the rules of one head, on examples and on others that are none."""

    def __init__(self, prover: Prover, head: Head, seed: int) -> None:
        self.prover, self.head = prover, head
        chance = np.random.default_rng(seed)
        right = pairs_of(prover.graph, head.right)
        chosen = np.sort(chance.permutation(len(right))[:MOST_RIGHT])
        self.right = [right[i] for i in chosen.tolist()]
        listed = pairs_of(prover.graph, head.wrong)
        self.drawn = not listed
        some = np.sort(chance.permutation(len(listed))[: WRONG_EACH * MOST_RIGHT])
        self.wrong = [listed[i] for i in some.tolist()] or self._drawn(set(right), chance)
        self._fired: dict[str, np.ndarray] = {}

    def _drawn(
        self, right: set[tuple[int, ...]], chance: np.random.Generator
    ) -> list[tuple[int, ...]]:
        """Others like the examples: the last argument of another one, none an example."""
        lasts = sorted({pair[-1] for pair in right})
        if len(lasts) < 2 or self.head.signature[1] == 1:
            lasts = list(range(self.prover.graph.size))
        found: dict[tuple[int, ...], None] = {}
        for pair in self.right:
            for last in chance.choice(lasts, size=min(3 * WRONG_EACH, len(lasts))).tolist():
                other = (*pair[:-1], last)
                if other not in right and len(set(other)) == len(other):
                    found.setdefault(other)
                if len(found) >= WRONG_EACH * len(self.right):
                    break
        return list(found)

    def _reached(self, rules: Sequence[Weighed]) -> list[tuple[int, ...]]:
        """What the rules say of the first arguments of the examples, and no example does: these are
        the answers that a better rule would not give."""
        right = set(pairs_of(self.prover.graph, self.head.right))
        firsts = list(dict.fromkeys(pair[0] for pair in self.right))
        found: dict[tuple[int, ...], None] = dict.fromkeys(self.wrong)
        for one in rules:
            terms = one.rule.head.terms
            if len(terms) != 2 or not all(isinstance(term, Variable) for term in terms):
                continue
            x, y = (term.name for term in terms if isinstance(term, Variable))
            for first in firsts:
                proofs = self.prover.proofs(one.rule, {x: first})
                own = {(first, bound[y]) for bound in islice(proofs, 10 * WRONG_EACH)} - right
                found |= dict.fromkeys(sorted(own)[:WRONG_EACH])
        return list(found)[: 2 * WRONG_EACH * MOST_RIGHT]

    def revise(self, rules: Sequence[Weighed], others: Sequence[Weighed]) -> Revision:
        """What each change moves: of the rules in use, and of the other rows."""
        if self.drawn:
            self.wrong = self._reached([*rules, *others])
        base = self.figure(rules)
        known = {one.text for one in rules}
        best: dict[tuple[str, str], Revised] = {}
        for what, kind, rule, changed in islice(self._changes(rules, others, known), MOST_TRIED):
            one = Revised(what, rule, self.figure(changed) - base)
            if (kind, rule) not in best or one.difference > best[kind, rule].difference:
                best[kind, rule] = one  # of several cuts of one number, the best
        changes = list(best.values())
        changes.sort(key=lambda one: (-one.difference, one.what, one.rule))
        name = f"{self.head.signature[0]}/{self.head.signature[1]}"
        sizes = (len(self.right), len(self.wrong))
        return Revision(name, base, *sizes, self.drawn, len(rules), tuple(changes))

    def _changes(
        self, rules: Sequence[Weighed], others: Sequence[Weighed], known: set[str]
    ) -> Iterator[tuple[str, str, str, list[Weighed]]]:
        """In words, of which kind, of which rule, and the rules after it."""
        for one in rules:
            yield "without", "without", one.text, [x for x in rules if x is not one]
        for one in others:
            yield f"with row {one.row}", "with", one.text, [*rules, one]
        for one in rules:
            for what, body in () if one.weights else self._bodies(one.rule):
                changed = replace(one, rule=replace(one.rule, body=body))
                if changed.text not in known and self.fired(changed).any():
                    kind = what.rpartition(", ")[0] or what
                    yield what, kind, one.text, [changed if x is one else x for x in rules]

    def _bodies(self, rule: Rule) -> Iterator[tuple[str, tuple[Literal, ...]]]:
        """The body with a literal less, or with a concept of an argument more."""
        needed = dict.fromkeys(t for t in rule.head.terms if isinstance(t, Variable))
        for place, literal in enumerate(rule.body):
            body = tuple(x for i, x in enumerate(rule.body) if i != place)
            if body and needed.keys() <= {term for x in body for term in x.terms}:
                yield f"without {format_literal(literal)} in", body
        for more in self._conditions(rule, needed):
            yield f"and {', '.join(map(format_literal, more))} in", (*rule.body, *more)

    def _conditions(self, rule: Rule, terms: Iterable[Variable]) -> Iterator[tuple[Literal, ...]]:
        """What can be asked of an argument: a concept, or a number at least or at most a cut."""
        graph, program = self.prover.graph, self.prover.evaluator.program
        for term in terms:
            for predicate, _ in graph.concepts:
                more = Literal(predicate, (term,))
                if more not in rule.body and (predicate, 1) != rule.head.signature:
                    yield (more,)
            for signature, (_, values) in graph.attributes.items():
                owner_first = program.numeric(signature).index(False) == 0
                number = Variable(_unused_name(rule))
                places = (term, number) if owner_first else (number, term)
                attribute = Literal(signature[0], places)
                cuts = np.unique(np.quantile(values, CUTS, method="nearest"))
                for cut in cuts.tolist():
                    for name in COMPARISONS:
                        yield attribute, Literal(name, (number, Number(cut)))

    def figure(self, rules: Sequence[Weighed]) -> float:
        """ROC AUC; equal scores count half."""
        from scipy.stats import rankdata  # a quarter of a second that no question should wait for

        scores = np.zeros(len(self.right) + len(self.wrong))
        for one in rules:
            scores += one.weight * self.fired(one)
        right = len(self.right)
        if not right or not self.wrong:
            return 0.5
        ranks = rankdata(scores)[:right].sum()
        return float((ranks - right * (right + 1) / 2) / (right * len(self.wrong)))

    def fired(self, one: Weighed) -> np.ndarray:
        """For each of the pairs what the rule says."""
        if one.text not in self._fired:
            reached = []
            for pair in (*self.right, *self.wrong):
                given = given_entities(one.rule, pair, self.prover)
                reached.append(0.0 if given is None else self._said(one, given))
            self._fired[one.text] = np.array(reached, dtype=float)
        return self._fired[one.text]

    def _said(self, one: Weighed, given: Mapping[str, int]) -> float:
        """1 where the rule proves it; of a rule with a weight for each entity, their sum."""
        if not one.weights:
            return float(self.prover.proves(one.rule, given))
        proved = replace(one.rule, body=one.rule.body[:-1])
        (end,) = (term for term in one.rule.body[-1].terms if isinstance(term, Variable))
        ends = {bound[end.name] for bound in self.prover.proofs(proved, given)}
        return sum(one.weights.get(self.prover.graph.name(entity), 0.0) for entity in ends)


def _unused_name(rule: Rule) -> str:
    used = {t.name for x in (rule.head, *rule.body) for t in x.terms if isinstance(t, Variable)}
    return next(name for name in ("N", *(f"N{i}" for i in range(1, 99))) if name not in used)
