"""Settings of training by name: from the program's parameters, or from the call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from neurallog_kernel.errors import UnknownNameError, did_you_mean
from neurallog_kernel.knowledge.parameters import Parameters
from neurallog_kernel.language.syntax import Signature, Value
from neurallog_kernel.network.tensorflow import keras, tensorflow


@dataclass(frozen=True)
class Configured:
    """Something of Keras by name, with its configuration."""

    name: str
    config: Mapping[str, Any] = field(default_factory=dict)


def configured(
    parameters: Parameters, name: str, predicate: Signature | None = None
) -> Configured | None:
    """`set_parameter(name, adagrad)`, or with `class_name` and `config` below the name."""
    plain = parameters.get(name, predicate)
    table = parameters.below(name, predicate)
    if isinstance(plain, str) and plain.lower() != "none":
        return Configured(plain, _config(table))
    kind = table.get(("class_name",))
    if isinstance(kind, str):
        return Configured(kind, _config(table))
    return None


def _config(table: Mapping[tuple[str, ...], Value]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path, value in table.items():
        if path[0] == "config" and len(path) > 1:
            level = found
            for key in path[1:-1]:
                level = level.setdefault(key, {})
            level[path[-1]] = plain_value(value)
    return found


def plain_value(value: Value) -> Any:
    """A parameter's value as Keras takes it: whole numbers as integers, lists as lists."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return [plain_value(v) for v in value] if isinstance(value, tuple) else value


def make(what: str, chosen: Configured, module: Any) -> Any:
    """An optimiser, loss, metric or regulariser of Keras; an unknown name shows the nearest."""
    kind = _class_of(chosen.name, module)
    try:
        if kind is not None:
            return kind(**chosen.config)
        if not chosen.config:
            return module.get(chosen.name)  # also the short names: mse, kld
        return module.get({"class_name": chosen.name, "config": dict(chosen.config)})
    except (ValueError, TypeError) as error:
        known = names_of(module)
        if _squeezed(chosen.name) not in {_squeezed(n) for n in known}:
            hint = did_you_mean(chosen.name, known) or f"known: {', '.join(known)}"
            raise UnknownNameError(f"unknown {what} {chosen.name}", hint=hint) from error
        reason = str(error).strip().splitlines()[0]
        raise UnknownNameError(f"{what} {chosen.name}: {reason}") from error


def names_of(module: Any) -> list[str]:
    """The public names of a Keras module."""
    return sorted(n for n in dir(module) if not n.startswith("_") and callable(getattr(module, n)))


def _class_of(name: str, module: Any) -> Any:
    """The class that a name in any spelling means: adagrad, Adagrad, mean_squared_error."""
    for known in names_of(module):
        if _squeezed(known) == _squeezed(name) and isinstance(getattr(module, known), type):
            return getattr(module, known)
    return None


def _squeezed(name: str) -> str:
    return name.replace("_", "").lower()


ELEMENTWISE_LOSSES = frozenset(
    (
        "meansquarederror",
        "mse",
        "meanabsoluteerror",
        "mae",
        "meanabsolutepercentageerror",
        "mape",
        "meansquaredlogarithmicerror",
        "msle",
        "binarycrossentropy",
        "binaryfocalcrossentropy",
        "hinge",
        "squaredhinge",
        "logcosh",
        "huber",
        "poisson",
    )
)


@dataclass(frozen=True, eq=False)
class Loss:
    """A loss of labels and predictions `[n, m]` that gives `[n]`."""

    name: str
    function: Callable[[Any, Any], Any]
    elementwise: bool  # whether each entry has a loss of its own

    @property
    def squared(self) -> bool:
        """Whether it is the plain squared error, which has a derivative of its own here."""
        return _squeezed(self.name) in ("meansquarederror", "mse")


def loss_of(name: str | Configured) -> Loss:
    """A Keras loss by name."""
    chosen = Configured(name) if isinstance(name, str) else name
    losses = keras().losses
    made = make("loss", chosen, losses)
    function = made.call if isinstance(made, losses.Loss) else made

    def by_row(labels: Any, predictions: Any) -> Any:
        """Some (Dice, Tversky) give one number for all rows: each row has it."""
        found = function(labels, predictions)
        if found.shape.rank == 0:
            tf = tensorflow()
            found = tf.broadcast_to(found, tf.shape(labels)[:1])
        return found

    return Loss(chosen.name, by_row, _squeezed(chosen.name) in ELEMENTWISE_LOSSES)
