"""Predicates as the features of entities: a table with a row an entity, as an embedding is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from neurallog_kernel.errors import NeuralLogError, UnknownPredicateError, did_you_mean
from neurallog_kernel.evaluate.executor import Executor, batch_size
from neurallog_kernel.evaluate.rows import Rows, one_hot
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.roles import Role, owner_place
from neurallog_kernel.knowledge.symbols import distinct
from neurallog_kernel.language.syntax import Signature, Variable
from neurallog_kernel.plan.build import Planner
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
    program: Program,
    planner: Planner,
    executor: Executor,
    wanted: str | Sequence[str] | None,
) -> Embedding:
    """The features that some predicates are: a unary one or an attribute is a feature, a binary one
    is a feature for each entity of its second place."""
    chosen = _chosen(program, wanted)
    found = [f for s in chosen for f in _features(program, planner, executor, s)]
    nobody = np.zeros(0, dtype=np.int32)
    members = distinct(np.concatenate([nobody, *(f.symbols for f in found)]))
    values = np.full((len(members), len(found)), np.nan)
    for column, feature in enumerate(found):
        values[np.searchsorted(members, feature.symbols), column] = feature.values
    names = planner.symbols.names(members.tolist())
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


def _features(
    program: Program, planner: Planner, executor: Executor, signature: Signature
) -> Iterator[_Feature]:
    name, arity = signature
    role = program.role(signature)
    if role is Role.NUMERIC:
        raise UnknownPredicateError(f"{name}/{arity} is of numbers only, which no entity has")
    if arity == 1 or role is Role.ATTRIBUTE:
        if role is Role.ATTRIBUTE:
            place = owner_place(program.numeric(signature))
            vector = planner.attribute(program, signature, None)
        else:
            place, vector = 0, planner.concept(program, signature, ()).result
        found = executor.evaluate(vector)
        assert isinstance(found, Rows)
        yield _Feature(name, program.entity_type((*signature, place)).members, found.dense()[0])
        return
    yield from _relation_features(program, planner, executor, signature)


def _relation_features(
    program: Program, planner: Planner, executor: Executor, signature: Signature
) -> Iterator[_Feature]:
    rows, columns = (program.entity_type((*signature, place)) for place in (0, 1))
    expr = planner.question(program, signature, 1).result
    table = np.zeros((len(rows), len(columns)))
    step = batch_size(max(len(rows), len(columns)))
    for start in range(0, len(rows), step):
        some = np.arange(start, min(start + step, len(rows)))
        found = executor.evaluate(expr, {0: one_hot(len(rows), some)})
        assert isinstance(found, Rows)
        table[some] = found.dense()
    names = planner.symbols.names(columns.members.tolist())
    for place in sorted(range(len(names)), key=names.__getitem__):
        yield _Feature(f"{signature[0]}({names[place]})", rows.members, table[:, place])
