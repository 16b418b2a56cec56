"""How many threads a product of matrices takes: one for small ones, whatever else the machine does.

The library below NumPy shares even a product of a hundred rows among all cores. That gains nothing
where they are free, and where they are busy each product waits for them: a hundred times its work.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from threading import Lock
from typing import Any

import numpy as np

MOST_ALONE = 100_000_000  # multiplications up to which one thread is as fast as two


@cache
def _libraries() -> Any:
    """What can be asked for a number of threads; None in a browser, where there is one anyway."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController().select(user_api="blas")


class _OneThread:
    """The limit is one for the whole process: the first who asks sets it, the last takes it
    back."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0
        self._limit = ExitStack()

    @contextmanager
    def use(self) -> Iterator[None]:
        with self._lock:
            if not self._users and _libraries() is not None:
                self._limit.enter_context(_libraries().limit(limits=1))
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._limit.close()


_ONE = _OneThread()


def one_thread() -> AbstractContextManager[None]:
    """Inside, products of matrices take one thread."""
    return _ONE.use()


def times(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """A product of matrices, in as many threads as pay."""
    if left.shape[0] * right.size > MOST_ALONE:
        return left @ right
    with _ONE.use():
        return left @ right
