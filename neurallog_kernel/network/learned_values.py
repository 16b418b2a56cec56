"""Learned predicates as values: their variable where the plan has their facts."""

from __future__ import annotations

import numpy as np

from neurallog_kernel.knowledge.relations import FactVector
from neurallog_kernel.network import deferred, functions
from neurallog_kernel.network.autodiff import FLAT, ONE, ROW, Tensor, add_up, reshaped, take, whole
from neurallog_kernel.network.deferred import Number, Vector
from neurallog_kernel.network.parameters import Parameter, entries
from neurallog_kernel.plan.exprs import Attribute, Expr, Facts, FactWeight, RuleWeight


def learned_leaf(expr: Expr, parameter: Parameter) -> Number | Vector:
    """What a learned predicate is: a number, or a vector for all rows."""
    variable = parameter.variable
    if isinstance(expr, FactWeight):
        return Number(None, lambda step: reshaped(step.leaf(variable), ONE))
    if isinstance(expr, RuleWeight):
        return entry_number(parameter, parameter.place(expr.rule))
    size = _size(expr)
    if isinstance(expr, Attribute):
        return _attribute(expr, parameter, size)
    assert isinstance(expr, Facts)
    if isinstance(expr.facts, FactVector):
        places = expr.facts.indexes
        return _written_out(places, np.arange(len(places)), parameter, size)
    found = entries(expr.facts)
    diagonal = np.flatnonzero(found.rows == found.columns)
    return _written_out(found.rows[diagonal], diagonal, parameter, size)


def entry_number(parameter: Parameter, place: int) -> Number:
    """One entry of a parameter."""
    variable, size = parameter.variable, parameter.size
    return Number(None, lambda step: take(step.leaf(variable), whole(place), size, ONE))


def _attribute(expr: Attribute, parameter: Parameter, size: int) -> Vector:
    facts = expr.facts
    assert facts.values is not None
    chosen = np.arange(len(facts.indexes))
    if expr.number is not None:
        chosen = np.flatnonzero(facts.values == expr.number)
    numbers, places = facts.values[chosen], facts.indexes[chosen]
    operation = functions.combiner(expr.combiner)

    def make(step: deferred.Step) -> Tensor:
        weights = take(step.leaf(parameter.variable), step.constant(chosen), parameter.size)
        weighted = operation(weights, Tensor(step.constant(numbers), FLAT))
        return reshaped(add_up(weighted, step.constant(places), size), ROW)

    return Vector(None, size, make)


def _written_out(
    places: np.ndarray, entries: np.ndarray, parameter: Parameter, size: int
) -> Vector:
    """Entries of a parameter at their places in a vector."""
    variable = parameter.variable
    if parameter.size == len(places) == size and np.array_equal(places, np.arange(size)):
        return Vector(None, size, lambda step: reshaped(step.leaf(variable), ROW))

    def make(step: deferred.Step) -> Tensor:
        chosen = take(step.leaf(variable), step.constant(entries), parameter.size)
        return reshaped(add_up(chosen, step.constant(places), size), ROW)

    return Vector(None, size, make)


def _size(expr: Expr) -> int:
    assert expr.domain is not None
    return len(expr.domain)
