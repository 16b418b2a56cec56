"""TensorFlow and Keras, imported when first needed and without their noise on stderr."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.packages import missing
from neurallog_kernel.quiet import quiet_stderr


@cache
def tensorflow() -> Any:
    """The TensorFlow module, with operations that give the same result every time."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    try:
        with quiet_stderr():
            import tensorflow as tf
    except ImportError as error:
        raise missing("tensorflow", "learning", "learning") from error
    tf.get_logger().setLevel("ERROR")
    # A step is many small operations in a row: handing them from thread to thread took half of the
    # time. A program that set up TensorFlow before us keeps its own choice.
    with contextlib.suppress(RuntimeError):
        if tf.config.threading.get_inter_op_parallelism_threads() == 0:
            tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.experimental.enable_op_determinism()
    return tf


def compiled_loops(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is one `while_loop` after the other, compiled when it is first called.

    Its operations run one after the other in one thread: a step is many small ones, and keeping
    account of which are ready took as long as they do. Large ones still use all cores.
    """
    tf = tensorflow()
    made: list[Callable[..., Any]] = []

    def call(*arguments: Any) -> Any:
        if tf.config.functions_run_eagerly():
            return function(*arguments)
        if not made:
            made.append(_compile_loops(function, arguments))
        return made[0](*arguments)

    return call


def _compile_loops(function: Callable[..., Any], arguments: Sequence[Any]) -> Callable[..., Any]:
    from neurallog_kernel.network.private_tensorflow import in_order

    tf = tensorflow()
    loops = tf.function(function, autograph=False)
    in_one_thread = in_order()
    if in_one_thread is None:
        return loops
    with in_one_thread():
        graph = loops.get_concrete_function(*arguments).graph.as_graph_def()
    # Besides the two of each loop there are functions if a layer or a loss has a loop or a branch:
    # in order, that one would wait for the thread that waits for it.
    own = 2 * sum("While" in node.op for node in graph.node)
    if len(graph.library.function) > own:
        return tf.function(function, autograph=False)

    def run(*given: Any) -> Any:
        with in_one_thread():
            return loops(*given)

    return run


@cache
def keras() -> Any:
    """The Keras module that goes with it."""
    tensorflow()
    with quiet_stderr():
        import keras as module
    return module


def warm_up() -> threading.Thread:
    """Import TensorFlow in the background, so that the first training does not wait for it."""
    thread = threading.Thread(target=_import_quietly, name="neurallog-warm-up", daemon=True)
    thread.start()
    return thread


def _import_quietly() -> None:
    with contextlib.suppress(NeuralLogError):
        keras()
