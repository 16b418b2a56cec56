"""Weights of candidates by training: a small program of its own, through the learning pipeline.

An example E for which the rule R holds is a fact `fires(E, R)`. The program

    raw(E) :- fires(E, R), w(R).        raw(E) :- of(E, H), bias(H).
    score(E) :- raw(E), sigmoid(E).

then has the rules' weights as facts of `w`, and training it fits them, those of all heads at once.
After each step the weights move towards 0 by a fixed amount: most of them end there. All examples
are one batch, and the steps look ahead, so that a hundred of them are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.executor import Executor
from neurallog_kernel.induction.gate import Task
from neurallog_kernel.knowledge.configured import Configured
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import Relations
from neurallog_kernel.knowledge.sources import ContentsBuilder
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.update import with_source
from neurallog_kernel.language.parser import parse
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.assembly import objective_for
from neurallog_kernel.learning.choices.options import TrainOptions, decide
from neurallog_kernel.learning.formulas.numpy_optimizers import NumpyOptimizer
from neurallog_kernel.learning.formulas.proximal import Accelerated, Proximal
from neurallog_kernel.learning.history import TrainingState
from neurallog_kernel.learning.trainer import Trainer
from neurallog_kernel.network.arrays import NUMPY
from neurallog_kernel.network.network import Network
from neurallog_kernel.network.parameters import Parameter
from neurallog_kernel.plan.planner import Planner

EPOCHS = 100
CAREFUL = 1.05  # a step is so much shorter than the curvature allows
RARE = 0.0125  # the curvature is not taken to be smaller than with so few positive examples
_PROGRAM = """
raw(E) :- fires(E, R), w(R).
raw(E) :- of(E, H), bias(H).
score(E) :- raw(E), sigmoid(E).
learn(w). learn(bias).
"""
_SET = "train"
_W, _BIAS = ("w", 1), ("bias", 1)


def fit_weights(
    tasks: Sequence[Task], should_stop: Callable[[], bool] = lambda: False, epochs: int = EPOCHS
) -> list[np.ndarray]:
    """The weights of the bodies of each task; many of them stay at its anchor. `should_stop` is
    asked after each epoch."""
    full = [n for n, task in enumerate(tasks) if _can_be_fitted(task)]
    found = [np.array(task.start, dtype=float) for task in tasks]
    if full:
        fit = _Fit([tasks[n] for n in full])
        for number, weights in zip(full, fit.run(epochs, should_stop), strict=True):
            found[number] = weights
    return found


def _can_be_fitted(task: Task) -> bool:
    return len(task.start) > 0 and bool(task.right.any()) and bool(task.others.any())


@dataclass(frozen=True)
class _Ended:
    """Ends a training that somebody does not want to wait for."""

    should_stop: Callable[[], bool]

    def on_epoch(self, state: TrainingState) -> None:
        state.stop = self.should_stop()


class _Fit:
    """One training for many heads. Each head has its own scale, so that one rate is right for all:
    a weight is its variable times the scale."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tasks
        self.matrices = [_rows(task) for task in tasks]
        self.labels = [_labels(task) for task in tasks]
        both = zip(tasks, self.matrices, self.labels, strict=True)
        self.scales = [1.0 / np.sqrt(_curvature(*each)) for each in both]
        self.sizes = [len(task.start) for task in tasks]
        self.symbols = SymbolTable()
        self.rules = self.symbols.intern([f"r{n}" for n in range(sum(self.sizes))])
        self.heads = self.symbols.intern([f"h{n}" for n in range(len(tasks))])
        self.examples = self.symbols.intern([f"e{n}" for n in range(sum(map(len, self.labels)))])
        self.scale = np.repeat(self.scales, self.sizes)
        self.start = np.concatenate([task.start for task in tasks]) / self.scale
        strength, anchor, least, most = (
            np.concatenate([np.broadcast_to(side, len(task.start)) for side, task in sides])
            for sides in (
                [(task.strength, task) for task in tasks],
                [(task.anchor, task) for task in tasks],
                [(task.least, task) for task in tasks],
                [(task.most, task) for task in tasks],
            )
        )
        self.proximal = Proximal(
            strength * self.scale / CAREFUL, *(side / self.scale for side in (anchor, least, most))
        )

    def run(self, epochs: int, should_stop: Callable[[], bool]) -> list[np.ndarray]:
        trainer = self._trainer(self._program())
        trainer.run(epochs, [_Ended(should_stop)], "loss", "min", None, False)
        weights = np.zeros(len(self.start))
        weights[self._numbers(trainer.network, _W, self.rules)] = trainer.constraints[_W].point
        return np.split(weights * self.scale, np.cumsum(self.sizes)[:-1])

    # -- the program ----------------------------------------------------------------------------

    def _program(self) -> Program:
        builder = ContentsBuilder("fit", self.symbols)
        builder.add(parse(_PROGRAM, "fit"), None)
        first_rule = first_example = 0
        for number, (matrix, labels) in enumerate(zip(self.matrices, self.labels, strict=True)):
            entries = sp.coo_array(matrix)
            examples = self.examples[first_example : first_example + len(labels)]
            rules = self.rules[first_rule : first_rule + matrix.shape[1]]
            scale = self.scales[number]
            _add(builder, "fires", (examples[entries.row], rules[entries.col]), scale)
            head = np.full(len(examples), self.heads[number])
            _add(builder, "of", (examples, head), scale)
            _add(builder, "score", (examples,), labels, _SET)
            first_rule, first_example = first_rule + len(rules), first_example + len(labels)
        _add(builder, "w", (self.rules,), self.start)
        odds = [_log_odds(label) / s for label, s in zip(self.labels, self.scales, strict=True)]
        _add(builder, "bias", (self.heads,), np.array(odds))
        return with_source(Program(), builder.build(), self.symbols, strict=False)

    def _trainer(self, program: Program) -> Trainer:
        storage = Storage(program, self.symbols, Relations())
        evaluator = Evaluator(Planner(), Executor(storage))
        number = sum(map(len, self.labels))
        options = TrainOptions(loss="binary_crossentropy", batch_size=number, unlisted="unknown")
        network = Network(evaluator, options.dtype, NUMPY)
        objective = objective_for(program, network, decide(program, options), _SET)
        # the loss is a mean: this rate undoes it, and the scales make the curvature about 1
        sgd = NumpyOptimizer(Configured("sgd", {"learning_rate": number / CAREFUL}))
        steps = {_W: self._weight_steps(network), _BIAS: self._bias_steps(network)}
        return Trainer(objective, None, sgd, {}, steps, False, 0)

    def _weight_steps(self, network: Network) -> Accelerated:
        """The steps in the order of the network's variable."""
        rules = self._numbers(network, _W, self.rules)
        heads = np.repeat(np.arange(len(self.tasks)), self.sizes)[rules]
        return Accelerated(self.proximal.ordered(rules), _parameter(network, _W).numpy(), heads)

    def _bias_steps(self, network: Network) -> Accelerated:
        """No penalty and no bounds."""
        heads = self._numbers(network, _BIAS, self.heads)
        none, free = np.zeros(len(heads)), np.full(len(heads), np.inf)
        start = _parameter(network, _BIAS).numpy()
        return Accelerated(Proximal(none, none, -free, free), start, heads)

    def _numbers(self, network: Network, signature: Signature, symbols: np.ndarray) -> np.ndarray:
        """The rule or head of each entry of a variable."""
        facts: Any = _parameter(network, signature).facts
        members = network.evaluator.domain(signature, 0).members
        return np.searchsorted(symbols, members[facts.indexes])


def _parameter(network: Network, signature: Signature) -> Parameter:
    (own,) = (p for p in network.parameters if p.signature == signature)
    return own


def _rows(task: Task) -> Any:
    """The examples that count, then the negatives."""
    judged = task.judged
    return sp.csr_array(
        sp.vstack([judged.right[task.right], judged.others[task.others]], format="csr")
    )


def _labels(task: Task) -> np.ndarray:
    labels = np.zeros(int(task.right.sum()) + int(task.others.sum()))
    labels[: int(task.right.sum())] = 1.0
    return labels


def _curvature(task: Task, matrix: Any, labels: np.ndarray) -> float:
    """About the largest curvature of the cross-entropy: the largest eigenvalue, times how unsure
    the start is. From weights of 0 that is the share of positive examples, and the bound of a
    quarter would be far too careful where they are rare."""
    vector = np.ones(matrix.shape[1]) / np.sqrt(max(1, matrix.shape[1]))
    size = 1.0
    for _ in range(15):
        vector = matrix.T @ (matrix @ vector)
        size = float(np.linalg.norm(vector)) or 1.0
        vector = vector / size
    share = 0.5 if task.start.any() else float(labels.mean())
    return (size + len(labels)) * max(share * (1 - share), RARE)


def _log_odds(labels: np.ndarray) -> float:
    share = np.clip(labels.mean(), 1e-6, 1 - 1e-6)
    return float(np.log(share / (1 - share)))


def _add(
    builder: ContentsBuilder,
    name: str,
    places: tuple[np.ndarray, ...],
    weights: np.ndarray | float,
    example_set: str | None = None,
) -> None:
    number = len(places[0])
    signature, numeric = (name, len(places)), (False,) * len(places)
    weights = np.broadcast_to(np.asarray(weights, dtype=float), number)
    lines = np.ones(number, dtype=np.int32)
    builder.add_columns(signature, numeric, places, weights, lines, example_set)
