"""The names of Keras that a program may use: closed tables, known without importing Keras.

A program's text never reaches a deserialiser: a name is looked up here, and what it stands for is
one class of one module of Keras.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from neurallog_kernel.errors import UnknownNameError, did_you_mean


@dataclass(frozen=True)
class KerasNames:
    """The classes of one kind; `short` are other names of them, `refused` says what to do instead
    of what is not here. `own` are names of ours, which stand for nothing of Keras."""

    what: str
    module: str
    classes: tuple[str, ...]
    short: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    own: tuple[str, ...] = ()

    def class_name(self, name: str) -> str:
        """The class that a name in any spelling means: adagrad, Adagrad, mean_squared_error."""
        wanted = squeezed(name)
        known = {squeezed(one): one for one in self.classes} | dict(self.short)
        if wanted in known:
            return known[wanted]
        instead = self.refused.get(wanted)
        if instead is not None:
            raise UnknownNameError(f"the {self.what} {name} is not known here", hint=instead)
        known_names = ", ".join([*self.own, *self.classes])
        hint = did_you_mean(name, self.spellings()) or f"known: {known_names}"
        raise UnknownNameError(f"unknown {self.what} {name}", hint=hint)

    def spellings(self) -> list[str]:
        """The names as people write them."""
        return [
            *self.own,
            *self.classes,
            *(_with_underscores(one) for one in self.classes),
            *self.short,
        ]

    def usual(self) -> tuple[str, ...]:
        """Each name once, as programs mostly write it.

        >>> OPTIMIZERS.usual()[:3]
        ('sgd', 'adam', 'adagrad')
        """
        return (*self.own, *map(_with_underscores, self.classes))


def squeezed(name: str) -> str:
    """A name without what its spellings differ in."""
    return name.replace("_", "").lower()


def _with_underscores(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


OPTIMIZERS = KerasNames(
    "optimiser",
    "optimizers",
    (
        "SGD",
        "Adam",
        "Adagrad",
        "RMSprop",
        "Adadelta",
        "Adafactor",
        "AdamW",
        "Adamax",
        "Ftrl",
        "Lamb",
        "Lion",
        "Nadam",
        "ScheduleFreeAdamW",
    ),
)

SCHEDULES = KerasNames(
    "learning rate schedule",
    "optimizers.schedules",
    (
        "CosineDecay",
        "ExponentialDecay",
        "InverseTimeDecay",
        "PiecewiseConstantDecay",
        "PolynomialDecay",
    ),
)

CRF = "crf"  # a loss of whole sequences, which Keras does not have

_BY_NUMBER = "labels here are a weight for each output: write {} instead"

LOSSES = KerasNames(
    "loss",
    "losses",
    (
        "MeanSquaredError",
        "MeanAbsoluteError",
        "MeanAbsolutePercentageError",
        "MeanSquaredLogarithmicError",
        "BinaryCrossentropy",
        "BinaryFocalCrossentropy",
        "CategoricalCrossentropy",
        "CategoricalFocalCrossentropy",
        "CategoricalHinge",
        "CosineSimilarity",
        "Dice",
        "Hinge",
        "Huber",
        "KLDivergence",
        "LogCosh",
        "Poisson",
        "SquaredHinge",
        "Tversky",
    ),
    {
        "mse": "MeanSquaredError",
        "mae": "MeanAbsoluteError",
        "mape": "MeanAbsolutePercentageError",
        "msle": "MeanSquaredLogarithmicError",
        "bce": "BinaryCrossentropy",
        "kld": "KLDivergence",
        "kullbackleiblerdivergence": "KLDivergence",
    },
    {
        "sparsecategoricalcrossentropy": _BY_NUMBER.format("categorical_crossentropy"),
        "categoricalgeneralizedcrossentropy": _BY_NUMBER.format("categorical_crossentropy"),
    },
    own=(CRF, "logistic", "pairwise_ranking", "softmax_ranking"),
)

LOWER, HIGHER = "min", "max"  # which way a figure is better

METRIC_DIRECTIONS: Mapping[str, str] = {
    "Accuracy": HIGHER,
    "AUC": HIGHER,
    "BinaryAccuracy": HIGHER,
    "BinaryCrossentropy": LOWER,
    "BinaryIoU": HIGHER,
    "CategoricalAccuracy": HIGHER,
    "CategoricalCrossentropy": LOWER,
    "CategoricalHinge": LOWER,
    "ConcordanceCorrelation": HIGHER,
    "CosineSimilarity": HIGHER,
    "F1Score": HIGHER,
    "FBetaScore": HIGHER,
    "FalseNegatives": LOWER,
    "FalsePositives": LOWER,
    "Hinge": LOWER,
    "KLDivergence": LOWER,
    "LogCoshError": LOWER,
    "MeanAbsoluteError": LOWER,
    "MeanAbsolutePercentageError": LOWER,
    "MeanSquaredError": LOWER,
    "MeanSquaredLogarithmicError": LOWER,
    "PearsonCorrelation": HIGHER,
    "Poisson": LOWER,
    "Precision": HIGHER,
    "PrecisionAtRecall": HIGHER,
    "R2Score": HIGHER,
    "Recall": HIGHER,
    "RecallAtPrecision": HIGHER,
    "RootMeanSquaredError": LOWER,
    "SensitivityAtSpecificity": HIGHER,
    "SpecificityAtSensitivity": HIGHER,
    "SquaredHinge": LOWER,
    "TopKCategoricalAccuracy": HIGHER,
    "TrueNegatives": HIGHER,
    "TruePositives": HIGHER,
}

METRICS = KerasNames(
    "metric",
    "metrics",
    tuple(METRIC_DIRECTIONS),
    {
        "acc": "Accuracy",
        "mse": "MeanSquaredError",
        "mae": "MeanAbsoluteError",
        "mape": "MeanAbsolutePercentageError",
        "msle": "MeanSquaredLogarithmicError",
        "rmse": "RootMeanSquaredError",
        "kld": "KLDivergence",
        "kullbackleiblerdivergence": "KLDivergence",
        "logcosh": "LogCoshError",
    },
    {
        "sparsecategoricalaccuracy": _BY_NUMBER.format("categorical_accuracy"),
        "sparsetopkcategoricalaccuracy": _BY_NUMBER.format("top_k_categorical_accuracy"),
        "sparsecategoricalcrossentropy": _BY_NUMBER.format("categorical_crossentropy"),
    },
    own=("roc_auc", "average_precision", "brier", "log_loss"),
)

INITIALIZERS = KerasNames(
    "initial_value",
    "initializers",
    (
        "Constant",
        "Zeros",
        "Ones",
        "RandomNormal",
        "RandomUniform",
        "TruncatedNormal",
        "GlorotNormal",
        "GlorotUniform",
        "HeNormal",
        "HeUniform",
        "LecunNormal",
        "LecunUniform",
        "VarianceScaling",
        "Identity",
        "Orthogonal",
    ),
    {"normal": "RandomNormal", "uniform": "RandomUniform", "zero": "Zeros", "one": "Ones"},
)

REGULARIZERS = KerasNames(
    "regulariser",
    "regularizers",
    ("L1", "L2", "L1L2"),
    refused={
        "orthogonalregularizer": "learned weights are penalised one by one: write l1, l2 or l1_l2"
    },
)
