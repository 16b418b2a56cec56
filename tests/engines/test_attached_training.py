"""Training on attached tables: the weights of training on everything, and what was reached."""

import duckdb
import pytest

from neurallog_kernel import Session

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
