"""Negative examples by the local closed world: other objects for the subjects that are listed."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from neurallog_kernel.errors import NeuralLogError, ParameterError
from neurallog_kernel.knowledge.blocks import BlockBuilder
from neurallog_kernel.knowledge.example_sets import set_names
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.setting_checks import check_seed
from neurallog_kernel.knowledge.sources import Unit
from neurallog_kernel.knowledge.symbols import SymbolTable, distinct
from neurallog_kernel.knowledge.update import with_unit
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import Constant, Fact, Literal, Signature
from neurallog_kernel.learning.examples import Examples, examples_of, listed_examples
from neurallog_kernel.learning.option_checks import MOST_NEGATIVES, whole

_ROUNDS = 20  # of drawing for all subjects at once; after them each is given what is left to it


def with_negatives(
    program: Program, symbols: SymbolTable, examples: Examples, number: int, seed: int
) -> Examples:
    """The examples and about `number` negative ones for each subject."""
    found = negatives_for(program, symbols, examples, number, seed)
    places = tuple(
        np.concatenate([own, more]) for own, more in zip(examples.places, found.places, strict=True)
    )
    return Examples(examples.signature, places, np.concatenate([examples.labels, found.labels]))


def negatives_for(
    program: Program, symbols: SymbolTable, examples: Examples, number: int, seed: int
) -> Examples:
    """Negative examples of a binary predicate; none for others.

    Each subject that has a positive example gets up to `number` pairs with an object that the
    relation has elsewhere among these examples or its facts. A pair that any set lists, or that is
    a fact, is never drawn. The same seed and program give the same pairs.
    """
    if number < 0:
        raise ParameterError(f"the number of negative examples is at least 0, not {number}")
    if examples.signature[1] != 2 or not number or not len(examples):
        nothing = np.zeros(0, dtype=np.int32)
        return Examples(examples.signature, (nothing,) * examples.signature[1], np.zeros(0))
    positive = examples.labels > 0
    subjects = _in_order(examples.places[0][positive])
    facts = _facts(program, examples.signature)
    pool = distinct(np.concatenate([examples.places[1][positive], *(f[1] for f in facts)]))
    listed = _keys(_known_pairs(program, symbols, examples.signature, facts))
    draw = _Draw(listed, pool, _generator(examples.signature, seed))
    chosen = draw.pairs(subjects, number)
    return Examples(examples.signature, chosen, np.zeros(len(chosen[0])))


def unit_with_negatives(
    program: Program,
    unit: Unit,
    symbols: SymbolTable,
    sets: Iterable[str],
    number: int,
    seed: int,
) -> tuple[Unit, dict[str, int]]:
    """A unit whose examples in these sets have negative ones beside them, and how many. No pair is
    drawn for two sets."""
    drawn = dict.fromkeys(sets, 0)
    for key, block in list(unit.examples.items()):
        name, signature = key
        if name not in drawn or any(block.numeric):
            continue
        order = block.text_order()
        own = Examples(signature, tuple(c[order] for c in block.entities), block.weights[order])
        found = negatives_for(
            with_unit(program, unit, symbols, strict=False), symbols, own, number, seed
        )
        if not len(found):
            continue
        builder = BlockBuilder(signature, block.numeric)
        builder.add(own.places, own.labels, block.lines[order])
        last = int(block.lines.max())
        after = np.arange(last + 1, last + 1 + len(found), dtype=np.int32)
        builder.add([c.astype(np.int32) for c in found.places], found.labels, after)
        joined = {**unit.examples, key: builder.finish(unit.source, symbols)}
        unit = replace(unit, examples=joined)
        drawn[name] += len(found)
    return unit, drawn


def negative_text(program: Program, symbols: SymbolTable, name: str, number: int, seed: int) -> str:
    """Negative examples for a whole set, as plain atoms of weight 0."""
    whole(0, MOST_NEGATIVES)("number", number)
    check_seed(seed)
    lines = []
    for examples in examples_of(program, symbols, name):
        found = negatives_for(program, symbols, examples, number, seed)
        for row in zip(*(column.tolist() for column in found.places), strict=True):
            terms = tuple(Constant(symbols.name(symbol)) for symbol in row)
            lines.append(format_clause(Fact(Literal(found.signature[0], terms), 0.0)))
    if not lines:
        raise NeuralLogError(
            f"no negative example could be drawn for the set {name}",
            hint="only binary predicates with positive examples and several objects have some",
        )
    return "\n".join(lines) + "\n"


Pairs = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class _Draw:
    """Pairs of subjects with objects of the pool, none of them listed, none twice."""

    listed: np.ndarray  # sorted keys
    pool: np.ndarray
    generator: np.random.Generator

    def pairs(self, subjects: np.ndarray, number: int) -> Pairs:
        taken = self.listed
        keys = np.zeros(0, dtype=np.int64)
        missing = np.full(len(subjects), number)
        for _ in range(_ROUNDS):
            open_ = np.repeat(subjects, missing)
            if not len(open_):
                break
            drawn = _keys([(open_, self.generator.choice(self.pool, len(open_)))])
            new = drawn[~np.isin(drawn, taken)]
            keys = np.concatenate([keys, new])
            taken = np.union1d(taken, new)
            missing = number - self._counts(keys, subjects)
        if missing.any():
            keys = np.concatenate([keys, *self._left(subjects, missing, taken)])
        return self._in_order_of(subjects, keys)

    def _left(
        self, subjects: np.ndarray, missing: np.ndarray, taken: np.ndarray
    ) -> Iterator[np.ndarray]:
        """For subjects with few objects left: some of these, without drawing in vain."""
        for place in np.flatnonzero(missing).tolist():
            subject = np.full(len(self.pool), subjects[place])
            free = np.setdiff1d(_keys([(subject, self.pool)]), taken)
            yield self.generator.permutation(free)[: missing[place]]

    @staticmethod
    def _counts(keys: np.ndarray, subjects: np.ndarray) -> np.ndarray:
        order = np.argsort(subjects)
        places = order[np.searchsorted(subjects[order], keys >> 32)]
        return np.bincount(places, minlength=len(subjects))

    @staticmethod
    def _in_order_of(subjects: np.ndarray, keys: np.ndarray) -> Pairs:
        order = np.argsort(subjects)
        places = order[np.searchsorted(subjects[order], keys >> 32)]
        keys = keys[np.argsort(places, kind="stable")]
        return (keys >> 32).astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)


def _in_order(symbols: np.ndarray) -> np.ndarray:
    """Each once, in order of first appearance."""
    _, first = np.unique(symbols, return_index=True)
    return symbols[np.sort(first)].astype(np.int64)


def _keys(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Each pair as one number, sorted, without repetition."""
    parts = [(a.astype(np.int64) << 32) | b.astype(np.int64) for a, b in pairs]
    return distinct(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)


def _facts(program: Program, signature: Signature) -> list[Pairs]:
    blocks = program.definition(signature).facts
    return [(b.entities[0], b.entities[1]) for b in blocks if not any(b.numeric)]


def _known_pairs(
    program: Program, symbols: SymbolTable, signature: Signature, facts: Iterable[Pairs]
) -> Iterator[Pairs]:
    yield from facts
    for name in set_names(program):
        for examples in listed_examples(program, symbols, name):
            if examples.signature == signature:
                yield examples.places[0], examples.places[1]


def _generator(signature: Signature, seed: int) -> np.random.Generator:
    """Of its own for each predicate, whatever else is drawn."""
    own = zlib.crc32(f"{signature[0]}/{signature[1]}".encode())
    return np.random.default_rng([seed, own, 2])
