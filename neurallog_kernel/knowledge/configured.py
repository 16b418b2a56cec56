"""A setting that names something with settings of its own: `class_name`, the rest in `config`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.functions import Function, Registry
from neurallog_kernel.functions.naming import named_function
from neurallog_kernel.knowledge.parameters import Parameters
from neurallog_kernel.language.syntax import ParameterValue, Signature

_FOR_EXAMPLE = {
    "optimizer": "sgd",
    "loss_function": "huber",
    "regularizer": "l2",
    "initial_value": "random_normal",
    "value_constraint": "partial",
}


@dataclass(frozen=True)
class Configured:
    """Something by name, with its configuration."""

    name: str
    config: Mapping[str, Any] = field(default_factory=dict)


def configured(
    parameters: Parameters, name: str, predicate: Signature | None = None
) -> Configured | None:
    """`set_parameter(name, adagrad)`, or with `class_name` and `config` below the name. What a
    predicate says of it replaces all that is said for everything."""
    table = parameters.said(name, predicate)
    plain = table.get(())
    if isinstance(plain, str) and plain.lower() != "none":
        return Configured(plain, config_below(table))
    if plain is None and ("class_name",) not in table and any(p[:1] == ("config",) for p in table):
        raise ParameterError(
            f"{name} has settings under config, and no class_name that says what they are for",
            hint=f"write set_parameter({name}, class_name, {_FOR_EXAMPLE.get(name, 'NAME')})",
        )
    return configured_below(table)


def configured_below(table: Mapping[tuple[str, ...], ParameterValue]) -> Configured | None:
    """What `class_name` and `config` say, if there is a class name."""
    kind = table.get(("class_name",))
    return Configured(kind, config_below(table)) if isinstance(kind, str) else None


def config_below(table: Mapping[tuple[str, ...], ParameterValue]) -> dict[str, Any]:
    """The values under `config`, as deep as they are."""
    found: dict[str, Any] = {}
    for path, value in table.items():
        if len(path) > 1 and path[0] == "config":
            level = found
            for key in path[1:-1]:
                level = level.setdefault(key, {})
            level[path[-1]] = plain_value(value)
    return found


def plain_value(value: ParameterValue) -> Any:
    """A parameter's value as Keras takes it: whole numbers as integers, lists as lists."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return [plain_value(v) for v in value] if isinstance(value, tuple) else value


def configured_function(
    parameters: Parameters, registry: Registry, name: str, predicate: Signature
) -> Function | None:
    """The function that a setting names; None if it names none, an error if it is unknown."""
    if name not in parameters.names:
        return None
    chosen = configured(parameters, name, predicate)
    return None if chosen is None else named_function(registry, chosen.name, chosen.config)
