"""Chains of labels: which predicates of a program score a label after another, and a first one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurallog_kernel.errors import NeuralLogError, ParameterError, UnknownPredicateError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.rows import Rows
from neurallog_kernel.knowledge.describe import named
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import Signature

TRANSITION, INITIAL = "transition_predicate", "initial_predicate"


@dataclass(frozen=True)
class Chain:
    """The predicates of a chain: `labels` has the labels at its last place, `transition(a, b)` is
    the weight of b after a, `initial(a)` that of a at the beginning."""

    labels: Signature
    transition: Signature | None = None
    initial: Signature | None = None


def chain_of(
    program: Program,
    labels: Signature,
    transition: str | None = None,
    initial: str | None = None,
) -> Chain:
    """The chain of a predicate: as the call says, else as the program's parameters do."""
    return Chain(
        labels,
        _predicate(program, labels, TRANSITION, transition, 2),
        _predicate(program, labels, INITIAL, initial, 1),
    )


def _predicate(
    program: Program, labels: Signature, setting: str, given: str | None, arity: int
) -> Signature | None:
    name = program.parameters.get(setting, labels) if given is None else given
    if name is None or (isinstance(name, str) and name.lower() == "none"):
        return None
    if not isinstance(name, str):
        raise ParameterError(f"{setting} is the name of a predicate, not {name!r}")
    found = [signature for signature in named(program, name) if signature[1] == arity]
    if not found:
        what = "two arguments: a label and the next one" if arity == 2 else "one argument: a label"
        raise UnknownPredicateError(f"{setting}: {name} must have {what}")
    _check_types(program, labels, found[0])
    return found[0]


def _check_types(program: Program, labels: Signature, signature: Signature) -> None:
    """A predicate that knows none of the labels would silently be zero everywhere."""
    name, own = f"{signature[0]}/{signature[1]}", f"{labels[0]}/{labels[1]}"
    members = program.entity_type((*labels, labels[1] - 1)).members
    for place in range(signature[1]):
        kind = program.entity_type((*signature, place))
        if len(members) and not (kind.positions(members) >= 0).any():
            raise NeuralLogError(
                f"{name} knows none of the labels of {own} at its place {place + 1}",
                hint="let the rules name the labels, as in "
                f"{signature[0]}({'A, B' if signature[1] == 2 else 'A'}) :- label(A), ... "
                f"and {labels[0]}(X, Y) :- ..., label(Y).",
            )


def places_of(program: Program, chain: Chain, signature: Signature, place: int) -> np.ndarray:
    """Where each label of a chain stands in the vectors of a place; -1 if it is not there."""
    last = chain.labels[1] - 1
    members = program.entity_type((*chain.labels, last)).members
    return program.entity_type((*signature, place)).positions(members)


@dataclass(frozen=True)
class ChainTables:
    """The weights of a chain: from label to label, and of first labels."""

    transitions: np.ndarray | None
    initial: np.ndarray | None


def chain_tables(evaluator: Evaluator, chain: Chain) -> ChainTables:
    """What the program gives to every pair of labels and to every first label."""
    transitions = initial = None
    if chain.transition is not None:
        transitions = _transitions(evaluator, chain, chain.transition)
    if chain.initial is not None:
        initial = _initial(evaluator, chain, chain.initial)
    return ChainTables(transitions, initial)


def _transitions(evaluator: Evaluator, chain: Chain, signature: Signature) -> np.ndarray:
    before = places_of(evaluator.program, chain, signature, 0)
    after = places_of(evaluator.program, chain, signature, 1)
    found = np.zeros((len(before), len(before)))
    known = np.flatnonzero(before >= 0)
    layer = evaluator.layer(signature, 1)
    for chosen, rows in evaluator.batches(layer, {0: before[known].astype(np.int64)}):
        found[known[chosen]] = _at(rows.dense(), after, len(chosen))
    return found


def _initial(evaluator: Evaluator, chain: Chain, signature: Signature) -> np.ndarray:
    places = places_of(evaluator.program, chain, signature, 0)
    value = evaluator.value(evaluator.layer(signature).result)
    rows = value.dense() if isinstance(value, Rows) else np.repeat(value[:, None], 1, axis=1)
    if rows.shape[1] == 1 and not isinstance(value, Rows):
        return np.where(places >= 0, float(rows[0, 0]), 0.0)
    return _at(rows, places, 1)[0]


def _at(values: np.ndarray, places: np.ndarray, rows: int) -> np.ndarray:
    """The columns of labels; a label that is not there has the weight 0."""
    values = np.broadcast_to(values, (rows, values.shape[1]))
    return np.where(places >= 0, values[:, np.maximum(places, 0)], 0.0)
