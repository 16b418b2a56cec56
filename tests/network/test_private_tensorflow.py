"""Private calls of TensorFlow are in one file, and a TensorFlow without them trains the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import neurallog_kernel
from neurallog_kernel import Session
from neurallog_kernel.network.private_tensorflow import in_order
from neurallog_kernel.network.tensorflow import tensorflow

PROGRAM = """
learn(w). w(a, b). w(b, c). w(c, a). h(X, Z) :- w(X, Y), w(Y, Z), tanh(Z).
example(h, a, c). 0::example(h, a, a). 0.5::example(h, b, a).
"""


def trained() -> dict[tuple[str, ...], float]:
    session = Session()
    session.add(PROGRAM)
    session.train(epochs=3, seed=1)
    return dict(session.query("w(X, Y)").weights)


def test_private_modules_are_imported_in_one_file() -> None:
    kernel = Path(neurallog_kernel.__file__).parent
    private = ("tensorflow.python", "tensorflow.core", "keras.src", "keras._")
    found = [
        str(path.relative_to(kernel))
        for path in kernel.rglob("*.py")
        if any(name in path.read_text(encoding="utf-8") for name in private)
    ]
    assert found == [str(Path("network", "private_tensorflow.py"))]


def test_the_tensorflow_that_is_installed_can_be_asked() -> None:
    tensorflow()
    assert in_order() is not None


@pytest.mark.parametrize("missing", ["the name", "the context", "the option"])
def test_without_the_private_names_a_training_gives_the_same(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = trained()
    from tensorflow.python.eager import context

    class Another:
        """A context of another version, without what we look for."""

    def refused(*_: Any) -> Any:
        raise ValueError("unknown executor type")

    with monkeypatch.context() as patch:
        if missing == "the name":
            patch.delattr(context, "function_executor_type")
        elif missing == "the context":
            patch.setattr(context, "context", Another)
        else:
            patch.setattr(context, "function_executor_type", refused)
        assert in_order() is None
    # TensorFlow itself needs its context: only our file is told that the names are gone
    monkeypatch.setattr("neurallog_kernel.network.private_tensorflow.in_order", lambda: None)
    assert trained() == pytest.approx(expected, abs=1e-7)
