"""Figures of a set of examples, against scikit-learn and against slow obvious computations."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from neurallog_kernel import NeuralLogError, Session

ENTITIES = [f"e{i}" for i in range(8)]
HITS = (1, 3, 10)


class World:
    """Random scores as facts (ties among them, some pairs without) and random example sets."""

    def __init__(self, seed: int, rest: bool) -> None:
        drawn = random.Random(seed)
        choices = [0.1, 0.2, 0.3, 0.5, 0.9, -0.4]
        self.scores = {
            (x, y): drawn.choice(choices)
            for x in ENTITIES
            for y in ENTITIES
            if drawn.random() < 0.7
        }
        self.unary = {x: drawn.choice(choices) for x in ENTITIES[1:]}
        self.bias = 0.15 if rest else 0.0  # what pairs without a fact have
        self.sets: dict[str, dict[tuple[str, ...], float]] = {}
        for name in ("train", "validation", "test"):
            pairs = {(drawn.choice(ENTITIES), drawn.choice(ENTITIES)) for _ in range(15)}
            self.sets[name] = {pair: float(drawn.random() < 0.5) for pair in sorted(pairs)}
        self.concept = {(x,): float(drawn.random() < 0.5) for x in ENTITIES}
        self.concept["e0",], self.concept["e1",] = 1.0, 0.0

    def score(self, first: str, second: str) -> float:
        return self.scores.get((first, second), 0.0) + self.bias

    def session(self) -> Session:
        s = Session()
        facts = [f"{w}::f({x}, {y})." for (x, y), w in self.scores.items()]
        facts += [f"{w}::c({x})." for x, w in self.unary.items()]
        facts += [f"t({x}, {x})." for x in ENTITIES]
        s.add("\n".join(facts))
        s.add("h(X, Y) :- f(X, Y). h(X, Y) :- bias. g(X) :- c(X). u(X, Y) :- h(X, Y), t(Y, Y).")
        if self.bias:
            s.add(f"{self.bias}::bias.")
        for name, examples in self.sets.items():
            text = "\n".join(f"{label}::h({x}, {y})." for (x, y), label in examples.items())
            s.add(text, source=name, set=name)
        s.add("\n".join(f"{w}::g({x})." for (x,), w in self.concept.items()), set="unary")
        return s

    def ranks(self, name: str, ties: str, filtered: bool, inverse: bool) -> list[int]:
        """The rank of every true answer: count who is above, and share the ties by the rule."""
        order = ["train", "validation", "test"]
        known = [p for s in order[: order.index(name) + 1] for p in self.sets[s]]
        found = []
        for (x, y), label in self.sets[name].items():
            if label <= 0:
                continue
            fixed, answer = (y, x) if inverse else (x, y)
            above = equal = 0
            for other in ENTITIES:
                pair = (other, fixed) if inverse else (fixed, other)
                if other == answer or (filtered and pair in known):
                    continue
                above += self.score(*pair) > self.score(x, y)
                equal += self.score(*pair) == self.score(x, y)
            extra = {"optimistic": 0, "pessimistic": equal, "average": equal // 2}[ties]
            found.append(1 + above + extra)
        return found


@pytest.mark.parametrize("seed", range(6))
def test_classification_agrees_with_scikit_learn(seed: int) -> None:
    world = World(seed, rest=seed % 2 == 1)
    s = world.session()
    for name, examples in world.sets.items():
        found = s.evaluate(name)
        truth = [label > 0 for label in examples.values()]
        scores = [world.score(*pair) for pair in examples]
        assert found["roc_auc"] == pytest.approx(roc_auc_score(truth, scores))
        expected = average_precision_score(truth, scores)
        assert found["average_precision"] == pytest.approx(expected)
    found = s.evaluate("unary")
    truth = [label > 0 for label in world.concept.values()]
    scores = [world.unary.get(x, 0.0) for (x,) in world.concept]
    assert found["roc_auc"] == pytest.approx(roc_auc_score(truth, scores))
    assert found.by_target["g/1"]["average_precision"] == pytest.approx(
        average_precision_score(truth, scores)
    )


def test_classification_by_hand() -> None:
    """Of 2 x 2 pairs of true and false, 3 are in order: 0.9 > 0.5, 0.1; 0.4 > 0.1 but not 0.5."""
    s = Session()
    s.add("0.9::p(a, x). 0.5::p(a, y). 0.4::p(b, x). 0.1::p(b, y). h(X, Y) :- p(X, Y).")
    s.add("h(a, x). 0::h(a, y). h(b, x). 0::h(b, y).", set="test")
    found = s.evaluate("test")
    assert found["roc_auc"] == 0.75
    assert found["average_precision"] == pytest.approx((1 / 1 + 2 / 3) / 2)
    assert found["mrr"] == 1.0


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("ties", ["optimistic", "pessimistic", "average"])
@pytest.mark.parametrize("seed", range(4))
def test_ranks(seed: int, ties: str, inverse: bool) -> None:
    world = World(seed, rest=seed % 2 == 1)
    s = world.session()
    for name in ("train", "test"):
        metrics = s.evaluate(name, ties=ties, hits=HITS, inverse=inverse)
        found = metrics.by_target["h/2^-1" if inverse else "h/2"]
        for suffix, filtered in (("", False), ("_filtered", True)):
            ranks = np.array(world.ranks(name, ties, filtered, inverse))
            assert found[f"mrr{suffix}"] == pytest.approx((1 / ranks).mean())
            assert found[f"mean_rank{suffix}"] == pytest.approx(ranks.mean())
            for k in HITS:
                assert found[f"hits@{k}{suffix}"] == pytest.approx((ranks <= k).mean())


@pytest.mark.parametrize("seed", range(4))
def test_expected_ranks_are_the_mean_over_every_order_of_ties(seed: int) -> None:
    world = World(seed, rest=seed % 2 == 1)
    found = world.session().evaluate("test", hits=HITS).by_target["h/2"]
    for suffix, filtered in (("", False), ("_filtered", True)):
        best, worst = (
            np.array(world.ranks("test", ties, filtered, False))
            for ties in ("optimistic", "pessimistic")
        )
        places = [np.arange(a, b + 1) for a, b in zip(best, worst, strict=True)]
        expected = np.mean([(1 / place).mean() for place in places])
        assert found[f"mrr{suffix}"] == pytest.approx(expected)
        for k in HITS:
            within = np.mean([(place <= k).mean() for place in places])
            assert found[f"hits@{k}{suffix}"] == pytest.approx(within)
        far = (1 / best).mean() - (1 / worst).mean() > 0.005
        assert (f"mrr{suffix}_best" in found) == far
        if far:
            assert found[f"mrr{suffix}_best"] == pytest.approx((1 / best).mean())
            assert found[f"mrr{suffix}_worst"] == pytest.approx((1 / worst).mean())


def test_ranks_through_rules_are_those_of_the_answers() -> None:
    """A rule that keeps the scores keeps the ranks, and so does training that changes nothing."""
    world = World(1, rest=False)
    s = world.session()
    expected = s.evaluate("test")
    examples = world.sets["test"].items()
    s.add("\n".join(f"{label}::u({x}, {y})." for (x, y), label in examples), set="other")
    found = s.evaluate("other", filtered=False)
    for name in ("roc_auc", "mrr", "mean_rank", "hits@1"):
        assert found[name] == pytest.approx(expected[name])
    assert "mrr_filtered" not in found.names


def test_totals_are_weighted_by_count() -> None:
    s = Session()
    s.add("0.9::p(a, x). 0.5::p(a, y). 0.4::q(a). 0.6::q(b). 0.1::q(c). k(X, Y) :- p(X, Y).")
    s.add("p(a, x). 0::p(a, y). q(a). 0::q(b). 0::q(c). q(d).", set="test")
    found = s.evaluate("test")
    assert found.by_target["p/2"]["roc_auc"] == 1.0
    assert found.by_target["q/1"]["roc_auc"] == 0.25
    assert found["roc_auc"] == pytest.approx((2 * 1.0 + 4 * 0.25) / 6)
    assert found.mean("roc_auc") == pytest.approx(0.625)
    table = found.to_pandas()
    assert list(table.index) == ["p/2", "q/1", "all"]
    assert list(table["examples"]) == [2, 4, 6] and list(table["positives"]) == [1, 2, 3]


def test_one_kind_of_label_has_no_roc_auc() -> None:
    s = Session()
    s.add("p(a, x). p(a, y).")
    s.add("p(a, x).", set="test")
    assert np.isnan(s.evaluate("test")["roc_auc"])
    with pytest.raises(KeyError, match="roc_auc"):
        s.evaluate("test")["auc"]


def test_unknown_names() -> None:
    s = Session()
    s.add("p(a, x).")
    s.add("p(a, x).", set="test")
    with pytest.raises(NeuralLogError) as caught:
        s.evaluate("tset")
    assert "test" in (caught.value.hint or "")
    with pytest.raises(NeuralLogError, match="expected, optimistic, pessimistic, average"):
        s.evaluate("test", ties="mean")
