"""How each experiment is trained, and why. Chosen by `python -m experiments select`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

EPOCHS = 10  # the paper's
RUNS = 10  # the paper's: runs with different initial weights


@dataclass(frozen=True)
class Setting:
    """What the paper leaves open, and what was chosen otherwise (it gives adagrad, the mean squared
    error and ten epochs)."""

    learning_rate: float = 0.1
    batch_size: int = 32
    # The original's Adagrad starts its accumulator at 0, Keras' at 0.1. At 0 the first steps have
    # the size of the learning rate, whatever the gradient; at 0.1 the tiny gradients of a mean over
    # thousands of unlisted outputs move nothing.
    accumulator: float = 0.0
    unlisted: str = "false"
    negatives: int | None = None
    optimizer: str = "adagrad"
    epochs: int = EPOCHS
    loss: str = "mean_squared_error"
    l2: float = 0.0
    anchor: float = 0.0  # a penalty on the distance from the start weights
    # The mean of all start weights, deviation 0.125; None: by what the weights feed.
    start: float | None = None

    def options(self, seed: int) -> dict[str, Any]:
        """As `Session.train` takes them."""
        optimizer: dict[str, Any] = {
            "class_name": self.optimizer,
            "learning_rate": self.learning_rate,
        }
        if self.optimizer == "adagrad":
            optimizer["initial_accumulator_value"] = self.accumulator
        chosen: dict[str, Any] = {
            "epochs": self.epochs,
            "seed": seed,
            "shuffle": True,
            "batch_size": self.batch_size,
            "optimizer": optimizer,
            "loss": self.loss,
            "unlisted": self.unlisted,
            "negatives": self.negatives,
        }
        if self.anchor:
            chosen["anchor"] = self.anchor
        if self.l2:
            chosen["regularizer"] = {"class_name": "l2", "l2": self.l2}
        return chosen

    @property
    def program(self) -> str:
        """What the setting adds to the program."""
        if self.start is None:
            return ""
        path = "set_parameter(initial_value, config"
        return (
            "set_parameter(initial_value, class_name, random_normal).\n"
            f"{path}, mean, {self.start}).\n{path}, stddev, 0.125).\n"
        )

    def __str__(self) -> str:
        parts = [self.optimizer, f"rate {self.learning_rate:g}"]
        parts.append("all in one batch" if self.batch_size >= ALL else f"batch {self.batch_size}")
        parts += [f"{self.epochs} epochs", f"unlisted {self.unlisted}"]
        parts += [self.loss] if self.loss != "mean_squared_error" else []
        parts += [f"l2 {self.l2:g}"] if self.l2 else []
        parts += [f"anchor {self.anchor:g}"] if self.anchor else []
        parts += [f"{self.negatives} negatives"] if self.negatives else []
        parts += [] if self.start is None else [f"start {self.start:g}"]
        return ", ".join(parts)


ALL = 1_000_000  # more than any set has
_CLOSED = Setting(start=0.5)
_LISTED = replace(_CLOSED, unlisted="unknown")
_ALL_AT_ONCE: Mapping[str, Any] = {"batch_size": ALL, "optimizer": "adam"}
_ADAM = Setting(0.03, **_ALL_AT_ONCE, epochs=20, loss="logistic", l2=3e-4)

# Each with the reason; "held out" is what `select` measures, over one to four divisions of the
# training examples. Cora, WordNet and UWCSE begin at 0.5, the language's mean: their theories have
# no wide sums before a tanh.
SETTINGS: Mapping[str, Setting] = {
    # Cora lists true and false pairs, so that counting only these is natural; but held-out papers
    # were better ordered with all unlisted pairs counted as false (three divisions: venue 0.739
    # against 0.724, author 1.000 against 0.873, each at its best rate; title 0.969 against 0.972).
    "cora-sameauthor": replace(_CLOSED, learning_rate=0.1),
    # Alone, samebib has to learn the words of authors, titles and venues through its own pairs, and
    # the listed ones show them best. Adagrad 0.3 gave 0.937 with a deviation of 0.02, Adam at 0.005
    # to 0.02 over the same 40 epochs 0.81 to 0.93, and 0.05 gave 0.974 with 0.006.
    "cora-samebib": replace(
        _LISTED, learning_rate=0.05, batch_size=ALL, optimizer="adam", epochs=40
    ),
    # Over eight divisions one ended upside down at 0.03 (title, venue) and at 0.1 (venue), and none
    # at 0.01. With start weights by what they feed 0.941 and 0.732, with 0.5 it is 0.959 and 0.747.
    "cora-sametitle": replace(_CLOSED, learning_rate=0.01),
    "cora-samevenue": replace(_CLOSED, learning_rate=0.01),
    # Together the four targets pull at the same words, and single runs collapse (Adam 0.43 to 0.89
    # in 17 ways). An anchor at the start weights ends that: over six divisions 0.915 with 3e-3,
    # 0.896 with 1e-3, 0.864 with 1e-2; rate 0.1 gave 0.903 (1e-3) and 0.906 (5e-3). Before, it was
    # Adagrad in batches of 8, 0.911 on the same divisions.
    "cora-together": replace(
        _LISTED, learning_rate=0.05, batch_size=ALL, optimizer="adam", epochs=40, anchor=3e-3
    ),
    # The paper draws about two negative examples for each subject. Next to nothing depends on the
    # setting: hardly any negative pair is reached by a rule, so the figures are what rules reach
    # (validation: weights of 1 give 0.6624, all settings 0.6624 to 0.6634, a perfect order 0.6641).
    "wordnet": replace(_LISTED, learning_rate=0.3, negatives=20),
    # Rates from 0.001 to 0.03, listed pairs only, batches of 1 and an accumulator of 0.1 agreed
    # within 0.003; at 0.1 most folds collapsed (0.33 to 0.61 held out).
    "uwcse": replace(_CLOSED, learning_rate=0.01),
    # Without the rules that hold for all pairs nothing collapses: 0.1 was a little better than 0.01
    # on every fold.
    "uwcse-limited": replace(_CLOSED, learning_rate=0.1),
    # Two thousand reviewers have two learned numbers each. Around 0.5 their sums begin where tanh
    # is flat (0.772 on folds 1 and 3, Adagrad); around 0 the logistic loss gave 0.797 after 12
    # epochs and 0.798 after 20, the mean squared error 0.737 and 0.780.
    "yelp": _ADAM,
    # 0.3 was best of 0.01 to 0.3 on fold 1 and better than 0.1 on fold 2; others were not compared.
    "pakdd15": replace(_CLOSED, learning_rate=0.3),
}


def candidates(name: str) -> list[Setting]:
    """What `select` compares with the setting that is taken."""
    own = SETTINGS[name]
    fed = replace(own, start=None if own.start is not None else 0.5)
    rates = [replace(own, learning_rate=own.learning_rate * factor) for factor in (0.3, 3.0)]
    others = [own, fed, *rates, replace(own, epochs=2 * own.epochs)]
    if name.startswith("cora"):
        listed = "unknown" if own.unlisted == "false" else "false"
        others += [replace(own, unlisted=listed), replace(_LISTED, batch_size=8)]
    elif name == "wordnet":
        others += [replace(own, negatives=2)]
    elif name in ("yelp", "pakdd15"):
        others += [_ADAM, replace(_ADAM, epochs=40), replace(_ADAM, loss="mean_squared_error")]
        others += [replace(_CLOSED, learning_rate=0.3)]
    return list(dict.fromkeys(others))
