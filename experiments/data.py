"""The data folder: sessions with the facts, the theory and the examples of one experiment."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from experiments.paper import Experiment
from neurallog_kernel import NeuralLogError, Session

HELD_OUT = "held_out"
_ATOM = re.compile(r'\s*(?:[-+.\deE]+::)?(\w+)\(\s*("(?:[^"\\]|\\.)*"|\w+)')


def division(data: Path, experiment: Experiment, fold: int) -> Path:
    """The folder of the examples."""
    folder = data / experiment.folder
    return folder / f"fold{fold}" if experiment.folds else folder


def prepare(data: Path, experiment: Experiment, fold: int) -> Session:
    """A session with training and test examples."""
    session, _ = _common(data, experiment, fold, lambda text: text)
    folder = division(data, experiment, fold)
    for name in ("train", "test"):
        text = _of_target(_read(folder / f"{name}.pl"), experiment.only)
        session.add(text, source=f"{name}.pl", set=name)
    return session


def prepare_selection(
    data: Path, experiment: Experiment, fold: int, part: float = 0.25, seed: int = 0
) -> Session:
    """A session to choose settings on. It never sees the test examples.

    A part of the inputs (first arguments) of the training examples is held out with all their
    examples, and with what the facts of the fold say about them, which would give them away. A
    dataset with validation examples is judged on these instead.
    """
    folder = division(data, experiment, fold)
    train = _of_target(_read(folder / "train.pl"), experiment.only)
    if experiment.validation:
        session, _ = _common(data, experiment, fold, lambda text: text)
        session.add(train, source="train.pl", set="train")
        session.add(_read(folder / experiment.validation), source="validation", set=HELD_OUT)
        session.sample_negatives(HELD_OUT, number=2, seed=seed)
        return session
    hidden = _held_out(train, part, seed)
    session, _ = _common(data, experiment, fold, lambda text: _without(text, hidden))
    session.add(_without(train, hidden), source="train.pl", set="train")
    session.add(_with_only(train, hidden), source="held out", set=HELD_OUT)
    return session


def _common(
    data: Path, experiment: Experiment, fold: int, fold_facts: Callable[[str], str]
) -> tuple[Session, Path]:
    session = Session()
    folder = data / experiment.folder
    for name in ("config.pl", "facts.pl", experiment.theory):
        session.add(_read(folder / name), source=name)
    more = division(data, experiment, fold) / "facts.pl"
    if experiment.folds and more.exists():
        session.add(fold_facts(_read(more)), source="facts of the fold")
    return session, folder


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise NeuralLogError(
            f"{file}: {error.strerror}", hint="name the folder with the datasets: --data FOLDER"
        ) from error


def _of_target(text: str, only: str | None) -> str:
    if only is None:
        return text
    return "".join(line for line in text.splitlines(True) if _predicate(line) == only)


def _predicate(line: str) -> str | None:
    found = _ATOM.match(line)
    return found[1] if found else None


def first_argument(line: str) -> str | None:
    """The first argument of the atom that a line holds.

    >>> first_argument('0.0::p("a b", c).'), first_argument("q(x)."), first_argument("% p(a)")
    ('"a b"', 'x', None)
    """
    found = _ATOM.match(line)
    return found[2] if found else None


def _held_out(text: str, part: float, seed: int) -> set[str]:
    """Some of the first arguments, positive and negative ones in the same share."""
    labels: dict[str, bool] = {}
    for line in text.splitlines():
        name = first_argument(line)
        if name is not None:
            positive = not line.lstrip().startswith(("0.0::", "0::"))
            labels[name] = labels.get(name, False) or positive
    generator = np.random.default_rng(seed)
    hidden: set[str] = set()
    for label in (True, False):
        names = [name for name, own in labels.items() if own is label]
        chosen = generator.permutation(len(names))[: round(part * len(names))]
        hidden.update(names[i] for i in chosen)
    return hidden


def _without(text: str, hidden: set[str]) -> str:
    lines = text.splitlines(True)
    return "".join(line for line in lines if first_argument(line) not in hidden)


def _with_only(text: str, hidden: set[str]) -> str:
    return "".join(line for line in text.splitlines(True) if first_argument(line) in hidden)
