"""Tables that are facts and stay where they are: `connect` and `attach`."""

import socket

import duckdb
import pytest

from neurallog_kernel import CheckpointError, NeuralLogError, Session
from neurallog_kernel.cli import main
from tests.attacks.files import change


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "facts.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE TABLE ratings (who TEXT, what TEXT, stars DOUBLE)")
        made.execute(
            "INSERT INTO ratings VALUES ('ann', 'jazz', 0.9), ('ann', 'rock', 0.4), "
            "('bob', 'jazz', 0.5), ('O''Hara \"x\"', 'rock', 1.0)"
        )
    return path


@pytest.fixture
def session(database):
    session = Session()
    session.connect(f"duckdb:{database}", memory="200MB")
    session.attach("ratings", "rated(who, what)", weight="stars", unique=True)
    return session


def test_facts_are_asked_where_they_are(session):
    assert session.query("rated(ann, X)").weights == {("jazz",): 0.9, ("rock",): 0.4}
    assert session.query("rated(X, rock)").weights == {('O\'Hara "x"',): 1.0, ("ann",): 0.4}
    session.add("alike(X, Z) :- rated(X, Y), rated(Z, Y).")
    assert session.query("alike(ann, bob)").weights == {(): pytest.approx(0.45)}


def test_what_the_program_states_counts_before_the_table(session):
    session.add("0.1::rated(ann, jazz). rated(cid, jazz).")
    assert session.query("rated(ann, X)").weights == {("rock",): 0.4, ("jazz",): 0.1}
    assert session.query("rated(X, jazz)").weights == {("cid",): 1, ("bob",): 0.5, ("ann",): 0.1}


def test_an_attachment_is_part_of_the_program(session):
    assert session.sources == ("rated/2",)
    assert session.attached["rated/2"].count == 4
    assert str(session.remove("rated/2")) == "rated/2: -4 attached facts"
    assert session.attached == {}
    with pytest.raises(NeuralLogError, match="unknown predicate rated"):
        session.query("rated(ann, X)")
    assert str(session.undo()) == "rated/2: +4 attached facts"
    assert len(session.query("rated(ann, X)")) == 2


def test_the_file_is_only_read(session, database):
    before = database.read_bytes()
    session.query("rated(X, Y)")
    assert database.read_bytes() == before


def test_a_saved_session_finds_its_tables_again(session, database, tmp_path):
    session.add("alike(X, Z) :- rated(X, Y), rated(Z, Y). 0.2::rated(bob, jazz).")
    expected = session.query("alike(ann, X)").weights
    session.save(tmp_path / "model.nlz")
    opened = Session.open(tmp_path / "model.nlz")
    assert opened.query("alike(ann, X)").weights == expected
    assert opened.sources == session.sources
    moved = tmp_path / "elsewhere.duckdb"
    session._reader.connection.database.close()
    opened._reader.connection.database.close()
    database.rename(moved)
    with pytest.raises(NeuralLogError, match="cannot be attached") as caught:
        Session.open(tmp_path / "model.nlz")
    assert "connect=" in caught.value.hint
    again = Session.open(tmp_path / "model.nlz", connect=f"duckdb:{moved}")
    assert again.query("alike(ann, X)").weights == expected


def test_a_saved_model_calls_no_other_machine(session, tmp_path):
    """A model may come from anybody: its address is followed only where it is a file."""
    path = tmp_path / "model.nlz"
    session.save(path)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        for scheme in ("spark", "sc"):
            address = f"{scheme}://ann:secret@127.0.0.1:{port}"
            change(path, lambda manifest, _, a=address: _move(manifest, a))
            with pytest.raises(CheckpointError, match="does not connect to other") as caught:
                Session.open(path)
            assert f'connect="{scheme}://127.0.0.1:{port}"' in caught.value.hint
            assert "secret" not in str(caught.value)
        with pytest.raises(TimeoutError):  # nobody has called
            server.accept()


def _move(manifest, address):
    for source in manifest["sources"]:
        for table in source.get("attached", ()):
            table["address"] = address


def test_status_and_program_say_what_is_attached(session, database):
    (one,) = session.predicates()
    assert (one.facts, one.attached) == (4, f"ratings (who, what) of duckdb:{database}")
    assert one.types == ("t1 (3)", "t2 (2)")
    assert "4 facts attached from ratings (who, what)" in session.program()


def test_an_explanation_names_table_and_row(session):
    session.add("alike(X, Z) :- rated(X, Y), rated(Z, Y).")
    text = str(session.explain("alike(ann, bob)"))
    assert "[ratings row 1, ratings row 3]" in text
    assert {s.place for s in session.sensitivity("alike(ann, bob)")} >= {"ratings row 1"}


def test_leaving_a_fact_of_a_table_out(session):
    session.add("alike(X, Z) :- rated(X, Y), rated(Z, Y).")
    found = session.explain("alike(ann, bob)", without=["rated(bob, jazz)"])
    assert found.weight == 0
    assert session.query("alike(ann, bob)").weights == {(): pytest.approx(0.45)}


KEYS = """
CREATE TABLE keys (i BIGINT, t TEXT, d DATE, b BOOLEAN, h HUGEINT, f DOUBLE, s TIMESTAMP, w DOUBLE);
INSERT INTO keys VALUES
    (7, '07', DATE '2024-02-29', true, 7, 7.5, TIMESTAMP '2024-01-01 10:00:00', 0.5),
    (8, 'x', DATE '2023-01-01', false, 170141183460469231731687303715884105727, 8, NULL, 0.25);
"""


@pytest.mark.parametrize("column", ["i", "t", "d", "b", "h", "f: entity"])
def test_keys_of_every_kind_are_called_as_in_a_loaded_table(column):
    database = duckdb.connect()
    database.execute(KEYS)
    attached, loaded = Session(), Session()
    attached.connect(database)
    attached.attach("keys", f"p({column}, t)", weight="w", unique=True) if column != "t" else (
        attached.attach("keys", "p(t, i: entity)", weight="w", unique=True)
    )
    pattern = "p(t, i: entity)" if column == "t" else f"p({column.split(':')[0]}: entity, t)"
    query = "SELECT * REPLACE (CAST(h AS VARCHAR) AS h) FROM keys"
    loaded.load_table(query, pattern, weight="w", database=database)
    expected = loaded.query("p(X, Y)").weights
    assert len(expected) == 2
    assert attached.query("p(X, Y)").weights == expected
    for first, _ in expected:
        asked = f'p("{first}", Y)'
        assert attached.query(asked).weights == loaded.query(asked).weights


def test_a_name_is_not_another_form_of_the_same_number():
    database = duckdb.connect()
    database.execute(KEYS)
    session = Session()
    session.connect(database)
    session.attach("keys", "p(i, t)", weight="w", unique=True)
    with pytest.raises(NeuralLogError, match="unknown entity 07"):
        session.query('p("07", Y)')
    assert session.query('p("7", Y)').weights == {("07",): 0.5}


def test_files_as_tables(tmp_path):
    made = duckdb.connect()
    made.execute(f"COPY (SELECT 'a''s' AS x, 'b' AS y) TO '{tmp_path}/it''s.parquet'")
    (tmp_path / "p.csv").write_text('x,y\n"a, ""b""",c\n')
    session = Session()
    session.connect("duckdb:")
    session.attach(tmp_path / "it's.parquet", "p(x, y)", unique=True)
    session.attach(tmp_path / "p.csv", "q(x, y)", unique=True)
    assert session.query("p(X, Y)").weights == {("a's", "b"): 1}
    assert session.query("q(X, Y)").weights == {('a, "b"', "c"): 1}
    session.attach(tmp_path / "p.csv", "r(x, y)", unique=True)
    (tmp_path / "p.csv").write_text("x,y\nd,e\n")
    with pytest.raises(NeuralLogError, match=r"p\.csv has changed since it was attached"):
        session.query("r(d, Y)")
    session.attach(tmp_path / "p.csv", "r(x, y)", unique=True)
    assert session.query("r(d, Y)").weights == {("e",): 1}


def test_views_and_many_arguments():
    database = duckdb.connect()
    database.execute("CREATE TABLE t AS SELECT * FROM (VALUES ('a','b','c',0.5)) v(x, y, z, w)")
    database.execute("CREATE VIEW v AS SELECT * FROM t")
    session = Session()
    session.connect(database)
    session.attach("v", "gave(x, y, z)", weight="w", unique=True)
    session.add("got(Z, Y) :- gave(X, Y, Z). gave(a, a, c).")
    assert session.query("got(c, Y)").weights == {("a",): 1, ("b",): 0.5}
    assert "v (x a, y b, z c)" in str(session.explain("got(c, b)"))


def test_equal_rows_need_the_word_of_the_user():
    database = duckdb.connect()
    database.execute(
        "CREATE TABLE t AS SELECT * FROM (VALUES ('a','b',0.5),('a','b',0.25)) v(x,y,w)"
    )
    session = Session()
    session.connect(database)
    with pytest.raises(NeuralLogError, match="say what two rows of t with the same"):
        session.attach("t", "p(x, y)", weight="w")
    with pytest.raises(NeuralLogError, match=r"t has p\(a, b\) 2 times"):
        session.attach("t", "p(x, y)", weight="w", unique=True)
    assert session.sources == ()
    for word, weight in (("sum", 0.75), ("max", 0.5)):
        session.attach("t", "p(x, y)", weight="w", duplicates=word)
        session.add("n(Y) :- p(X, Y). s(X, Y) :- p(Z, Y), not p(X, Y).", source="rules")
        assert session.query("p(a, Y)").weights == {("b",): weight}
        assert session.query("n(b)").weights == {(): weight}


def test_rows_without_a_value_are_left_out_and_said():
    database = duckdb.connect()
    database.execute(
        "CREATE TABLE t AS SELECT * FROM (VALUES ('a','b'),('c',NULL),(NULL,'d')) v(x,y)"
    )
    session = Session()
    session.connect(database)
    change = session.attach("t", "p(x, y)", unique=True)
    assert [str(n) for n in change.notices] == [
        "2 rows of t without a value are left out "
        "(a fact needs a value for every argument, and its weight)"
    ]
    assert session.query("p(X, Y)").weights == {("a", "b"): 1}
    session.add("n(X, Y) :- not p(X, Y).")
    assert session.predicates()[0].types == ("t1 (1)", "t2 (1)")


MAP = """
[rated]
connect = "duckdb:{database}"
table = "ratings"
pattern = "rated(who, what)"
weight = "stars"
duplicates = "unique"

[liked]
table = "{table}"
pattern = "liked(who, what)"
duplicates = "max"
"""


def test_a_map_file_attaches_all_tables_or_none(database, tmp_path):
    written, session = tmp_path / "map.toml", Session()
    written.write_text(MAP.format(database=database.as_posix(), table="rating"), encoding="utf-8")
    with pytest.raises(NeuralLogError, match="has no table rating") as caught:
        session.attach_tables(written)
    assert caught.value.hint == "did you mean ratings?"
    assert session.sources == () and session.connection is None
    written.write_text(MAP.format(database=database.as_posix(), table="ratings"), encoding="utf-8")
    assert [str(one) for one in session.attach_tables(written)] == [
        "rated/2: +4 attached facts",
        "liked/2: +4 attached facts",
    ]
    assert session.query("rated(ann, X)").weights == {("jazz",): 0.9, ("rock",): 0.4}
    assert session.query("liked(bob, X)").weights == {("jazz",): 1}


def test_a_map_file_with_a_password_shows_none(tmp_path):
    written = tmp_path / "map.toml"
    written.write_text(
        '[p]\nconnect = "duckdb:missing.duckdb?password=hunter2"\ntable = "t"\n'
        'pattern = "p(x, y)"\nduplicates = "max"\n',
        encoding="utf-8",
    )
    with pytest.raises(NeuralLogError, match=r"password=\.\.\.") as caught:
        Session().attach_tables(written)
    assert "hunter2" not in str(caught.value)


def test_on_the_shell(database, tmp_path, capsys):
    (tmp_path / "rules.pl").write_text("alike(X, Z) :- rated(X, Y), rated(Z, Y).", encoding="utf-8")
    words = [str(tmp_path / "rules.pl"), "--connect", f"duckdb:{database}", "--weight", "stars"]
    words += ["--attach", "rated(who, what)=ratings"]
    assert main(["query", *words, "--duplicates", "unique", "alike(ann, bob)"]) == 0
    assert "0.45" in capsys.readouterr().out
    words += ["--duplicates", "unique"]
    assert main(["score", *words, "-p", "alike/2", "-o", str(tmp_path / "alike")]) == 0
    assert "alike/2, 7 rows" in capsys.readouterr().out
    assert main(["query", *words[:-4], "alike(ann, bob)"]) != 0  # no facts, and no word on them
