"""The function that a setting names: registered, by TensorFlow's name for it, or with arguments."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from neurallog_kernel.errors import ParameterError, UnknownNameError, did_you_mean
from neurallog_kernel.functions.builtin import BUILTIN_FUNCTIONS
from neurallog_kernel.functions.combiners import COMBINERS
from neurallog_kernel.functions.function import Function, FunctionKind
from neurallog_kernel.functions.other_names import usual_name
from neurallog_kernel.functions.registry import Registry

CLIP = "clip_by_value"
_CLIP_ARGUMENTS = ("clip_value_min", "clip_value_max")
PARTIAL = "partial"
_PREFIXES = ("tf.", "tf.math.", "tf.nn.", "tf.keras.activations.", "keras.activations.")
_BOUNDS = (
    "each weight is bounded separately: tf.clip_by_value with clip_value_min and clip_value_max"
)
_NO_ORDER = (
    "a vector is over entities, which have no order to pad or to slide along: register a Keras "
    "layer that does it, as in session.register"
)
_INSTEAD = {  # of names in the original's programs that are no function here
    "NonNeg": "relu keeps weights from falling below 0",
    "MaxNorm": _BOUNDS,
    "MinMaxNorm": _BOUNDS,
    "UnitNorm": _BOUNDS,
    "pad_d1": f'{_NO_ORDER}("pad_d1", layer, kind="rowwise")',
    "pad_d2": f'{_NO_ORDER}("pad_d2", layer, kind="rowwise")',
    "conv_transpose": f'{_NO_ORDER}("conv_transpose", layer, kind="rowwise")',
    "bert": "register a Keras model that reads text: "
    'session.register("bert", model, kind="rowwise")',
}


def named_function(
    registry: Registry, name: str, config: Mapping[str, object] | None = None
) -> Function:
    """The function for a plain name, or for `class_name` and `config`; `partial` names it under
    `function_name`. What is not known is an error that says what to write."""
    given = dict(config or {})
    if name == PARTIAL:
        base = given.pop("function_name", None)
        given.pop("mode", None)  # how the original calls it; there is one way here
        if not isinstance(base, str):
            raise ParameterError("partial needs the name of a function under function_name")
        name = base
    if not given:
        return _plain(registry, name)
    return _with_arguments(name, given)


def _plain(registry: Registry, name: str) -> Function:
    found = registry.get(name)
    if found is not None:
        return found
    short = _without_prefix(name)
    builtin = BUILTIN_FUNCTIONS.get(usual_name(short)) if short != name else None
    if builtin is not None:
        return builtin
    raise _unknown(registry, name)


def _without_prefix(name: str) -> str:
    for prefix in sorted(_PREFIXES, key=len, reverse=True):
        if name.startswith(prefix) and "." not in name[len(prefix) :]:
            return name[len(prefix) :]
    return name


def what_to_write_for(name: str) -> str:
    """What does the job of a function that the original has and this registry has not."""
    return _INSTEAD.get(name.rpartition(".")[2], "")


def _unknown(registry: Registry, name: str) -> UnknownNameError:
    hint = (
        what_to_write_for(name)
        or _layer(name)
        or did_you_mean(name, [function.name for function in registry])
    )
    return UnknownNameError(f"unknown function {name}", hint=hint or "register it from Python")


def _layer(name: str, given: Mapping[str, object] | None = None) -> str:
    """What to write for a layer of Keras, which the original makes by its name."""
    kind = name.rpartition(".")[2]
    if not kind[:1].isupper():
        return ""
    arguments = ", ".join(f"{key}={value!r}" for key, value in (given or {}).items()) or "..."
    short = kind.lower()
    return (
        f'give it from Python: session.register("{short}", keras.layers.{kind}({arguments})), '
        f"and name {short} here" + (", without config" if given else "")
    )


def _with_arguments(name: str, given: dict[str, object]) -> Function:
    base = _without_prefix(name)
    wanted = _CLIP_ARGUMENTS if base == CLIP else ("y",)
    if base != CLIP and base not in COMBINERS:
        known = ", ".join([f"tf.{CLIP}", *(f"tf.math.{one}" for one in sorted(COMBINERS))])
        hint = what_to_write_for(name) or _layer(name, given) or f"those that do: {known}"
        raise UnknownNameError(f"{name} takes no arguments here", hint=hint)
    for key in given:
        if key not in wanted:
            hint = did_you_mean(key, wanted) or f"it takes: {', '.join(wanted)}"
            raise ParameterError(f"{name} has no argument {key}", hint=hint)
    values = [given.get(key) for key in wanted]
    if not all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        raise ParameterError(f"{name} needs a number for each of: {', '.join(wanted)}")
    return _partial(base, tuple(float(str(v)) for v in values))


@cache  # equal settings are the same function, so that plans stay equal
def _partial(base: str, given: tuple[float, ...]) -> Function:
    """The function of the first argument, with the others given."""
    name = f"{base}(x, {', '.join(f'{value:g}' for value in given)})"
    if base != CLIP:
        combiner, y = COMBINERS[base], given[0]
        return Function(
            name,
            FunctionKind.ELEMENTWISE,
            lambda x: combiner.numpy(x, np.asarray(y)),
            name,
            derivative=lambda x: combiner.slopes(x, np.full(np.shape(x), y))[0],
            with_tensorflow=lambda tf: (
                lambda x: combiner.tensorflow(tf)(x, tf.constant(y, x.dtype))
            ),
        )
    low, high = given
    if low > high:
        raise ParameterError(f"{CLIP}: the lower bound {low:g} is above the upper {high:g}")
    return Function(
        name,
        FunctionKind.ELEMENTWISE,
        lambda x: np.clip(x, low, high),
        name,
        derivative=lambda x: ((x > low) & (x < high)).astype(float),
        with_tensorflow=lambda tf: lambda x: tf.clip_by_value(x, low, high),
    )
