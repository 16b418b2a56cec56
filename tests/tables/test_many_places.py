"""Tables whose facts have three and more arguments: every door gives what text would."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neurallog_kernel import NeuralLogError, Session
from tests.language.generators import examples as cases

GIFTS = pd.DataFrame(
    {
        "who": ["ann", "ann", "bob"],
        "whom": ["bob", "cid", "ann"],
        "what": ["book", "pen", "book"],
        "sure": [1.0, 0.5, 0.25],
    }
)
EXPECTED = {
    ("ann", "bob", "book"): 1.0,
    ("ann", "cid", "pen"): 0.5,
    ("bob", "ann", "book"): 0.25,
}
PATTERN = "gave(who, whom, what)"


@pytest.fixture
def session() -> Session:
    return Session()


def gifts(session: Session) -> dict:
    return session.query("gave(X, Y, Z)").weights


# -- doors ----------------------------------------------------------------------------------------


def test_a_dataframe(session: Session) -> None:
    loaded = session.load_table(GIFTS, PATTERN, weight="sure")
    assert loaded.line == "gave/3 from the table: 3 rows, 3 facts"
    assert gifts(session) == EXPECTED
    assert session.query("gave(ann, Y, pen)").weights == {("cid",): 0.5}


def test_files(session: Session, tmp_path: Path) -> None:
    GIFTS.to_csv(tmp_path / "gifts.csv", index=False)
    GIFTS.to_parquet(tmp_path / "gifts.parquet")
    lines = "\n".join(json.dumps(row) for row in GIFTS.to_dict("records"))
    (tmp_path / "gifts.jsonl").write_text(lines, encoding="utf-8")
    for suffix in ("csv", "parquet", "jsonl"):
        session.load_table(tmp_path / f"gifts.{suffix}", PATTERN, weight="sure", source="gifts")
        assert gifts(session) == EXPECTED


def test_a_database(session: Session, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "gifts.db") as database:
        GIFTS.to_sql("gifts", database, index=False)
    database.close()
    where = f"sqlite:///{tmp_path / 'gifts.db'}"
    session.load_table("SELECT * FROM gifts", PATTERN, weight="sure", database=where)
    assert gifts(session) == EXPECTED


def test_a_map_in_toml(session: Session, tmp_path: Path) -> None:
    GIFTS.to_csv(tmp_path / "gifts.csv", index=False)
    text = f'[gave]\nfile = "gifts.csv"\npattern = "{PATTERN}"\nweight = "sure"\n'
    (tmp_path / "map.toml").write_text(text, encoding="utf-8")
    (loaded,) = session.load_tables(tmp_path / "map.toml")
    assert loaded.facts == 3
    assert gifts(session) == EXPECTED


def test_all_columns_and_columns_by_position(session: Session) -> None:
    loaded = session.load_table(GIFTS.drop(columns="sure"), "gave")
    assert loaded.readings == ("read as gave(who, whom, what)",)
    again = session.load_table(
        [("ann", "bob", "book", 2020)], "lent(person, person, thing, year)", header=False
    )
    assert "columns by position" in again.readings[0]
    assert session.query("lent(ann, X, Y, 2020)").weights == {("bob", "book"): 1.0}


def test_the_predicate_is_in_a_column(session: Session) -> None:
    rows = [("gave", "ann", "bob", "book"), ("lent", "ann", "cid", "pen")]
    session.load_table(rows, "{verb}(a, b, c)", columns=("verb", "a", "b", "c"))
    assert session.query("lent(X, Y, Z)").weights == {("ann", "cid", "pen"): 1.0}
    assert session.query("gave(X, Y, Z)").weights == {("ann", "bob", "book"): 1.0}


names = st.sampled_from(["ann", "bob", "Über", "x y", "7", "2024"])
rows = st.lists(
    st.tuples(names, names, names, st.integers(1, 8).map(lambda n: n / 8)), min_size=1, max_size=12
)


@cases(60)
@given(rows)
def test_a_table_gives_what_its_text_gives(given_: list[tuple[str, str, str, float]]) -> None:
    table, text = Session(), Session()
    table.load_table(given_, "p(a, b, c)", weight="w", columns=("a", "b", "c", "w"), source="p")
    text.add("".join(f'{w}::p("{a}", "{b}", "{c}").\n' for a, b, c, w in given_), source="p")
    assert table.query("p(X, Y, Z)").weights == text.query("p(X, Y, Z)").weights
    assert sorted(table.program().splitlines()) == sorted(text.program().splitlines())


# -- numbers --------------------------------------------------------------------------------------


def test_numbers_are_names(session: Session) -> None:
    table = pd.DataFrame({"who": ["ann", "bob"], "what": ["logic", "logic"], "year": [2024, 2023]})
    loaded = session.load_table(table, "enrolled(who, what, year)")
    assert loaded.notices == ()
    session.add("enrolled(cid, logic, 2024).", source="text")
    assert session.query("enrolled(X, logic, 2024)").weights == {("ann",): 1.0, ("cid",): 1.0}


def test_fractions_may_be_meant_as_weights(session: Session) -> None:
    loaded = session.load_table(GIFTS, "gave")
    (notice,) = loaded.notices
    assert notice.kind == "number_or_name"
    assert "sure holds fractions" in notice.message and "weight='sure'" in (notice.hint or "")
    assert session.load_table(GIFTS, PATTERN, weight="sure", source="two").notices == ()


def test_a_number_among_three_is_refused(session: Session) -> None:
    with pytest.raises(NeuralLogError, match="cannot hold sure as a number") as caught:
        session.load_table(GIFTS, "gave(who, whom, sure: number)")
    assert "weight='sure'" in (caught.value.hint or "")
    assert session.sources == ()


def test_rows_without_a_value_and_duplicates_are_counted(session: Session) -> None:
    table = pd.concat([GIFTS, GIFTS[:1], GIFTS[:1].assign(what=None)])
    loaded = session.load_table(table, PATTERN, weight="sure")
    assert (loaded.facts, loaded.duplicates, loaded.skipped_rows) == (3, 1, 1)


# -- graphs and statements ------------------------------------------------------------------------

QUADS = """
<http://e/ann> <http://e/knows> <http://e/bob> <http://e/work> .
<http://e/ann> <http://e/knows> <http://e/bob> <http://e/home> .
<http://e/bob> <http://e/knows> <http://e/cid> .
<http://e/ann> <http://e/age> "31"^^<http://www.w3.org/2001/XMLSchema#integer> <http://e/home> .
"""
ABOUT = """
@prefix : <http://e/> .
:ann :works :acme {| :since 2020 ; :as :clerk |} .
:bob :works :acme .
<< :cid :works :acme >> :since 1999 .
:ann :age 31 .
"""


def test_named_graphs(session: Session, tmp_path: Path) -> None:
    pytest.importorskip("pyoxigraph")
    file = tmp_path / "people.nq"
    file.write_text(QUADS.lstrip(), encoding="utf-8")
    session.load_table(file, source="graph")
    assert session.query("knows(X, Y)").weights == {("ann", "bob"): 1.0, ("bob", "cid"): 1.0}
    assert session.query("age(ann, A)").weights == {("31",): 1.0}
    session.load_table(file, "{predicate}(subject, object, graph)", source="graph")
    assert session.query("knows(X, Y, G)").weights == {
        ("ann", "bob", "work"): 1.0,
        ("ann", "bob", "home"): 1.0,
        ("bob", "cid", "default"): 1.0,
    }
    assert session.query("age(ann, 31, home)").weights == {(): 1.0}
    session.load_table(file, "quad", source="graph")
    assert len(session.query("quad(S, P, O, G)").weights) == 4


def test_triples_about_triples(session: Session, tmp_path: Path) -> None:
    pytest.importorskip("pyoxigraph")
    file = tmp_path / "works.ttl"
    file.write_text(ABOUT, encoding="utf-8")
    session.load_table(file, source="graph")
    assert session.query("works(X, Y)").weights == {("ann", "acme"): 1.0, ("bob", "acme"): 1.0}
    assert session.query("works_since(X, acme, Y)").weights == {
        ("ann", "2020"): 1.0,
        ("cid", "1999"): 1.0,
    }
    assert session.query("works_as(ann, acme, Y)").weights == {("clerk",): 1.0}
    assert session.query("age(ann, A)").weights == {("31",): 1.0}
    session.load_table(file, "{predicate}(subject, object)", source="graph")
    assert {one.name for one in session.predicates()} == {"works/2", "age/2"}


def test_statements_with_qualifiers(session: Session, tmp_path: Path) -> None:
    file = tmp_path / "statements.txt"
    file.write_text(
        "einstein\teducated at\teth\tdegree\tbsc\tyear\t1900\ncurie\teducated at\tparis\n",
        encoding="utf-8",
    )
    loaded = session.load_table(file, format="statements")
    assert loaded.facts == 4
    assert loaded.renamed == {
        "educated at": "educated_at",
        "educated at_degree": "educated_at_degree",
        "educated at_year": "educated_at_year",
    }
    assert session.query("educated_at(X, Y)").weights == {
        ("einstein", "eth"): 1.0,
        ("curie", "paris"): 1.0,
    }
    assert session.query("educated_at_year(einstein, eth, 1900)").weights == {(): 1.0}
    file.write_text("a\tb\tc\td\n", encoding="utf-8")
    with pytest.raises(NeuralLogError, match="4 columns, expected subject, relation, object"):
        session.load_table(file, format="statements")


# -- text -----------------------------------------------------------------------------------------

TOKENS = pd.DataFrame(
    [
        ("s1", 1, "the", "det"),
        ("s1", 2, "run", "noun"),
        ("s2", 1, "dogs", "noun"),
        ("s2", 2, "run", "verb"),
        ("s2", 3, "run", "verb"),
    ],
    columns=["sentence", "position", "word", "tag"],
)


def test_text_is_a_table_of_tokens(session: Session) -> None:
    session.load_table(TOKENS, "token(sentence, position, word)")
    assert session.query("token(s2, P, run)").weights == {("2",): 1.0, ("3",): 1.0}
    session.add("has(S, W) :- token(S, _, W).", source="rule")
    assert session.query("has(s2, W)").weights == {("run",): 2.0, ("dogs",): 1.0}


def test_a_column_of_ids_makes_mega_examples(session: Session) -> None:
    loaded = session.load_table(TOKENS, "pos(word, tag)", set="train", group="sentence")
    assert loaded.examples == {"train": 5}
    found = [(one.group, one.text) for one in session.examples()]
    assert found == [
        ("s1", "pos(the, det)"),
        ("s1", "pos(run, noun)"),
        ("s2", "pos(dogs, noun)"),
        ("s2", "pos(run, verb)"),
        ("s2", "pos(run, verb)"),
    ]
    again = Session()
    again.add(session.program())
    assert [(one.group, one.text) for one in again.examples()] == found
    session.undo()
    assert list(session.examples()) == []


def test_mega_examples_in_sets_of_a_column(session: Session, tmp_path: Path) -> None:
    table = TOKENS.assign(part=["train", "train", "test", "test", "test"])
    table.to_csv(tmp_path / "tokens.csv", index=False)
    text = '[pos]\nfile = "tokens.csv"\npattern = "pos(word, tag)"\ngroup = "sentence"\n'
    (tmp_path / "map.toml").write_text(f'{text}split = "part"\n', encoding="utf-8")
    session.load_tables(tmp_path / "map.toml")
    assert session.example_sets() == {"test": 3, "train": 2}
    assert {one.set: one.group for one in session.examples()} == {"train": "s1", "test": "s2"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"negatives": 2}, "keeps rows together"),
        ({"split": (0.5, 0.5)}, "keeps rows together"),
        ({"group": "sentense"}, "no column sentense"),
        ({"group": 2.5}, "group must be text"),
    ],
)
def test_groups_that_cannot_be(session: Session, options: dict, says: str) -> None:
    with pytest.raises(NeuralLogError, match=says):
        session.load_table(TOKENS, "pos(word, tag)", **{"group": "sentence"} | options)
    assert session.sources == ()
