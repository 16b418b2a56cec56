"""The sequence labeller: its sentences, its program, and a small run of the command."""

from pathlib import Path

import pytest

from experiments import __main__ as command
from experiments.sequences import labeller, rivals, running
from experiments.sequences.corpus import TAGS, make_corpus
from neurallog_kernel import viterbi


def test_sentences_are_ambiguous_and_have_unseen_words():
    corpus = make_corpus(3)
    tags: dict[str, set[str]] = {}
    for sentence in corpus.train:
        for word, tag in sentence:
            tags.setdefault(word, set()).add(tag)
    assert set().union(*tags.values()) == set(TAGS)
    assert sum(len(found) > 1 for found in tags.values()) > 15
    assert 0.05 < corpus.unseen < 0.4


def test_the_chain_beats_single_tokens():
    """Compiled and trained for real, but little: transitions must already tell."""
    corpus = make_corpus(1, train=80, test=60)
    session = labeller.prepare(corpus)
    session.train(seed=1, epochs=12)
    chain = session.decode("tag", set="test")
    alone = session.decode("tag", set="test", transition="none", initial="none")
    frequent = running._labelled("", 1, corpus, rivals.most_frequent(corpus, 1), 0.0).tokens
    assert chain.accuracy > alone.accuracy + 0.03
    assert chain.accuracy > frequent + 0.05


def test_the_decoder_is_the_one_for_arrays():
    corpus = make_corpus(2, train=30, test=10)
    session = labeller.prepare(corpus)
    session.train(seed=1, epochs=2)
    between = session.query("follows(A, B)").weights
    first = session.query("starts(A)").weights
    for number, sentence in enumerate(corpus.test):
        emissions = [
            [session.query(f"tag(test_{number}_{i}, {tag})").weights[()] for tag in TAGS]
            for i in range(len(sentence))
        ]
        path = viterbi(
            emissions,
            [[between.get((a, b), 0.0) for b in TAGS] for a in TAGS],
            [first.get((a,), 0.0) for a in TAGS],
        )
        one = session.decode("tag", [f"test_{number}_{i}" for i in range(len(sentence))])
        assert one[0].score == pytest.approx(path.score, abs=1e-6)


def test_the_command_writes_a_table(tmp_path: Path, capsys, monkeypatch):
    quick = {name: running.METHODS[name] for name in ("most frequent tag",)}
    monkeypatch.setattr(running, "METHODS", quick)
    words = ["sequences", "--runs", "2", "--train", "20", "--test", "10", "--out", str(tmp_path)]
    assert command.main(words) == 0
    assert "seed 2, most frequent tag" in capsys.readouterr().out
    assert "| most frequent tag | 0." in (tmp_path / "sequences.md").read_text()
    assert len((tmp_path / "sequences.jsonl").read_text().splitlines()) == 2
