"""What is wrong with a table: the error names file, row and column, and nothing is half loaded."""

from __future__ import annotations

import gzip
import traceback

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from neurallog_kernel import NeuralLogError, Session

BEFORE = "likes(zoe, zac). age(zoe, 7)."


@pytest.fixture
def session() -> Session:
    made = Session()
    made.add(BEFORE, source="before")
    return made


def refused(session: Session, *given, **options) -> NeuralLogError:
    """The error of a load, which has changed nothing."""
    program, version, sources = session.program(), session.version, session.sources
    with pytest.raises(NeuralLogError) as caught:
        session.load_table(*given, **options)
    assert (session.program(), session.version, session.sources) == (program, version, sources)
    return caught.value


FILES = {
    "too few columns": (
        "a,b\nann,bob\nbob\ncid,dan\n",
        ("row 2 (line 3)", "column 2", "1 column", "the first row has 2"),
    ),
    "too many columns": (
        "a,b\nann,bob\nbob,cid,dan\n",
        ("row 2 (line 3)", "column 3", "3 columns", "quotes"),
    ),
    "cut in the middle of a row": ("a,b\nann,bob\nbo", ("row 2 (line 3)", "cut off")),
    "cut inside quotes": ('a,b\nann,bob\n"bob,cid\n', ("line 3", "quote", "cut off")),
    "a quote in the middle": ('a,b\nann,"bob"x\n', ("line 2",)),
    "a name of 300 characters": (
        f"a,b\nann,bob\nbob,{'x' * 300}\n",
        ("row 2 (line 3)", "column b", "300 characters", "longest=300"),
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_rows_of_csv(session, tmp_path, name):
    text, said = FILES[name]
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    error = str(refused(session, path, "likes(a, b)"))
    assert all(part in error for part in (str(path), *said)), error


def test_broken_utf_8_is_found_in_its_row_and_column(session, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_bytes(b"a,b\nann,bob\nbob,J\xfcrgen\n")
    error = refused(session, path, "likes(a, b)")
    assert f"{path}, row 2 (line 3), column b: not UTF-8 text: b'J\\xfcrgen'" in error.message
    path.write_bytes(b'{"a": "ann", "b": "b\xff"}\n')
    error = refused(session, path, "likes(a, b)", format="jsonl")
    assert "row 1 (line 1), column b: not UTF-8" in error.message


def test_text_in_a_column_of_numbers(session, tmp_path):
    path = tmp_path / "ages.csv"
    path.write_text("who,age\nann,30\nbob,31\ncid,old\n", encoding="utf-8")
    for pattern in ("age(who, age)", "age(who, age: number)", "height(who, age)"):
        error = refused(session, path, pattern)
        assert f"{path}, row 3 (line 4), column age: 'old' is not a number" in error.message
        assert "(who, age: entity)" in error.hint
    frame = pd.DataFrame({"who": ["ann", "bob"], "age": [30, "old"]}, dtype=object)
    assert "row 2, column age" in refused(session, frame, "age(who, age)").message
    session.load_table(path, "height(who, age: entity)")
    assert session.query("height(cid, H)").weights == {("old",): 1.0}


def test_text_in_a_column_of_weights_or_labels(session, tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("a,b,w\nann,bob,0.5\nbob,cid,much\n", encoding="utf-8")
    error = refused(session, path, "likes(a, b)", weight="w")
    assert f"{path}, row 2 (line 3), column w: 'much' is not a weight" in error.message
    error = refused(session, path, "likes(a, b)", label="w")
    assert "'much' is not a label" in error.message
    rows = [("ann", "bob", 1.0), ("bob", "cid", float("inf"))]
    error = refused(session, rows, "likes(a, b)", weight="w", columns=("a", "b", "w"))
    assert "row 2, column w: inf is not a weight" in error.message
    error = refused(session, [("ann", float("inf")), ("bob", 1.0)], "age(a, b)")
    assert "row 1, column 2: an infinite number" in error.message


MISSING = {
    "NaN": [("ann", 1.0), ("bob", float("nan"))],
    "None": [("ann", 1.0), ("bob", None)],
    "pandas": pd.DataFrame([("ann", 1.0), ("bob", np.nan)]),
    "pandas NA": pd.DataFrame([("ann", 1), ("bob", pd.NA)]).convert_dtypes(),
    "arrow": pa.table({"a": ["ann", "bob"], "b": [1, None]}),
    "empty string": [("ann", 1.0), ("", 2.0)],
}


@pytest.mark.parametrize("name", MISSING)
def test_missing_values_are_skipped_by_rule(session, name):
    loaded = session.load_table(MISSING[name], "size(who, n)", missing="skip")
    assert (loaded.rows, loaded.facts, loaded.skipped_rows) == (2, 1, 1)
    assert "row 2" in loaded.skipped[0].first
    assert session.query("size(X, N)").weights == {("ann", "1"): 1.0}
    error = refused(session, MISSING[name], "size(who, n)", missing="error", source="again")
    assert "row 2, column" in error.message


def test_missing_values_of_text_files(session, tmp_path):
    path = tmp_path / "ages.csv"
    path.write_text("who,age,w\nann,30,1\nbob,,1\n,5,1\ncid,NaN,1\ndan,40,\neve,?,1\n", "utf-8")
    loaded = session.load_table(path, "size(who, age)", weight="w", na=["?"])
    assert (loaded.rows, loaded.facts) == (6, 1)
    reasons = {one.reason: (one.rows, one.first) for one in loaded.skipped}
    assert reasons == {
        "without a value in who": (1, f"{path}, row 3 (line 4)"),
        "without a value in age": (3, f"{path}, row 2 (line 3)"),
        "without a value in w": (1, f"{path}, row 5 (line 6)"),
    }
    assert "row 2 (line 3), column age" in str(
        refused(session, path, "size(who, age)", missing="error", source="again")
    )


def test_files_that_are_cut_or_something_else(session, tmp_path):
    whole = tmp_path / "whole.parquet"
    pq.write_table(pa.table({"a": ["ann"] * 1000, "b": ["bob"] * 1000}), whole)
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(whole.read_bytes()[:-100])
    assert f"{cut}: not a whole Parquet file" in refused(session, cut, "likes(a, b)").message
    packed = tmp_path / "cut.csv.gz"
    packed.write_bytes(gzip.compress(b"a,b\n" + b"ann,bob\n" * 5000)[:-20])
    assert f"{packed}: the file is cut off" in refused(session, packed, "likes(a, b)").message
    lines = tmp_path / "cut.jsonl"
    lines.write_text('{"a": "ann", "b": "bob"}\n{"a": "bo', encoding="utf-8")
    assert f"{lines}, line 2, character 7: not JSON" in refused(session, lines, "l(a, b)").message
    triples = tmp_path / "cut.nt"
    triples.write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n<http://e.org/a> <ht")
    assert f"{triples}, row 2 (line 2), column 18: not RDF" in refused(session, triples).message
    atoms = tmp_path / "cut.db"
    atoms.write_text("Likes(Ann, Bob)\nLikes(Ann, ", encoding="utf-8")
    assert f"{atoms}, row 2 (line 2): found 'Likes(Ann,'" in refused(session, atoms).message
    for name in ("none.csv", "none.parquet", "none.jsonl", "none.nt", "none.sqlite", "none.cfacts"):
        assert "No such file" in refused(session, tmp_path / name, "likes(a, b)").message
    assert "is empty" in refused(session, [], "likes(a, b)").message
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    assert f"{empty} is empty" in refused(session, empty, "likes(a, b)").message


def test_nested_values(session, tmp_path):
    path = tmp_path / "nested.jsonl"
    path.write_text('{"a": "ann", "b": "x"}\n{"a": "bob", "b": ["x"]}\n', encoding="utf-8")
    assert "row 2 (line 2), column b: a nested value" in refused(session, path, "l(a, b)").message
    frame = pd.DataFrame({"a": ["ann"], "b": [["x", "y"]]})
    assert "column b" in refused(session, frame, "l(a, b)").message


def test_a_row_that_contradicts_the_program(session):
    error = refused(session, [("ann", "young")], "age(who, age: entity)")
    assert "place 2 of age/2 holds an entity here and a number at before:1" in error.message
    session.add("old(X) :- likes(X, Y), likes(Y, Z).", source="rules")
    error = refused(session, [(1, 2), (2, 3)], "likes(a, b: number)")
    assert "place 2 of likes/2 holds a number here" in error.message


def test_quotes_in_tsv_mean_nothing(session, tmp_path):
    path = tmp_path / "q.tsv"
    path.write_text('a\tb\nann\tthe "best"\nbob\t"open\n', encoding="utf-8")
    session.load_table(path, "says(a, b)")
    assert session.query("says(bob, X)").weights == {('"open',): 1.0}


def test_an_interrupt_leaves_nothing(session):
    def rows():
        yield ("ann", "bob")
        raise KeyboardInterrupt

    program, version = session.program(), session.version
    with pytest.raises(KeyboardInterrupt):
        session.load_table(rows(), "likes(a, b)")
    assert (session.program(), session.version) == (program, version)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql:ann:hunter2@host",
        "postgresql//ann:hunter2@host/db",
        "ann:hunter2@host/db",
        "host=h password=hunter2",
    ],
)
def test_a_password_in_what_was_meant_as_an_address(session, address):
    """It was taken as the name of a file, which the error repeated."""
    error = refused(session, "SELECT 1 AS a", "p(a)", database=address)
    assert "No such file" in error.message
    assert "hunter2" not in "".join(traceback.format_exception(error)) + error.hint


@pytest.mark.parametrize(
    "place", ["https://ann:hunter2@host/t.parquet", "az://b/t.csv?hunter2", "s3:a:hunter2@b/t.csv"]
)
def test_a_password_in_the_place_of_a_file_elsewhere(session, place):
    error = refused(session, place, "p(a)")
    assert "no file of this computer" in error.message and "copy the file" in error.hint
    assert "hunter2" not in "".join(traceback.format_exception(error))
