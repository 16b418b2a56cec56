"""What happens in a batch: losses, gradients, one update of the weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any

import numpy as np

from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.choices.settings import Loss
from neurallog_kernel.learning.examples.batches import RowPlan
from neurallog_kernel.learning.examples.division import Share, own_targets
from neurallog_kernel.learning.examples.labelling import Labelling
from neurallog_kernel.learning.examples.targets import Target
from neurallog_kernel.learning.formulas.anchoring import Anchor
from neurallog_kernel.learning.formulas.proximal import Accelerated, Proximal
from neurallog_kernel.learning.losses import row_losses
from neurallog_kernel.learning.sequences.crf import chain_losses
from neurallog_kernel.network import autodiff
from neurallog_kernel.network.autodiff import Tensor
from neurallog_kernel.network.batch_feeds import Feeding
from neurallog_kernel.network.deferred import BatchStep, DeferredNumber
from neurallog_kernel.network.functions import apply as apply_function
from neurallog_kernel.network.network import Network, Output


@dataclass
class Objective:
    """The targets of one example set with their losses, ready to be fed."""

    network: Network
    targets: Sequence[Target]
    losses: Sequence[Loss]
    labelling: Labelling
    batch_size: int
    per_row: list[DeferredNumber] = field(default_factory=list)
    sizes: Any = None  # how many inputs each batch has
    share: Share | None = None  # of the inputs, where several processes have theirs
    present: list[tuple[int, ...]] = field(default_factory=list)  # the targets of each batch
    _places: np.ndarray | None = None  # of the inputs, as the batches are now

    def __post_init__(self) -> None:
        self.plan = RowPlan(self.targets, self.batch_size)
        self.whole_targets = self.targets  # those of every process
        if self.share is not None:
            self.targets = own_targets(
                self.plan, self.targets, self.share, self.network.evaluator.symbols
            )
        first = len(self.network.compiler.frames)
        self.outputs = []
        for target, loss in zip(self.targets, self.losses, strict=True):
            output = self.network.add(
                target.signature, target.output, target.columns, len(target.keys)
            )
            self.outputs.append(output)
            self.per_row.append(self._row_losses(output, target, loss))
        frames = self.network.compiler.frames
        shared = [frame for frame in frames[:first] if not frame.sliced]
        self.feeding = Feeding([*shared, *frames[first:]], self.network.dtype, self.network.arrays)
        self.divide(None)

    def _row_losses(self, output: Output, target: Target, loss: Loss) -> DeferredNumber:
        if loss.chain is None:
            return row_losses(
                output.value, target, output.frame, loss, self.labelling, self.network.arrays
            )
        return chain_losses(self.network, output.value, target, output.frame, loss.chain)

    def divide(self, generator: np.random.Generator | None) -> None:
        """Set the batches, shuffled if there is a generator."""
        self.divide_at(self.plan.places(generator))

    def divide_at(self, places: np.ndarray) -> None:
        """Set the batches, with every input at its place."""
        if self._places is not None and np.array_equal(self._places, places):
            return
        self._places = None  # an interrupt may leave half of it
        batches = self.plan.divided(places)
        arrays = self.network.arrays
        sizes = arrays.constant(self.plan.sizes, self.network.dtype)
        # mega examples differ in length: shuffling changes it
        self.sizes = arrays.stored(self.sizes, sizes)
        there = np.stack([np.diff(one.starts) > 0 for one in batches], axis=1)
        self.present = [tuple(np.flatnonzero(one).tolist()) for one in there]
        frames = [output.frame for output in self.outputs]
        self.feeding.set_batches(dict(zip(frames, batches, strict=True)))
        self._places = places

    def batch_losses(self, step: BatchStep, targets: Sequence[int] | None = None) -> list[Tensor]:
        """For each target, or each of these, the sum of its rows' losses in the batch."""
        return [
            autodiff.total(
                autodiff.spread(step.get(self.per_row[one]), step.batch[self.outputs[one].frame])
            )
            for one in (range(len(self.targets)) if targets is None else targets)
        ]

    def values(self, batch: Any) -> Any:
        """The losses of a batch, which is not learned from."""
        losses = self.batch_losses(self.feeding.step(batch))
        return self.network.arrays.concat([loss.x for loss in losses])


class Updates:
    """The gradient steps of the batches."""

    def __init__(
        self,
        objective: Objective,
        optimizer: Any,
        regularizers: Mapping[Signature, Any],
        constraints: Mapping[Signature, Any],
        anchor: float | None = None,
    ) -> None:
        self.objective = objective
        self.network = objective.network
        self.variables = self.network.variables
        self.optimizer = optimizer
        self.regularizers = regularizers
        self.constraints = constraints
        self.anchor = None if anchor is None else Anchor(self.network, anchor)
        optimizer.build(self.variables)
        _alone(optimizer)

    def run(self, parts: Sequence[tuple[Any, Any, Sequence[int]]]) -> Any:
        """A step for each batch, part after part: from the first to the last of a part, which have
        these targets. Gives the summed losses of each target."""
        arrays = self.network.arrays
        sums = arrays.zeros(len(self.objective.targets) + 1, self.network.dtype)
        for first, last, targets in parts:
            one_batch = partial(self._added, targets=targets)
            sums = arrays.loop(first, last, sums, one_batch)
        return sums

    def _added(self, batch: Any, sums: Any, targets: Sequence[int]) -> Any:
        return sums + self.one_batch(batch, targets)

    def one_batch(self, batch: Any, targets: Sequence[int] | None = None) -> Any:
        """One step; gives the summed losses."""
        gradients, sums = self.gradients(batch, targets)
        self.apply(gradients)
        return sums

    def gradients(self, batch: Any, targets: Sequence[int] | None = None) -> tuple[list[Any], Any]:
        """Of each variable, and the summed losses: of each target, and of the penalty."""
        arrays = self.network.arrays
        listed = range(len(self.objective.targets)) if targets is None else targets
        step = self.objective.feeding.step(batch)
        losses = self.objective.batch_losses(step, listed)
        rows = self.objective.sizes[batch]
        together = reduce(lambda a, b: a + b, losses).scaled(1 / rows)
        penalty = self._penalty(step)
        if penalty is not None:
            together = together + penalty
        found = autodiff.gradients(together)
        gradients = [
            found[id(v)] if id(v) in found else arrays.zeros_like(v) for v in self.variables
        ]
        zero = arrays.zeros(1, self.network.dtype)
        sums = [zero] * len(self.objective.targets)
        for one, loss in zip(listed, losses, strict=True):
            sums[one] = loss.x
        own = zero if penalty is None else penalty.x * rows
        return gradients, arrays.concat([*sums, own])

    def apply(self, gradients: Sequence[Any]) -> None:
        """One step of the optimiser, within the bounds of the weights."""
        self.optimizer.apply(gradients, self.variables)
        self._constrain()

    def _penalty(self, step: BatchStep) -> Tensor | None:
        """Each regularised predicate counts once, however often it is used."""
        parts = [
            penalised(self.regularizers[p.signature], step.leaf(p.variable))
            for p in self.network.parameters
            if p.signature in self.regularizers
        ]
        if self.anchor is not None:
            parts.append(self.anchor.penalty(step))
        return reduce(lambda a, b: a + b, parts) if parts else None

    def _constrain(self) -> None:
        for parameter in self.network.parameters:
            function = self.constraints.get(parameter.signature)
            if isinstance(function, Proximal | Accelerated):
                weights = self.network.arrays.read(parameter.variable)
                parameter.variable.assign(function.step(weights))
            elif function is not None:
                weights = self.network.arrays.read(parameter.variable)
                parameter.variable.assign(apply_function(function, [weights]))


def _alone(optimizer: Any) -> None:
    """Keras sums gradients over replicas even where there is one, through a function that
    TensorFlow registers for good with the whole graph of the step: every training would stay in
    memory. One process has nothing to sum."""
    if hasattr(optimizer, "_all_reduce_sum_gradients"):
        optimizer._all_reduce_sum_gradients = lambda pairs: pairs


def penalised(regularizer: Any, weights: Tensor) -> Tensor:
    """The penalty of a regulariser of Keras, or of one in NumPy."""
    arrays = weights.arrays
    return autodiff.apply(
        lambda x: arrays.reshape(regularizer(x), 1),
        [weights],
        autodiff.ONE,
        getattr(regularizer, "derivative", None),
    )
