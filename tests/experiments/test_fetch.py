"""The published files of the datasets, in small: each as its publisher writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments import __main__ as command
from experiments.fetch import AREAS, SOURCES, fetch
from neurallog_kernel import NeuralLogError, Session


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def published(tmp_path) -> Path:
    folder = tmp_path / "published"
    write(folder, "cora/raw/cora-core.cfacts", "author\tc1\tauthor_blum_\nauthor\tc2\tauthor_a_\n")
    write(folder, "cora/raw/cora-keywords.cfacts", "kaw\tword_a\n")
    asked = "samebib(c1,B)\t+samebib(c1,c1)\t-samebib(c1,c2)\t\n"
    write(folder, "cora/inputs/train.examples", asked)
    write(folder, "cora/inputs/test.examples", "samebib(c2,B)\t+samebib(c2,c2)\n")
    triples = "".join(f"0{i}\t_part_of\t0{i + 1}\n" for i in range(8))
    write(folder, "wordnet-mlj12-train.txt", triples)
    write(folder, "wordnet-mlj12-valid.txt", "00\t_part_of\t03\n")
    write(folder, "wordnet-mlj12-test.txt", "01\t_part_of\t05\n")
    for place, area in enumerate(AREAS):
        write(folder, f"uw-cse/{area}.db", AREA.format(one=2 * place, two=2 * place + 1))
    kinds = "".join(
        f"business(B-{i})\ntype(B-{i},{'M' if i % 2 else 'C'})\nff(B-{i},T)\nsf(B-{i},F)\n"
        for i in range(10)
    )
    write(folder, "datasets/yelp_mc.db", f"{kinds}user(u1)\nreviewed(u1,B-1)\n")
    users = "".join(
        f"user(u{i})\ntime(u{i},{i})\ngender(u{i},{'male' if i % 2 else 'female'})\n"
        for i in range(10)
    )
    write(folder, "KDD15_123.db", f"{users}item(I1)\nc1(A1)\nic1(I1,A1)\nviewed(u1,I1)\n")
    return folder


AREA = """\
// an area
professor(Person{one})
student(Person{two})
taughtBy(Course{one}, Person{one}, Autumn_0001)
advisedBy(Person{two}, Person{one})
tempAdvisedBy(Person{two}, Person{one})
"""


def test_every_dataset_becomes_text_that_a_session_reads(published, tmp_path):
    said = fetch(published, tmp_path / "out", list(SOURCES))
    assert len(said) == len(SOURCES) and not any("missing" in line for line in said)
    for name in SOURCES:
        folder = tmp_path / "out" / name
        session = Session()
        for path in (folder / "config.pl", folder / "facts.pl"):
            session.load(path)
        parts = folder / "fold1" if (folder / "fold1").exists() else folder
        for part in ("train", "test"):
            session.load(parts / f"{part}.pl", set=part)
        sets = [example.set for example in session.examples()]
        assert "train" in sets and "test" in sets


def read(folder: Path, name: str) -> list[str]:
    return (folder / name).read_text(encoding="utf-8").splitlines()


def test_what_each_file_becomes(published, tmp_path):
    out = tmp_path / "out"
    fetch(published, out, list(SOURCES))
    assert "authorinverse(author_blum_, c1)." in read(out, "cora/facts.pl")
    assert read(out, "cora/train.pl") == ["samebib(c1, c1).", "0.0::samebib(c1, c2)."]
    facts, train = read(out, "wordnet/facts.pl"), read(out, "wordnet/train.pl")
    assert len(facts) == 6 and sum(line.startswith("i_part_of(") for line in train) == 2
    uwcse = read(out, "uwcse/facts.pl")
    assert "taughtby2(course0_autumn_0001, person0)." in uwcse
    assert "hasseason(course0_autumn_0001, autumn_0001)." in uwcse
    assert not any("advisedby" in line for line in uwcse)
    assert read(out, "uwcse/fold2/test.pl")[0] == "advisedby(person3, person2)."
    assert len(read(out, "uwcse/fold2/test.pl")) == 4
    assert 'ff("B-3").' in read(out, "yelp/facts.pl")
    assert not any(line.startswith("sf") for line in read(out, "yelp/facts.pl"))
    tests = [line for fold in range(1, 6) for line in read(out, f"yelp/fold{fold}/test.pl")]
    assert len(tests) == len(set(tests)) == 10
    assert all(len(read(out, f"yelp/fold{fold}/test.pl")) == 2 for fold in range(1, 6))
    assert "category1(a1)." in read(out, "pakdd15/facts.pl")
    known = read(out, "pakdd15/fold1/facts.pl")
    hidden = [line.partition("(")[2] for line in read(out, "pakdd15/fold1/test.pl")]
    assert len(known) == 8 and not any(line.partition("(")[2] in hidden for line in known)


def test_what_is_missing_is_said_with_who_publishes_it(published, tmp_path, capsys):
    (published / "uw-cse" / "systems.db").unlink()
    words = ["fetch", "uwcse", "--from", str(published), "--out", str(tmp_path / "out")]
    assert command.main(words) == 1  # nothing was converted
    said = capsys.readouterr().out
    assert "uwcse: missing systems.db; published by Alchemy" in said
    assert "theory.pl" not in said
    assert not (tmp_path / "out" / "uwcse").exists()


def test_a_damaged_file_is_named_and_nothing_is_written(published, tmp_path, capsys):
    write(published, "datasets/yelp_mc.db", "<html>not found</html>\n")
    words = ["fetch", "yelp", "--from", str(published), "--out", str(tmp_path / "out")]
    assert command.main(words) == 1
    assert "yelp_mc.db: '<html>not found</html>' is no atom" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    with pytest.raises(NeuralLogError, match="no folder"):
        fetch(tmp_path / "nowhere", tmp_path, ["yelp"])


def test_an_unknown_dataset_is_told(published, capsys):
    with pytest.raises(SystemExit):
        command.main(["fetch", "uwces", "--from", str(published)])
    said = capsys.readouterr().err
    assert "there is no dataset uwces; there are cora, wordnet, uwcse, yelp, pakdd15" in said
