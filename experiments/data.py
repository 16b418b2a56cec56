"""The data folder: sessions with the facts, the theory and the examples of one experiment."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from experiments.paper import Experiment
from neurallog_kernel import NeuralLogError, Session

HELD_OUT = "held_out"
_NAME = r'("(?:[^"\\]|\\.)*"|\w+)'
_ATOM = re.compile(rf"\s*(?:[-+.\deE]+::)?(\w+)\(\s*{_NAME}(?:\s*,\s*{_NAME})?\s*\)")


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

    A part of the entities of the training examples is held out with all their examples, and with
    what the facts of the fold say about them, which would give them away. Entities that a true
    example relates stay together: the test examples are about others than the training examples,
    so the held-out ones must be too. A dataset with validation examples is judged on these instead.
    """
    folder = division(data, experiment, fold)
    train = _of_target(_read(folder / "train.pl"), experiment.only)
    if experiment.validation:
        session, _ = _common(data, experiment, fold, lambda text: text)
        session.add(train, source="train.pl", set="train")
        session.add(_read(folder / experiment.validation), source="validation", set=HELD_OUT)
        session.sample_negatives(HELD_OUT, number=2, seed=seed)
        return session
    hidden = held_out(train, part, seed)
    session, _ = _common(data, experiment, fold, lambda text: _without(text, hidden))
    session.add(_without(train, hidden), source="train.pl", set="train")
    session.add(_about(train, hidden), source="held out", set=HELD_OUT)
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
    return "".join(line for line in text.splitlines(True) if predicate(line) == only)


def predicate(line: str) -> str | None:
    """The predicate of the atom that a line holds; None if it holds none."""
    found = _ATOM.match(line)
    return found[1] if found else None


def arguments(line: str) -> tuple[str, ...]:
    """The arguments of the atom that a line holds; none if it holds none.

    >>> arguments('0.0::p("a b", c).'), arguments("q(x)."), arguments("% p(a)")
    (('"a b"', 'c'), ('x',), ())
    """
    found = _ATOM.match(line)
    return tuple(part for part in found.groups()[1:] if part) if found else ()


def held_out(text: str, part: float, seed: int) -> set[str]:
    """Some of the entities, in groups that true examples connect; groups with a true example and
    those without in the same share.

    >>> lines = "p(a, b).\\np(b, c).\\n0.0::p(a, x).\\n0.0::p(y, x).\\n0.0::p(z, x).\\n"
    >>> hidden = held_out(lines, part=1.0, seed=0)
    >>> sorted(hidden)
    ['a', 'b', 'c', 'x', 'y', 'z']
    """
    above: dict[str, str] = {}

    def group(name: str) -> str:
        while above[name] != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    true: set[str] = set()
    for line in text.splitlines():
        names = arguments(line)
        for name in names:
            above.setdefault(name, name)
        if names and not line.lstrip().startswith(("0.0::", "0::")):
            true.update(names)
            for name in names[1:]:
                above[group(name)] = group(names[0])
    groups: dict[str, list[str]] = {}
    for name in above:
        groups.setdefault(group(name), []).append(name)
    generator = np.random.default_rng(seed)
    hidden: set[str] = set()
    for label in (True, False):
        own = [names for names in groups.values() if (names[0] in true) is label]
        chosen = generator.permutation(len(own))[: round(part * len(own))]
        hidden.update(name for i in chosen for name in own[i])
    return hidden


def _about(text: str, hidden: set[str]) -> str:
    """The atoms whose first entity is hidden."""
    lines = text.splitlines(True)
    return "".join(line for line in lines if arguments(line)[:1] and arguments(line)[0] in hidden)


def _without(text: str, hidden: set[str]) -> str:
    """The atoms none of whose entities is hidden."""
    return "".join(line for line in text.splitlines(True) if hidden.isdisjoint(arguments(line)))
