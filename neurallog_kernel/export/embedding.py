"""Predicates as the features of entities: a table with a row an entity, as an embedding is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from neurallog_kernel.errors import NeuralLogError, UnknownPredicateError, did_you_mean
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.roles import Role, owner_place
from neurallog_kernel.knowledge.symbols import distinct
from neurallog_kernel.language.syntax import Signature, Variable
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 20


@dataclass(frozen=True, eq=False)
class Embedding(Tabular):
    """`values[i, j]` is feature `features[j]` of entity `entities[i]`: 0 where the program gives it
    no weight, and not a number where the entity is not of the feature's type."""

    entities: tuple[str, ...]
    features: tuple[str, ...]
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.entities)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.entities), len(self.features)

    def __getitem__(self, entity: str) -> np.ndarray:
        """The features of one entity."""
        try:
            return self.values[self.entities.index(entity)]
        except ValueError:
            hint = did_you_mean(entity, self.entities[:50_000])
            raise NeuralLogError(f"{entity} has no row in this embedding", hint=hint) from None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype, copy=True if copy is None else copy)

    def to_pandas(self) -> pd.DataFrame:
        """One row an entity, which is its index; one column a feature."""
        import pandas as pd

        index = pd.Index(list(self.entities), name="entity")
        return pd.DataFrame(self.values, index=index, columns=list(self.features))

    def __repr__(self) -> str:
        return self.to_pandas().to_string(max_rows=SHOWN)

    def _repr_html_(self) -> str:
        return self.to_pandas().to_html(max_rows=SHOWN)


@dataclass(frozen=True, eq=False)
class _Feature:
    name: str
    symbols: np.ndarray  # of the entities that have it, or could
    values: np.ndarray


def embedding_of(
    evaluator: Evaluator,
    wanted: str | Sequence[str] | None,
) -> Embedding:
    """The features that some predicates are: a unary one or an attribute is a feature, a binary one
    is a feature for each entity of its second place."""
    chosen = _chosen(evaluator.program, wanted)
    found = [f for s in chosen for f in _features(evaluator, s)]
    nobody = np.zeros(0, dtype=np.int32)
    members = distinct(np.concatenate([nobody, *(f.symbols for f in found)]))
    values = np.full((len(members), len(found)), np.nan)
    for column, feature in enumerate(found):
        values[np.searchsorted(members, feature.symbols), column] = feature.values
    names = evaluator.symbols.names(members.tolist())
    order = sorted(range(len(names)), key=names.__getitem__)
    return Embedding(tuple(names[i] for i in order), tuple(f.name for f in found), values[order])


def _chosen(program: Program, wanted: str | Sequence[str] | None) -> list[Signature]:
    known = [s for s in program.predicates() if s[1] in (1, 2)]
    if wanted is None:
        found = [s for s in known if s[1] == 1 and s in program.learnables]
        found = [s for s in found if _is_asked_of_entities(program, s)]
        if not found:
            raise UnknownPredicateError(
                "no predicate of one place has learned weights",
                hint="train the program first, or name predicates, as in tall/1 or age/2",
            )
        return found
    patterns = [wanted] if isinstance(wanted, str) else list(wanted)
    return list(dict.fromkeys(s for p in patterns for s in _matching(known, p)))


def _is_asked_of_entities(program: Program, signature: Signature) -> bool:
    """Whether a rule uses the predicate with a variable; `w(w1)` is the weight of a rule, not a
    feature of w1."""
    uses = [b for rule in program.rules() for b in rule.body if b.signature == signature]
    return not uses or any(isinstance(b.terms[0], Variable) for b in uses)


def _matching(known: Sequence[Signature], pattern: str) -> list[Signature]:
    """The predicates that a name or a pattern such as `feature_*` or `p/2` means; only those of one
    place where the arity is left open and there are any."""
    name, slash, arity = pattern.rpartition("/")
    if not slash:
        name, arity = pattern, ""
    found = [s for s in known if fnmatchcase(s[0], name) and (not arity or arity == str(s[1]))]
    if not found:
        names = [f"{n}/{a}" for n, a in known]
        hint = did_you_mean(pattern, names) or "predicates of one or two places can be features"
        raise UnknownPredicateError(f"no predicate is called {pattern}", hint=hint)
    unary = [s for s in found if s[1] == 1]
    return unary if unary and not arity else found


def _features(evaluator: Evaluator, signature: Signature) -> Iterator[_Feature]:
    name, arity = signature
    program = evaluator.program
    role = program.role(signature)
    if role is Role.NUMERIC:
        raise UnknownPredicateError(
            f"{name}/{arity} holds only numbers, so an entity has no value there"
        )
    if arity == 2 and role is not Role.ATTRIBUTE:
        yield from _relation_features(evaluator, signature)
        return
    if role is Role.ATTRIBUTE:
        place = owner_place(program.numeric(signature))
        vector = evaluator.planner.stored.attribute(program, signature, None)
    else:
        place, vector = 0, evaluator.layer(signature).result
    values = evaluator.rows(vector).dense()[0]
    yield _Feature(name, evaluator.domain(signature, place).members, values)


def _relation_features(evaluator: Evaluator, signature: Signature) -> Iterator[_Feature]:
    rows, columns = (evaluator.domain(signature, place) for place in (0, 1))
    table = np.zeros((len(rows), len(columns)))
    layer = evaluator.layer(signature)
    for some, found in evaluator.batches(layer, {0: np.arange(len(rows))}):
        table[some] = found.dense()
    names = evaluator.names(signature, 1)
    for place in sorted(range(len(names)), key=names.__getitem__):
        yield _Feature(f"{signature[0]}({names[place]})", rows.members, table[:, place])
