"""The command `neurallog`, run as its user runs it: what it prints, writes, and exits with."""

import importlib.util
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from neurallog_kernel import Session
from neurallog_kernel.cli import main
from neurallog_kernel.cli.declaration import COMMANDS
from neurallog_kernel.cli.progress import ProgressLog
from neurallog_kernel.learning.history import History, TrainingState

ROOT = Path(__file__).parents[2]
FAMILY = """\
parent(ann, bob). parent(bob, cid). 0.5::parent(bob, dee).
grandparent(X, Z) :- parent(X, Y), parent(Y, Z).
?- grandparent(ann, Who).
?- parent(bob, cid).
"""
THEORY = """\
learn(w). learn(b).
set_parameter(optimizer, adagrad). set_parameter(metrics, roc_auc).
likes(X, Y) :- knows(X, Y), w(direct).
likes(X, Z) :- knows(X, Y), knows(Y, Z), w(far).
likes(X, Y) :- b(likes).
happy(X) :- knows(X, Y), w(happy).
"""
FACTS = "knows(ann, bob). knows(bob, cid). knows(cid, ann). knows(dee, ann). knows(ann, eve).\n"
TRAIN = (
    "likes(ann, bob). 0.0::likes(ann, cid). likes(bob, cid). 0.0::likes(bob, ann). happy(ann).\n"
)
TEST = "likes(cid, ann). 0.0::likes(cid, bob). likes(dee, ann). 0.0::likes(dee, eve).\n"


def neurallog(*words, folder: Path = ROOT, **more) -> subprocess.CompletedProcess:
    """Run the command in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "neurallog_kernel.cli", *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=environment, **more
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("cli")
    files = {
        "family.pl": FAMILY,
        "theory.pl": THEORY,
        "facts.pl": FACTS,
        "train.pl": TRAIN,
        "test.pl": TEST,
        "more.pl": "parent(bob, fay).\n",
        "wrong.pl": "p(a).\nq(X) :- p(X), r(X\n",
        "unknown.pl": "p(a).\nq(X) :- p(X), pp(X).\n",
    }
    for name, text in files.items():
        (made / name).write_text(text, encoding="utf-8")
    return made


# -- looking --------------------------------------------------------------------------------------


def test_run_answers_the_questions_in_the_files(folder):
    done = neurallog("run", "family.pl", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "?- grandparent(ann, Who).\n  Who  weight\n  cid       1\n  dee     0.5\n"
        "?- parent(bob, cid).  1\n"
    )


def test_run_says_what_it_read_when_nothing_is_asked(folder):
    done = neurallog("run", "facts.pl", folder=folder)
    assert done.stdout == "facts.pl: +5 facts\n"


def test_the_order_of_the_files_gives_no_notices(folder):
    done = neurallog("run", "theory.pl", "facts.pl", "--strict", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")


def test_notices_go_to_stderr_and_strict_makes_them_errors(folder):
    done = neurallog("run", "unknown.pl", folder=folder)
    assert (done.returncode, "pp/1" in done.stderr) == (0, True)
    done = neurallog("run", "unknown.pl", "--strict", folder=folder)
    assert done.returncode == 1
    assert "q(X) :- p(X), pp(X).\n    |               ^^" in done.stderr


def test_query(folder):
    done = neurallog("query", "family.pl", "grandparent(ann, W)", "--top", 1, folder=folder)
    assert done.stdout == "?- grandparent(ann, W).\n  W    weight\n  cid       1\n  ... 1 more\n"


def test_query_shows_all(folder, tmp_path):
    (tmp_path / "many.pl").write_text("".join(f"p(a{i}).\n" for i in range(50)))
    short = neurallog("query", "many.pl", "p(X)", folder=tmp_path).stdout
    assert len(short.splitlines()) == 23
    assert short.endswith("... 30 more\n")
    assert len(neurallog("query", "many.pl", "p(X)", "--all", folder=tmp_path).stdout.split()) > 100


def test_profile_of_a_question(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(["profile", "family.pl", "grandparent(ann, W)"]) == 0
    shown = capsys.readouterr().out
    assert "rule graphs" in shown and "grandparent(X, Z) :- parent(X, Y), parent(Y, Z)." in shown
    assert "before, to add the program: parse" in shown


def test_profile_of_a_training(folder):
    pytest.importorskip("tensorflow")
    words = ["profile", "theory.pl", "facts.pl", "train", "--train", "train.pl", "--epochs", 2]
    done = neurallog(*words, folder=folder)
    assert done.returncode == 0, done.stderr
    assert "later epochs" in done.stdout and "epoch alone" in done.stdout


def test_a_mistake_is_shown_at_its_place(folder):
    done = neurallog("run", "family.pl", "wrong.pl", folder=folder)
    assert (done.returncode, done.stdout) == (1, "")
    first, line, caret, *_ = done.stderr.splitlines()
    assert first.startswith("wrong.pl:")
    assert "^" in line + caret
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["query", "family.pl", "grandparnt(ann, X)"], "did you mean grandparent/2?"),
        (["query", "nowhere.pl", "p(X)"], "nowhere.pl: No such file"),
        (["run", "a.nlz", "b.nlz"], "only one saved model"),
        (["evaluate", "family.pl"], "no examples in the set test"),
        (["profile", "family.pl", "grandparnt(ann, X)"], "did you mean grandparent/2?"),
        (["profile", "family.pl", "train"], "no examples to learn from"),
        (["draw", "family.pl", "--target", "parnt/2"], "did you mean parent/2?"),
        (["draw", "family.pl", "parnt/2"], "did you mean parent/2?"),
        (["train", "family.pl"], "neurallog train -t FILE"),
        (["rules", "family.pl", "parent/2", "other/2"], "other/2: No such file"),
        (["draw", "family.pl", "-o", "x.gif"], "cannot draw a .gif"),
        (["lab", "nowhere"], "nowhere is not a folder"),
    ],
)
def test_mistakes_exit_1_and_say_what_to_do(folder, words, said, capsys, monkeypatch):
    if words[0] in ("draw", "lab") and importlib.util.find_spec("jupyterlab") is None:
        pytest.skip("the notebook packages are not installed")
    monkeypatch.chdir(folder)
    code, shown = main(words), capsys.readouterr()
    assert (code, shown.out) == (1, "")
    assert said in shown.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["trian"], "unknown command trian\n    did you mean train?"),
        (["xyzzy"], "there are: run, query, train"),
        (["query"], "the following arguments are required"),
        (["query", "a.pl", "p(X)", "--top", "0"], "0 is less than 1"),
        (["train", "-p", "a.pl", "--unlisted", "maybe"], "invalid choice: 'maybe'"),
        (["train", "-p", "a.pl", "--epochs", "ten"], "ten is not a whole number"),
    ],
)
def test_misuse_exits_2(words, said, capsys):
    try:
        code = main(words)
    except SystemExit as end:  # argparse's way
        code = end.code
    shown = capsys.readouterr()
    assert (code, shown.out) == (2, "")
    assert said in shown.err


def test_without_words_it_explains_itself():
    done = neurallog()
    assert done.returncode == 2
    assert all(re.search(rf"\n    {name}\s", done.stdout) for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples(name, capsys):
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert not end.value.code
    assert f"examples:\n  neurallog {name}" in capsys.readouterr().out


def test_the_script_is_declared():
    assert 'neurallog = "neurallog_kernel.cli:main"' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_stops_reading_is_no_error(folder, unbuffered):
    command = f"'{sys.executable}' -m neurallog_kernel.cli query facts.pl 'knows(X, Y)' | true"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, cwd=folder, env=environment
    )
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["status", "family.pl"], "grandparent/2  relation"),
        (["status", "family.pl", "-p", "parent"], "1 predicate,"),
        (["rules", "family.pl"], "grandparent(X, Z) :- parent(X, Y), parent(Y, Z)."),
        (
            ["rules", "family.pl", "grandparent/2"],
            "grandparent(X, Z) :- parent(X, Y), parent(Y, Z).",
        ),
        (["program", "facts.pl"], "knows(ann, bob)."),
        (["functions", "--name", "tanh"], "tanh(0.5) = 0.4621"),
        (["explain", "family.pl", "grandparent(ann, dee)"], "grandparent(ann, dee) = 0.5"),
        (["sensitivity", "family.pl", "grandparent(ann, dee)"], "parent(bob, dee)"),
        (["check", "family.pl"], "No problems found."),
        (["weights", "family.pl", "-p", "parent"], "parent(bob, dee)     0.5"),
        (["weights", "parent/2", "family.pl"], "parent(bob, dee)     0.5"),
        (["examples", "theory.pl", "facts.pl", "-t", "train.pl"], "train  likes(ann, bob)"),
        (["diff", "family.pl", "more.pl", "grandparent(ann, Y)"], "0 → 1  grandparent(X, Z)"),
    ],
)
def test_the_commands_of_the_notebook_work_on_files(folder, words, said, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    assert main(words) == 0
    assert said in capsys.readouterr().out


def test_a_saved_program_can_be_asked(folder, tmp_path, capsys):
    model = str(tmp_path / "family.nlz")
    assert main(["save", str(folder / "family.pl"), model]) == 0
    assert main(["query", model, "grandparent(ann, W)", "--top", "1"]) == 0
    assert "cid" in capsys.readouterr().out


def test_draw(folder, tmp_path):
    pytest.importorskip("neurallog_kernel.pictures.draw")
    path = tmp_path / "rule.txt"
    done = neurallog("draw", "family.pl", "--target", "grandparent/2", "-o", path, folder=folder)
    assert (done.returncode, done.stdout) == (0, f"{path}\n")
    assert "parent" in path.read_text()


# -- taking ---------------------------------------------------------------------------------------


def test_answers_go_to_a_file(folder, tmp_path):
    words = ("query", "family.pl", "grandparent(ann, Who)", "--to")
    done = neurallog(*words, tmp_path / "a.csv", folder=folder)
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'a.csv'}: 2 rows\n")
    assert (tmp_path / "a.csv").read_text("utf-8") == "Who,weight\ncid,1.0\ndee,0.5\n"
    done = neurallog(*words, tmp_path / "a.xls", folder=folder)
    assert done.returncode == 1
    assert "unknown format .xls" in done.stderr
    assert ".csv, .tsv, .parquet, .json, .jsonl" in done.stderr


def test_export_writes_tables_and_the_program(folder, tmp_path, capsys):
    family = str(folder / "family.pl")
    weights, text = tmp_path / "w.json", tmp_path / "p.pl"
    words = ["export", family, "-p", "parent/2", "--weights", weights, "--program", text]
    assert main([*map(str, words)]) == 0
    assert capsys.readouterr().out == f"{weights}: 3 rows\n{text}: the program\n"
    rows = json.loads(weights.read_text("utf-8"))
    assert [row["argument_2"] for row in rows] == ["bob", "cid", "dee"]
    again = Session()
    again.load(text)
    assert again.query("grandparent(ann, Who)").weights == {("cid",): 1.0, ("dee",): 0.5}


def test_export_writes_a_saved_model(folder, tmp_path, capsys):
    import tensorflow as tf

    family, model = str(folder / "family.pl"), tmp_path / "model"
    words = ["export", family, "-p", "grandparent/2", "--output", "1", "--saved-model", str(model)]
    assert main(words) == 0
    assert capsys.readouterr().out == f"{model}: the network of grandparent/2\n"
    loaded = tf.saved_model.load(str(model))
    best = loaded.signatures["top"](argument_2=tf.constant(["dee"]), k=tf.constant(1))
    assert best["names"].numpy().tolist() == [[b"ann"]]
    assert best["weights"].numpy().tolist() == [[0.5]]
    assert main(words) == 1
    assert "exists already" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "nothing to export"),
        (["--saved-model", "m"], "as in grandparent/2"),
        (["-p", "granparent/2", "--saved-model", "m"], "did you mean grandparent/2?"),
        (["--weights", "w.cvs"], "did you mean .csv?"),
        (["--history", "h.csv"], "has not been trained"),
        (["--embedding", "e.csv"], "train the program first"),
    ],
)
def test_an_export_that_cannot_be(folder, words, said, capsys):
    assert main(["export", str(folder / "family.pl"), *words]) == 1
    assert said in capsys.readouterr().err


# -- learning -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(folder) -> subprocess.CompletedProcess:
    """One training with every option of the original."""
    return neurallog(
        *("train", "--program", "theory.pl", "facts.pl", "--train", "train.pl"),
        *("-valid", "test.pl", "-test", "test.pl", "-o", "out", "-lm", "model.nlz"),
        *("-lp", "program.pl", "-li", "last_", "-log", "out/log.txt", "-tb", "out/board"),
        *("--epochs", 3, "--learning-rate", 0.1, "--batch-size", 2, "--seed", 1),
        folder=folder,
    )


def test_training_shows_the_figures(trained):
    assert trained.returncode == 0, trained.stderr
    assert trained.stdout.startswith("validation:\n")
    assert "\ntest:\n" in trained.stdout
    assert "likes/2" in trained.stdout
    note, told = trained.stderr.splitlines()  # no terminal: no line that moves
    assert note.startswith("the only example of happy/1 is true")
    assert told.startswith("<trained 3 epochs")


def test_it_writes_the_files_of_the_original(trained, folder):
    written = {path.name for path in (folder / "out").iterdir()}
    assert {"model.nlz", "program.pl", "log.txt", "board"} <= written
    assert {"last_train_set.pl", "last_validation_set.pl", "last_test_set.pl"} <= written
    assert {"metric_loss.txt", "metric_val_loss.txt"} <= written
    assert len((folder / "out/metric_loss.txt").read_text().split()) == 3
    log = (folder / "out/log.txt").read_text()
    assert "epoch 3/3" in log
    assert "unlisted: false (closed world)" in log
    assert list((folder / "out/board").glob("events*"))


def test_the_inference_can_be_read(trained, folder):
    text = (folder / "out/last_test_set.pl").read_text()
    assert "%% likes(cid, X)." in text
    session = Session()
    session.add(text)
    assert len(session.query("likes(X, Y)")) == 4
    model = Session.open(folder / "out/model.nlz")
    asked = model.query("likes(dee, ann)").weight
    assert session.query("likes(dee, ann)").weight == pytest.approx(asked)
    weights = [line for line in text.splitlines() if "::likes(cid" in line]
    assert weights == sorted(weights, reverse=True)
    assert "::happy(ann)." in (folder / "out/last_train_set.pl").read_text()


def test_the_program_can_be_read(trained, folder):
    session = Session()
    session.load(folder / "out/program.pl")
    model = Session.open(folder / "out/model.nlz")
    for question in ("likes(X, Y)", "happy(X)", "w(X)"):
        assert session.query(question).weights == model.query(question).weights


def test_the_model_can_be_used(trained, folder):
    done = neurallog("query", "out/model.nlz", "likes(cid, X)", "--top", 1, folder=folder)
    assert done.stdout.splitlines()[2].split()[0] == "ann"
    done = neurallog("evaluate", "out/model.nlz", "--set", "test", folder=folder)
    assert (done.returncode, "roc_auc" in done.stdout, "mrr" in done.stdout) == (0, True, True)
    done = neurallog(
        *(
            "evaluate",
            "theory.pl",
            "out/model.nlz",
            "--validation",
            "train.pl",
            "--set",
            "validation",
        ),
        "--no-ranks",
        folder=folder,
    )
    assert (done.returncode, "mrr" in done.stdout) == (0, False)


def test_a_model_without_training(trained, folder):
    """The original's way to infer: a program, a model, and examples."""
    done = neurallog(
        *("train", "-p", "theory.pl", "facts.pl", "-l", "out/model.nlz", "-test", "test.pl"),
        *("-o", "again", "-li", "last_", "-v"),
        folder=folder,
    )
    assert done.returncode == 0, done.stderr
    assert "weights from out/model.nlz" in done.stderr
    again, before = (folder / f"{name}/last_test_set.pl" for name in ("again", "out"))
    assert again.read_text() == before.read_text()


def test_a_model_of_another_program(trained, folder):
    (folder / "other.pl").write_text("learn(v). knows(ann, bob). likes(X, Y) :- knows(X, Y), v(k).")
    done = neurallog(
        *("train", "-p", "other.pl", "-l", "out/model.nlz", "-test", "test.pl"), folder=folder
    )
    assert done.returncode == 1
    assert "the weights of b/1 do not fit: the program does not learn it" in done.stderr


# -- the line that moves --------------------------------------------------------------------------


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def state(epoch: int, batch: int) -> TrainingState:
    return TrainingState(epoch, 2, batch, 4, {"loss": 0.5}, 1.0, History(), dict, list)


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()])
def test_progress_is_for_terminals(stream, tmp_path):
    progress = ProgressLog(False, tmp_path / "log.txt", stream)
    progress.starting()
    progress.on_batch(state(0, 2))
    progress.on_epoch(state(1, 4))
    progress.on_end(state(1, 4))
    shown = stream.getvalue()
    if stream.isatty():
        assert "epoch 1/2, 1.0 s: loss 0.5" in shown
        assert "\n" not in shown  # one line, updated
        assert shown.endswith("\r")  # and gone in the end
    else:
        assert shown == ""
    assert (tmp_path / "log.txt").read_text() == "epoch 1/2, 1.0 s: loss 0.5\n"
