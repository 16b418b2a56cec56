"""Why this rule, and what is still missing: instances of a candidate, and examples none reaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from neurallog_kernel.induction.candidates import Candidate
from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.induction.heads import Head
from neurallog_kernel.induction.proofs import Proof, ProofFact, Prover
from neurallog_kernel.knowledge.loaded import counted
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import Literal, Rule, Variable

LONGEST_WAY = 5  # facts between the arguments of an example that nothing reaches
MOST_LOOKED_AT = 2_000  # examples that are tried
MOST_WEIGHTS = 10  # entities of a rule with a weight for each


@dataclass(frozen=True)
class RowReasons:
    """Instances of a rule: some that are examples, and some that are not."""

    row: Candidate
    right: tuple[Proof, ...]
    wrong: tuple[Proof, ...]

    def __str__(self) -> str:
        row = self.row
        lines = [f"{row.number}  {row.text}   right {row.right} of {row.fires}"]
        for title, proofs in (("right", self.right), ("wrong", self.wrong)):
            lines.append(f"{title}:" + ("" if proofs else " none was found"))
            lines += [f"  {proof}" for proof in proofs]
        if row.weights:
            lines.append(f"largest of {counted(len(row.weights), 'weight')}:")
            lines += [f"  {weight:+.2f}  {name}" for name, weight in row.weights[:MOST_WEIGHTS]]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


def reasons(prover: Prover, head: Head, row: Candidate, most: int) -> RowReasons:
    """The first instances of a rule, right ones and wrong ones."""
    right = _proved(prover, row.proved, pairs_of(prover.graph, head.right), most)
    if head.is_listed:
        wrong = _proved(prover, row.proved, pairs_of(prover.graph, head.wrong), most)
    else:
        wrong = _unlisted(prover, head, row.proved, most)
    return RowReasons(row, tuple(right), tuple(wrong))


def pairs_of(graph: Graph, columns: Sequence[np.ndarray]) -> list[tuple[int, ...]]:
    places = [graph.index(column).tolist() for column in columns]
    return [pair for pair in zip(*places, strict=True) if min(pair) >= 0]


def given_entities(rule: Rule, entities: Sequence[int], prover: Prover) -> dict[str, int] | None:
    """The head's variables with these entities; None where a constant of the head is another."""
    bound: dict[str, int] = {}
    for term, entity in zip(rule.head.terms, entities, strict=True):
        if isinstance(term, Variable):
            bound[term.name] = entity
        elif prover.index(getattr(term, "name", "")) != entity:
            return None
    return bound


def _proved(prover: Prover, rule: Rule, pairs: Sequence[tuple[int, ...]], most: int) -> list[Proof]:
    """The first atoms that the rule proves, each with its first proof."""
    found: list[Proof] = []
    for pair in pairs[:MOST_LOOKED_AT]:
        given = given_entities(rule, pair, prover)
        bound = None if given is None else next(prover.proofs(rule, given), None)
        if bound is not None:
            found.append(prover.proof(rule, bound))
        if len(found) == most:
            break
    return found


def _unlisted(prover: Prover, head: Head, rule: Rule, most: int) -> list[Proof]:
    """Answers of the rule that are no examples, for the first arguments of the examples."""
    right = set(pairs_of(prover.graph, head.right))
    first = rule.head.terms[0]
    if len(rule.head.terms) == 1 or not isinstance(first, Variable):
        starts: list[dict[str, int]] = [{}]
    else:
        starts = [{first.name: e} for e in dict.fromkeys(pair[0] for pair in right)]
    found: dict[tuple[int, ...], Proof] = {}
    for given in starts[:MOST_LOOKED_AT]:
        for bound in prover.proofs(rule, given):
            pair = tuple(
                bound[t.name] if isinstance(t, Variable) else prover.index(getattr(t, "name", ""))
                for t in rule.head.terms
            )
            if pair not in right and pair not in found and None not in pair:
                found[pair] = prover.proof(rule, bound)  # type: ignore[index]
                break
        if len(found) >= most:
            break
    return list(found.values())


# -- misses ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Miss:
    """An example that no chosen rule reaches, and the shortest way between its arguments."""

    atom: str
    facts: tuple[ProofFact, ...] = ()
    rule: str = ""  # the rule that this way would be
    row: int | None = None  # its number, where the table has it

    def __str__(self) -> str:
        if not self.facts:
            return f"{self.atom}: no way of up to {LONGEST_WAY} facts connects it"
        known = f" (row {self.row})" if self.row else ""
        return f"{self.atom}: {', '.join(map(str, self.facts))}\n    {self.rule}{known}"


@dataclass(frozen=True)
class Misses:
    """The examples that no chosen rule reaches; `looked_at` of them were tried."""

    missed: int
    looked_at: int
    examples: int
    shown: tuple[Miss, ...]

    def __len__(self) -> int:
        return self.missed

    def __iter__(self) -> Iterator[Miss]:
        return iter(self.shown)

    def __str__(self) -> str:
        of = f"{self.looked_at:,} examples"
        if self.looked_at < self.examples:
            of += f" looked at (there are {self.examples:,})"
        if not self.missed:
            return f"chosen rules reach all of {of}"
        lines = [f"no chosen rule reaches {self.missed:,} of {of}"]
        lines += [f"  {miss}" for miss in self.shown]
        if len(self.shown) < self.missed:
            lines.append(f"  ... {self.missed - len(self.shown):,} more")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


def misses(
    prover: Prover, head: Head, chosen: Sequence[Rule], rows: Sequence[Candidate], most: int
) -> Misses:
    """The examples that no chosen rule reaches."""
    pairs = pairs_of(prover.graph, head.right)
    looked_at = pairs[:MOST_LOOKED_AT]
    missed = [pair for pair in looked_at if not _reached(prover, chosen, pair)]
    numbers = {row.text: row.number for row in rows}
    shown = tuple(_miss(prover, head, pair, numbers) for pair in missed[:most])
    return Misses(len(missed), len(looked_at), head.count, shown)


def _reached(prover: Prover, chosen: Sequence[Rule], pair: tuple[int, ...]) -> bool:
    for rule in chosen:
        given = given_entities(rule, pair, prover)
        if given is not None and prover.proves(rule, given):
            return True
    return False


def _miss(prover: Prover, head: Head, pair: tuple[int, ...], numbers: dict[str, int]) -> Miss:
    names = ", ".join(map(prover.name, pair))
    atom = f"{head.signature[0]}({names})"
    if len(pair) != 2:
        return Miss(atom)
    way = shortest_way(prover.graph, head, pair[0], pair[1])
    if not way:
        return Miss(atom)
    variables = ["X", *"ABCDEFG"[: len(way) - 1], "Y"]
    entities = [pair[0], *(entity for _, entity in way)]
    literals: list[Literal] = [
        prover.graph.steps[step].literal(Variable(start), Variable(end))
        for (step, _), start, end in zip(way, variables[:-1], variables[1:], strict=True)
    ]
    rule = Rule(Literal(head.signature[0], (Variable("X"), Variable("Y"))), tuple(literals))
    proof = prover.proof(rule, dict(zip(variables, entities, strict=True)))
    text = format_clause(rule)
    return Miss(atom, proof.facts, text, numbers.get(text))


def shortest_way(graph: Graph, head: Head, start: int, end: int) -> list[tuple[int, int]] | None:
    """The steps of a shortest way between two entities, each with where it leads, without the fact
    between them that is to be explained."""
    before: dict[int, tuple[int, int]] = {start: (-1, -1)}  # entity -> (from, by which step)
    frontier = [start]
    for _ in range(LONGEST_WAY):
        following: list[int] = []
        for entity in frontier:
            for step, matrix in enumerate(graph.between):
                own = matrix.indices[matrix.indptr[entity] : matrix.indptr[entity + 1]]
                is_head = graph.steps[step].signature == head.signature
                for found in own.tolist():
                    if found in before or (is_head and {entity, found} == {start, end}):
                        continue
                    before[found] = (entity, step)
                    following.append(found)
            if end in before:
                return _traced(before, end)
        frontier = following
    return None


def _traced(before: dict[int, tuple[int, int]], end: int) -> list[tuple[int, int]]:
    way: list[tuple[int, int]] = []
    while before[end][0] >= 0:
        origin, step = before[end]
        way.append((step, end))
        end = origin
    return way[::-1]
