"""Results leave as tables, and come back from every format as they were."""

from __future__ import annotations

import csv
import json
import os
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurallog_kernel import NeuralLogError, ParameterError, Session
from neurallog_kernel.answers import Answers
from neurallog_kernel.learning.figures.evaluation import Metrics, TargetMetrics
from neurallog_kernel.learning.history import History
from neurallog_kernel.tabular import Tabular

PROGRAM = """
parent(ann, bob). 0.5::parent(bob, cid). 0.1::parent(bob, 'O''Neil, "Al"').
grandparent(X, Z) :- parent(X, Y), parent(Y, Z).
"""
NASTY = [
    "=1+1",
    "+x",
    "-2",
    "@cmd",
    "a,b",
    'say "hi"',
    "two\nlines",
    "cr\rlf\r\n",
    "\rcr",
    "tab\there",
    "Ω",
]


@pytest.fixture
def session() -> Session:
    made = Session()
    made.add(PROGRAM.replace("''", "\\'"), source="family")
    return made


def results(session: Session) -> list[Tabular]:
    """One of each kind of result."""
    history = History({"loss": [0.5, 0.25], "val_loss": [float("nan"), 1 / 3]})
    before = session.version
    session.add("0.75::parent(bob, cid).", source="more")
    assert session.version > before
    return [
        session.query("grandparent(X, Y)"),
        session.query("parent(ann, bob)"),
        session.explain("grandparent(ann, cid)"),
        session.sensitivity("grandparent(ann, cid)"),
        session.diff(),
        session.check(),
        history,
        Metrics([TargetMetrics("p/2", 4, 2, {"roc_auc": 1 / 3})]),
    ]


def flat(result: Tabular) -> list[dict]:
    frame = result.to_pandas()
    frame = frame.reset_index() if frame.index.name else frame
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def test_every_kind_of_result_goes_through_every_door(session: Session, tmp_path: Path) -> None:
    for place, result in enumerate(results(session)):
        expected = flat(result)
        columns = list(expected[0]) if expected else None
        file = tmp_path / f"{place}"
        result.to_csv(f"{file}.csv")
        result.to_parquet(f"{file}.parquet")
        result.to_json(f"{file}.json")
        result.save_table(f"{file}.jsonl")
        from_parquet = pd.read_parquet(f"{file}.parquet")
        rows = from_parquet.astype(object).where(from_parquet.notna(), None).to_dict("records")
        assert rows == expected
        assert json.loads(Path(f"{file}.json").read_text("utf-8")) == expected
        lines = Path(f"{file}.jsonl").read_text("utf-8").splitlines()
        assert [json.loads(line) for line in lines] == expected
        found = result.to_polars()
        assert found.fill_nan(None).to_dicts() == expected
        if columns:
            with open(f"{file}.csv", encoding="utf-8", newline="") as stream:
                (head, *body) = list(csv.reader(stream))
            assert head == columns
            assert body == [["" if v is None else str(v) for v in row.values()] for row in expected]
    assert not list(tmp_path.glob(".*"))


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
        | st.sampled_from(NASTY),
        min_size=1,
        max_size=6,
        unique=True,
    ),
    st.floats(allow_nan=False, allow_infinity=False),
)
def test_names_and_numbers_survive(tmp_path_factory, names: list[str], weight: float) -> None:
    folder = tmp_path_factory.mktemp("survive")
    answers = Answers("p(X)", ["X"], [names], pd.Series([weight] * len(names)).to_numpy())
    expected = {(name,): weight for name in names}
    for suffix in ("csv", "tsv"):
        answers.save_table(folder / f"t.{suffix}")
        with open(folder / f"t.{suffix}", encoding="utf-8", newline="") as stream:
            (_, *rows) = csv.reader(stream, delimiter="\t" if suffix == "tsv" else ",")
        assert {(name,): float(number) for name, number in rows} == expected
    answers.to_json(folder / "t.json")
    read = json.loads((folder / "t.json").read_text("utf-8"))
    assert {(row["X"],): row["weight"] for row in read} == expected
    answers.to_parquet(folder / "t.parquet")
    read = pl.read_parquet(folder / "t.parquet").rows()
    assert {(name,): number for name, number in read} == expected


def test_what_is_no_number_is_null_in_json(tmp_path: Path) -> None:
    history = History({"loss": [float("nan"), float("inf"), 1.0]})
    history.to_json(tmp_path / "h.json")
    rows = json.loads((tmp_path / "h.json").read_text("utf-8"))
    assert [row["loss"] for row in rows] == [None, None, 1.0]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(session, tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text("as it was", encoding="utf-8")
    half = Answers("p(X)", ["X"], [["whole", "half \ud800"]], pd.Series([1.0, 2.0]).to_numpy())
    for write in (half.to_csv, half.to_json, half.to_parquet):
        with pytest.raises(NeuralLogError, match="half a character"):
            write(file)
    assert os.listdir(tmp_path) == ["answers.csv"]
    assert file.read_text(encoding="utf-8") == "as it was"
    with pytest.raises(NeuralLogError, match="No such file or directory"):
        session.query("parent(X, Y)").to_csv(tmp_path / "nowhere" / "a.csv")
    with pytest.raises(NeuralLogError, match="Is a directory"):
        session.query("parent(X, Y)").to_csv(tmp_path)


def test_links_stay_and_pipes_are_written_to(session, tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old", encoding="utf-8")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    session.query("parent(ann, X)").to_csv(tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text("utf-8") == "X,weight\nbob,1.0\n"
    session.query("parent(ann, X)").to_csv("/dev/null")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize(
    ("name", "said"),
    [("t.cvs", "did you mean .csv?"), ("t", "a format is missing"), ("t.xlsx", ".parquet, .json")],
)
def test_the_suffix_says_the_format(session, tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(NeuralLogError) as caught:
        session.query("parent(X, Y)").save_table(tmp_path / name)
    assert said in str(caught.value)
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("package", ["polars", "pyarrow"])
def test_what_to_install_is_said(session, tmp_path: Path, monkeypatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    answers = session.query("parent(X, Y)")
    with pytest.raises(NeuralLogError, match=r"neurallog\[tables\]"):
        answers.to_polars() if package == "polars" else answers.to_parquet(tmp_path / "t.parquet")
    assert not os.listdir(tmp_path)


RUN = ["=1+1", "+x", "-x", "@SUM(A1)", "\t=1", "\r=1", "-1-1", "=HYPERLINK(1)"]
NOT_RUN = ["ann", "-0.5", "+3", "-1e-3", "a=b", "'quoted", " =1"]


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_no_name_is_run_by_a_spreadsheet_if_asked(tmp_path: Path, suffix: str) -> None:
    names = RUN + NOT_RUN
    weights = pd.Series([-1.5] * len(names)).to_numpy()
    Answers("p(X)", ["=X"], [names], weights).save_table(tmp_path / f"t.{suffix}", True)
    with open(tmp_path / f"t.{suffix}", encoding="utf-8", newline="") as stream:
        (head, *rows) = csv.reader(stream, delimiter="\t" if suffix == "tsv" else ",")
    assert head == ["'=X", "weight"]
    assert dict(rows) == {f"'{n}": "-1.5" for n in RUN} | dict.fromkeys(NOT_RUN, "-1.5")


def test_every_result_can_be_written_for_a_spreadsheet(session: Session, tmp_path: Path) -> None:
    for place, result in enumerate(results(session)):
        result.save_table(tmp_path / f"{place}.csv", spreadsheet_safe=True)
        result.to_csv(tmp_path / f"{place}.plain.csv")
        for name in (f"{place}.csv", f"{place}.plain.csv"):
            pd.read_csv(tmp_path / name)
        plain = (tmp_path / f"{place}.plain.csv").read_text("utf-8")
        safe = (tmp_path / f"{place}.csv").read_text("utf-8")
        assert safe.replace("'", "") == plain.replace("'", "")


def test_only_text_can_be_safe_for_a_spreadsheet(session: Session, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="spreadsheet_safe"):
        session.query("parent(X, Y)").save_table(tmp_path / "t.json", spreadsheet_safe=True)
    assert not list(tmp_path.iterdir())
