"""Training in tests: most of it without tracing, which takes longer than the programs are worth."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from neurallog_kernel.network.tensorflow import keras, tensorflow


@pytest.fixture
def eager() -> Iterator[None]:
    """Run TensorFlow functions step by step."""
    keras()
    configuration = tensorflow().config
    configuration.run_functions_eagerly(True)
    yield
    configuration.run_functions_eagerly(False)
