"""Files of other systems, and the details of formats."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from neurallog_kernel import NeuralLogError, Session

FACTS = {
    "textcat.cfacts": (
        "# words of documents\n\nhasWord\tdh\tpricy\nhasWord\tdh\tdoll\t0.5\nlabel\tpos\n"
        "label\tneg\t0.25\nhasWord\tmv\t7-seater\n",
        [
            "hasWord(dh, pricy).",
            "0.5::hasWord(dh, doll).",
            'hasWord(mv, "7-seater").',
            "label(pos).",
            "0.25::label(neg).",
        ],
    ),
    "smoking.db": (
        '// Alchemy\nFriends(Anna, Bob)  // a comment\n!Smokes(Bob)\nSmokes("Anna B.")\n'
        "Age(Anna, 30)\n",
        ['friends("Anna", "Bob").', 'smokes("Anna B.").', 'age("Anna", 30).'],
    ),
    "yelp.db": (
        "business(SQ0j7-b)\ntype(SQ0j7-b,C)\nff(SQ0j7-b,F)\nff(u1,T)\nsf(u1, T)\n",
        ['business("SQ0j7-b").', 'type("SQ0j7-b", "C").', "ff(u1).", "sf(u1)."],
    ),
    "train.txt": (
        "/m/027rn\t/location/country/form\t/m/06cx9\n00260881\t_hypernym\t00260622\n",
        [
            'location_country_form("/m/027rn", "/m/06cx9").',
            'hypernym("00260881", "00260622").',
        ],
    ),
    "people.nt": (
        "<http://e.org/ann> <http://e.org/v#knows> <http://e.org/bob> .\n"
        '<http://e.org/ann> <http://e.org/v#age> "30"^^<http://www.w3.org/2001/XMLSchema#int> .\n'
        '<http://e.org/ann> <http://e.org/v#code> "30" .\n'
        '_:b0 <http://e.org/v#name> "Ann O\'Hara"@en .\n',
        [
            "knows(ann, bob).",
            "age(ann, 30).",
            'code(ann, "30").',
            'name("_:b0", "Ann O\'Hara").',
        ],
    ),
}


@pytest.mark.parametrize("name", FACTS)
def test_facts_of(name, tmp_path):
    text, expected = FACTS[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    session = Session()
    session.load_table(tmp_path / name)
    found = [line for line in session.program().splitlines() if line and line[0] != "%"]
    found = [line.replace('"_:' + line.partition('"_:')[2].partition('"')[0], '"_:b0')
             if '"_:' in line else line for line in found]  # fmt: skip
    assert sorted(found) == sorted(expected)


EXAMPLES = {
    "fam.exam": (
        "child\tlottie\tcharlotte\tlucas\nchild\tsarah\tpoppy\n",
        {
            "child(lottie, charlotte)": 1.0,
            "child(lottie, lucas)": 1.0,
            "child(sarah, poppy)": 1.0,
        },
    ),
    "q.examples": (
        "likes(ann,Y)\t+likes(ann,tea)\t-likes(ann,mud)\t\nlikes(bob,Y)\t+likes(bob,ale)\n",
        {"likes(ann, tea)": 1.0, "likes(ann, mud)": 0.0, "likes(bob, ale)": 1.0},
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of(name, tmp_path):
    text, expected = EXAMPLES[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    session = Session()
    loaded = session.load_table(tmp_path / name, set="test")
    assert {e.text: e.weight for e in session.examples() if e.set == "test"} == expected
    assert loaded.examples == {"test": len(expected)}


def test_what_is_false_is_skipped_as_a_fact_and_kept_as_an_example(tmp_path):
    path = tmp_path / "yelp.db"
    path.write_text(FACTS["yelp.db"][0])
    session = Session()
    loaded = session.load_table(path)
    assert [str(one) for one in loaded.skipped] == [
        f"1 row stated as false (the first: {path}, row 3 (line 3))"
    ]
    session.load_table(path, set="train")
    labels = {e.text: e.weight for e in session.examples()}
    assert labels["ff(u1)"] == 1.0 and labels['ff("SQ0j7-b")'] == 0.0


def test_names_of_iris(tmp_path):
    path = tmp_path / "two.ttl"
    path.write_text(
        "@prefix a: <http://a.org/> . @prefix b: <http://b.org/> . a:x a:p b:x . a:x a:p a:y ."
    )
    session = Session()
    with pytest.raises(NeuralLogError, match="would both be called x") as caught:
        session.load_table(path)
    assert 'names="full"' in caught.value.hint
    session.load_table(path, names="full")
    answers = session.query('http_a_org_p("http://a.org/x", X)').weights
    assert answers == {("http://b.org/x",): 1.0, ("http://a.org/y",): 1.0}


def test_a_file_of_program_text_may_begin_with_a_mark(tmp_path):
    path = tmp_path / "family.pl"
    path.write_bytes("parent(ann, bob).\n".encode("utf-8-sig"))
    session = Session()
    session.load(path)
    assert session.query("parent(ann, X)").weights == {("bob",): 1.0}


def test_a_name_that_tells_no_format(tmp_path):
    path = tmp_path / "people.dat"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(NeuralLogError, match="does not tell the format") as caught:
        Session().load_table(path, "p(a, b)")
    assert "format=" in caught.value.hint and "csv" in caught.value.hint
    assert Session().load_table(path, "p(a)", format="csv").facts == 1
    with pytest.raises(NeuralLogError) as caught:
        Session().load_table(path, "p(a)", format="cvs")
    assert "did you mean csv" in caught.value.hint


def test_several_tables_in_a_database(tmp_path):
    import sqlite3
    from contextlib import closing

    path = tmp_path / "two.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE one (a); CREATE TABLE two (b)")
    with pytest.raises(NeuralLogError, match="has 2 tables") as caught:
        Session().load_table(path, "p(a)")
    assert "one, two" in caught.value.hint


def test_a_query_sees_no_python_variable(tmp_path):
    import pandas as pd

    secret = pd.DataFrame({"a": ["x"]})
    assert len(secret) == 1
    with pytest.raises(NeuralLogError, match="secret"):
        Session().load_table("SELECT a FROM secret", "p(a)")


DOORS = """
import sys
class Closed:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {closed!r}:
            raise ImportError(name)
sys.meta_path.insert(0, Closed())
import json, pathlib
from neurallog_kernel import NeuralLogError, Session
folder = pathlib.Path({folder!r})
(folder / "a.csv").write_text("a,b,w\\nann,bob,0.5\\n")
(folder / "a.tsv").write_text("a\\tb\\tw\\nann\\tbob\\t0.5\\n")
(folder / "a.jsonl").write_text('{{"a": "ann", "b": "bob", "w": 0.5}}\\n')
(folder / "a.nt").write_text("<a:a> <a:p> <a:b> .\\n")
(folder / "a.parquet").write_bytes(b"PAR1")
import pandas as pd
tables = [folder / "a.csv", folder / "a.tsv", folder / "a.jsonl",
          pd.DataFrame({{"a": ["ann"], "b": ["bob"], "w": [0.5]}}),
          [{{"a": "ann", "b": "bob", "w": 0.5}}]]
for table in tables:
    session = Session()
    session.load_table(table, "p(a, b)", weight="w")
    assert session.query("p(ann, X)").weights == {{("bob",): 0.5}}
for table, options in ((folder / "a.nt", {{}}), (folder / "a.parquet", {{}}),
                       ("SELECT 1 AS a, 2 AS b", {{}}),
                       ("t", {{"database": "postgresql://nowhere/none"}})):
    try:
        Session().load_table(table, "p(a, b)", **options)
    except NeuralLogError as error:
        print(error.message, "|", error.hint)
"""


def test_the_base_install_has_the_plain_doors_and_says_what_the_others_need(tmp_path):
    closed = {"pyarrow", "duckdb", "pyoxigraph", "sqlalchemy", "psycopg", "polars"}
    code = DOORS.format(closed=closed, folder=str(tmp_path))
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert run.returncode == 0, run.stderr
    said = run.stdout.splitlines()
    for line, package in zip(said, ("pyoxigraph", "pyarrow", "duckdb", "sqlalchemy"), strict=True):
        assert f"needs the package {package}, which is not installed" in line
        assert "neurallog[tables]" in line
