"""The facts of predicates with their weights, stated and learned, and learned rules: a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import Relations, scalar
from neurallog_kernel.knowledge.roles import Role, owner_place
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language.printer import format_clause, format_number
from neurallog_kernel.language.syntax import Rule, Signature
from neurallog_kernel.network.parameters import entries
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 20


@dataclass(frozen=True, eq=False)
class PredicateWeights:
    """The facts of one predicate: a column for each place (names, or numbers where the place holds
    numbers), the weights, and which of them training has given. If the weights of its rules are
    learned, its rules."""

    signature: Signature
    places: tuple[list[str] | np.ndarray, ...]
    weights: np.ndarray
    learned: np.ndarray
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, eq=False)
class Weights(Tabular):
    """The facts of some predicates with their weights, as they are now."""

    predicates: tuple[PredicateWeights, ...]
    together: bool  # whether the table names the predicate of each row

    def __len__(self) -> int:
        return sum(len(one.weights) + len(one.rules) for one in self.predicates)

    def to_pandas(self) -> pd.DataFrame:
        """One row a fact: its arguments, its weight, and whether that was learned. Where rules have
        learned weights, there is a column with their text, and a row for each of them."""
        import pandas as pd

        if not self.together and not self.predicates[0].rules:
            (one,) = self.predicates
            return pd.DataFrame(_columns(one.places, one))
        arity = max((one.signature[1] for one in self.predicates), default=0)
        ruled = any(one.rules for one in self.predicates)
        parts = [pd.DataFrame(_named_columns(one, arity, ruled)) for one in self.predicates]
        parts = [part for part in parts if len(part)]
        if not parts:
            return pd.DataFrame({"predicate": [], "weight": [], "learned": []})
        whole = pd.concat(parts, ignore_index=True)
        return whole if self.together else whole.drop(columns="predicate")

    def __repr__(self) -> str:
        return self.to_pandas().to_string(max_rows=SHOWN)

    def _repr_html_(self) -> str:
        return self.to_pandas().to_html(max_rows=SHOWN)


def _columns(places: Sequence[Any], one: PredicateWeights) -> dict[str, Any]:
    arguments = {f"argument_{i}": column for i, column in enumerate(places, start=1)}
    return {**arguments, "weight": one.weights, "learned": one.learned}


def _named_columns(one: PredicateWeights, arity: int, ruled: bool) -> dict[str, Any]:
    """The columns in a table of several predicates or of rules, where arguments are text, or not
    there."""
    rows = len(one.weights)
    places: list[Any] = [
        column if isinstance(column, list) else [format_number(v) for v in column.tolist()]
        for column in one.places
    ]
    places += [[None] * rows for _ in range(arity - len(places))]
    name = f"{one.signature[0]}/{one.signature[1]}"
    columns = {"predicate": [name] * rows, **_columns(places, one)}
    if not ruled:
        return columns
    more: dict[str, list] = {column: [None] * len(one.rules) for column in columns}
    more["predicate"] = [name] * len(one.rules)
    more["weight"] = [rule.weight for rule in one.rules]
    more["learned"] = [rule.stated is not None for rule in one.rules]
    texts = [format_clause(replace(rule, weight=1.0)) for rule in one.rules]
    joined = {column: [*columns[column], *more[column]] for column in columns}
    return {"predicate": joined.pop("predicate"), "rule": [None] * rows + texts, **joined}


def weights_of(
    program: Program, relations: Relations, symbols: SymbolTable, signature: Signature
) -> PredicateWeights:
    """All facts of a predicate, and its rules if their weights are learned."""
    facts = _facts_of(program, relations, symbols, signature)
    if signature not in program.learned_rules:
        return facts
    return replace(facts, rules=program.definition(signature).rules)


def _facts_of(
    program: Program, relations: Relations, symbols: SymbolTable, signature: Signature
) -> PredicateWeights:
    if not program.definition(signature).fact_count:
        nothing = tuple([] for _ in range(signature[1]))
        return PredicateWeights(signature, nothing, np.zeros(0), np.zeros(0, dtype=bool))
    role = program.role(signature)
    if role is Role.NUMERIC or signature[1] == 0:
        weight, numbers = scalar(program, signature)
        learned = np.array([_learned_block(program, signature) is not None])
        columns = tuple(np.array([number]) for number in numbers)
        return PredicateWeights(signature, columns, np.array([weight]), learned)
    if role is Role.ATTRIBUTE:
        return _attribute(program, relations, symbols, signature)
    if signature[1] == 1:
        found = relations.vector(program, signature)
        indexes, weights = [found.indexes], found.weights
    elif signature[1] > 2:
        rows = relations.rows(program, signature)
        indexes, weights = list(rows.columns), rows.weights.weights
    else:
        facts = entries(relations.relation(program, signature))
        indexes, weights = [facts.rows, facts.columns], facts.values
    kinds = [program.entity_type((*signature, place)) for place in range(signature[1])]
    members = [kind.symbols_at(index) for kind, index in zip(kinds, indexes, strict=True)]
    columns = tuple(symbols.names(column.tolist()) for column in members)
    return PredicateWeights(signature, columns, weights, _learned(program, signature, members))


def _attribute(
    program: Program, relations: Relations, symbols: SymbolTable, signature: Signature
) -> PredicateWeights:
    found = relations.vector(program, signature)
    assert found.values is not None
    at = owner_place(program.numeric(signature))
    owners = program.entity_type((*signature, at)).symbols_at(found.indexes)
    names = symbols.names(owners.tolist())
    columns = (names, found.values) if at == 0 else (found.values, names)
    return PredicateWeights(
        signature, columns, found.weights, _learned(program, signature, [owners])
    )


def _learned_block(program: Program, signature: Signature) -> Any:
    contents = program.sources.get(LEARNED)
    return contents.facts.get(signature) if contents else None


def _learned(program: Program, signature: Signature, members: Sequence[np.ndarray]) -> np.ndarray:
    """Which of the facts with these entities have a learned weight."""
    block = _learned_block(program, signature)
    if block is None:
        return np.zeros(len(members[0]), dtype=bool)
    known = set(zip(*(column.tolist() for column in block.entities), strict=True))
    rows = zip(*(column.tolist() for column in members), strict=True)
    return np.fromiter((row in known for row in rows), dtype=bool, count=len(members[0]))
