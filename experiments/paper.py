"""What the paper measured: each experiment with its figures and those of the system it met."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One area under the ROC curve of the paper's tables.

    `target` is the predicate it is of; "weighted" and "mean" are over all targets, by their number
    of examples or not.
    """

    name: str
    target: str
    paper: float  # the paper's NeuralLog
    rival: float  # the better of the systems it was compared with
    rival_name: str

    @property
    def bar(self) -> float:
        return max(self.paper, self.rival)


@dataclass(frozen=True)
class Experiment:
    """A dataset, the part of it that is learned, and the figures that come out."""

    name: str
    folder: str
    figures: tuple[Figure, ...]
    folds: int = 0  # 0: one division into training and test examples
    theory: str = "theory.pl"
    only: str | None = None  # learn this target alone
    validation: str | None = None  # a file of examples to choose settings on


def _cora(kind: str, target: str, paper: float, rival: float) -> Figure:
    return Figure(f"Cora {kind}: {target}", f"{target}/2", paper, rival, "TensorLog")


_INDIVIDUALLY = (
    _cora("alone", "sameauthor", 1.0000, 0.9276),
    _cora("alone", "samebib", 0.9174, 0.9339),
    _cora("alone", "sametitle", 0.8710, 0.5),
    _cora("alone", "samevenue", 0.7810, 0.5),
)
_TOGETHER = (
    _cora("together", "sameauthor", 0.9273, 0.8853),
    _cora("together", "samebib", 0.9299, 0.8112),
    _cora("together", "sametitle", 0.8728, 0.8442),
    _cora("together", "samevenue", 0.7561, 0.7000),
)

EXPERIMENTS = (
    *(
        Experiment(
            f"cora-{figure.target.removesuffix('/2')}",
            "cora",
            (figure,),
            only=figure.target.removesuffix("/2"),
        )
        for figure in _INDIVIDUALLY
    ),
    Experiment("cora-together", "cora", _TOGETHER),
    Experiment(
        "wordnet",
        "wordnet",
        (
            Figure("WordNet, weighted mean", "weighted", 0.6593, 0.6604, "TensorLog"),
            Figure("WordNet, mean of relations", "mean", 0.6679, 0.6766, "TensorLog"),
        ),
        validation="valid.pl",
    ),
    Experiment(
        "uwcse",
        "uwcse",
        (Figure("UWCSE", "advisedby/2", 0.9509, 0.7107, "TensorLog (limited theory)"),),
        folds=5,
    ),
    Experiment(
        "uwcse-limited",
        "uwcse",
        (Figure("UWCSE, limited theory", "advisedby/2", 0.7111, 0.7107, "TensorLog"),),
        folds=5,
        theory="theory_limited.pl",
    ),
    Experiment(
        "yelp",
        "yelp",
        (Figure("Yelp", "mexican/1", 0.7652, 0.7454, "RelNN"),),
        folds=5,
    ),
    Experiment(
        "pakdd15",
        "pakdd15",
        (Figure("PAKDD15", "male/1", 0.8052, 0.7562, "RelNN"),),
        folds=5,
    ),
)
BY_NAME = {experiment.name: experiment for experiment in EXPERIMENTS}
