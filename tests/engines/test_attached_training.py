"""Training on attached tables: the weights of training on everything, and what was reached."""

import re

import duckdb
import pytest

from neurallog_kernel import BoundError, Session

RULES = """
likes(X, Y) :- rated(X, Z), rated(U, Z), rated(U, Y), w(path).
likes(X, Y) :- rated(X, Z), not rated(X, Y), w(other).
likes(X, Y) :- rated(X, Y), w(own).
learn("w/1"). 0.3::w(path). 0.4::w(own). 0.1::w(other).
"""


def pairs() -> list[tuple[str, str]]:
    return [(f"u{u}", f"i{(u * 7 + k * k) % 23}") for u in range(40) for k in range(4)]


def trained(session: Session, unlisted: str) -> tuple[dict, tuple[str, ...]]:
    session.add(RULES, source="rules")
    session.add("likes(u1, i7). likes(u2, i15). 0.0::likes(u1, i3).", set="train", source="train")
    history = session.train(
        epochs=5, seed=1, unlisted=unlisted, optimizer="sgd", learning_rate=1e-4, dtype="float64"
    )
    return session.query("w(X)").weights, history.notes


@pytest.mark.parametrize("unlisted", ["false", "unknown"])
def test_the_weights_are_those_of_training_on_everything(unlisted):
    rows = sorted(set(pairs()))
    loaded, attached = Session(), Session()
    loaded.add("\n".join(f"rated({a}, {b})." for a, b in rows), source="facts")
    database = duckdb.connect()
    database.execute("CREATE TABLE ratings (a TEXT, b TEXT)")
    database.executemany("INSERT INTO ratings VALUES (?, ?)", rows)
    attached.connect(database)
    attached.attach("ratings", "rated(a, b)", unique=True)
    expected, _ = trained(loaded, unlisted)
    found, notes = trained(attached, unlisted)
    assert expected["path",] != pytest.approx(0.3, abs=1e-4)
    assert found == pytest.approx(expected, abs=1e-6)
    (note,) = notes
    reached, _, rest = note.partition(" of ")
    assert rest == f"{len(rows)} facts reached"
    assert 0 < int(reached) <= len(rows)


def both(pairs: dict[str, list[tuple[str, str]]]) -> tuple[Session, Session]:
    """The same relations as facts in memory, and in tables."""
    loaded, attached = Session(), Session()
    database = duckdb.connect()
    attached.connect(database)
    for name, rows in pairs.items():
        loaded.add(" ".join(f"{name}({a}, {b})." for a, b in rows), source=name)
        database.execute(f"CREATE TABLE {name} (a TEXT, b TEXT)")
        database.executemany(f"INSERT INTO {name} VALUES (?, ?)", rows)
        attached.attach(name, f"{name}(a, b)", unique=True, source=name)
    return loaded, attached


def test_rules_are_learned_from_tables():
    steps = [(f"p{n}", f"p{n * 2 % 97}") for n in range(97)]
    twice = [(f"p{n}", f"p{n * 4 % 97}") for n in range(97)]
    tables = [str(s.learn_rules("g/2")) for s in both({"f": steps, "g": twice})]
    assert "g(X, Y) :- f(X, A), f(A, Y)." in tables[1]
    timeless = [re.sub(r"[0-9.]+ s\b", "", text) for text in tables]
    assert timeless[0] == timeless[1]


def test_rules_of_a_table_that_does_not_fit_are_refused_before_it_is_read(monkeypatch):
    steps = [(f"p{n}", f"p{n * 2 % 97}") for n in range(97)]
    twice = [(f"p{n}", f"p{n * 4 % 97}") for n in range(97)]
    _, attached = both({"f": steps, "g": twice})
    database = attached._reader.connection.database
    database.execute("CREATE TABLE huge AS SELECT i AS a, i % 7 AS b FROM range(2000000) t(i)")
    attached.attach("huge", "seen(a, b)", unique=True)
    texts: list[str] = []
    rows = type(attached._reader.connection).rows
    monkeypatch.setattr(
        type(attached._reader.connection), "rows", lambda *a: (texts.append(a[1]), rows(*a))[1]
    )
    said = (
        "huge has 2,000,000 facts of seen/2, with the other tables 2,000,194: "
        "rules are learned in memory, from at most 2,000,000 facts of tables"
    )
    for asked in (("g/2",), ()):
        with pytest.raises(BoundError, match=said) as caught:
            attached.learn_rules(*asked)
        assert "bodies" in caught.value.hint
    assert not [text for text in texts if "huge" in text]
    with pytest.raises(BoundError, match=said):
        attached.learn_rules(bodies=["f/2"])  # every head, and seen/2 is one
    learned = str(attached.learn_rules("g/2", bodies=["f/2"]))
    assert "g(X, Y) :- f(X, A), f(A, Y)." in learned
    database.execute("CREATE VIEW few AS SELECT * FROM huge WHERE a < 90")
    attached.attach("few", "seen(a, b)", unique=True)
    assert "g(X, Y) :- f(X, A), f(A, Y)." in str(attached.learn_rules("g/2"))


def test_facts_of_tables_count_for_negatives_groups_and_targets():
    """Drawn negatives are none of a table's facts, groups are made by them, and a target may have
    nothing else."""
    friends = [(f"a{n}", f"b{m}") for n in range(6) for m in range(6) if (n + m) % 3]
    places = [(f"a{n}", f"c{n % 2}") for n in range(6)]
    drawn, scores, weights = [], [], []
    for session in both({"knows": friends, "lives": places}):
        session.add(" ".join(f"knows({a}, {b})." for a, b in friends[:9]), set="train")
        session.sample_negatives("train", number=3, seed=2)
        drawn.append(sorted(one.text for one in session.examples() if not one.weight))
        session.add('learn("knows/2").', source="rules")
        options = {"epochs": 1, "seed": 3, "dtype": "float64", "unlisted": "unknown"}
        scores.append(str(session.cross_validate(folds=2, groups="lives", **options)))
        session.train(**options)
        weights.append(session.query("knows(a1, X)").weights)
    assert drawn[0] == drawn[1] and len(drawn[0]) > 3
    assert not {f"knows({a}, {b})" for a, b in friends} & {one.rstrip(".") for one in drawn[1]}
    timeless = [re.sub(r"[0-9.]+ s\b", "", text) for text in scores]
    assert timeless[0] == timeless[1]
    assert weights[0] == pytest.approx(weights[1])
