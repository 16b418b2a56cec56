"""What the labeller is compared with, on the same sentences and from the same words and endings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module

import numpy as np

from experiments.sequences.corpus import TAGS, Corpus, Sentence, ending
from neurallog_kernel import MissingPackageError

Tags = list[list[str]]


def most_frequent(corpus: Corpus, seed: int) -> Tags:
    """The tag that each word has most often; for unseen words that of their ending."""
    words: dict[str, Counter[str]] = {}
    endings: dict[str, Counter[str]] = {}
    every: Counter[str] = Counter()
    for word, tag in (pair for sentence in corpus.train for pair in sentence):
        words.setdefault(word, Counter())[tag] += 1
        endings.setdefault(ending(word), Counter())[tag] += 1
        every[tag] += 1

    def best(word: str) -> str:
        counts = words.get(word) or endings.get(ending(word)) or every
        return counts.most_common(1)[0][0]

    return [[best(word) for word, _ in sentence] for sentence in corpus.test]


def crfsuite(corpus: Corpus, seed: int) -> Tags:
    """The conditional random field of sklearn-crfsuite, with our two features of a word."""
    try:
        kind = import_module("sklearn_crfsuite").CRF
    except ImportError as error:
        raise MissingPackageError(
            "sklearn-crfsuite is not installed", hint="pip install sklearn-crfsuite"
        ) from error
    model = kind(
        algorithm="lbfgs", c1=0.0, c2=0.01, max_iterations=200, all_possible_transitions=True
    )
    model.fit([_features(s) for s in corpus.train], [[tag for _, tag in s] for s in corpus.train])
    return [list(tags) for tags in model.predict([_features(s) for s in corpus.test])]


def _features(sentence: Sentence) -> list[dict[str, str]]:
    return [{"word": word, "ending": ending(word)} for word, _ in sentence]


def bilstm(corpus: Corpus, seed: int) -> Tags:
    """A bidirectional LSTM of Keras over embeddings of words and endings."""
    import keras

    keras.utils.set_random_seed(seed)
    words = _numbers(_often(word for s in corpus.train for word, _ in s))
    endings = _numbers(ending(word) for s in corpus.train for word, _ in s)
    length = max(len(s) for part in (corpus.train, corpus.test) for s in part)
    inputs = [keras.Input((length,), dtype="int32") for _ in range(2)]
    embedded = [
        keras.layers.Embedding(len(table) + 2, 24)(x)
        for table, x in zip((words, endings), inputs, strict=True)
    ]
    joined = keras.layers.Dropout(0.2)(keras.layers.Concatenate()(embedded))
    states = keras.layers.Bidirectional(keras.layers.LSTM(32, return_sequences=True))(joined)
    scores = keras.layers.Dense(len(TAGS), activation="softmax")(states)
    model = keras.Model(inputs, scores)
    model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy")
    tags = {tag: number for number, tag in enumerate(TAGS)}
    labels = _table(corpus.train, length, lambda _, tag: tags[tag])
    model.fit(
        _inputs(corpus.train, length, words, endings),
        labels,
        sample_weight=_there(corpus.train, length),
        epochs=30,
        batch_size=16,
        verbose=0,  # type: ignore[arg-type]
    )
    asked = _inputs(corpus.test, length, words, endings)
    found = model.predict(asked, verbose=0).argmax(axis=-1)  # type: ignore[arg-type]
    return [
        [TAGS[n] for n in row[: len(sentence)]]
        for row, sentence in zip(found, corpus.test, strict=True)
    ]


def _often(words: Iterable[str]) -> list[str]:
    """Words that are there more than once: the others teach what an unknown word is."""
    return [word for word, count in Counter(words).items() if count > 1]


def _numbers(words: Iterable[str]) -> dict[str, int]:
    """From 2 on: 0 stands behind the end of a sentence, 1 for all others."""
    return {word: number for number, word in enumerate(dict.fromkeys(words), 2)}


def _inputs(
    sentences: Sequence[Sentence], length: int, words: dict[str, int], endings: dict[str, int]
) -> list[np.ndarray]:
    return [
        _table(sentences, length, lambda word, _: words.get(word, 1)),
        _table(sentences, length, lambda word, _: endings.get(ending(word), 1)),
    ]


def _there(sentences: Sequence[Sentence], length: int) -> np.ndarray:
    return _table(sentences, length, lambda *_: 1).astype("float32")


def _table(
    sentences: Sequence[Sentence], length: int, number: Callable[[str, str], int]
) -> np.ndarray:
    found = np.zeros((len(sentences), length), dtype=np.int32)
    for row, sentence in enumerate(sentences):
        found[row, : len(sentence)] = [number(word, tag) for word, tag in sentence]
    return found
