"""The parameters that a program can set: their names, and what values each takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
from neurallog_kernel.knowledge.parameters import Parameters
from neurallog_kernel.knowledge.setting_checks import (
    SettingCheck,
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
)

# Parameters of the network (ORIGINAL 7.2) and of training (7.3). Those that name a function of the
# algebra are checked against the tables of functions/combining.py.
PARAMETERS: Mapping[str, SettingCheck] = MappingProxyType(
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
        "question_budget": whole_number(1),
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

# What a call of `train` names otherwise, or what only a call can say.
_STOPPING = (
    'write set_parameter(callback, stop, class_name, "EarlyStopping"). '
    "set_parameter(callback, stop, config, {}). Or give it to the training: train({})"
)
_OF_A_CALL: Mapping[str, str] = MappingProxyType(
    {
        "loss": "the parameter is loss_function, as in set_parameter(loss_function, logistic)",
        "patience": _STOPPING.format("patience, 5", "patience=5"),
        "keep_best": _STOPPING.format("restore_best_weights, true", "keep_best=True"),
        "monitor": _STOPPING.format("monitor, loss", "monitor='loss'"),
        "mode": _STOPPING.format("mode, min", "mode='min'"),
    }
    | {
        name: f"a program does not say it; give it to the training: train({name}={value})"
        for name, value in (
            ("seed", "1"),
            ("negatives", "2"),
            ("dtype", "'float64'"),
            ("examples", "'train'"),
            ("validation", "'validation'"),
            ("workers", "'host:port'"),
        )
    }
)

# What the original's programs may set and what changes nothing here, with the reason.
WITHOUT_EFFECT: Mapping[str, str] = MappingProxyType(
    {
        "literal_negation_function:sparse": "there is one negation for sparse and dense values: "
        "set literal_negation_function",
        "allow_sparse": "how values are stored follows from the data",
        "avoid_constant": "every constant of an example is an entity of its type",
        "dataset_class": "there is one way to read examples; mega examples are sequences "
        "without it",
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
        hint = _OF_A_CALL.get(path[0]) or did_you_mean(path[0], PARAMETERS)
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


def collected(directives: Iterable[SetParameter | SetPredicateParameter]) -> Parameters:
    """The settings in order: a path set again is overwritten."""
    everywhere: dict[tuple[str, ...], ParameterValue] = {}
    own: dict[tuple[str, int | None], dict[tuple[str, ...], ParameterValue]] = {}
    for directive in directives:
        path, value = checked(directive)
        if isinstance(directive, SetParameter):
            everywhere[path] = value
        else:
            own.setdefault((directive.predicate, directive.arity), {})[path] = value
    return Parameters(everywhere, own)
