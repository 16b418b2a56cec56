"""What a GPU, or a compiler such as XLA, would need to run the steps of a training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.learning.training import Training
from neurallog_kernel.network.arrays import TENSORFLOW
from neurallog_kernel.network.private_tensorflow import devices_of
from neurallog_kernel.network.tensorflow import tensorflow
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

GPU, XLA = "GPU", "XLA_GPU_JIT"
_EVERYWHERE = "DEFAULT"  # on whatever device its inputs are
# what a graph is given or holds, and what only says in which order things happen
_NOT_COMPUTED = frozenset({"Placeholder", "NoOp", "Const"})


@dataclass(frozen=True, slots=True)
class DeviceOperation:
    """An operation of a step: how often it is there, how often the size of its result is known
    only when a batch is there, and what has a kernel for it; None where nobody knows."""

    name: str
    times: int
    open_sizes: int
    on_gpu: bool | None
    in_xla: bool | None


@dataclass(frozen=True)
class DeviceReport(Tabular):
    """The operations of one step of a training, the most frequent first."""

    operations: tuple[DeviceOperation, ...]
    devices: tuple[str, ...]  # that TensorFlow finds here

    def without(self, what: str) -> list[str]:
        """The operations that have no kernel there."""
        return [one.name for one in self.operations if getattr(one, what) is False]

    @property
    def open_sizes(self) -> int:
        return sum(one.open_sizes for one in self.operations)

    def __str__(self) -> str:
        number = sum(one.times for one in self.operations)
        found = f"devices that TensorFlow finds here: {', '.join(self.devices) or 'none'}"
        lines = [f"one step: {number:,} operations of {len(self.operations)} kinds; {found}"]
        for title, what in (("a GPU", "on_gpu"), ("XLA", "in_xla")):
            names = self.without(what)
            unknown = [one.name for one in self.operations if getattr(one, what) is None]
            said = f"no kernel for {', '.join(names)}" if names else "a kernel for each operation"
            if unknown:
                said += f"; not known for {', '.join(unknown)}"
            lines.append(f"{title}: {said}")
        if self.open_sizes:
            lines.append(
                f"sizes: {self.open_sizes:,} results have a size that each batch decides anew. A "
                "GPU takes them; XLA would compile a step for every new size: give all batches "
                "the same rows (a batch_size that divides them, no shuffle), or pad them"
            )
        else:
            lines.append("sizes: all are known before the first batch")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def to_pandas(self) -> pd.DataFrame:
        """One row an operation."""
        import pandas as pd

        return pd.DataFrame(
            {
                "operation": [one.name for one in self.operations],
                "times": [one.times for one in self.operations],
                "open sizes": [one.open_sizes for one in self.operations],
                "GPU kernel": [one.on_gpu for one in self.operations],
                "XLA kernel": [one.in_xla for one in self.operations],
            }
        )


def explain_device(evaluator: Evaluator, options: Mapping[str, Any]) -> DeviceReport:
    """The graph of one step, looked at and not run: nothing is learned."""
    tf = tensorflow()
    trainer = Training(evaluator, {**options, "backend": TENSORFLOW}).trainer
    step = tf.function(trainer.updates.one_batch, autograph=False)
    graph = step.get_concrete_function(tf.constant(0)).graph
    computed = [op for op in graph.get_operations() if op.type not in _NOT_COMPUTED]
    times = Counter(op.type for op in computed)
    open_sizes = Counter(op.type for op in computed if any(map(_is_open, op.outputs)))
    found = tuple(
        DeviceOperation(name, number, open_sizes[name], *_kernels(name))
        for name, number in times.most_common()
    )
    devices = tuple(device.device_type for device in tf.config.list_physical_devices())
    return DeviceReport(found, devices)


def _is_open(tensor: Any) -> bool:
    return tensor.shape.rank is None or None in tensor.shape.as_list()


def _kernels(name: str) -> tuple[bool | None, bool | None]:
    known = devices_of(name)
    if known is None:
        return None, None
    return GPU in known or _EVERYWHERE in known, XLA in known
