"""Settings of training by name: from the program's parameters, or from the call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from neurallog_kernel.errors import ParameterError, UnknownNameError, did_you_mean
from neurallog_kernel.functions.keras_names import CRF, LOSSES, SCHEDULES, KerasNames
from neurallog_kernel.knowledge.configured import Configured
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.setting_checks import show_value
from neurallog_kernel.learning.examples.chains import TRANSITION, Chain, chain_of
from neurallog_kernel.learning.examples.targets import Target
from neurallog_kernel.learning.formulas.numpy_losses import loss_in_numpy
from neurallog_kernel.learning.formulas.ranking_losses import RANKING, logistic
from neurallog_kernel.network.arrays import TENSORFLOW
from neurallog_kernel.network.tensorflow import keras, tensorflow

LossFunction = Callable[[Any, Any], Any]

# -- objects of Keras -----------------------------------------------------------------------------

# What Keras called an argument when the original was written.
_OLD_ARGUMENTS: Mapping[str, Mapping[str, str]] = {
    "optimizers": {"lr": "learning_rate"},
    "regularizers.L1": {"l": "l1"},
    "regularizers.L2": {"l": "l2"},
}


def make(names: KerasNames, chosen: Configured) -> Any:
    """An object of a class of Keras that the closed table has, with plain arguments only."""
    kind = _class(names, chosen.name)
    arguments = _arguments(names, kind, chosen)
    try:
        return kind(**arguments)
    except (ValueError, TypeError, AttributeError) as error:
        raise ParameterError(f"{names.what} {chosen.name}: {first_line(error)}") from error


def _class(names: KerasNames, name: str) -> type:
    module = keras()
    for part in names.module.split("."):
        module = getattr(module, part)
    found = getattr(module, names.class_name(name), None)
    if found is None:
        raise UnknownNameError(f"{names.what} {name}: the installed Keras does not have it")
    return found


def _arguments(names: KerasNames, kind: type, chosen: Configured) -> dict[str, Any]:
    known = _parameters_of(kind)
    old = {
        **_OLD_ARGUMENTS.get(names.module, {}),
        **_OLD_ARGUMENTS.get(f"{names.module}.{kind.__name__}", {}),
    }
    found: dict[str, Any] = {}
    for given, value in chosen.config.items():
        name = given if given in known else old.get(given, given)
        if name == "decay" and names.module == "optimizers":
            continue
        if name not in known:
            hint = did_you_mean(name, known) or f"known: {', '.join(known)}"
            raise ParameterError(f"{names.what} {chosen.name} has no setting {given}", hint=hint)
        if name == "learning_rate" and isinstance(value, Mapping):
            found[name] = _schedule(value)
            continue
        _check_plain(f"{names.what} {chosen.name}: {given}", value, known[name])
        found[name] = value
    decay = chosen.config.get("decay")
    if decay is not None and names.module == "optimizers":
        found["learning_rate"] = _decaying(chosen, known, found, decay)
    return found


def _parameters_of(kind: type) -> dict[str, Any]:
    """The arguments of a class with their defaults; a function among them is none of ours."""
    signature = inspect.signature(kind)
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {
        name: parameter.default
        for name, parameter in signature.parameters.items()
        if parameter.kind in named
    }


def _check_plain(what: str, value: Any, default: Any) -> None:
    """A value is of the kind of its default; where that tells nothing, Keras has a look."""
    wrong = isinstance(value, Mapping)
    if isinstance(default, bool):
        wrong = not isinstance(value, bool)
    elif isinstance(default, int | float):
        wrong = isinstance(value, str | bool | list | tuple | Mapping)
    elif isinstance(default, str):
        wrong = not isinstance(value, str)
    if wrong:
        expected = {bool: "True or False", str: "a name"}.get(type(default), "a number")
        shown = "a table" if isinstance(value, Mapping) else show_value(value)
        raise ParameterError(f"{what} must be {expected}, not {shown}")


def _schedule(value: Mapping[str, Any]) -> Any:
    kind = value.get("class_name")
    if not isinstance(kind, str):
        raise ParameterError(
            "a learning rate is a number, or a schedule with class_name and config"
        )
    return make(SCHEDULES, Configured(kind, value.get("config", {})))


def _decaying(chosen: Configured, known: Mapping[str, Any], found: dict, decay: Any) -> Any:
    """The old `decay`: step t has the rate divided by 1 + decay * t."""
    rate = found.get("learning_rate", known["learning_rate"])
    what = f"optimiser {chosen.name}: decay"
    _check_plain(what, decay, 0.0)
    if decay < 0 or not isinstance(rate, int | float):
        raise ParameterError(f"{what} is a number of at least 0, for a rate that is a number")
    if decay == 0:
        return rate
    schedules = keras().optimizers.schedules
    return schedules.InverseTimeDecay(float(rate), decay_steps=1, decay_rate=float(decay))


def first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


# -- losses ---------------------------------------------------------------------------------------

_ELEMENTWISE = frozenset(
    (
        "MeanSquaredError",
        "MeanAbsoluteError",
        "MeanAbsolutePercentageError",
        "MeanSquaredLogarithmicError",
        "BinaryCrossentropy",
        "BinaryFocalCrossentropy",
        "Hinge",
        "SquaredHinge",
        "LogCosh",
        "Huber",
        "Poisson",
    )
)


# Of one output these are always the same, whatever it is.
_OF_MANY = frozenset(
    ("CategoricalCrossentropy", "CategoricalFocalCrossentropy", "CosineSimilarity")
)


@dataclass(frozen=True, eq=False)
class Loss:
    """A loss of labels and predictions `[n, m]` that gives `[n]`."""

    name: str
    function: Callable[..., Any]
    elementwise: bool  # whether each entry has a loss of its own
    squared: bool  # whether it is the plain squared error, which has a derivative of its own here
    needs_many: bool = False  # whether it says nothing of a target with one output
    chain: Chain | None = None  # of a loss of whole sequences
    of_listed: bool = False  # whether it is told, as a third argument, which outputs count
    back: Callable[..., Any] | None = None  # in NumPy: what comes back to the predictions
    positive_weight: float = 1.0  # how often the loss of a true example counts


def loss_of(name: str | Configured | LossFunction, backend: str = TENSORFLOW) -> Loss:
    """A loss of ours or of Keras by name, a loss object of Keras, or a function of labels and
    predictions."""
    if not isinstance(name, str | Configured):
        return _of_function(name)
    chosen = Configured(name) if isinstance(name, str) else name
    if chosen.name in LOSSES.own:
        found = _own(chosen)
    else:
        kind, of_keras = LOSSES.class_name(chosen.name), backend == TENSORFLOW
        function = _by_row(make(LOSSES, chosen).call) if of_keras else _not_needed
        squared, many = kind == "MeanSquaredError", kind in _OF_MANY
        found = Loss(chosen.name, function, kind in _ELEMENTWISE, squared, many)
    if backend == TENSORFLOW:
        return found
    in_numpy = loss_in_numpy(chosen)
    assert in_numpy is not None
    return replace(found, function=in_numpy.value, back=in_numpy.back)


def _not_needed(*_: Any) -> Any:
    raise AssertionError("the loss in NumPy takes its place")


def _by_row(function: LossFunction) -> LossFunction:

    def by_row(labels: Any, predictions: Any) -> Any:
        """Some (Dice, Tversky) give one number for all rows: each row has it."""
        found = function(labels, predictions)
        if found.shape.rank == 0:
            tf = tensorflow()
            found = tf.broadcast_to(found, tf.shape(labels)[:1])
        return found

    return by_row


def crf_loss(program: Program, target: Target) -> Loss:
    """The loss of whole sequences, for a target and the predicates of its chain."""
    if target.output != target.signature[1] - 1:
        raise ParameterError(
            f"the loss {CRF} has its labels at the last place: {target.name} asks for another",
            hint="leave out inverse_relations",
        )
    chain = chain_of(program, target.signature)
    if chain.transition is None:
        raise ParameterError(
            f"the loss {CRF} needs a predicate that scores a label after another",
            hint=f'as in set_predicate_parameter("{target.name}", {TRANSITION}, follows). Without '
            "one, steps are learned one by one: use categorical_crossentropy",
        )

    def by_row(labels: Any, predictions: Any) -> Any:
        raise AssertionError("computed from whole sequences")

    return Loss(CRF, by_row, elementwise=False, squared=False, needs_many=True, chain=chain)


def _own(chosen: Configured) -> Loss:
    if chosen.config:
        raise ParameterError(f"the loss {chosen.name} has no settings")
    if chosen.name in RANKING:
        return Loss(chosen.name, RANKING[chosen.name], False, False, True, of_listed=True)
    return Loss(chosen.name, logistic, True, False)


def _of_function(given: LossFunction) -> Loss:
    """A function from labels and predictions `[rows, outputs]` to the loss of each row, or to one
    number. It is tried before the training. `elementwise = True` as its attribute says that each
    output has a loss of its own, which costs no row of all outputs."""
    tf = tensorflow()
    name = str(getattr(given, "name", None) or getattr(given, "__name__", type(given).__name__))
    elementwise = bool(getattr(given, "elementwise", False))
    function = getattr(given, "call", given)

    def as_given(labels: Any, predictions: Any) -> Any:
        given = function(labels, predictions)
        if given is None:
            raise TypeError("it gives nothing back (None)")
        return tf.convert_to_tensor(given)

    def by_row(labels: Any, predictions: Any) -> Any:
        found = as_given(labels, predictions)
        rank = found.shape.rank
        if rank == 0:
            return tf.broadcast_to(found, tf.shape(labels)[:1])
        return tf.reduce_mean(found, axis=-1) if rank == 2 else found

    _try(name, as_given)
    return Loss(name, by_row, elementwise, squared=False)


def _try(name: str, function: LossFunction) -> None:
    """Call it with two numbers of rows: one that gives as many numbers by chance is found."""
    tf = tensorflow()
    for dtype, rows in (("float32", 2), ("float64", 2), ("float32", 4)):
        labels = tf.constant([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]] * (rows // 2), dtype)
        predictions = tf.constant([[0.2, 0.7, 0.4], [0.6, 0.3, 0.1]] * (rows // 2), dtype)
        try:
            found = function(labels, predictions)
            if not found.dtype.is_floating:
                raise TypeError(f"it gives {found.dtype.name}, and not numbers")
        except Exception as error:
            raise ParameterError(
                f"the loss {name} does not work: {first_line(error)}",
                hint="it is called with labels and predictions, tensors of the shape "
                "[rows, outputs]",
            ) from error
        if tuple(found.shape) not in ((), (rows,), (rows, 1), (rows, 3)):
            raise ParameterError(
                f"the loss {name} gives the shape {list(found.shape)} for labels [{rows}, 3]",
                hint="give one number for each row, one for each output, or one in all",
            )
