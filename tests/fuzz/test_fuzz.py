"""The fuzzer finds what is planted, and finds nothing else in a minute's worth of inputs."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from neurallog_kernel import NeuralLogError
from tests.fuzz.__main__ import main
from tests.fuzz.failures import Failure, failure_of, smaller
from tests.fuzz.kinds import Input, WrongError, kinds, make_input
from tests.fuzz.mutating import mutated, tokens
from tests.fuzz.running import Found, run_batch

INPUTS = 1500  # about a minute; `python -m tests.fuzz --minutes 10` tries more


def test_nothing_hangs_or_ends_in_a_raw_error(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    code = main(["--inputs", str(INPUTS), "--seed", "0", "--failures", str(tmp_path)])
    found = "\n".join(path.read_text(encoding="ascii") for path in tmp_path.iterdir())
    assert code == 0, f"{capsys.readouterr().out}\n{found}"


@pytest.mark.parametrize("kind", list(kinds()))
def test_a_number_and_a_seed_make_one_input(kind: str) -> None:
    first, again = (make_input(kind, 3, 17) for _ in range(2))
    assert first == again
    assert first != make_input(kind, 4, 17)
    assert first != make_input(kind, 3, 18)


def test_most_damaged_programs_are_not_worthless() -> None:
    """Inputs that are all refused at their first token would find nothing."""
    read = 0
    for number in range(100):
        given = make_input("programs", 1, number)
        read += not _is_refused("".join(given.parts))
    assert 20 <= read <= 80


def _is_refused(text: str) -> bool:
    from neurallog_kernel import Session

    try:
        Session().add(text)
    except NeuralLogError:
        return True
    return False


def planted(given: Input) -> None:
    """Fails where a c comes before a b, and refuses what has no c."""
    if "c" not in given.parts:
        raise NeuralLogError("no c")
    if "b" in given.parts[given.parts.index("c") :]:
        raise WrongError("a b after a c")


def test_a_failure_is_made_small_written_and_run_again(tmp_path: Path) -> None:
    given = Input("programs", list("xxcxxyxbxxxcxb"), {})
    found = failure_of(given, 0, 5, _well(planted))
    assert found is not None
    small = smaller(found, _well(planted))
    assert small.given.parts == ["c", "b"]
    assert small.what == found.what
    path = small.write(tmp_path)
    again = Failure.from_json(path.read_text(encoding="ascii"))
    assert again == small
    assert failure_of(replace(given, parts=list("xc")), 0, 5, _well(planted)) is None


def _well(run):
    def with_refusals(given: Input) -> None:
        with suppress(NeuralLogError):
            run(given)

    return with_refusals


def test_a_written_failure_can_be_run_again(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    cured = Failure("KeyError in x.y", "", 0, 1, Input("programs", ["p(a)."], {}))
    assert main(["--again", str(cured.write(tmp_path))]) == 0
    assert "nothing is wrong" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("body", "said"),
    [("while True: pass", "hang: more than 3 s"), ("import os; os.abort()", "crash: SIGABRT")],
)
def test_a_hang_and_a_crash_are_found(monkeypatch, tmp_path: Path, body: str, said: str) -> None:
    """A process that never comes back counts against its input, and the next ones are run."""
    program = f"""
import tests.fuzz.worker as worker
def run(given, seed, number):
    if number == 1:
        {body}
worker.failure_of = run
worker.work("programs", 0, *map(int, __import__("sys").argv[3:]))
"""
    file = tmp_path / "worker.py"
    file.write_text(program, encoding="utf-8")
    monkeypatch.setattr("tests.fuzz.running.WORKER", [str(file)])
    found = Found()
    run_batch("programs", 0, 0, 4, 3, found)
    assert found.inputs["programs"] == 4
    ((_, what),) = found.failures
    assert what.startswith(said)


def test_tokens_and_mutations_keep_to_the_text() -> None:
    text = 'p(a, "b c"). % é\n0.5::q(X) :- not p(X, _).'
    assert "".join(tokens(text)) == text
    changed = {"".join(mutated(random.Random(n), text, [text])) for n in range(50)}
    assert len(changed) > 40
