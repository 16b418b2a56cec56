"""Learned predicates as values: their variable where the plan has their facts."""

from __future__ import annotations

from typing import assert_never

import numpy as np

from neurallog_kernel.knowledge.references import FactForm
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.network import arithmetic, deferred, functions
from neurallog_kernel.network.autodiff import (
    FLAT,
    ONE,
    ROW,
    Tensor,
    add_up,
    reshaped,
    take,
    take_one,
)
from neurallog_kernel.network.deferred import DeferredNumber, DeferredVector
from neurallog_kernel.network.parameters import Parameter, entries
from neurallog_kernel.plan.exprs import (
    Attribute,
    Facts,
    FactWeight,
    Learnable,
    NumericFact,
    RuleWeight,
)


def learned_leaf(
    expr: Learnable, parameter: Parameter, storage: Storage
) -> DeferredNumber | DeferredVector:
    """What a learned predicate is: a number, or a vector for all rows."""
    match expr:
        case FactWeight():
            return _number(parameter)
        case NumericFact():
            return _numeric(expr, parameter, storage)
        case RuleWeight():
            return entry_number(parameter, parameter.place(expr.rule))
        case Facts():
            return _facts(expr, parameter, storage)
        case Attribute():
            return _attribute(expr, parameter, storage)
        case _:
            assert_never(expr)


def _number(parameter: Parameter) -> DeferredNumber:
    variable = parameter.variable
    return DeferredNumber(None, lambda step: reshaped(step.leaf(variable), ONE))


def _numeric(expr: NumericFact, parameter: Parameter, storage: Storage) -> DeferredNumber:
    value = expr.value_of(storage.number(expr.scan)[1])
    if value is None:
        return deferred.constant_number(np.zeros(1), None)
    numbers = deferred.constant_number(np.array([value]), None)
    return arithmetic.combine_all_numbers(expr.combiner, [_number(parameter), numbers])


def _facts(expr: Facts, parameter: Parameter, storage: Storage) -> DeferredVector:
    assert expr.domain is not None
    size = storage.size(expr.domain)
    if expr.scan.form is FactForm.VECTOR:
        places = storage.vector(expr.scan).indexes
        return _written_out(places, np.arange(len(places)), parameter, size)
    found = entries(storage.relation(expr.scan))
    diagonal = np.flatnonzero(found.rows == found.columns)
    return _written_out(found.rows[diagonal], diagonal, parameter, size)


def entry_number(parameter: Parameter, place: int) -> DeferredNumber:
    """One entry of a parameter."""
    variable, size = parameter.variable, parameter.size
    return DeferredNumber(None, lambda step: take_one(step.leaf(variable), place, size))


def _attribute(expr: Attribute, parameter: Parameter, storage: Storage) -> DeferredVector:
    facts = storage.vector(expr.scan)
    assert facts.values is not None and expr.domain is not None
    size = storage.size(expr.domain)
    chosen = np.arange(len(facts.indexes))
    if expr.number is not None:
        chosen = np.flatnonzero(facts.values == expr.number)
    numbers, places = facts.values[chosen], facts.indexes[chosen]
    operation = functions.combiner(expr.combiner)

    def make(step: deferred.BatchStep) -> Tensor:
        weights = take(step.leaf(parameter.variable), step.constant(chosen), parameter.size)
        weighted = operation(weights, Tensor(step.constant(numbers), FLAT))
        return reshaped(add_up(weighted, step.constant(places), size), ROW)

    return DeferredVector(None, size, make)


def _written_out(
    places: np.ndarray, entries: np.ndarray, parameter: Parameter, size: int
) -> DeferredVector:
    """Entries of a parameter at their places in a vector."""
    variable = parameter.variable
    if parameter.size == len(places) == size and np.array_equal(places, np.arange(size)):
        return DeferredVector(None, size, lambda step: reshaped(step.leaf(variable), ROW))

    def make(step: deferred.BatchStep) -> Tensor:
        chosen = take(step.leaf(variable), step.constant(entries), parameter.size)
        return reshaped(add_up(chosen, step.constant(places), size), ROW)

    return DeferredVector(None, size, make)
