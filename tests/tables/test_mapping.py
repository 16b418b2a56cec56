"""Patterns, kinds, keys and map files: what the columns of a table mean, and what is said of it."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from neurallog_kernel import NeuralLogError, Session, TableMap
from neurallog_kernel.tables import reading
from neurallog_kernel.tables.pattern import parse_patterns
from neurallog_kernel.tables.readers import arrow

FRIENDS = pd.DataFrame({"person": ["ann", "Bob"], "other": ["cid", "ann"], "w": [0.5, 1.0]})
PEOPLE = pd.DataFrame(
    {"id": [1, 2], "age": [30.5, 41], "city": ["Paris", "Rome"], "Is Member": [True, False]}
)


@pytest.fixture
def session() -> Session:
    return Session()


def lines(session: Session) -> list[str]:
    return [line for line in session.program().splitlines() if line and line[0] != "%"]


def refused(session: Session, *given, **options) -> NeuralLogError:
    with pytest.raises(NeuralLogError) as caught:
        session.load_table(*given, **options)
    assert session.sources == ()
    return caught.value


# -- columns --------------------------------------------------------------------------------------


def test_a_pattern_names_columns(session):
    session.load_table(FRIENDS, "friends(other, person)", weight="w")
    assert lines(session) == ["0.5::friends(cid, ann).", 'friends(ann, "Bob").']


def test_names_that_are_no_columns_stand_for_their_order(session):
    """`friends(person, person)` names the types, as a signature does."""
    frame = FRIENDS.rename(columns={"person": "src", "other": "dst"})
    loaded = session.load_table(frame, "friends(person, person)", weight="w")
    assert lines(session) == ["0.5::friends(ann, cid).", 'friends("Bob", ann).']
    assert "read as friends(src, dst), columns by position" in str(loaded)


def test_one_type_twice_is_never_a_number(session):
    session.load_table([(1, 2), (1, 3)], "friends(person, person)")
    assert session.query('friends("1", X)').weights == {("2",): 1.0, ("3",): 1.0}


@pytest.mark.parametrize(
    ("pattern", "options", "message", "hint"),
    [
        ("friends(person, othr)", {}, "no column othr", "did you mean other?"),
        ("friends(a, b)", {}, "3 columns for 2 places", "person, other, w"),
        ("friends(person, person)", {}, "names the column person twice", "person, other, w"),
        ("friends(person, other)", {"weight": "v"}, "no column v", "person, other, w"),
        ("Friends(person, other)", {}, "Friends cannot name a predicate", "write friends"),
        ("friends(person, other", {}, "cannot be read", "friends(person, other)"),
        ("friends(person,)", {}, "not a list of columns", ""),
        ("friends(person, other: numbr)", {}, "not numbr", "did you mean number?"),
        (None, {}, "which facts are the rows", "friends(person, other)"),
        ("friends(person, other)", {"mising": "skip"}, "no option mising", "did you mean missing"),
        ("friends(person, other)", {"missing": "drop"}, "not 'drop'", ""),
        ("friends(person, other)", {"split": (0.5, 0.2)}, "add up to 1", "(0.8, 0.1, 0.1)"),
    ],
)
def test_mistakes_say_what_to_write(session, pattern, options, message, hint):
    error = refused(session, FRIENDS, pattern, **options)
    assert message in error.message and hint in error.hint


def test_a_bare_predicate_means_all_columns(session):
    frame = FRIENDS.rename(columns={"w": "weight"})
    session.load_table(frame, "friends")
    assert lines(session) == ["0.5::friends(ann, cid).", 'friends("Bob", ann).']
    session.load_table(["ann", "bob"], "person")
    assert session.query("person(X)").weights == {("ann",): 1.0, ("bob",): 1.0}


def test_quoted_columns_and_two_of_one_name(session):
    frame = pd.DataFrame([("ann", "bob")], columns=["a (b)", "x"])
    session.load_table(frame, 'p("a (b)", x)')
    assert lines(session) == ["p(ann, bob)."]
    assert [str(p) for p in parse_patterns('p("a (b)", x)')] == ['p("a (b)", x)']


def test_several_facts_of_a_row(session):
    loaded = session.load_table(PEOPLE, ["age(id, age)", "lives(id, city)", "person(id)"])
    assert lines(session) == [
        'age("1", 30.5).',
        'age("2", 41).',
        'lives("1", "Paris").',
        'lives("2", "Rome").',
        'person("1").',
        'person("2").',
    ]
    assert (loaded.rows, loaded.facts) == (2, 6)
    assert loaded.source == "age/2, lives/2, person/1 from the table"


def test_a_key_makes_a_predicate_of_every_other_column(session):
    session.load_table(PEOPLE, key="id")
    assert lines(session) == [
        'age("1", 30.5).',
        'age("2", 41).',
        'city("1", "Paris").',
        'city("2", "Rome").',
        'is_Member("1", true).',
        'is_Member("2", false).',
    ]


def test_the_relation_in_a_column(session):
    rows = [("a", "/born/in", "b"), ("b", "_near", "c")]
    loaded = session.load_table(rows, "{r}(h, t)", columns=("h", "r", "t"))
    assert lines(session) == ["born_in(a, b).", "near(b, c)."]
    assert loaded.renamed == {"/born/in": "born_in", "_near": "near"}
    other = Session()
    error = refused(other, [("a", "_near", "b"), ("a", "near", "b")], "{r}(h, t)",
                    columns=("h", "r", "t"))  # fmt: skip
    assert "_near and near would both be the predicate near" in error.message


def test_a_column_of_entities_in_place_of_the_predicates(session, monkeypatch):
    """As it was before, nothing of it is there; the bound is a million."""
    monkeypatch.setattr(reading, "MOST_PREDICATES", 3)
    rows = [(f"k{n}", f"e{n % 2}") for n in range(5)]
    error = refused(session, rows, "{kind}(who)", columns=("kind", "who"))
    assert error.kind == "bound"
    assert error.message.endswith("the column kind names more than 3 predicates")
    assert "brackets of the pattern" in error.hint
    assert session.program() == ""
    session.load_table(rows[:3], "{kind}(who)", columns=("kind", "who"))


def test_too_many_predicates_are_refused_before_the_first_is_made(session, tmp_path, monkeypatch):
    """A file is read in parts: those of the first parts were made, which took minutes."""
    path = tmp_path / "facts.parquet"
    rows = {"kind": [f"k{n}" for n in range(9)], "who": ["e"] * 9}
    pq.write_table(pa.table(rows), path)
    monkeypatch.setattr(arrow, "BATCH", 2)
    monkeypatch.setattr(reading, "MOST_PREDICATES", 7)
    made = []
    monkeypatch.setattr(reading, "predicate_name", lambda text: made.append(text) or text)
    error = refused(session, path, "{kind}(who)")
    assert error.message == f"{path}: the column kind names more than 7 predicates"
    assert made == [] and session.program() == ""
    monkeypatch.setattr(reading, "MOST_PREDICATES", 9)
    assert session.load_table(path, "{kind}(who)").facts == 9
    assert made == rows["kind"] and session.query("k8(X)").weights == {("e",): 1.0}


class Counted(str):
    """A name that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_many_predicates_are_not_compared_in_pairs(session, monkeypatch):
    """Each was compared with all before it: 60,000 took a minute."""
    monkeypatch.setattr(reading, "predicate_name", Counted)
    rows = [(f"k{n}", "e") for n in range(1000)]
    session.load_table(rows, "{kind}(who)", columns=("kind", "who"))
    assert Counted.compared < 100 * len(rows)


# -- names and numbers ----------------------------------------------------------------------------


def test_identifiers_that_are_numbers(session):
    """Edges between numbered nodes are not attributes, and the load says so."""
    edges = [(1, 2), (1, 3), (2, 3)]
    error = refused(session, edges, "edge(a, b)", columns=("a", "b"))
    assert "1 has several numbers (2 and 3)" in error.message
    assert "edge(a, b: entity)" in error.hint and "edge(a, b: number)" in error.hint
    session.load_table(edges, "edge(a, b: entity)", columns=("a", "b"))
    assert session.query('edge("1", X)').weights == {("2",): 1.0, ("3",): 1.0}


def test_whole_numbers_on_both_sides_are_remarked(session):
    loaded = session.load_table([(1, 2), (2, 3)], "edge(a, b)")
    assert [notice.kind for notice in loaded.notices] == ["number_or_name"]
    assert "edge(1, 2: entity)" in loaded.notices[0].hint
    loaded = session.load_table([("ann", 2), ("bob", 3)], "age(a, b)")
    assert loaded.notices == ()


def test_what_the_program_knows_decides(session):
    session.add('next("1", "2").', source="known")
    session.load_table([("7", 8), ("8", 9)], "next(a, b)")
    assert session.query('next("7", X)').weights == {("8",): 1.0}


@pytest.mark.parametrize("value", [7, 7.0, "7"])
def test_one_name_for_a_number(session, value):
    session.load_table([(value,)], "p(x)")
    assert session.query("p(X)").weights == {("7",): 1.0}


def test_large_identifiers_are_kept(session):
    session.load_table(pd.DataFrame({"id": [2**63 - 1, 2**53 + 1]}), "p(id)")
    assert set(session.query("p(X)").weights) == {(str(2**63 - 1),), (str(2**53 + 1),)}


# -- what a load says -----------------------------------------------------------------------------


def test_the_report(session):
    rows = [("a", "b", 1.0), ("a", "b", 1.0), ("a", "b", 0.5), ("b", None, 1.0)]
    loaded = session.load_table(rows, "p(x, y)", weight="w", columns=("x", "y", "w"))
    assert str(loaded) == (
        "p/2 from the table: 4 rows, 1 fact, 2 duplicates, 1 skipped\n"
        "  1 row without a value in y (the first: the table, row 4)\n"
        "  2 rows say the same with another weight; the last counts"
    )
    assert session.query("p(a, X)").weights == {("b",): 0.5}
    loaded = session.load_table(rows[:1], "p(x, y)", columns=("x", "y", "w"), weight=0.25)
    assert loaded.replaced == 1
    assert session.query("p(a, X)").weights == {("b",): 0.25}


def test_loading_again_replaces_and_undo_takes_back(session):
    session.load_table([("a", "b"), ("b", "c")], "p(x, y)", source="mine")
    session.load_table([("a", "d")], "p(x, y)", source="mine")
    session.load_table([("e", "f")], "p(x, y)", source="other")
    assert lines(session) == ["p(a, d).", "p(e, f)."]
    session.undo()
    session.undo()
    assert lines(session) == ["p(a, b).", "p(b, c)."]
    session.remove("mine")
    assert lines(session) == []


def test_progress_is_told(session):
    told = []
    rows = [(f"a{n}", "b") for n in range(250_000)]
    session.load_table(rows, "p(x, y)", progress=told.append)
    assert [(p.rows, p.total) for p in told] == [
        (100_000, 250_000),
        (200_000, 250_000),
        (250_000, 250_000),
    ]


def test_a_header_that_is_data(session, tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("ann,bob\nbob,ann\nann,cid\n", encoding="utf-8")
    error = refused(session, path, "friends(person, person)")
    assert "the first row (ann, bob) was taken as the names" in error.message
    assert "header=False" in error.hint
    session.load_table(path, "friends(person, person)", header=False)
    assert len(session.query("friends(X, Y)")) == 3


def test_delimiters_are_found(session, tmp_path):
    path = tmp_path / "semi.csv"
    path.write_text('\ufeffa;b\n"x;y";z\n', encoding="utf-8")
    session.load_table(path, "p(a, b)")
    assert lines(session) == ['p("x;y", z).']


# -- maps -----------------------------------------------------------------------------------------


def test_a_map_is_used_again(session, tmp_path):
    FRIENDS.to_csv(tmp_path / "friends.csv", index=False)
    path = tmp_path / "tables.toml"
    path.write_text(
        '[friends]\nfile = "friends.csv"\npattern = "friends(person, other)"\nweight = "w"\n'
        '[person]\nfile = "friends.csv"\npattern = "person(person)"\n'
    )
    loaded = session.load_tables(path)
    assert [one.facts for one in loaded] == [2, 2]
    assert 'person("Bob").' in lines(session)
    mapping = TableMap("friends(person, other)", weight="w")
    assert Session().load_table(FRIENDS, mapping).facts == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[friends]\npatern = "p(a)"', "section friends: there is no option patern"),
        ('[friends]\npattern = "P(a)"', "section friends: P cannot name a predicate"),
        ('pattern = "p(a)"', "stands outside of a section"),
        ("[friends\n", "is not a map"),
        ("", "describes no table"),
        ('[a]\nfile = "none.csv"', "none.csv: No such file"),
    ],
)
def test_mistakes_in_a_map(session, tmp_path, text, message):
    path = tmp_path / "tables.toml"
    path.write_text(text)
    with pytest.raises(NeuralLogError) as caught:
        session.load_tables(path)
    assert message in str(caught.value)


def test_all_tables_of_a_map_or_none(session, tmp_path):
    session.add("mine(ann).", source="mine")
    session.add("a(bob).", source="other")
    FRIENDS.to_csv(tmp_path / "friends.csv", index=False)
    good = "".join(f'[t{i}]\nfile = "friends.csv"\npattern = "t{i}(person)"\n' for i in range(60))
    path = tmp_path / "tables.toml"
    path.write_text(good + '[b]\nfile = "none.csv"\n')
    before = session.program()
    with pytest.raises(NeuralLogError, match=r"none\.csv"):
        session.load_tables(path)
    assert session.sources == ("mine", "other")
    assert session.program() == before
    session.undo()
    assert session.sources == ("mine",)


def test_a_column_that_is_the_weight_by_its_name_is_mentioned() -> None:
    rows = [("ann", "bob", 0.5), ("bob", "cid", 2.0)]
    loaded = Session().load_table(rows, "likes(a, b)", columns=("a", "b", "weight"))
    assert "the column weight is the weight of the rows" in str(loaded)
    named = {"weight": "weight", "columns": ("a", "b", "weight")}
    assert "the column" not in str(Session().load_table(rows, "likes(a, b)", **named))
