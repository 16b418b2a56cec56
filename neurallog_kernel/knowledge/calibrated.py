"""Weights as probabilities: the calibration that a program sets for a predicate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from neurallog_kernel.errors import ParameterError, did_you_mean
from neurallog_kernel.knowledge.parameters import Parameters
from neurallog_kernel.language.syntax import (
    ParameterValue,
    SetParameter,
    SetPredicateParameter,
    Signature,
)

CALIBRATION = "calibration"  # the parameter, and the source that `Session.calibrate` writes
_TEMPERATURE, _CENTRE = "temperature", "centre"
_WEIGHTS, _PROBABILITIES = "weights", "probabilities"
_PARTS = (_TEMPERATURE, _CENTRE, _WEIGHTS, _PROBABILITIES)
_EXAMPLE = 'write set_predicate_parameter("p/2", calibration, temperature, 0.5).'


@dataclass(frozen=True)
class ByTemperature:
    """1 / (1 + exp((centre - w) / temperature)): the weight at the centre is as likely as not.

    >>> ByTemperature(0.5, 1.0)(np.array([0.5, 1.0, 1.5])).round(3).tolist()
    [0.269, 0.5, 0.731]
    """

    temperature: float
    centre: float

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        return 0.5 * (1 + np.tanh((weights - self.centre) / (2 * self.temperature)))

    def settings(self) -> dict[str, ParameterValue]:
        return {_TEMPERATURE: self.temperature, _CENTRE: self.centre}


@dataclass(frozen=True)
class Isotonic:
    """Straight lines between points that never go down; flat before the first and after the last.

    >>> Isotonic((0.0, 1.0), (0.2, 0.6))(np.array([-1.0, 0.5, 2.0])).round(3).tolist()
    [0.2, 0.4, 0.6]
    """

    weights: tuple[float, ...]
    probabilities: tuple[float, ...]

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        return np.interp(weights, self.weights, self.probabilities)

    def settings(self) -> dict[str, ParameterValue]:
        return {_WEIGHTS: self.weights, _PROBABILITIES: self.probabilities}


Calibrated = ByTemperature | Isotonic


def calibrated(parameters: Parameters, signature: Signature) -> Calibrated | None:
    """What makes probabilities of a predicate's weights; None where the program sets nothing."""
    if CALIBRATION not in parameters.names:
        return None
    found = {path[0]: value for path, value in parameters.said(CALIBRATION, signature).items()}
    name = f"the calibration of {signature[0]}/{signature[1]}"
    if not found:
        return None
    if _TEMPERATURE in found and not {_WEIGHTS, _PROBABILITIES} & set(found):
        centre = found.get(_CENTRE, 0.0)
        return ByTemperature(_number(found[_TEMPERATURE]), _number(centre))
    weights, probabilities = _numbers(found.get(_WEIGHTS)), _numbers(found.get(_PROBABILITIES))
    if not weights or len(weights) != len(probabilities) or _TEMPERATURE in found:
        raise ParameterError(
            f"{name} is either a temperature, or as many weights as probabilities",
            hint="take one of the two out, or calibrate again",
        )
    return Isotonic(weights, probabilities)


def _number(value: ParameterValue) -> float:
    assert isinstance(value, float)
    return value


def _numbers(value: ParameterValue | None) -> tuple[float, ...]:
    return tuple(map(_number, value)) if isinstance(value, tuple) else ()


# -- what a program may say -----------------------------------------------------------------------


def a_calibration(path: tuple[str, ...], value: ParameterValue) -> None:
    """`temperature` and `centre` with a number each, or `weights` and `probabilities` with a list
    each."""
    if len(path) != 2 or path[1] not in _PARTS:
        hint = (did_you_mean(path[1], _PARTS) if len(path) > 1 else "") or _EXAMPLE
        raise ParameterError(f"a calibration has {', '.join(_PARTS)} below it", hint=hint)
    if path[1] in (_TEMPERATURE, _CENTRE):
        if isinstance(value, bool) or not isinstance(value, float):
            raise ParameterError(f"{path[1]} must be a number", hint=_EXAMPLE)
        if path[1] == _TEMPERATURE and value <= 0:
            raise ParameterError("temperature must be a number above 0", hint=_EXAMPLE)
        return
    listed = value if isinstance(value, tuple) else ()
    numbers = [one for one in listed if isinstance(one, float) and not isinstance(one, bool)]
    if not listed or len(numbers) != len(listed):
        raise ParameterError(f"{path[1]} must be a list of numbers", hint="as in [0.2, 0.6]")
    if (np.diff(numbers) < 0).any():
        raise ParameterError(f"{path[1]} must not go down", hint="sort them")
    if path[1] == _PROBABILITIES and not 0 <= numbers[0] <= numbers[-1] <= 1:
        raise ParameterError("probabilities are from 0 to 1")


def check_calibrated(directive: SetParameter | SetPredicateParameter) -> None:
    """A calibration belongs to one predicate."""
    if isinstance(directive, SetParameter):
        raise ParameterError("a calibration is set for one predicate, not for all", hint=_EXAMPLE)
