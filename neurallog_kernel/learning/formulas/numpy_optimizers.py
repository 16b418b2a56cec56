"""The update rules of Keras' optimisers in NumPy: the same weights without TensorFlow.

The variables are those of Keras, in its order: a training that one of the two left off, the other
goes on with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from neurallog_kernel.functions.keras_names import OPTIMIZERS
from neurallog_kernel.knowledge.configured import Configured
from neurallog_kernel.network.numpy_arrays import ArrayVariable

Config: TypeAlias = Mapping[str, Any]


@dataclass
class VariableStep:
    """What the update of one variable is given: its gradient, its value, the rate, the number of
    the step from 1 on, the optimiser's settings, and what it remembers of the variable."""

    gradient: np.ndarray
    weights: np.ndarray
    rate: Any
    number: Any
    config: Config
    memory: Mapping[str, ArrayVariable]

    def kept(self, name: str, value: np.ndarray) -> np.ndarray:
        """Remember a value, and give it back."""
        self.memory[name].assign(value)
        return self.memory[name].value

    def last(self, name: str) -> np.ndarray:
        return self.memory[name].value

    def faded(self, name: str, value: np.ndarray, beta: float) -> np.ndarray:
        """The mean in which the past fades: a step from the last one towards the value."""
        last = self.last(name)
        return self.kept(name, last + (value - last) * (1 - beta))

    def power(self, name: str) -> Any:
        """A setting to the power of the number of the step."""
        return np.power(self.setting(name), self.number)

    def setting(self, name: str) -> Any:
        """A setting as Keras casts it to the kind of the weights: by way of single precision."""
        return _cast(self.config[name], self.weights.dtype)


def _cast(value: Any, dtype: np.dtype) -> Any:
    return dtype.type(np.float32(value))


@dataclass(frozen=True)
class UpdateRule:
    """An optimiser: its settings with the values of Keras, what it remembers of each variable (in
    groups, as Keras makes them, each with its first value), and the update."""

    settings: Config
    groups: Callable[[Config], Sequence[Mapping[str, float]]]
    update: Callable[[VariableStep], np.ndarray]


# -- the rules ------------------------------------------------------------------------------------


def _sgd(step: VariableStep) -> np.ndarray:
    moved = step.gradient * step.rate
    if not step.config["momentum"]:
        return step.weights - moved
    share = step.setting("momentum")
    m = step.kept("momentum", step.last("momentum") * share - moved)
    return step.weights + (m * share - moved if step.config["nesterov"] else m)


def _rmsprop(step: VariableStep) -> np.ndarray:
    g, rho = step.gradient, step.config["rho"]
    velocity = step.kept("velocity", rho * step.last("velocity") + (1 - rho) * np.square(g))
    if step.config["centered"]:
        last = step.last("average_gradient")
        velocity = velocity - np.square(step.kept("average_gradient", rho * last + (1 - rho) * g))
    moved = step.rate * g / np.sqrt(velocity + step.config["epsilon"])
    share = step.config["momentum"]
    if share > 0:
        moved = step.kept("momentum", share * step.last("momentum") + moved)
    return step.weights - moved


def _adagrad(step: VariableStep) -> np.ndarray:
    total = step.kept("accumulator", step.last("accumulator") + np.square(step.gradient))
    return step.weights - step.rate * step.gradient / np.sqrt(total + step.config["epsilon"])


def _adadelta(step: VariableStep) -> np.ndarray:
    rho, epsilon = step.config["rho"], step.config["epsilon"]
    squares = rho * step.last("accumulated_grad") + (1 - rho) * np.square(step.gradient)
    squares = step.kept("accumulated_grad", squares)
    last = step.last("accumulated_delta_var")
    moved = -(np.sqrt(last + epsilon) * step.gradient / np.sqrt(squares + epsilon))
    step.kept("accumulated_delta_var", rho * last + (1 - rho) * np.square(moved))
    return step.weights + step.rate * moved


def _adam(step: VariableStep) -> np.ndarray:
    alpha = step.rate * np.sqrt(1 - step.power("beta_2")) / (1 - step.power("beta_1"))
    m = step.faded("momentum", step.gradient, step.config["beta_1"])
    v = step.faded("velocity", np.square(step.gradient), step.config["beta_2"])
    if step.config["amsgrad"]:
        v = step.kept("velocity_hat", np.maximum(step.last("velocity_hat"), v))
    return step.weights - m * alpha / (np.sqrt(v) + step.config["epsilon"])


def _adamax(step: VariableStep) -> np.ndarray:
    m = step.faded("momentum", step.gradient, step.config["beta_1"])
    size = np.maximum(step.config["beta_2"] * step.last("norm"), np.abs(step.gradient))
    u = step.kept("norm", size) + step.config["epsilon"]
    return step.weights - step.rate * m / ((1 - step.power("beta_1")) * u)


def _ftrl(step: VariableStep) -> np.ndarray:
    config, g, w = step.config, step.gradient, step.weights
    power, last = -config["learning_rate_power"], step.last("accumulator")
    l2 = config["l2_regularization_strength"] + config["beta"] / (2.0 * step.rate)
    total = last + np.square(g)
    used = g + 2 * config["l2_shrinkage_regularization_strength"] * w
    grown = (np.power(total, power) - np.power(last, power)) / step.rate
    linear = step.kept("linear", step.last("linear") + (used - grown * w))
    step.kept("accumulator", total)
    l1 = config["l1_regularization_strength"]
    return (np.clip(linear, -l1, l1) - linear) / (np.power(total, power) / step.rate + 2 * l2)


def _lion(step: VariableStep) -> np.ndarray:
    one, two = step.setting("beta_1"), step.setting("beta_2")
    m, g = step.last("momentum"), step.gradient
    step.kept("momentum", m * two + g * (1 - two))
    return step.weights - step.rate * np.sign(m * one + g * (1 - one))


def _lamb(step: VariableStep) -> np.ndarray:
    m = step.faded("momentum", step.gradient, step.config["beta_1"])
    v = step.faded("velocity", np.square(step.gradient), step.config["beta_2"])
    root = np.sqrt(v / (1 - step.power("beta_2"))) + step.config["epsilon"]
    update = m / (1 - step.power("beta_1")) / root
    long, short = (np.sqrt(np.sum(np.square(x))) for x in (step.weights, update))
    ratio = long / short if long > 0 and short > 0 else 1.0
    return step.weights - step.rate * ratio * update


# -- the table ------------------------------------------------------------------------------------


def _same(*groups: Mapping[str, float]) -> Callable[[Config], Sequence[Mapping[str, float]]]:
    return lambda config: groups


_MOMENTS = {"momentum": 0.0, "velocity": 0.0}
_ADAM = {"learning_rate": 0.001, "beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-7}


def _adam_groups(config: Config) -> Sequence[Mapping[str, float]]:
    return [_MOMENTS, *([{"velocity_hat": 0.0}] if config["amsgrad"] else [])]


def _rmsprop_groups(config: Config) -> Sequence[Mapping[str, float]]:
    momentum = [{"momentum": 0.0}] if config["momentum"] > 0 else []
    centered = [{"average_gradient": 0.0}] if config["centered"] else []
    return [{"velocity": 0.0}, *momentum, *centered]


RULES: Mapping[str, UpdateRule] = MappingProxyType(
    {
        "SGD": UpdateRule(
            {"learning_rate": 0.01, "momentum": 0.0, "nesterov": False},
            lambda config: [{"momentum": 0.0}] if config["momentum"] else [],
            _sgd,
        ),
        "RMSprop": UpdateRule(
            {
                "learning_rate": 0.001,
                "rho": 0.9,
                "momentum": 0.0,
                "epsilon": 1e-7,
                "centered": False,
            },
            _rmsprop_groups,
            _rmsprop,
        ),
        "Adagrad": UpdateRule(
            {"learning_rate": 0.001, "initial_accumulator_value": 0.1, "epsilon": 1e-7},
            lambda config: [{"accumulator": config["initial_accumulator_value"]}],
            _adagrad,
        ),
        "Adadelta": UpdateRule(
            {"learning_rate": 0.001, "rho": 0.95, "epsilon": 1e-7},
            _same({"accumulated_grad": 0.0, "accumulated_delta_var": 0.0}),
            _adadelta,
        ),
        "Adam": UpdateRule({**_ADAM, "amsgrad": False}, _adam_groups, _adam),
        "AdamW": UpdateRule(
            {**_ADAM, "amsgrad": False, "weight_decay": 0.004}, _adam_groups, _adam
        ),
        "Adamax": UpdateRule(_ADAM, _same({"momentum": 0.0, "norm": 0.0}), _adamax),
        "Ftrl": UpdateRule(
            {
                "learning_rate": 0.001,
                "learning_rate_power": -0.5,
                "initial_accumulator_value": 0.1,
                "l1_regularization_strength": 0.0,
                "l2_regularization_strength": 0.0,
                "l2_shrinkage_regularization_strength": 0.0,
                "beta": 0.0,
            },
            lambda config: [{"accumulator": config["initial_accumulator_value"], "linear": 0.0}],
            _ftrl,
        ),
        "Lion": UpdateRule(
            {"learning_rate": 0.001, "beta_1": 0.9, "beta_2": 0.99},
            _same({"momentum": 0.0}),
            _lion,
        ),
        "Lamb": UpdateRule(_ADAM, _same(_MOMENTS), _lamb),
    }
)
_COMMON: Config = MappingProxyType(
    {"weight_decay": None, "clipnorm": None, "clipvalue": None, "global_clipnorm": None}
)
_CLIPS = ("clipnorm", "clipvalue", "global_clipnorm")


def not_in_numpy(chosen: Configured) -> str | None:
    """What of an optimiser is not here; None if all of it is."""
    rule = RULES.get(OPTIMIZERS.class_name(chosen.name))
    if rule is None:
        return f"the optimiser {chosen.name}"
    known = {**_COMMON, **rule.settings}
    for name, value in chosen.config.items():
        plain = isinstance(value, bool) if isinstance(known.get(name), bool) else _is_number(value)
        if name not in known or not plain or (name == "learning_rate" and type(value) is not float):
            return f"the setting {name} of the optimiser {chosen.name}"
    momentum = chosen.config.get("momentum", 0.0)
    if type(momentum) is not float or not 0 <= momentum <= 1:
        return f"the momentum of the optimiser {chosen.name}"
    if sum(chosen.config.get(name) is not None for name in _CLIPS) > 1:
        return f"several ways to clip of the optimiser {chosen.name}"
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool)


class NumpyOptimizer:
    """An optimiser, used as those of Keras are."""

    @np.errstate(all="ignore")  # a rate beyond all bounds diverges, which is told
    def __init__(self, chosen: Configured) -> None:
        self.class_name = OPTIMIZERS.class_name(chosen.name)
        self.rule = RULES[self.class_name]
        self.config = {**_COMMON, **self.rule.settings, **chosen.config}
        self.iterations = ArrayVariable(np.array(0, dtype=np.int32), "iteration")
        rate = np.array(self.config["learning_rate"], dtype=np.float32)  # as Keras stores it
        self.learning_rate = ArrayVariable(rate, "learning_rate")
        self.variables: list[ArrayVariable] = [self.iterations, self.learning_rate]
        self._memories: list[dict[str, ArrayVariable]] = []

    def build(self, variables: Sequence[ArrayVariable]) -> None:
        self._memories = [{} for _ in variables]
        for group in self.rule.groups(self.config):
            for variable, memory in zip(variables, self._memories, strict=True):
                for name, value in group.items():
                    start = np.full_like(variable.value, _cast(value, variable.dtype))
                    memory[name] = ArrayVariable(start, name)
                    self.variables.append(memory[name])

    @np.errstate(all="ignore")
    def apply(self, gradients: Sequence[np.ndarray], variables: Sequence[ArrayVariable]) -> None:
        for gradient, variable, memory in zip(
            self._clipped(gradients), variables, self._memories, strict=True
        ):
            weights, kind = variable.value, variable.dtype
            rate, decay = kind.type(self.learning_rate.value), self.config["weight_decay"]
            if decay is not None:
                weights = weights - weights * _cast(decay, kind) * rate
            number = kind.type(self.iterations.value + 1)
            step = VariableStep(gradient, weights, rate, number, self.config, memory)
            variable.assign(self.rule.update(step))
        self.iterations.assign(self.iterations.value + 1)

    def _clipped(self, gradients: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        length, most, together = (self.config[name] for name in _CLIPS)
        if length is not None and length > 0:
            norms = [np.sqrt(np.sum(np.square(g))) for g in gradients]
            pairs = zip(gradients, norms, strict=True)
            return [g * length / np.maximum(norm, g.dtype.type(length)) for g, norm in pairs]
        if together is not None and together > 0:
            whole = np.sqrt(sum(np.sum(np.square(g)) for g in gradients))
            scale = together * np.minimum(1.0 / whole, 1.0 / together) + (whole - whole)
            return [g * g.dtype.type(scale) for g in gradients]
        if most is not None and most > 0:
            return [np.clip(g, -most, most) for g in gradients]
        return gradients


def class_name_of(optimizer: Any) -> str:
    """What Keras calls the class of an optimiser, of its own or in NumPy."""
    return getattr(optimizer, "class_name", type(optimizer).__name__)
