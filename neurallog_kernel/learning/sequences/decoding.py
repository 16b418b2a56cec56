"""Labels for sequences: each step by itself, or the best sequence as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from neurallog_kernel.errors import (
    ArityError,
    NeuralLogError,
    ParameterError,
    UnknownEntityError,
    did_you_mean,
)
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.knowledge.describe import one_named
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.choices.option_checks import a_choice, a_text
from neurallog_kernel.learning.examples.chains import Chain, ChainTables, chain_of, chain_tables
from neurallog_kernel.learning.examples.targets import Target, examples_of, group_numbers, target_of
from neurallog_kernel.learning.sequences.viterbi import viterbi
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

StepInputs = str | Sequence[str]  # the name of the input, or of each input


@dataclass(frozen=True)
class DecodedSequence:
    """The steps of a sequence, the label that each was given, and the one it should have, where a
    set of examples says so."""

    name: str
    steps: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    truth: tuple[str | None, ...]
    score: float

    def __str__(self) -> str:
        words = (" ".join(step) for step in self.steps)
        return " ".join(f"{w}/{y}" for w, y in zip(words, self.labels, strict=True))


class Decoded(Tabular):
    """Sequences with their labels.

    >>> one = DecodedSequence("1", (("the",), ("dog",)), ("det", "noun"), ("det", "verb"), 2.5)
    >>> print(Decoded([one], "tag/2", "each step by itself"))
    1: the/det dog/noun
    >>> Decoded([one], "tag/2", "each step by itself").accuracy
    0.5
    """

    def __init__(self, sequences: Sequence[DecodedSequence], predicate: str, how: str) -> None:
        self.sequences = tuple(sequences)
        self.predicate = predicate
        self.how = how

    def __len__(self) -> int:
        return len(self.sequences)

    def __iter__(self) -> Iterator[DecodedSequence]:
        return iter(self.sequences)

    def __getitem__(self, place: int) -> DecodedSequence:
        return self.sequences[place]

    @property
    def labels(self) -> list[list[str]]:
        """The labels of each sequence."""
        return [list(one.labels) for one in self.sequences]

    @property
    def accuracy(self) -> float:
        """The share of the steps with a known label that were given that label."""
        right = [
            label == truth
            for one in self.sequences
            for label, truth in zip(one.labels, one.truth, strict=True)
            if truth is not None
        ]
        return float(np.mean(right)) if right else float("nan")

    @property
    def whole_accuracy(self) -> float:
        """The share of the sequences, of those with all labels known, that are right throughout."""
        known = [one for one in self.sequences if None not in one.truth and one.truth]
        return float(np.mean([one.labels == one.truth for one in known])) if known else float("nan")

    def to_pandas(self) -> pd.DataFrame:
        """One row a step: its sequence, its number, its inputs, its label, and the true one."""
        import pandas as pd

        width = max((len(step) for one in self for step in one.steps), default=1)
        inputs = ["input"] if width == 1 else [f"input{i + 1}" for i in range(width)]
        rows = [
            (one.name, number, *step, label, truth)
            for one in self
            for number, (step, label, truth) in enumerate(
                zip(one.steps, one.labels, one.truth, strict=True), 1
            )
        ]
        frame = pd.DataFrame(rows, columns=["sequence", "step", *inputs, "label", "truth"])
        known = any(truth is not None for one in self for truth in one.truth)
        return frame if known else frame.drop(columns="truth")

    def __str__(self) -> str:
        return "\n".join(f"{one.name}: {one}" for one in self.sequences)

    def __repr__(self) -> str:
        figure = "" if np.isnan(self.accuracy) else f", {self.accuracy:.4f} of the steps right"
        many = "" if len(self) == 1 else "s"
        return f"<Decoded {self.predicate}: {len(self)} sequence{many}, {self.how}{figure}>"


def decode(
    evaluator: Evaluator,
    predicate: str,
    sequences: Sequence[StepInputs] | Sequence[Sequence[StepInputs]] | None = None,
    set: str | None = None,
    transition: str | None = None,
    initial: str | None = None,
    probabilities: bool = False,
    unknown: str | None = None,
) -> Decoded:
    """Labels for sequences of inputs, or for the mega examples of a set."""
    a_text("predicate", predicate)
    a_choice("probabilities", probabilities)
    signature = one_named(evaluator.program, predicate)
    if signature[1] < 2:
        raise ArityError(
            f"{signature[0]}/1 has no place for a label: a predicate to decode has its inputs "
            "first and the label last, as in tag(Word, Label)"
        )
    chain = chain_of(evaluator.program, signature, transition, initial)
    if (sequences is None) == (set is None):
        raise ParameterError("decode needs either sequences or the name of a set")
    if set is not None:
        asked = _of_set(evaluator, signature, set)
    else:
        assert sequences is not None
        asked = _of_names(evaluator, signature, sequences, unknown)
    return _decoded(evaluator, chain, asked, probabilities)


@dataclass(frozen=True)
class _Asked:
    """A sequence to be labelled: the entities at each place, and what is known of its labels."""

    name: str
    steps: tuple[tuple[str, ...], ...]
    columns: dict[int, np.ndarray]
    truth: tuple[str | None, ...]


# -- what is asked --------------------------------------------------------------------------------


def _of_set(evaluator: Evaluator, signature: Signature, name: str) -> list[_Asked]:
    program, symbols = evaluator.program, evaluator.symbols
    found = [e for e in examples_of(program, symbols, name) if e.signature == signature]
    if not found:
        raise NeuralLogError(f"the set {name} has no examples of {signature[0]}/{signature[1]}")
    target = target_of(program, found[0], signature[1] - 1)
    names = evaluator.names(signature, signature[1] - 1)
    truth = _truth(target, names)
    ids = list(group_numbers(program, name))
    rows: dict[str, list[int]] = {}
    for row, group in enumerate(target.groups.tolist()):
        rows.setdefault(ids[group] if group >= 0 else f"row {row + 1}", []).append(row)
    return [
        _Asked(
            group,
            tuple(tuple(symbols.names(target.keys[row])) for row in own),
            {place: column[own] for place, column in target.columns.items()},
            tuple(truth[row] for row in own),
        )
        for group, own in rows.items()
    ]


def _truth(target: Target, names: Sequence[str]) -> list[str | None]:
    """The label of each row that has exactly one."""
    found: list[list[str]] = [[] for _ in target.keys]
    for row, output, label in zip(target.rows, target.outputs, target.labels, strict=True):
        if label > 0:
            found[row].append(names[output])
    return [labels[0] if len(labels) == 1 else None for labels in found]


def _of_names(
    evaluator: Evaluator,
    signature: Signature,
    sequences: Sequence[StepInputs] | Sequence[Sequence[StepInputs]],
    unknown: str | None,
) -> list[_Asked]:
    several = _several(sequences, signature[1] - 1)
    return [
        _asked(evaluator, signature, str(number), one, unknown)
        for number, one in enumerate(several, 1)
    ]


def _several(sequences: Sequence, inputs: int) -> list[list[tuple[str, ...]]]:
    """Sequences of tuples of names, from one sequence or from several."""
    if isinstance(sequences, str) or not isinstance(sequences, Sequence):
        raise ParameterError(
            "a sequence is a list of names, one for each step",
            hint='as in decode("tag", ["the", "dog"]), or a list of such lists',
        )
    if len(sequences) and all(_is_step(one, inputs) for one in sequences):
        return [[_step(one, inputs) for one in sequences]]
    found = []
    for one in sequences:
        if isinstance(one, str) or not isinstance(one, Sequence):
            raise ParameterError(f"{one!r} is not a sequence: give lists of steps, or steps")
        found.append([_step(step, inputs) for step in one])
    return found


def _is_step(one: object, inputs: int) -> bool:
    """A name where there is one input; else a tuple of names."""
    if inputs == 1:
        return isinstance(one, str)
    return isinstance(one, tuple) and all(isinstance(name, str) for name in one)


def _step(one: object, inputs: int) -> tuple[str, ...]:
    if not _is_step(one, inputs):
        kind = "a name" if inputs == 1 else f"a tuple of {inputs} names"
        raise ParameterError(f"a step is {kind}, not {one!r}")
    step = (one,) if isinstance(one, str) else one
    assert isinstance(step, tuple)
    if len(step) != inputs:
        raise ParameterError(f"a step has {inputs} names, and {one!r} has {len(step)}")
    return step


def _asked(
    evaluator: Evaluator,
    signature: Signature,
    name: str,
    steps: list[tuple[str, ...]],
    unknown: str | None,
) -> _Asked:
    columns = {
        place: np.array(
            [_index(evaluator, signature, place, step[place], unknown) for step in steps], np.int64
        )
        for place in range(signature[1] - 1)
    }
    return _Asked(name, tuple(steps), columns, (None,) * len(steps))


def _index(
    evaluator: Evaluator, signature: Signature, place: int, name: str, unknown: str | None
) -> int:
    found = evaluator.index(signature, place, name)
    if found is None and unknown is not None:
        found = evaluator.index(signature, place, unknown)
        name = unknown
    if found is None:
        hint = did_you_mean(name, evaluator.names(signature, place))
        raise UnknownEntityError(
            f"{name} is unknown at place {place + 1} of {signature[0]}/{signature[1]}",
            hint=hint or 'unknown="..." names the entity that stands for all unknown ones',
        )
    return found


# -- labels ---------------------------------------------------------------------------------------


def _decoded(
    evaluator: Evaluator, chain: Chain, asked: Sequence[_Asked], probabilities: bool
) -> Decoded:
    signature = chain.labels
    names = evaluator.names(signature, signature[1] - 1)
    if not names:
        raise NeuralLogError(
            f"{signature[0]}/{signature[1]} has no labels: its last place is empty"
        )
    tables = chain_tables(evaluator, chain)
    emissions = _emissions(evaluator, signature, asked, len(names))
    if probabilities:
        tables = ChainTables(_logarithms(tables.transitions), _logarithms(tables.initial))
        emissions = [_log(one) for one in emissions]
    found = []
    for one, scores in zip(asked, emissions, strict=True):
        best = viterbi(scores, tables.transitions, tables.initial)
        score = float(np.exp(best.score)) if probabilities else best.score
        labels = tuple(names[label] for label in best.labels)
        found.append(DecodedSequence(one.name, one.steps, labels, one.truth, score))
    return Decoded(found, f"{signature[0]}/{signature[1]}", _how(chain))


def _emissions(
    evaluator: Evaluator, signature: Signature, asked: Sequence[_Asked], labels: int
) -> list[np.ndarray]:
    """The weight of every label at every step of each sequence, all asked at once."""
    lengths = [len(one.steps) for one in asked]
    places = range(signature[1] - 1)
    columns = (
        {p: np.concatenate([one.columns[p] for one in asked]) for p in places} if asked else {}
    )
    found = np.zeros((sum(lengths), labels))
    if len(found):
        layer = evaluator.layer(signature, signature[1] - 1)
        for chosen, rows in evaluator.batches(layer, columns):
            found[chosen] = np.broadcast_to(rows.dense(), (len(chosen), labels))
    return np.split(found, np.cumsum(lengths)[:-1]) if lengths else []


def _logarithms(table: np.ndarray | None) -> np.ndarray | None:
    return None if table is None else _log(table)


def _log(table: np.ndarray) -> np.ndarray:
    if (table < 0).any():
        raise NeuralLogError(
            "a weight is below 0, and probabilities are not",
            hint="leave out probabilities: then weights are scores, which are added",
        )
    with np.errstate(divide="ignore"):
        return np.log(table)


def _how(chain: Chain) -> str:
    if chain.transition is None:
        return "each step by itself"
    return f"by {chain.transition[0]}/2" + (f" and {chain.initial[0]}/1" if chain.initial else "")
