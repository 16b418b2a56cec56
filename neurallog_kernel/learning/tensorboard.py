"""Events for TensorBoard: the losses and metrics of each epoch."""

from __future__ import annotations

from pathlib import Path

from neurallog_kernel.learning.history import TrainingState
from neurallog_kernel.network.tensorflow import tensorflow


class EventWriter:
    """A training callback that writes to a folder TensorBoard can read. It need not be installed:
    what it would add to TensorFlow (`tf.summary.scalar`) is the one line of metadata."""

    def __init__(self, folder: str | Path) -> None:
        self._writer = tensorflow().summary.create_file_writer(str(folder))

    def on_epoch(self, state: TrainingState) -> None:
        tf = tensorflow()
        kind = tf.compat.v1.SummaryMetadata()
        kind.plugin_data.plugin_name = "scalars"
        with self._writer.as_default():
            for name, value in state.logs.items():
                number = tf.constant(value, tf.float32)
                tf.summary.write(name, number, step=state.epoch, metadata=kind)

    def on_end(self, state: TrainingState) -> None:
        self._writer.close()
