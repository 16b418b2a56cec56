"""Places of three and more that are declared to hold numbers (LANGUAGE 2.5)."""

from __future__ import annotations

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.knowledge.parameters import Parameters
from neurallog_kernel.language.syntax import (
    ParameterValue,
    SetParameter,
    SetPredicateParameter,
    Signature,
)

NUMERIC = "numeric"  # the parameter
EXAMPLE = 'write set_predicate_parameter("price/3", numeric, 3).'


def number_places(parameters: Parameters, signature: Signature) -> tuple[bool, ...]:
    """For each place of a predicate, whether the program declares it to hold numbers."""
    value = parameters.own_value(NUMERIC, signature) if parameters.own else None
    declared = () if value is None else _places(value)
    return tuple(place + 1 in declared for place in range(signature[1]))


def a_number_place(path: tuple[str, ...], value: ParameterValue) -> None:
    """A place, counted from 1, or a list of places."""
    given = value if isinstance(value, tuple) else (value,)
    whole = all(isinstance(v, float) and v.is_integer() and v >= 1 for v in given)
    if len(path) > 1 or not given or not whole:
        raise ParameterError("numeric takes the number of a place, counted from 1", hint=EXAMPLE)


def check_declared(directive: SetParameter | SetPredicateParameter) -> None:
    """The places must be there, and leave one for an entity."""
    if isinstance(directive, SetParameter):
        raise ParameterError("numeric is set for one predicate, not for all", hint=EXAMPLE)
    places, arity = _places(directive.value), directive.arity
    if arity is None:
        return
    name = f"{directive.predicate}/{arity}"
    if arity < 3:
        raise ParameterError(
            f"numeric is for predicates of three and more arguments, not for {name}",
            hint="with one or two arguments, numbers need no declaration",
        )
    if max(places) > arity:
        raise ParameterError(
            f"{name} has no place {max(places)}", hint=f"its places are 1 to {arity}"
        )
    if len(places) == arity:
        raise ParameterError(
            f"{name} needs a place for an entity", hint="leave at least one place undeclared"
        )


def _places(value: ParameterValue) -> set[int]:
    given = value if isinstance(value, tuple) else (value,)
    return {int(place) for place in given if isinstance(place, float)}
