"""Tables on the command line: `-i`, `--map`, and files that name their predicates."""

from __future__ import annotations

import pytest

from neurallog_kernel.cli import main

RULES = "near(X, Z) :- friends(X, Y), friends(Y, Z).\n?- near(ann, X).\n"
PEOPLE = "a,b,w\nann,bob,0.5\nbob,Cid,1\nbob,,1\n"
MAP = '[friends]\nfile = "people.csv"\npattern = "friends(a, b)"\nweight = "w"\n'


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.pl").write_text(RULES)
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "map.toml").write_text(MAP)
    (tmp_path / "base.cfacts").write_text("friends\tann\tbob\nfriends\tbob\tCid\t0.5\n")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["run", "rules.pl", "-i", "friends(a, b)=people.csv", "--weight", "w"],
        ["run", "rules.pl", "--map", "map.toml"],
        ["run", "rules.pl", "-i", "friends=people.csv", "--map", "map.toml"],
        ["run", "rules.pl", "-i", "friends(a, b)=SELECT a, b, w AS weight FROM 'people.csv'"],
        ["run", "base.cfacts", "rules.pl"],
        ["query", "rules.pl", "--map", "map.toml", "near(ann, X)"],
    ],
    ids=" ".join,
)
def test_tables_come_in(words, capsys):
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert out.split()[-2:] == ["Cid", "0.5"]
    if words[0] == "run" and "people.csv" in " ".join(words):
        assert "1 row without a value in b" in err


def test_a_load_without_a_question_says_what_it_did(capsys):
    assert main(["run", "--map", "map.toml"]) == 0
    assert capsys.readouterr().out == "friends/2 from people.csv: 3 rows, 2 facts, 1 skipped\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "-i", "friends(a, b)=none.csv"], "none.csv: No such file"),
        (["run", "people.csv"], "which facts are the rows of people.csv?"),
        (["run"], "there is nothing to load"),
        (["run", "-i", "Friends(a, b)=people.csv"], "Friends cannot name a predicate"),
        (["query", "--map", "none.toml", "p(X)"], "none.toml: No such file"),
        (["query", "theory.pl"], "query needs more than the file theory.pl"),
        (["explain", "model.nlz"], 'as in neurallog explain model.nlz "'),
        (["query", "people.csv"], "query needs more than the file people.csv"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_mistakes(words, said, capsys):
    assert main(words) == 1
    out, err = capsys.readouterr()
    assert (out, said in err) == ("", True), err
