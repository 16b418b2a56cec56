"""What the part of the network that belongs to one rule takes in an epoch, by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from neurallog_kernel.evaluate.executor import Executor
from neurallog_kernel.language.syntax import Rule
from neurallog_kernel.learning.examples.targets import Target
from neurallog_kernel.learning.trainer import Trainer
from neurallog_kernel.network import autodiff
from neurallog_kernel.network.batch_feeds import Feeding
from neurallog_kernel.network.deferred import DeferredNumber
from neurallog_kernel.network.network import Network
from neurallog_kernel.network.rowsets import Frame, Scope
from neurallog_kernel.plan.exprs import Expr

MOST_RULES = 40  # each is compiled, which takes a good part of a second
_RUNS = 3


@dataclass(frozen=True)
class Alone:
    """Seconds of an epoch for the rules of the targets; the others are folded or not among them."""

    seconds: Mapping[Rule, float]
    note: str


def epochs_alone(trainer: Trainer) -> Alone:
    """Compile the part of every rule of a target and run it over the batches of an epoch: its
    value and its gradient, without loss and optimiser."""
    seconds: dict[Rule, float] = {}
    folded = left_out = 0
    plan, whole = trainer.objective.plan, trainer.network
    for target, batches in zip(trainer.objective.targets, plan.batches(None), strict=True):
        network = Network(
            replace(whole.evaluator, engine=Executor(whole.evaluator.storage)),
            whole.dtype,
            whole.arrays.name,
        )
        frame, parts = _parts(network, target)
        learned = {rule: number for rule, number in parts.items() if number.const is None}
        folded += len(parts) - len(learned)
        feeding = Feeding(network.compiler.frames, network.dtype, network.arrays)
        feeding.set_batches({frame: batches})
        for rule, number in learned.items():
            if len(seconds) >= MOST_RULES and rule not in seconds:
                left_out += 1
                continue
            took = _epoch(network, feeding, frame, number, plan.count)
            seconds[rule] = seconds.get(rule, 0.0) + took
    return Alone(seconds, _note(folded, left_out))


def _note(folded: int, left_out: int) -> str:
    said = (
        "epoch alone: value and gradient of one rule's part of the network, from a run for each "
        "rule; in the run above all rules are one compiled step; shared parts count for each rule"
    )
    if folded:
        said += f"; {folded:,} rule{'s' if folded > 1 else ''} computed once, before the first step"
    return said + (f"; {left_out:,} more rules were not tried" if left_out else "")


def _parts(network: Network, target: Target) -> tuple[Frame, dict[Rule, DeferredNumber]]:
    """One number a row for each rule of the target: its entry, or the sum of its entries."""
    layer = network.layer(target.signature, target.output)
    frame = network.compiler.frame(len(target.keys), sliced=True)
    parts = zip(layer.rules, layer.parts, strict=True)
    return frame, {rule.rule: _number(network, part, target, frame) for rule, part in parts}


def _number(network: Network, part: Expr, target: Target, frame: Frame) -> DeferredNumber:
    if target.signature[1] == 1:
        return network.compiler.at(part, frame, target.columns[0])
    total = network.planner.algebra.total(part)
    return network.compiler.number(total, Scope(frame, target.columns))


def _epoch(
    network: Network, feeding: Feeding, frame: Frame, number: DeferredNumber, count: int
) -> float:
    """Seconds over all batches; the fastest of a few runs, the first of which is traced."""
    arrays = network.arrays

    def one(batch: Any, sums: Any) -> Any:
        step = feeding.step(batch)
        value = autodiff.total(autodiff.spread(step.get(number), step.batch[frame]))
        slopes = autodiff.gradients(value).values()
        flat = [arrays.reshape(gradient, -1) for gradient in slopes]
        return arrays.add([sums, value.x, *(arrays.sums(g, 0, keep=True) for g in flat)])

    def loop(first: Any, last: Any) -> Any:
        return arrays.loop(first, last, arrays.zeros(1, network.dtype), one)

    compiled, taken = arrays.compiled_loops(loop), []
    for _ in range(_RUNS):
        started = perf_counter()
        compiled(0, count)
        taken.append(perf_counter() - started)
    return min(taken)
