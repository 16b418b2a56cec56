"""Weights and embeddings as tables, and the program as a file."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from neurallog_kernel import NeuralLogError, Session

LATENT = """
for i in {1..3} do learn(l_{i}). similar(X, Y) :- l_{i}(X), l_{i}(Y). done
learn(w). learn(near).
similar(X, Y) :- friend(X, Y), w(friends).
similar(X, Y) :- near(X, Place), near(Y, Place).
friend(ann, bob). friend(bob, 'O\\'Neil, "Al"'). 2::age(ann, 20). age(bob, 30).
near(ann, north). near(bob, north). 0.5::near(bob, south).
tall(bob). old(X) :- age(X, A).
example(similar, ann, bob). 0::example(similar, bob, ann).
"""


@pytest.fixture(scope="module")
def trained() -> Session:
    session = Session()
    session.add(LATENT)
    session.train(epochs=2, seed=1)
    return session


def test_weights_are_what_queries_say(trained: Session) -> None:
    for predicate, question in (("near", "near(X, Y)"), ("l_1/1", "l_1(X)"), ("w", "w(X)")):
        table = trained.weights(predicate).to_pandas()
        keys = [column for column in table.columns if column.startswith("argument_")]
        found = {tuple(row[keys]): row["weight"] for _, row in table.iterrows()}
        assert found == pytest.approx(trained.query(question).weights)
        assert table["learned"].all()
    assert not trained.weights("friend").to_pandas()["learned"].any()
    assert list(trained.weights("old").to_pandas().columns) == ["argument_1", "weight", "learned"]
    assert len(trained.weights("old")) == 0


def test_weights_of_attributes_have_numbers(trained: Session) -> None:
    table = trained.weights("age/2").to_pandas()
    assert table.to_dict("list") == {
        "argument_1": ["ann", "bob"],
        "argument_2": [20.0, 30.0],
        "weight": [2.0, 1.0],
        "learned": [False, False],
    }


def test_a_fact_that_is_stated_anew_is_not_learned_any_more() -> None:
    session = Session()
    session.add(LATENT)
    session.train(epochs=1, seed=1)
    session.add("0.25::near(ann, north).", source="again")
    table = session.weights("near").to_pandas().set_index(["argument_1", "argument_2"])
    assert table.loc[("ann", "north")].to_dict() == {"weight": 0.25, "learned": False}
    assert table.loc[("bob", "south"), "learned"]


def test_all_learned_weights_together(trained: Session, tmp_path: Path) -> None:
    trained.weights().to_parquet(tmp_path / "all.parquet")
    table = pd.read_parquet(tmp_path / "all.parquet")
    assert set(table["predicate"]) == {"l_1/1", "l_2/1", "l_3/1", "w/1", "near/2"}
    assert table["argument_2"].isna().sum() == len(table) - 3
    assert len(table) == len(trained.weights())


def test_an_embedding_has_a_row_an_entity_and_a_column_a_feature(trained: Session) -> None:
    found = trained.embedding("l_*")
    assert found.features == ("l_1", "l_2", "l_3")
    assert found.entities == ('O\'Neil, "Al"', "ann", "bob")
    for feature, column in zip(found.features, np.asarray(found).T, strict=True):
        weights = trained.query(f"{feature}(X)").weights
        assert dict(zip(found.entities, column, strict=True)) == pytest.approx(
            {name: weights[(name,)] for name in found.entities}
        )
    assert trained.embedding().features == found.features  # w(friends) is no feature
    frame = found.to_pandas()
    assert frame.index.name == "entity"
    assert frame.loc["ann"].to_numpy() == pytest.approx(found["ann"])
    assert found.to_polars().columns == ["entity", "l_1", "l_2", "l_3"]


def test_attributes_rules_and_relations_are_features_too(trained: Session) -> None:
    frame = trained.embedding(["age", "old", "tall", "near/2"]).to_pandas()
    assert list(frame.columns) == ["age", "old", "tall", "near(north)", "near(south)"]
    assert frame.loc["ann", ["age", "old"]].tolist() == [40.0, 40.0]
    near = trained.query("near(X, Y)").weights
    assert frame.loc["bob", "near(south)"] == pytest.approx(near["bob", "south"])
    assert frame.loc["ann", "near(south)"] == 0.0  # it could be near, and is not
    assert np.isnan(frame.loc["ann", "tall"])  # nothing says that ann is of the type of tall


def test_an_unknown_feature_is_an_error(trained: Session) -> None:
    with pytest.raises(NeuralLogError, match="did you mean tall/1"):
        trained.embedding("tal")
    with pytest.raises(NeuralLogError, match="did you mean ann"):
        trained.embedding("l_*")["anne"]
    with pytest.raises(NeuralLogError, match="no predicate of one place has learned weights"):
        Session().embedding()


def test_the_program_as_a_file(trained: Session, tmp_path: Path) -> None:
    trained.save_program(tmp_path / "program.pl")
    again = Session()
    again.load(tmp_path / "program.pl")
    asked = "similar(ann, X)"
    assert again.query(asked).weights == pytest.approx(trained.query(asked).weights)


def test_export_checks_before_it_writes(trained: Session, tmp_path: Path) -> None:
    with pytest.raises(NeuralLogError, match=r"did you mean \.csv"):
        trained.export(program=tmp_path / "p.pl", weights=tmp_path / "w.cvs")
    with pytest.raises(NeuralLogError, match="of one predicate"):
        trained.export(weights=tmp_path / "w.csv", saved_model=tmp_path / "m")
    with pytest.raises(NeuralLogError, match="nothing to export"):
        trained.export("near/2")
    with pytest.raises(NeuralLogError, match="has not been trained"):
        Session().export(history=tmp_path / "h.csv")
    assert not os.listdir(tmp_path)
    written = trained.export(weights=tmp_path / "w.csv", history=tmp_path / "h.json")
    assert [line.rpartition("/")[2] for line in written] == ["w.csv: 13 rows", "h.json: 2 rows"]
