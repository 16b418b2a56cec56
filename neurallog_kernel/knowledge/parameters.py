"""The parameters a program can set: their names, what values they take, and looking them up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from neurallog_kernel.errors import NeuralLogError, Notice, UnknownNameError, did_you_mean
from neurallog_kernel.functions.combining import is_setting
from neurallog_kernel.functions.keras_names import (
    INITIALIZERS,
    LOSSES,
    METRICS,
    OPTIMIZERS,
    REGULARIZERS,
)
from neurallog_kernel.knowledge.calibrated import CALIBRATION, a_calibration, check_calibrated
from neurallog_kernel.knowledge.number_places import NUMERIC, a_number_place, check_declared
from neurallog_kernel.knowledge.setting_checks import (
    Check,
    a_callback,
    a_combination,
    a_depth,
    a_function,
    a_predicate,
    a_share,
    a_weight,
    a_word,
    anything,
    boolean,
    check_reference,
    combination,
    not_too_large,
    of_keras,
    one_of,
    positive,
    whole_number,
)
from neurallog_kernel.language.syntax import (
    ParameterValue,
    SetParameter,
    SetPredicateParameter,
    Signature,
)

# Parameters of the network (ORIGINAL 7.2) and of training (7.3). Those that name a function of the
# algebra are checked against the tables of functions/combining.py.
PARAMETERS: Mapping[str, Check] = MappingProxyType(
    {
        "recursion_depth": a_depth,
        "trainable_cells": one_of("facts", "all"),
        NUMERIC: a_number_place,
        "initial_value": of_keras(INITIALIZERS, numbers=True),
        "start_from": one_of("facts", "initial_value"),
        "value_constraint": a_function,
        "function_value": a_function,
        "allow_sparse": boolean,
        "avoid_constant": anything,
        "dataset_class": anything,
        "unlisted": one_of("false", "unknown"),
        "inverse_relations": boolean,
        "loss_function": of_keras(LOSSES, by_predicate=True),
        "transition_predicate": a_predicate,
        "initial_predicate": a_predicate,
        "metrics": of_keras(METRICS, by_predicate=True),
        "backend": one_of("numpy", "tensorflow"),
        "optimizer": of_keras(OPTIMIZERS),
        "regularizer": of_keras(REGULARIZERS),
        "batch_size": whole_number(1),
        "epochs": whole_number(0),
        "shuffle": boolean,
        "validation_period": whole_number(1),
        "callback": a_callback,
        "best_model": anything,
        "mask_predictions": boolean,
        "clip_labels": boolean,
        "learning_rate": positive,
        "schedule": one_of("constant", "cosine", "linear", "plateau"),
        "warm_up": whole_number(0),
        "clip_norm": not_too_large,
        "average": a_share,
        "restarts": whole_number(1, 10_000),
        "seeds": whole_number(1, 1_000),
        "hold_out": a_share,
        "groups": a_word,
        "positive_weight": a_weight,
        "anchor": not_too_large,
        CALIBRATION: a_calibration,
        "literal_negation_function:sparse": anything,
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
        a_combination,
    )
)

# What the original's programs may set and what changes nothing here, with the reason.
WITHOUT_EFFECT: Mapping[str, str] = MappingProxyType(
    {
        "literal_negation_function:sparse": "there is one negation for sparse and dense values: "
        "set literal_negation_function",
        "allow_sparse": "what is stored sparsely is decided by the data",
        "avoid_constant": "every constant of an example is an entity of its type",
        "dataset_class": "there is one way to read examples; mega examples are sequences "
        "without it",
    }
)

DEFAULTS: Mapping[str, ParameterValue] = MappingProxyType(
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


def checked(
    directive: SetParameter | SetPredicateParameter,
) -> tuple[tuple[str, ...], ParameterValue]:
    """The path and the value that the directive sets, resolved; an error names the nearest
    parameter or function."""
    path, value = directive.path, directive.value
    check = PARAMETERS.get(path[0])
    if check is None:
        hint = did_you_mean(path[0], PARAMETERS)
        raise UnknownNameError(f"unknown parameter {path[0]}", directive.span, hint)
    try:
        check_reference(path, value)
        check(path, value)
        if path[0] == NUMERIC:
            check_declared(directive)
        elif path[0] == CALIBRATION:
            check_calibrated(directive)
        return combination(path, value) if is_setting(path[0]) else (path, value)
    except NeuralLogError as error:
        error.span = directive.span
        raise


def without_effect(directives: Iterable[object]) -> Iterator[Notice]:
    """A notice for each parameter that changes nothing here, once."""
    said: set[str] = set()
    for directive in directives:
        if not isinstance(directive, SetParameter | SetPredicateParameter):
            continue
        name = directive.path[0]
        reason = WITHOUT_EFFECT.get(name)
        usual = name == "dataset_class" and directive.value == "default_dataset"
        if reason is not None and name not in said and not usual:
            said.add(name)
            message = f"{name} has no effect here: {reason}"
            yield Notice("without_effect", message, directive.span)


@dataclass(frozen=True, eq=False)
class Parameters:
    """All settings of a program; a predicate's own go before the global ones."""

    everywhere: Mapping[tuple[str, ...], ParameterValue] = field(default_factory=dict)
    own: Mapping[tuple[str, int | None], Mapping[tuple[str, ...], ParameterValue]] = field(
        default_factory=dict
    )

    @classmethod
    def collect(cls, directives: Iterable[SetParameter | SetPredicateParameter]) -> Parameters:
        """The settings in order: a path set again is overwritten."""
        everywhere: dict[tuple[str, ...], ParameterValue] = {}
        own: dict[tuple[str, int | None], dict[tuple[str, ...], ParameterValue]] = {}
        for directive in directives:
            path, value = checked(directive)
            if isinstance(directive, SetParameter):
                everywhere[path] = value
            else:
                own.setdefault((directive.predicate, directive.arity), {})[path] = value
        return cls(everywhere, own)

    def get(self, name: str, predicate: Signature | None = None) -> ParameterValue | None:
        """The value of a parameter for a predicate, else the global one, else the default."""
        path = (name,)
        if predicate is not None:
            for owner in (predicate, (predicate[0], None)):
                table = self.own.get(owner)
                if table is not None and path in table:
                    return table[path]
        found = self.everywhere.get(path)
        return DEFAULTS.get(name) if found is None else found

    def own_value(self, name: str, predicate: Signature) -> ParameterValue | None:
        """What is set for a predicate and not for all; with its arity goes before without."""
        for owner in (predicate, (predicate[0], None)):
            found = self.own.get(owner, {}).get((name,))
            if found is not None:
                return found
        return None

    def below(
        self, name: str, predicate: Signature | None = None
    ) -> Mapping[tuple[str, ...], ParameterValue]:
        """What is set below a name: `set_parameter(optimizer, config, learning_rate, 0.1)`."""
        found: dict[tuple[str, ...], ParameterValue] = {}
        tables = [self.everywhere]
        if predicate is not None:
            tables += [self.own.get((predicate[0], None), {}), self.own.get(predicate, {})]
        for table in tables:
            for path, value in table.items():
                if path[0] == name and len(path) > 1:
                    found[path[1:]] = value
        return found

    def said(
        self, name: str, predicate: Signature | None = None
    ) -> Mapping[tuple[str, ...], ParameterValue]:
        """All that is set of a name, by the rest of its path, by the nearest who says something:
        the predicate with its arity, without, or the program."""
        owners = () if predicate is None else (predicate, (predicate[0], None))
        for table in (*(self.own.get(owner, {}) for owner in owners), self.everywhere):
            found = {path[1:]: value for path, value in table.items() if path[0] == name}
            if found:
                return found
        return {}

    @cached_property
    def names(self) -> frozenset[str]:
        """The parameters that are set at all."""
        tables = (self.everywhere, *self.own.values())
        return frozenset(path[0] for table in tables for path in table)

    def same_as(self, other: Parameters) -> bool:
        return self.everywhere == other.everywhere and self.own == other.own
