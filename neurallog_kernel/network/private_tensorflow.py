"""What TensorFlow does not offer in public: all private calls are here, and none is needed.

Another version of TensorFlow may have other names for these, or none. Then trainings run as it runs
them by itself: the same numbers, more slowly.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any


def in_order() -> Callable[[], AbstractContextManager[None]] | None:
    """Inside, compiled functions run their operations one after the other in one thread, without
    looking for operations to save. None: this TensorFlow cannot be asked for it."""
    try:
        from tensorflow.python.eager import context

        here: Any = context.context()
        executor = context.function_executor_type
        config = here.config
        # the graph is made without waste: looking for some takes longer than it could save
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        with executor(_ONE_THREAD):
            here.function_call_options.config_proto_serialized = config
    except (ImportError, AttributeError, TypeError, ValueError):
        return None

    @contextlib.contextmanager
    def inside() -> Iterator[None]:
        with executor(_ONE_THREAD):
            here.function_call_options.config_proto_serialized = config
            yield

    return inside


_ONE_THREAD = "SINGLE_THREADED_EXECUTOR"


def devices_of(operation: str) -> frozenset[str] | None:
    """The kinds of devices that have a kernel for an operation. None: it cannot be asked for."""
    try:
        from tensorflow.python.framework import kernels

        found = kernels.get_registered_kernels_for_op(operation).kernel
    except (ImportError, AttributeError):
        return None
    return frozenset(kernel.device_type for kernel in found)
