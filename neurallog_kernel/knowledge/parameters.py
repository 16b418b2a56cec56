"""The parameters a program can set: their names, what values they take, and looking them up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from types import MappingProxyType

from neurallog_kernel.errors import NeuralLogError, ParameterError, UnknownNameError, did_you_mean
from neurallog_kernel.functions.combining import is_setting, resolve_setting
from neurallog_kernel.language.syntax import SetParameter, SetPredicateParameter, Signature, Value

Check = Callable[[str, Value], None]


def _any_value(name: str, value: Value) -> None:
    pass


def _whole_number(least: int) -> Check:
    def check(name: str, value: Value) -> None:
        whole = isinstance(value, float) and value.is_integer() and value >= least
        if not whole:
            raise ParameterError(
                f"{name} must be a whole number of at least {least}, not {show_value(value)}"
            )

    return check


def _positive(name: str, value: Value) -> None:
    if isinstance(value, bool) or not isinstance(value, float) or value <= 0:
        raise ParameterError(f"{name} must be a number above 0, not {show_value(value)}")


def check_seed(seed: object) -> None:
    """A seed is a whole number from 0 on."""
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:  # type: ignore[operator]
        raise ParameterError(f"seed must be a whole number of at least 0, not {seed!r}")


def _boolean(name: str, value: Value) -> None:
    if not isinstance(value, bool):
        raise ParameterError(f'{name} must be "True" or "False", not {show_value(value)}')


def _one_of(*choices: str) -> Check:
    def check(name: str, value: Value) -> None:
        if value not in choices:
            known = " or ".join(choices)
            raise ParameterError(f"{name} must be {known}, not {show_value(value)}")

    return check


def show_value(value: Value) -> str:
    """A value as a message shows it."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, tuple):
        return "[" + ", ".join(show_value(v) for v in value) + "]"
    return str(value)


# Parameters of the network (ORIGINAL 7.2) and of training (7.3). Those that name a function of the
# algebra are checked against the tables of functions/combining.py.
PARAMETERS: Mapping[str, Check] = MappingProxyType(
    {
        "recursion_depth": _whole_number(0),
        "trainable_cells": _one_of("facts", "all"),
        "initial_value": _any_value,
        "value_constraint": _any_value,
        "function_value": _any_value,
        "allow_sparse": _boolean,
        "avoid_constant": _any_value,
        "dataset_class": _any_value,
        "unlisted": _one_of("false", "unknown"),
        "inverse_relations": _boolean,
        "loss_function": _any_value,
        "metrics": _any_value,
        "optimizer": _any_value,
        "regularizer": _any_value,
        "batch_size": _whole_number(1),
        "epochs": _whole_number(0),
        "shuffle": _boolean,
        "validation_period": _whole_number(1),
        "callback": _any_value,
        "best_model": _any_value,
        "mask_predictions": _boolean,
        "clip_labels": _boolean,
        "learning_rate": _positive,
    }
    | dict.fromkeys(
        (
            "and_combining_function",
            "path_combining_function",
            "literal_combining_function",
            "literal_negation_function",
            "any_aggregation_function",
            "edge_combining_function",
            "edge_combining_function_2d",
            "edge_combining_function_2d:sparse",
            "edge_neutral_element",
            "invert_fact_function",
            "invert_fact_function:sparse",
            "attributes_combine_function",
            "weighted_attribute_combining_function",
            "output_extract_function",
            "unary_literal_extraction_function",
        ),
        _any_value,
    )
)

DEFAULTS: Mapping[str, Value] = MappingProxyType(
    {
        "recursion_depth": 1.0,
        "and_combining_function": "multiply",
        "path_combining_function": "multiply",
        "edge_combining_function": "multiply",
        "literal_combining_function": "add",
        "literal_negation_function": "complement",
        "any_aggregation_function": "sum",
        "attributes_combine_function": "multiply",
        "weighted_attribute_combining_function": "multiply",
    }
)


def checked(directive: SetParameter | SetPredicateParameter) -> Value:
    """The value the directive sets, resolved; an error names the nearest parameter or function."""
    name = directive.path[0]
    check = PARAMETERS.get(name)
    if check is None:
        hint = did_you_mean(name, PARAMETERS)
        raise UnknownNameError(f"unknown parameter {name}", directive.span, hint)
    try:
        check(name, directive.value)
        if is_setting(name) and len(directive.path) == 1:
            return resolve_setting(name, directive.value)
    except NeuralLogError as error:
        error.span = directive.span
        raise
    return directive.value


@dataclass(frozen=True, eq=False)
class Parameters:
    """All settings of a program; a predicate's own go before the global ones."""

    everywhere: Mapping[tuple[str, ...], Value] = field(default_factory=dict)
    own: Mapping[tuple[str, int | None], Mapping[tuple[str, ...], Value]] = field(
        default_factory=dict
    )

    @classmethod
    def collect(cls, directives: Iterable[SetParameter | SetPredicateParameter]) -> Parameters:
        """The settings in order: a path set again is overwritten."""
        everywhere: dict[tuple[str, ...], Value] = {}
        own: dict[tuple[str, int | None], dict[tuple[str, ...], Value]] = {}
        for directive in directives:
            if isinstance(directive, SetParameter):
                everywhere[directive.path] = checked(directive)
            else:
                table = own.setdefault((directive.predicate, directive.arity), {})
                table[directive.path] = checked(directive)
        return cls(everywhere, own)

    def get(self, name: str, predicate: Signature | None = None) -> Value | None:
        """The value of a parameter for a predicate, else the global one, else the default."""
        path = (name,)
        if predicate is not None:
            for owner in (predicate, (predicate[0], None)):
                table = self.own.get(owner)
                if table is not None and path in table:
                    return table[path]
        found = self.everywhere.get(path)
        return DEFAULTS.get(name) if found is None else found

    def below(
        self, name: str, predicate: Signature | None = None
    ) -> Mapping[tuple[str, ...], Value]:
        """What is set below a name: `set_parameter(optimizer, config, learning_rate, 0.1)`."""
        found: dict[tuple[str, ...], Value] = {}
        tables = [self.everywhere]
        if predicate is not None:
            tables += [self.own.get((predicate[0], None), {}), self.own.get(predicate, {})]
        for table in tables:
            for path, value in table.items():
                if path[0] == name and len(path) > 1:
                    found[path[1:]] = value
        return found

    def same_as(self, other: Parameters) -> bool:
        return self.everywhere == other.everywhere and self.own == other.own
