"""The weights that are learned: one tensor a predicate over its facts, one over its rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.knowledge.fact_rows import FactRows
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import FactVector, Relation, Relations, scalar
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.language.syntax import Rule, Signature
from neurallog_kernel.network.arrays import TENSORFLOW, Arrays, arrays_named

# of a predicate's facts: its signature; of the weights of its rules: that and a word
Key: TypeAlias = Signature | tuple[str, int, str]


@dataclass(frozen=True, eq=False)
class Parameter:
    """A learned predicate: its facts or its rules, in the order of the tensor's entries, and the
    variable."""

    signature: Signature
    # None: a predicate without arguments, or rules
    facts: FactVector | Relation | FactRows | None
    variable: Any
    rules: tuple[Rule, ...] = field(default=(), repr=False)

    @property
    def key(self) -> Key:
        return (*self.signature, "rules") if self.rules else self.signature

    @property
    def name(self) -> str:
        name = f"{self.signature[0]}/{self.signature[1]}"
        return f"rules of {name}" if self.rules else name

    def place(self, rule: Rule) -> int:
        return self._places[rule]

    @cached_property
    def _places(self) -> Mapping[Rule, int]:
        return {rule: place for place, rule in enumerate(self.rules)}

    @property
    def size(self) -> int:
        return int(self.variable.shape[0])

    def numpy(self) -> np.ndarray:
        return self.variable.numpy().astype(np.float64)


class LearnedPredicates:
    """All learned predicates of a program, found by their facts and by their rules."""

    def __init__(
        self,
        program: Program,
        relations: Relations,
        dtype: str,
        arrays: Arrays | None = None,
    ) -> None:
        self.dtype = dtype
        self.arrays = arrays or arrays_named(TENSORFLOW)
        self._facts: dict[Signature, Parameter] = {}
        self._rules: dict[Signature, Parameter] = {}
        for signature in learnables(program):
            facts, values = _current(program, relations, signature)
            variable = self._variable(values, f"{signature[0]}_{signature[1]}")
            self._facts[signature] = Parameter(signature, facts, variable)
        for signature, rules in learned_rules(program).items():
            values = np.array([rule.weight for rule in rules])
            variable = self._variable(values, f"{signature[0]}_{signature[1]}_rules")
            self._rules[signature] = Parameter(signature, None, variable, rules)

    def _variable(self, values: np.ndarray, name: str) -> Any:
        return self.arrays.variable(values.astype(self.dtype), name)

    def __iter__(self) -> Iterator[Parameter]:
        return chain(self._facts.values(), self._rules.values())

    def get(self, signature: Signature) -> Parameter | None:
        """That of a predicate's facts."""
        return self._facts.get(signature)

    def of_rules(self, head: Signature) -> Parameter | None:
        return self._rules.get(head)

    def variables(self) -> list[Any]:
        return [parameter.variable for parameter in self]

    def values(self) -> dict[Key, np.ndarray]:
        return {parameter.key: parameter.numpy() for parameter in self}


def current_values(program: Program, relations: Relations) -> dict[Key, np.ndarray]:
    """The weights that training of a program starts from, in the order of each tensor's entries."""
    facts = {s: _current(program, relations, s)[1] for s in learnables(program)}
    rules = {
        (*signature, "rules"): np.array([rule.weight for rule in rules])
        for signature, rules in learned_rules(program).items()
    }
    return {**facts, **rules}


def learnables(program: Program) -> list[Signature]:
    """The predicates `learn` names that have facts (training gives them all they need)."""
    return [
        signature
        for signature, definition in program.definitions.items()
        if signature in program.learnables and definition.fact_count
    ]


def learned_rules(program: Program) -> dict[Signature, tuple[Rule, ...]]:
    """The rules whose weights are learned, by their heads."""
    return {
        signature: definition.rules
        for signature, definition in program.definitions.items()
        if definition.rules and signature in program.learned_rules
    }


def _current(
    program: Program, relations: Relations, signature: Signature
) -> tuple[FactVector | Relation | FactRows | None, np.ndarray]:
    role = program.role(signature)
    if signature[1] == 0 or role is Role.NUMERIC:
        return None, np.array([scalar(program, signature)[0]])
    if signature[1] == 1 or role is Role.ATTRIBUTE:
        vector = relations.vector(program, signature)
        return vector, vector.weights
    if signature[1] > 2:
        rows = relations.rows(program, signature)
        return rows, rows.weights.weights
    relation = relations.relation(program, signature)
    return relation, entries(relation).values


@dataclass(frozen=True, eq=False)
class ParameterFacts:
    """The facts of a relation in the order of its parameter."""

    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray


def entries(relation: Relation) -> ParameterFacts:
    rows, columns, values = [], [], []
    for part in relation.matrices(False):
        matrix = part.csr
        rows.append(np.repeat(np.arange(len(matrix.indptr) - 1), np.diff(matrix.indptr)))
        columns.append(matrix.indices.astype(np.int64))
        values.append(matrix.data)
    if not rows:
        nothing = np.zeros(0, dtype=np.int64)
        return ParameterFacts(nothing, nothing, np.zeros(0))
    return ParameterFacts(np.concatenate(rows), np.concatenate(columns), np.concatenate(values))


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
