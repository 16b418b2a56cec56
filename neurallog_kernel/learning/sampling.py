"""Negative examples by the local closed world: other objects for the subjects that are listed."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from neurallog_kernel.arguments import whole
from neurallog_kernel.errors import NeuralLogError, ParameterError
from neurallog_kernel.knowledge.blocks import BlockBuilder, row_keys
from neurallog_kernel.knowledge.example_sets import set_names
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import fact_blocks
from neurallog_kernel.knowledge.setting_checks import check_seed
from neurallog_kernel.knowledge.sources import SourceContents
from neurallog_kernel.knowledge.symbols import SymbolTable, distinct
from neurallog_kernel.knowledge.update import with_source
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import Constant, Fact, Literal, Signature
from neurallog_kernel.learning.choices.option_checks import MOST_NEGATIVES
from neurallog_kernel.learning.examples.targets import Examples, examples_of, listed_examples

Pairs = tuple[np.ndarray, np.ndarray]  # of subjects, by number, and objects
Atoms = tuple[np.ndarray, ...]  # symbols, a column for each place
_ROUNDS = 20  # of drawing for all subjects at once; after them each is given what is left to it


def with_negatives(
    program: Program, symbols: SymbolTable, examples: Examples, number: int, seed: int
) -> Examples:
    """The examples and about `number` negative ones for each subject."""
    found = negatives_for(program, symbols, examples, number, seed)
    if (examples.groups >= 0).any():
        found = _at_steps(examples, found)
    places = tuple(
        np.concatenate([own, more]) for own, more in zip(examples.places, found.places, strict=True)
    )
    return Examples(
        examples.signature,
        places,
        np.concatenate([examples.labels, found.labels]),
        np.concatenate([examples.groups, found.groups]),
        np.concatenate([examples.steps, found.steps]),
    )


def _at_steps(examples: Examples, negatives: Examples) -> Examples:
    """Negative examples at every step of a group where their subject has a positive one."""
    steps: dict[object, dict[tuple[int, int], None]] = {}
    subjects = row_keys(examples.places[:-1], len(examples)).tolist()
    columns = (examples.groups, examples.steps, examples.labels)
    for subject, group, step, label in zip(subjects, *(c.tolist() for c in columns), strict=True):
        if label > 0:
            steps.setdefault(subject, {})[group, step] = None
    found = row_keys(negatives.places[:-1], len(negatives)).tolist()
    of_each = [list(steps[subject]) for subject in found]
    which = np.repeat(np.arange(len(negatives)), [len(found) for found in of_each])
    pairs = np.array([pair for found in of_each for pair in found], dtype=np.int64).reshape(-1, 2)
    return replace(negatives.chosen(which), groups=pairs[:, 0], steps=pairs[:, 1])


def negatives_for(
    program: Program,
    symbols: SymbolTable,
    examples: Examples,
    number: int,
    seed: int,
    place: int | None = None,
) -> Examples:
    """Negative examples of a predicate with two and more arguments; none for others.

    Each subject that has a positive example gets up to `number` atoms with an object that the
    relation has elsewhere among these examples or its facts. The object is what stands at `place`
    (by default the last), the subject is all the rest. An atom that any set lists, or that is a
    fact, is never drawn. The same seed and program give the same atoms.
    """
    if number < 0:
        raise ParameterError(f"the number of negative examples is at least 0, not {number}")
    arity = examples.signature[1]
    place = arity - 1 if place is None else place
    if arity < 2 or place >= arity or not number or not len(examples):
        nothing = np.zeros(0, dtype=np.int32)
        return Examples.plain(examples.signature, (nothing,) * arity, np.zeros(0))
    positive = examples.chosen(np.flatnonzero(examples.labels > 0))
    facts = _facts(program, examples.signature)
    pool = distinct(np.concatenate([positive.places[place], *(f[place] for f in facts)]))
    rests = _Rests(positive.places, place)
    known = _known_atoms(program, symbols, examples.signature, facts)
    draw = _Draw(_keys(map(rests.pairs, known)), pool, _generator(examples.signature, seed))
    which, objects = draw.pairs(np.arange(len(rests)), number)
    chosen = rests.atoms(which, objects)
    return Examples.plain(examples.signature, chosen, np.zeros(len(objects)))


class _Rests:
    """The subjects: what examples have at all places but one, numbered as they first appear."""

    def __init__(self, places: Atoms, place: int) -> None:
        self.place = place
        self.arity = len(places)
        rest = self._rest(places)
        self._sorted, first = np.unique(row_keys(rest, len(places[0])), return_index=True)
        order = np.argsort(first)
        self._numbers = np.argsort(order)  # of the sorted keys
        self._columns = [column[first[order]] for column in rest]

    def __len__(self) -> int:
        return len(self._sorted)

    def _rest(self, places: Atoms) -> list[np.ndarray]:
        return [column for p, column in enumerate(places) if p != self.place]

    def pairs(self, places: Atoms) -> Pairs:
        """The number of each atom's subject, and its object; atoms of other subjects are left
        out."""
        keys = row_keys(self._rest(places), len(places[0]))
        found = np.searchsorted(self._sorted, keys)
        found[found == len(self)] = 0
        known = self._sorted[found] == keys if len(self) else np.zeros(len(keys), dtype=bool)
        return self._numbers[found[known]], places[self.place][known]

    def atoms(self, which: np.ndarray, objects: np.ndarray) -> Atoms:
        """The atoms of some subjects with these objects."""
        rest = (column[which] for column in self._columns)
        return tuple(objects if p == self.place else next(rest) for p in range(self.arity))


def contents_with_negatives(
    program: Program,
    contents: SourceContents,
    symbols: SymbolTable,
    sets: Iterable[str],
    number: int,
    seed: int,
) -> tuple[SourceContents, dict[str, int]]:
    """What a source says, with negative examples beside those of these sets, and how many were
    drawn. No pair is drawn for two sets."""
    drawn = dict.fromkeys(sets, 0)
    for key, block in list(contents.examples.items()):
        name, signature = key
        if name not in drawn or any(block.numeric):
            continue
        order = block.text_order()
        columns = tuple(column[order] for column in block.entities)
        own = Examples.plain(signature, columns, block.weights[order])
        found = negatives_for(
            with_source(program, contents, symbols, strict=False), symbols, own, number, seed
        )
        if not len(found):
            continue
        builder = BlockBuilder(signature, block.numeric)
        builder.add(own.places, own.labels, block.lines[order])
        last = int(block.lines.max())
        after = np.arange(last + 1, last + 1 + len(found), dtype=np.int32)
        builder.add([c.astype(np.int32) for c in found.places], found.labels, after)
        joined = {**contents.examples, key: builder.finish(contents.source, symbols)}
        contents = replace(contents, examples=joined)
        drawn[name] += len(found)
    return contents, drawn


def negative_text(
    program: Program,
    symbols: SymbolTable,
    name: str,
    number: int,
    seed: int,
    place: int | None = None,
) -> str:
    """Negative examples for a whole set, as plain atoms of weight 0; `place` counts from 1."""
    whole(0, MOST_NEGATIVES)("number", number)
    check_seed(seed)
    if place is not None:
        whole(1)("place", place)
    lines = []
    for examples in examples_of(program, symbols, name):
        found = negatives_for(
            program, symbols, examples, number, seed, None if place is None else place - 1
        )
        for row in zip(*(column.tolist() for column in found.places), strict=True):
            terms = tuple(Constant(symbols.name(symbol)) for symbol in row)
            lines.append(format_clause(Fact(Literal(found.signature[0], terms), 0.0)))
    if not lines:
        raise NeuralLogError(
            f"no negative example could be drawn for the set {name}",
            hint="only predicates of two and more arguments with positive examples and several "
            "objects have some",
        )
    return "\n".join(lines) + "\n"


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


def _keys(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Each pair as one number, sorted, without repetition."""
    parts = [(a.astype(np.int64) << 32) | b.astype(np.int64) for a, b in pairs]
    return distinct(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)


def _facts(program: Program, signature: Signature) -> list[Atoms]:
    return [b.entities for b in fact_blocks(program, signature) if not any(b.numeric)]


def _known_atoms(
    program: Program, symbols: SymbolTable, signature: Signature, facts: Iterable[Atoms]
) -> Iterator[Atoms]:
    yield from facts
    for name in set_names(program):
        for examples in listed_examples(program, symbols, name):
            if examples.signature == signature:
                yield examples.places


def _generator(signature: Signature, seed: int) -> np.random.Generator:
    """Of its own for each predicate, whatever else is drawn."""
    own = zlib.crc32(f"{signature[0]}/{signature[1]}".encode())
    return np.random.default_rng([seed, own, 2])
