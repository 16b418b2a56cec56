"""A training with a checkpoint goes on after it was killed, and ends as if it had not been."""

from pathlib import Path

import numpy as np
import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.cli.main import main
from neurallog_kernel.errors import CheckpointError
from tests.faults.kills import OPTIONS, PROGRAM, killed_until_done, session, weights


class Broken(Exception):
    """Ends a training as a crash would: nothing of it is taken in."""


class BreakAfter:
    def __init__(self, epoch: int) -> None:
        self.epoch = epoch

    def on_epoch(self, state) -> None:
        if state.epoch == self.epoch:
            raise Broken


def broken_at(path: Path, epoch: int, **options) -> None:
    with pytest.raises(Broken):
        session().train(checkpoint=path, callbacks=[BreakAfter(epoch)], **{**OPTIONS, **options})


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"optimizer": "adam", "shuffle": True, "seed": 3},
        {"dtype": "float64", "optimizer": "rmsprop", "batch_size": 1},
        {"keep_best": True, "learning_rate": 0.9},
        {"patience": 2, "learning_rate": 0.9},
        {"negatives": 1, "seed": 5},
    ],
    ids=["plain", "adam", "rmsprop", "keep_best", "patience", "negatives"],
)
def test_it_ends_as_if_nothing_had_happened(eager, tmp_path, options):
    path, plain, again = tmp_path / "run.nlz", session(), session()
    expected = plain.train(**{**OPTIONS, **options})
    for epoch in (2, 4):
        if epoch <= expected.epochs:
            broken_at(path, epoch, **options)
    history = again.train(checkpoint=path, **{**OPTIONS, **options})
    assert weights(again) == weights(plain)
    assert history.logs["loss"] == pytest.approx(expected.logs["loss"], rel=1e-6)
    assert (history.epochs, history.best_epoch) == (expected.epochs, expected.best_epoch)
    assert history.stopped_early == expected.stopped_early
    if expected.epochs > 2:
        assert "continued after epoch" in history.notes[0]


@pytest.mark.parametrize("every", [1, 3])
def test_every(eager, tmp_path, every):
    path = tmp_path / "run.nlz"
    broken_at(path, 5, every=every)
    assert Session.open(path).history.epochs == 4 // every * every
    history = session().train(checkpoint=path, every=every, **OPTIONS)
    assert history.epochs == OPTIONS["epochs"]
    assert Session.open(path).history.epochs == OPTIONS["epochs"]  # the last is always kept


def test_a_finished_one_gives_its_weights_and_more_epochs_go_on(eager, tmp_path):
    path, first, again, more, plain = tmp_path / "run.nlz", *(session() for _ in range(4))
    first.train(checkpoint=path, **OPTIONS)
    history = again.train(checkpoint=path, **OPTIONS)
    assert weights(again) == weights(first)
    assert "nothing left to do" in history.notes[0]
    assert more.train(checkpoint=path, **{**OPTIONS, "epochs": 9}).epochs == 9
    plain.train(**{**OPTIONS, "epochs": 9})
    assert weights(more) == weights(plain)


def test_after_ctrl_c_the_same_call_goes_on(eager, tmp_path):
    class Interrupt:
        def on_batch(self, state) -> None:
            if state.epoch == 3:
                raise KeyboardInterrupt

    path, s, plain = tmp_path / "run.nlz", session(), session()
    assert s.train(checkpoint=path, callbacks=[Interrupt()], **OPTIONS).interrupted
    assert s.train(checkpoint=path, **OPTIONS).epochs == OPTIONS["epochs"]
    plain.train(**OPTIONS)
    assert weights(s) == weights(plain)


def test_a_layer_with_random_state(eager, tmp_path):
    """Dropout draws on, the moving averages of a normalisation are there again."""
    import keras

    def with_layers() -> Session:
        s = Session()
        keras.utils.set_random_seed(1)
        layers = [keras.layers.Dense(3), keras.layers.Dropout(0.5, seed=4)]
        s.register("mix", keras.Sequential([keras.Input((3,)), *layers]))
        s.add("learn(w). p(a, b). p(b, c). p(c, a). t(X, Y) :- p(X, Y), mix(Y), w(k).")
        s.add("t(a, b). t(b, c). 0::t(a, c).", set="train")
        return s

    path, plain, first, again = tmp_path / "run.nlz", *(with_layers() for _ in range(3))
    plain.train(epochs=5, learning_rate=0.1)
    with pytest.raises(Broken):
        first.train(epochs=5, learning_rate=0.1, checkpoint=path, callbacks=[BreakAfter(3)])
    again.train(epochs=5, learning_rate=0.1, checkpoint=path)
    for mine, other in zip(
        again.registry["mix"].model.variables, plain.registry["mix"].model.variables, strict=True
    ):
        assert np.array_equal(np.asarray(mine), np.asarray(other))


# -- what does not fit ----------------------------------------------------------------------------


def refused(s: Session, path: Path, match: str, **options) -> None:
    before, kept = s.program(), path.read_bytes()
    with pytest.raises(NeuralLogError, match=match) as caught:
        s.train(checkpoint=path, **{**OPTIONS, **options})
    assert caught.value.hint
    assert (s.program(), path.read_bytes()) == (before, kept)


def test_another_program_is_refused(eager, tmp_path):
    path, s = tmp_path / "run.nlz", Session()
    broken_at(path, 3)
    s.add(PROGRAM.replace("0.4::p", "0.5::p"))
    refused(s, path, "another program")


@pytest.mark.parametrize("options", [{"seed": 7}, {"learning_rate": 0.2}, {"loss": "mae"}])
def test_other_options_are_refused(eager, tmp_path, options):
    path = tmp_path / "run.nlz"
    broken_at(path, 3)
    (name,) = options
    refused(session(), path, f"with {name}=", **options)


def test_a_saved_session_is_not_overwritten(eager, tmp_path):
    path = tmp_path / "model.nlz"
    session().save(path)
    refused(session(), path, "not the checkpoint of a training")


def test_resume_and_checkpoint_and_every(eager, tmp_path):
    with pytest.raises(NeuralLogError, match="cannot go together"):
        session().train(checkpoint=tmp_path / "r.nlz", resume=True, **OPTIONS)
    with pytest.raises(NeuralLogError, match="every must be"):
        session().train(checkpoint=tmp_path / "r.nlz", every=0, **OPTIONS)


def test_a_damaged_file_is_refused(eager, tmp_path):
    path = tmp_path / "run.nlz"
    broken_at(path, 3)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(CheckpointError, match="damaged"):
        session().train(checkpoint=path, **OPTIONS)


# -- saving in a callback -------------------------------------------------------------------------


def test_save_in_a_callback_saves_the_weights_of_that_epoch(eager, tmp_path):
    s, path = session(), tmp_path / "third.nlz"

    class Save:
        def on_epoch(self, state) -> None:
            if state.epoch == 3:
                s.save(path)

    s.train(callbacks=[Save()], **OPTIONS)
    plain = session()
    plain.train(**{**OPTIONS, "epochs": 3})
    opened = Session.open(path)
    assert weights(opened) == weights(plain)
    assert opened.history.epochs == 3


# -- killed ---------------------------------------------------------------------------------------


def test_kill(tmp_path):
    """Killed at three moments, one of them while a checkpoint is written."""
    outcome = killed_until_done(tmp_path, ["epoch 2", "writing 3", "batch 4"])
    assert outcome.kills == 3
    assert outcome.same


def test_the_command_line(eager, tmp_path, monkeypatch, capsys):
    (tmp_path / "p.pl").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    command = ["train", "-p", "p.pl", "--epochs", "3", "--checkpoint", "run.nlz", "--every", "2"]
    for expected in ("trained 3 epochs", "nothing left to do"):
        assert main(command) == 0
        assert expected in capsys.readouterr().err
    assert Session.open(tmp_path / "run.nlz").history.epochs == 3
