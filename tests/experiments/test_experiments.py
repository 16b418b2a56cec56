"""The experiments' own code, on a small invented folder of data in the layout of the real one."""

import csv
import json
import random
from pathlib import Path

import pytest

from experiments import __main__ as command
from experiments import data, report, settings
from experiments.arguments import DATA
from experiments.paper import BY_NAME, EXPERIMENTS
from experiments.running import Journal, Run
from experiments.settings import SETTINGS, Setting
from neurallog_kernel import Session

REAL = DATA
CONFIG = "set_parameter(loss_function, mean_squared_error). set_parameter(optimizer, adagrad).\n"


def atom(positive: bool, text: str) -> str:
    return f"{'' if positive else '0.0::'}{text}.\n"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Restaurants (five folds, one of them with facts of its own), authors, and synsets."""
    root = tmp_path_factory.mktemp("data")
    choose = random.Random(1)
    places = [f'"B {i}"' for i in range(40)]
    tasty = {place: i % 3 == 0 for i, place in enumerate(places)}
    facts = "".join(f"spicy({place}).\n" for place in places if tasty[place])
    write(root / "yelp/config.pl", CONFIG)
    write(root / "yelp/facts.pl", facts + "".join(f"plain({place}).\n" for place in places))
    theory = "learn(w). mexican(B) :- spicy(B), w(s). mexican(B) :- plain(B), w(p).\n"
    write(root / "yelp/theory.pl", theory)
    for fold in range(1, 6):
        choose.shuffle(places)
        lines = [atom(tasty[place], f"mexican({place})") for place in places]
        write(root / f"yelp/fold{fold}/train.pl", "".join(lines[:30]))
        write(root / f"yelp/fold{fold}/test.pl", "".join(lines[30:]))
        if fold == 1:
            known = "".join(f"known({place}).\n" for place in places[:30])
            write(root / "yelp/fold1/facts.pl", known)
    names = [f"a{i}" for i in range(12)]
    pairs = [(a, b, names.index(a) % 4 == names.index(b) % 4) for a in names for b in names]
    choose.shuffle(pairs)
    write(root / "cora/config.pl", CONFIG)
    write(root / "cora/facts.pl", "".join(f"word({n}, w{i % 4}).\n" for i, n in enumerate(names)))
    write(
        root / "cora/theory.pl",
        "learn(w). sameauthor(X, Y) :- word(X, W), word(Y, W), w(k).\n"
        "samevenue(X, Y) :- sameauthor(X, Y).\n",
    )
    for name, part in (("train", pairs[:100]), ("test", pairs[100:])):
        text = "".join(atom(same, f"sameauthor({a}, {b})") for a, b, same in part)
        write(root / f"cora/{name}.pl", text + "samevenue(a1, a5).\n0.0::samevenue(a1, a2).\n")
    write(root / "wordnet/config.pl", CONFIG)
    write(root / "wordnet/facts.pl", "".join(f"up(s{i}, s{i + 1}).\n" for i in range(30)))
    write(root / "wordnet/theory.pl", "learn(w). i_up(X, Y) :- up(X, Y), w(k).\n")
    for name, start in (("train", 0), ("valid", 10), ("test", 20)):
        lines = [f"i_up(s{i}, s{i + 1}).\n" for i in range(start, start + 10)]
        write(root / f"wordnet/{name}.pl", "".join(lines))
    return root


# -- data -----------------------------------------------------------------------------------------


def listed(session: Session, name: str) -> dict[str, float]:
    return {e.text: e.weight for e in session.examples() if e.set == name}


def test_one_target_alone(folder):
    session = data.prepare(folder, BY_NAME["cora-sameauthor"], 0)
    assert {text.partition("(")[0] for text in listed(session, "train")} == {"sameauthor"}
    assert len(listed(session, "test")) == 44


def test_choosing_never_sees_test_examples(folder):
    experiment = BY_NAME["yelp"]
    full = data.prepare(folder, experiment, 1)
    session = data.prepare_selection(folder, experiment, 1)
    train, hidden = listed(session, "train"), listed(session, data.HELD_OUT)
    assert train | hidden == listed(full, "train")
    assert not train.keys() & hidden.keys()
    assert not {*train, *hidden} & listed(full, "test").keys()
    assert 0 < sum(hidden.values()) < len(hidden)  # positive and negative ones
    known = {f'mexican("{name}")' for (name,), _ in session.query("known(X)")}
    assert known == set(train)  # the fold's facts would have given the held-out ones away


def test_validation_examples_get_negatives(folder):
    session = data.prepare_selection(folder, BY_NAME["wordnet"], 0)
    labels = list(listed(session, data.HELD_OUT).values())
    assert (labels.count(1.0), labels.count(0.0)) == (10, 20)


def test_every_experiment_has_a_setting():
    assert list(SETTINGS) == [experiment.name for experiment in EXPERIMENTS]


# -- the command ----------------------------------------------------------------------------------


def test_runs_are_written_and_not_repeated(folder, tmp_path, capsys):
    words = ["yelp", "cora-sameauthor", "--data", str(folder), "--out", str(tmp_path)]
    assert command.main([*words, "--runs", "1"]) == 0
    shown = capsys.readouterr().out
    assert "[6/6]" in shown
    assert "fold 5, run 1: Yelp 1.0000" in shown
    with (tmp_path / "table.csv").open() as stream:
        table = {row["figure (ROC AUC)"]: row for row in csv.DictReader(stream)}
    assert table["Yelp"]["ours"] == "1.0000"
    assert table["Yelp"]["runs"] == "1"
    assert table["Yelp"]["paper's NeuralLog"] == "0.7652"
    assert table["Cora alone: sameauthor"]["at least the better"] == "yes"
    assert "| Yelp | 1.0000 |" in (tmp_path / "table.md").read_text()
    pytest.importorskip("matplotlib")
    assert (tmp_path / "plot.svg").read_text().lstrip().startswith("<?xml")
    before = (tmp_path / "runs.jsonl").read_text()
    assert command.main([*words, "--runs", "1"]) == 0
    assert "[1/" not in capsys.readouterr().out
    assert (tmp_path / "runs.jsonl").read_text() == before


def test_select_compares_settings(folder, capsys, monkeypatch):
    chosen = [Setting(learning_rate=0.1), Setting(learning_rate=0.3)]
    monkeypatch.setattr(command, "candidates", lambda name: chosen)
    assert command.main(["select", "cora-sameauthor", "--data", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[-1].startswith("cora-sameauthor: best: adagrad, rate ")


def test_a_missing_folder_is_an_error(tmp_path, capsys):
    assert command.main(["yelp", "--data", str(tmp_path), "--out", str(tmp_path / "o")]) == 1
    assert "--data FOLDER" in capsys.readouterr().err


def test_an_unknown_experiment_is_misuse(capsys):
    with pytest.raises(SystemExit) as end:
        command.main(["yelpp"])
    assert end.value.code == 2
    assert "unknown: yelpp; there are cora-sameauthor" in capsys.readouterr().err


# -- the table ------------------------------------------------------------------------------------


def run(number: int, fold: int, value: float) -> Run:
    return Run("yelp", fold, number, {"Yelp": value}, 0.5, 9.0, str(SETTINGS["yelp"]))


def test_deviation_is_over_runs_of_all_folds():
    places = [(number, fold) for number in (1, 2, 3) for fold in range(1, 6)]
    runs = [run(number, fold, 0.76 + 0.01 * number + 0.1 * (fold - 3)) for number, fold in places]
    runs.append(run(4, 1, 0.0))  # not all folds: it does not count
    (row,) = report.rows_of(runs)
    assert row.values == pytest.approx((0.77, 0.78, 0.79))
    assert row.deviation == pytest.approx(0.01)
    assert row.reached


def test_runs_with_another_setting_do_not_count(tmp_path):
    journal = Journal(tmp_path / "runs.jsonl")
    old = run(1, 1, 0.5)
    journal.add(old)
    changed = json.loads((tmp_path / "runs.jsonl").read_text()) | {"setting": "rate 7", "run": 2}
    with journal.file.open("a") as stream:
        stream.write(json.dumps(changed) + "\n")
    assert journal.runs() == [old]


def test_several_settings_are_compared_for_each():
    for name, setting in SETTINGS.items():
        compared = settings.candidates(name)
        assert len(compared) > 1
        assert setting in compared


# -- the real data --------------------------------------------------------------------------------


@pytest.mark.skipif(not REAL.is_dir(), reason="the paper's datasets are not beside the project")
def test_the_real_folder_has_this_layout():
    for experiment in EXPERIMENTS:
        for fold in range(1, experiment.folds + 1) if experiment.folds else (0,):
            place = data.division(REAL, experiment, fold)
            assert (place / "train.pl").is_file(), place
            assert (place / "test.pl").is_file(), place
        assert (REAL / experiment.folder / experiment.theory).is_file()
    session = data.prepare(REAL, BY_NAME["uwcse"], 3)
    assert len(listed(session, "test")) == 784
