"""The facts of a program as one graph: relations in both directions, concepts, attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.errors import BoundError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.knowledge.symbols import SymbolTable, distinct
from neurallog_kernel.language.syntax import Literal, Signature, Term

MOST_RELATIONS = 20_000
MOST_CELLS = 500_000_000  # relations times entities: each relation has a row for every entity
MOST_ATTACHED = 2_000_000  # facts in tables: 600 bytes each here, beside a gigabyte of counts
_PairsOf: TypeAlias = dict[Signature, tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Step:
    """A relation walked from its first argument to its second, or the other way."""

    signature: Signature
    inverse: bool
    symmetric: bool = False  # both ways are the same: there is no other step for this relation

    def literal(self, start: Term, end: Term) -> Literal:
        """
        >>> from neurallog_kernel.language.syntax import Variable
        >>> Step(("p", 2), True).literal(Variable("X"), Variable("Y")).terms
        (Variable(name='Y'), Variable(name='X'))
        """
        return Literal(self.signature[0], (end, start) if self.inverse else (start, end))


@dataclass(frozen=True, eq=False)
class Graph:
    """What rules can be about. Entities have one index for all relations: rules join on names.

    `matrices[s]` has a 1 for each fact of `steps[s]`, the diagonal included.
    """

    symbols: SymbolTable
    entities: np.ndarray  # symbols, ascending
    steps: tuple[Step, ...]
    matrices: tuple[Any, ...]  # sp.csr_array
    concepts: Mapping[Signature, np.ndarray]  # indexes, ascending
    attributes: Mapping[Signature, tuple[np.ndarray, np.ndarray]]  # indexes and values
    left_out: tuple[str, ...] = ()  # predicates that rules cannot be about, with the reason

    @property
    def size(self) -> int:
        return len(self.entities)

    @cached_property
    def inverse(self) -> np.ndarray:
        """For each step the one that walks back."""
        places = {(step.signature, step.inverse): s for s, step in enumerate(self.steps)}
        return np.array(
            [
                s if step.symmetric else places[step.signature, not step.inverse]
                for s, step in enumerate(self.steps)
            ],
            dtype=np.int64,
        )

    @cached_property
    def between(self) -> tuple[Any, ...]:
        """The matrices without facts about one entity and itself."""
        return tuple(without_diagonal(matrix) for matrix in self.matrices)

    @cached_property
    def degrees(self) -> np.ndarray:
        """How many steps leave each entity."""
        counts = np.zeros(self.size, dtype=np.int64)
        for matrix in self.between:
            counts += np.diff(matrix.indptr)
        return counts

    def after(self, values: np.ndarray) -> np.ndarray:
        """For each entity the sum of some values over all that a step leads to."""
        found = np.zeros(self.size, dtype=values.dtype)
        for matrix in self.between:
            found += matrix @ values
        return found

    def name(self, index: int) -> str:
        return self.symbols.name(int(self.entities[index]))

    def index(self, symbols: np.ndarray) -> np.ndarray:
        """Where symbols stand, -1 where a graph has them not."""
        return positions(self.entities, symbols)


def positions(ordered: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where each wanted number stands in an ascending array, -1 where it does not.

    >>> positions(np.array([2, 5, 7]), np.array([5, 6, 9])).tolist()
    [1, -1, -1]
    """
    if not len(ordered):
        return np.full(len(wanted), -1, dtype=np.int64)
    found = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return np.where(ordered[found] == wanted, found, -1)


def without_diagonal(matrix: Any) -> Any:
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    if not (rows == matrix.indices).any():
        return matrix
    return ones(rows[rows != matrix.indices], matrix.indices[rows != matrix.indices], matrix.shape)


def ones(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> Any:
    """The matrix with a 1 at each of these places; no place twice."""
    data = np.ones(len(rows), dtype=np.float32)
    made = sp.csr_array(sp.coo_array((data, (rows, columns)), shape=shape))
    made.sum_duplicates()
    made.data[:] = 1.0
    return made


def graph_of(
    evaluator: Evaluator,
    wanted: Callable[[Signature], bool],
    further: Sequence[np.ndarray] = (),
    most: int = MOST_RELATIONS,
    is_late: Callable[[], bool] = lambda: False,
) -> Graph:
    """The graph of the facts of all wanted predicates, of at most so many and of those that are
    read before it is late; `further` are symbols that it must have."""
    program = evaluator.program
    check_attached(program, filter(wanted, program.predicates()))
    pairs: _PairsOf = {}
    singles: dict[Signature, np.ndarray] = {}
    numbers: dict[Signature, tuple[np.ndarray, np.ndarray]] = {}
    used = [s for s in program.predicates() if program.definition(s).fact_count and wanted(s)]
    used, few = _with_most_facts(program, used, min(most, MOST_RELATIONS))
    left_out = [f"{few:,} predicates with few facts: there are too many"] if few else []
    for number, signature in enumerate(used):
        if number and is_late():
            left_out.append(f"{len(used) - number:,} predicates: no time was left to read them")
            break
        role, arity = program.role(signature), signature[1]
        if role is Role.RELATION and arity == 2:
            pairs[signature] = _pairs(evaluator, signature)
        elif role is Role.RELATION and arity == 1:
            singles[signature] = _single(evaluator, signature)[0]
        elif role is Role.ATTRIBUTE and arity == 2:
            numbers[signature] = _single(evaluator, signature)
        elif arity:
            left_out.append(f"{signature[0]}/{arity}: rules are about one or two arguments")
    columns = [*singles.values(), *(own for own, _ in numbers.values()), *further]
    columns += [column for both in pairs.values() for column in both]
    entities = distinct(np.concatenate(columns)) if columns else np.zeros(0, dtype=np.int32)
    pairs, dropped = _affordable(pairs, len(entities))
    if dropped:
        left_out.append(f"{dropped:,} relations with few facts: there are too many relations")
    steps, matrices = _steps(entities, pairs)
    return Graph(
        evaluator.symbols,
        entities,
        steps,
        matrices,
        {name: positions(entities, own) for name, own in singles.items()},
        {name: (positions(entities, own), values) for name, (own, values) in numbers.items()},
        tuple(left_out),
    )


def _with_most_facts(
    program: Program, names: list[Signature], most: int
) -> tuple[list[Signature], int]:
    """So many of the predicates, in their order, and how many are left out."""
    if len(names) <= most:
        return names, 0
    order = sorted(range(len(names)), key=lambda n: -program.definition(names[n]).fact_count)
    return [names[n] for n in sorted(order[:most])], len(names) - most


def check_attached(program: Program, signatures: Iterable[Signature]) -> None:
    """Refuse tables with more facts than are counted in memory, before one of them is read.

    A database counts the paths of a rule as quickly as memory does; but what rules are weighed by
    is which examples each of them gets right, and that is in memory whoever counts.
    """
    attached = program.attached
    tables = [attached[signature] for signature in signatures if signature in attached]
    facts = sum(table.count for table in tables)
    if facts <= MOST_ATTACHED:
        return
    largest = max(tables, key=lambda table: table.count)
    others = f", with the other tables {facts:,}" if len(tables) > 1 else ""
    raise BoundError(
        f"{largest.table} has {largest.count:,} facts of {largest.predicate}{others}: rules are "
        f"learned in memory, from at most {MOST_ATTACHED:,} facts of tables",
        hint="name the predicates of the bodies without it (bodies), or attach a view of some of "
        "its rows, as those of a sample of its entities; rules that you write need no such bound",
    )


def _affordable(pairs: _PairsOf, size: int) -> tuple[_PairsOf, int]:
    """The relations with the most facts, so many as memory allows, and how many are left out."""
    most = max(1, min(MOST_RELATIONS, MOST_CELLS // (2 * (size + 1))))
    if len(pairs) <= most:
        return pairs, 0
    largest = sorted(pairs, key=lambda name: (-len(pairs[name][0]), name))[:most]
    return {name: pairs[name] for name in largest}, len(pairs) - most


def fact_columns(evaluator: Evaluator, signature: Signature) -> tuple[np.ndarray, ...]:
    """The symbols at each place of the facts of a relation or a concept."""
    if signature[1] == 2:
        return _pairs(evaluator, signature)
    return (_single(evaluator, signature)[0],)


def _pairs(evaluator: Evaluator, signature: Signature) -> tuple[np.ndarray, np.ndarray]:
    """The symbols of both arguments of each fact with a weight above 0."""
    members = [evaluator.domain(signature, place).members for place in (0, 1)]
    first, second = [], []
    relation = evaluator.storage.relations.relation(evaluator.program, signature)
    for part in relation.matrices(False):
        true = np.asarray(part.weights) > 0
        rows = np.repeat(np.arange(part.shape[0]), np.diff(part.starts))
        first.append(members[0][rows[true]])
        second.append(members[1][part.columns[true]])
    nothing = np.zeros(0, dtype=np.int32)
    return np.concatenate([nothing, *first]), np.concatenate([nothing, *second])


def _single(evaluator: Evaluator, signature: Signature) -> tuple[np.ndarray, np.ndarray]:
    """The symbols of the entities of a concept or an attribute, and the values of the latter."""
    vector = evaluator.storage.relations.vector(evaluator.program, signature)
    place = evaluator.program.numeric(signature).index(False)
    symbols = evaluator.domain(signature, place).symbols_at(vector.indexes)
    true = vector.weights > 0
    order = np.argsort(symbols[true])
    values = vector.weights if vector.values is None else vector.values
    return symbols[true][order], values[true][order]


def _steps(
    entities: np.ndarray, pairs: Mapping[Signature, tuple[np.ndarray, np.ndarray]]
) -> tuple[tuple[Step, ...], tuple[Any, ...]]:
    """Both directions of each relation, those with few facts first: they cost least."""
    shape = (len(entities), len(entities))
    steps: list[Step] = []
    matrices = []
    for signature, (first, second) in sorted(pairs.items(), key=lambda one: (len(one[1][0]), one)):
        rows, columns = positions(entities, first), positions(entities, second)
        forward = ones(rows, columns, shape)
        backward = ones(columns, rows, shape)
        if _same(forward, backward):
            steps.append(Step(signature, False, symmetric=True))
            matrices.append(forward)
        else:
            steps += [Step(signature, False), Step(signature, True)]
            matrices += [forward, backward]
    return tuple(steps), tuple(matrices)


def _same(one: Any, other: Any) -> bool:
    return np.array_equal(one.indptr, other.indptr) and np.array_equal(one.indices, other.indices)
