"""What a GPU or XLA would need: the operations of a step, looked at and not run."""

from __future__ import annotations

import pytest

from neurallog_kernel import Session
from neurallog_kernel.cli import main
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.network import private_tensorflow
from neurallog_kernel.profiling import device

TEXT = """p(a, b). p(b, c). learn(w). h(X, Y) :- p(X, Y), w(k). h(X, Y) :- p(Y, X), w(m).
example(h, a, b). 0::example(h, b, a)."""


def opened() -> Session:
    session = Session()
    session.add(TEXT, source="program")
    return session


def test_a_step_is_listed_and_nothing_is_learned() -> None:
    session = opened()
    before = session.program()
    report = session.explain_device(optimizer="adam")
    assert session.program() == before and session.history is None
    kinds = {one.name: one for one in report.operations}
    assert kinds["Mul"].on_gpu and kinds["Mul"].in_xla  # as of every TensorFlow
    assert report.open_sizes > 0
    assert str(report).startswith("one step: ")
    assert list(report.to_pandas()["operation"]) == list(kinds)


def test_an_operation_without_a_kernel_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        device, "devices_of", lambda name: frozenset({"CPU"} if name == "Mul" else {"GPU", "CPU"})
    )
    report = opened().explain_device()
    assert report.without("on_gpu") == ["Mul"]
    assert "a GPU: no kernel for Mul\n" in str(report)
    monkeypatch.setattr(device, "devices_of", lambda name: None)
    assert "not known for" in str(opened().explain_device())
    assert private_tensorflow.devices_of("Mul") is not None


def test_bad_options_are_those_of_a_training() -> None:
    with pytest.raises(NeuralLogError, match="unknown optimiser adan"):
        opened().explain_device(optimizer="adan")


def test_on_the_shell(tmp_path, capsys) -> None:
    file = tmp_path / "program.pl"
    file.write_text(TEXT)
    assert main(["train", str(file), "--explain-device", "--optimizer", "adam"]) == 0
    assert "XLA: " in capsys.readouterr().out
