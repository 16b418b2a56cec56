"""The weights that are learned: one tensor a predicate, over its facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import FactVector, Relation, Relations, scalar
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.network.tensorflow import tensorflow


@dataclass(frozen=True, eq=False)
class Parameter:
    """A learned predicate: its facts, in the order of the tensor's entries, and the variable."""

    signature: Signature
    facts: FactVector | Relation | None  # None: a predicate without arguments
    variable: Any

    @property
    def name(self) -> str:
        return f"{self.signature[0]}/{self.signature[1]}"

    @property
    def size(self) -> int:
        return int(self.variable.shape[0])

    def numpy(self) -> np.ndarray:
        return self.variable.numpy().astype(np.float64)


class Parameters:
    """All learned predicates of a program, found by their facts."""

    def __init__(self, program: Program, relations: Relations, dtype: str) -> None:
        self.dtype = dtype
        self._all: dict[Signature, Parameter] = {}
        tf = tensorflow()
        for signature in learnables(program):
            facts, values = _current(program, relations, signature)
            name = f"{signature[0]}_{signature[1]}"
            variable = tf.Variable(values.astype(dtype), trainable=True, name=name)
            self._all[signature] = Parameter(signature, facts, variable)

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self._all.values())

    def __contains__(self, signature: Signature) -> bool:
        return signature in self._all

    def get(self, signature: Signature) -> Parameter | None:
        return self._all.get(signature)

    def variables(self) -> list[Any]:
        return [parameter.variable for parameter in self]

    def values(self) -> dict[Signature, np.ndarray]:
        return {parameter.signature: parameter.numpy() for parameter in self}

    def assign(self, values: Mapping[Signature, np.ndarray]) -> None:
        for signature, array in values.items():
            self._all[signature].variable.assign(array.astype(self.dtype))


def learnables(program: Program) -> list[Signature]:
    """The predicates `learn` names that have facts (training gives them all they need)."""
    return [
        signature
        for signature, definition in program.definitions.items()
        if signature in program.learnables and definition.fact_count
    ]


def _current(
    program: Program, relations: Relations, signature: Signature
) -> tuple[FactVector | Relation | None, np.ndarray]:
    role = program.role(signature)
    if signature[1] == 0 or role is Role.NUMERIC:
        return None, np.array([scalar(program, signature)[0]])
    if signature[1] == 1 or role is Role.ATTRIBUTE:
        vector = relations.vector(program, signature)
        return vector, vector.weights
    relation = relations.relation(program, signature)
    return relation, entries(relation).values


@dataclass(frozen=True, eq=False)
class Entries:
    """The facts of a relation in the order of its parameter."""

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray


def entries(relation: Relation) -> Entries:
    rows, columns, values = [], [], []
    for part in relation.parts:
        matrix = part.csr
        rows.append(np.repeat(np.arange(len(matrix.indptr) - 1), np.diff(matrix.indptr)))
        columns.append(matrix.indices.astype(np.int64))
        values.append(matrix.data)
    if not rows:
        nothing = np.zeros(0, dtype=np.int64)
        return Entries(nothing, nothing, np.zeros(0))
    return Entries(np.concatenate(rows), np.concatenate(columns), np.concatenate(values))


def indexed(relation: Relation, inverted: bool, shape: tuple[int, int]) -> sp.csr_array:
    """The relation as a matrix whose entries are 1 + the place of the fact in its parameter."""
    found = entries(relation)
    numbers = np.arange(1, len(found.values) + 1, dtype=np.float64)
    rows, columns = found.rows, found.columns
    if inverted:
        rows, columns = columns, rows
    matrix = sp.csr_array(sp.coo_array((numbers, (rows, columns)), shape=shape))
    matrix.sort_indices()
    return matrix
