"""What computes a training: NumPy at once, or TensorFlow, which takes seconds to start."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from neurallog_kernel.errors import ParameterError, UnknownNameError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.functions import Function
from neurallog_kernel.knowledge.configured import Configured
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.choices.chosen import (
    chosen_constraint,
    chosen_loss,
    chosen_optimizer,
    chosen_regularizer,
)
from neurallog_kernel.learning.choices.options import TrainSettings, first_said
from neurallog_kernel.learning.examples.targets import Examples, listed_examples
from neurallog_kernel.learning.figures.metrics import not_in_numpy as metric_not_in_numpy
from neurallog_kernel.learning.formulas.numpy_losses import loss_in_numpy
from neurallog_kernel.learning.formulas.numpy_optimizers import (
    not_in_numpy as optimizer_not_in_numpy,
)
from neurallog_kernel.learning.formulas.numpy_penalties import penalty_in_numpy
from neurallog_kernel.network.arrays import NUMPY, TENSORFLOW
from neurallog_kernel.network.parameters import learnables, learned_rules
from neurallog_kernel.plan.exprs import Aggregate, Apply, Expr, everything

# A step in NumPy takes five to ten microseconds for each part of the plan, and more where there
# are many facts; TensorFlow takes four to eight seconds of the processor before its first step,
# and is two to six times as quick from then on. Up to here NumPy is done first, or nearly so:
# ten epochs of Yelp or Cora are, ten of PAKDD15 are not.
MOST_PARTS = 500_000  # parts of the plan times steps, of a program with few facts
MANY_FACTS = 20_000  # with so many more, a part takes as long again
MOST_LABELS = 5_000_000  # examples, all epochs together
MOST_FACTS = 100_000  # of the program


@dataclass(frozen=True)
class Backend:
    """What computes, and why that."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name} ({self.reason})"


def choose_backend(evaluator: Evaluator, plan: TrainSettings) -> Backend:
    """What the call or the program says, else what is ready first."""
    program = evaluator.program
    asked = first_said(plan.options.backend, program.parameters.get("backend"))
    if asked == TENSORFLOW:
        return Backend(TENSORFLOW, "as asked for")
    by_size = asked is None and _is_installed()
    listed = plan.given or listed_examples(program, evaluator.symbols, plan.examples)
    large = _large_data(program, plan, listed) if by_size else None
    if large is not None:
        return Backend(TENSORFLOW, large)
    targets = [examples.signature for examples in listed]
    try:
        missing = next(_missing(evaluator, plan, targets), None)
    except UnknownNameError:
        missing = None  # whoever makes it says so, with the place
    if asked == NUMPY and missing is not None:
        raise ParameterError(
            f"{missing} needs TensorFlow, and backend is {NUMPY}",
            hint=f"leave out backend, or say backend={TENSORFLOW}",
        )
    if asked == NUMPY:
        return Backend(NUMPY, "as asked for")
    if missing is not None:
        return Backend(TENSORFLOW, f"for {missing}")
    if not by_size:
        return Backend(NUMPY, "TensorFlow is not installed")
    large = _large_plan(evaluator, plan, listed)
    return Backend(NUMPY, "a small training") if large is None else Backend(TENSORFLOW, large)


def _is_installed() -> bool:
    try:
        return "tensorflow" in sys.modules or find_spec("tensorflow") is not None
    except ImportError:
        return False


# -- size -----------------------------------------------------------------------------------------


def _large_data(program: Program, plan: TrainSettings, listed: Sequence[Examples]) -> str | None:
    if _facts(program) > MOST_FACTS:
        return f"for {_facts(program):,} facts"
    number = sum(map(len, listed)) * (1 + (plan.options.negatives or 0))
    labels = number * plan.epochs * plan.seeds * plan.restarts
    return f"for {labels:,} examples in all epochs" if labels > MOST_LABELS else None


def _large_plan(
    evaluator: Evaluator, plan: TrainSettings, listed: Sequence[Examples]
) -> str | None:
    parts = len(everything(_plans(evaluator, plan, [one.signature for one in listed])))
    rows = sum(_inputs(examples) for examples in listed) * (1 + plan.inverse)
    steps = -(-rows // plan.batch_size) * plan.epochs * plan.seeds * plan.restarts
    if steps * parts * (1 + _facts(evaluator.program) / MANY_FACTS) <= MOST_PARTS:
        return None
    return f"for {steps:,} steps of a plan of {parts:,} parts"


def _facts(program: Program) -> int:
    return sum(definition.fact_count for definition in program.definitions.values())


def _inputs(examples: Examples) -> int:
    """How many rows the examples are about: those with the same inputs are one."""
    given = examples.places[:-1] or examples.places
    return len(np.unique(np.stack(given, axis=1), axis=0)) if given else 1


def _plans(evaluator: Evaluator, plan: TrainSettings, targets: list[Signature]) -> list[Expr]:
    found = []
    for name, arity in targets:
        outputs = [None] if arity < 2 else [arity - 1, *(range(arity - 1) if plan.inverse else ())]
        found += [evaluator.layer((name, arity), output).result for output in outputs]
    return found


# -- parts that only TensorFlow has ---------------------------------------------------------------


def _missing(evaluator: Evaluator, plan: TrainSettings, targets: list[Signature]) -> Iterator[str]:
    program, options = evaluator.program, plan.options
    found = optimizer_not_in_numpy(chosen_optimizer(program, options))
    if found is not None:
        yield found
    for target in targets:
        loss = chosen_loss(program, options, target)
        if not isinstance(loss, Configured) or loss_in_numpy(loss) is None:
            yield f"the loss {_name(loss)}"
        yield from metric_not_in_numpy(program.parameters, target, options.metrics)
    for signature in dict.fromkeys([*learnables(program), *learned_rules(program)]):
        penalty = chosen_regularizer(program, options, signature)
        if penalty is not None and penalty_in_numpy(penalty) is None:
            yield f"the regulariser {penalty.name}"
        bound = chosen_constraint(program, signature)
        if bound is not None and (bound.model is not None or bound.tensorflow is not None):
            yield f"the function {bound.name}"
    for expr in everything(_plans(evaluator, plan, targets)):
        if isinstance(expr, Apply | Aggregate):
            yield from _function(expr.function)


def _function(function: Function) -> Iterator[str]:
    if function.model is not None:
        yield f"the Keras model {function.name}"
    elif function.derivative is None:
        yield f"the function {function.name}, of which no derivative is known,"


def _name(loss: Any) -> str:
    if isinstance(loss, Configured):
        settings = ", ".join(loss.config)
        return f"{loss.name} with {settings}" if settings else loss.name
    return str(getattr(loss, "name", None) or getattr(loss, "__name__", type(loss).__name__))
