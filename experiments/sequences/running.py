"""`python -m experiments sequences`: every method on the same sentences, seed by seed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, stdev
from time import process_time

from experiments.sequences import labeller, rivals
from experiments.sequences.corpus import Corpus, make_corpus
from neurallog_kernel import MissingPackageError

RUNS = 10


@dataclass(frozen=True)
class Labelled:
    """How one method did with the sentences of one seed."""

    method: str
    seed: int
    tokens: float  # the share of the test tokens with the right tag
    sentences: float  # the share of the test sentences with all tags right
    unseen: float  # the share of the test tokens with the right tag, of words not seen in training
    seconds: float  # of processor time, to learn and to label


def _chain(corpus: Corpus, seed: int) -> list[list[str]]:
    session = labeller.prepare(corpus)
    session.train(seed=seed)
    return session.decode("tag", set="test").labels


def _alone(corpus: Corpus, seed: int) -> list[list[str]]:
    session = labeller.prepare(corpus, chain=False)
    session.train(seed=seed)
    return session.decode("tag", set="test").labels


METHODS: dict[str, Callable[[Corpus, int], list[list[str]]]] = {
    "most frequent tag": rivals.most_frequent,
    "NeuralLog, each token alone": _alone,
    "NeuralLog, crf and Viterbi": _chain,
    "sklearn-crfsuite": rivals.crfsuite,
    "Keras BiLSTM": rivals.bilstm,
}


def results(runs: int, train: int, test: int) -> Iterator[Labelled]:
    """All methods on the corpus of each seed; one whose package is missing is left out."""
    for seed in range(1, runs + 1):
        corpus = make_corpus(seed, train, test)
        for name, method in METHODS.items():
            started = process_time()
            try:
                tags = method(corpus, seed)
            except MissingPackageError as error:
                print(f"{name}: {error}")
                continue
            yield _labelled(name, seed, corpus, tags, process_time() - started)


def _labelled(
    name: str, seed: int, corpus: Corpus, tags: Sequence[Sequence[str]], seconds: float
) -> Labelled:
    known = {word for sentence in corpus.train for word, _ in sentence}
    right = [
        (word in known, tag == found)
        for sentence, row in zip(corpus.test, tags, strict=True)
        for (word, tag), found in zip(sentence, row, strict=True)
    ]
    whole = [
        list(row) == [tag for _, tag in sentence]
        for sentence, row in zip(corpus.test, tags, strict=True)
    ]
    new = [found for seen, found in right if not seen]
    every = mean(found for _, found in right)
    return Labelled(name, seed, every, mean(whole), mean(new) if new else every, seconds)


def markdown(found: Sequence[Labelled]) -> str:
    """Means and deviations over the seeds."""
    lines = [
        "| method | tokens right | deviation | sentences right | unseen words right | seeds | "
        "processor seconds |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for method in dict.fromkeys(one.method for one in found):
        own = [one for one in found if one.method == method]
        spread = stdev(one.tokens for one in own) if len(own) > 1 else 0.0
        figures = [
            f"{mean(one.tokens for one in own):.4f}",
            f"{spread:.4f}",
            f"{mean(one.sentences for one in own):.4f}",
            f"{mean(one.unseen for one in own):.4f}",
            str(len(own)),
            f"{mean(one.seconds for one in own):.2f}",
        ]
        lines.append(f"| {method} | {' | '.join(figures)} |")
    return "\n".join(lines) + "\n"


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m experiments sequences",
        description="Label sentences of a small grammar with every method, and write one table.",
    )
    parser.add_argument("--runs", type=int, default=RUNS, help=f"seeds (default: {RUNS})")
    parser.add_argument("--train", type=int, default=200, help="sentences to learn from (200)")
    parser.add_argument("--test", type=int, default=200, help="sentences to be tested on (200)")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder to write to")
    options = parser.parse_args(words)
    options.out.mkdir(parents=True, exist_ok=True)
    found = []
    with (options.out / "sequences.jsonl").open("w", encoding="utf-8") as stream:
        for one in results(options.runs, options.train, options.test):
            found.append(one)
            stream.write(json.dumps(asdict(one)) + "\n")
            print(f"seed {one.seed}, {one.method}: {one.tokens:.4f}", flush=True)
    table = markdown(found)
    (options.out / "sequences.md").write_text(table, encoding="utf-8")
    print("\n" + table)
    return 0
