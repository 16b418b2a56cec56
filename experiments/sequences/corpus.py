"""Tagged sentences from a small grammar of our own, with words that have several tags.

Many of the words are ambiguous (`run` is a noun or a verb, `that` a determiner or a pronoun), and
many are made of a stem and an ending, so that a test sentence has words that no training sentence
has. Both are as in real text, but much simpler: the figures compare methods, nothing else.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

TAGS = ("adj", "adv", "conj", "det", "noun", "prep", "pron", "verb")
Sentence = tuple[tuple[str, str], ...]  # words with their tags

# What stands for a symbol, with its weight. A word in capitals is a symbol, a tag stands for one of
# its words.
_GRAMMAR: dict[str, tuple[tuple[float, tuple[str, ...]], ...]] = {
    "SENTENCE": ((6, ("CLAUSE",)), (2, ("CLAUSE", "conj", "CLAUSE")), (1, ("adv", "CLAUSE"))),
    "CLAUSE": ((1, ("SUBJECT", "PREDICATE")),),
    "SUBJECT": ((4, ("PHRASE",)), (2, ("pron",))),
    "PREDICATE": (
        (3, ("verb", "PHRASE")),
        (2, ("verb",)),
        (2, ("verb", "adv")),
        (2, ("verb", "WHERE")),
        (1, ("adv", "verb", "PHRASE")),
        (1, ("verb", "pron")),
    ),
    "PHRASE": (
        (4, ("det", "noun")),
        (3, ("det", "adj", "noun")),
        (1, ("noun",)),
        (1, ("det", "noun", "noun")),
        (1, ("det", "noun", "WHERE")),
        (1, ("adj", "noun")),
    ),
    "WHERE": ((1, ("prep", "PHRASE")), (1, ("prep", "pron"))),
}

_AMBIGUOUS = [
    "run",
    "walk",
    "watch",
    "play",
    "plant",
    "light",
    "dream",
    "dance",
    "rest",
    "turn",
    "help",
    "cook",
    "show",
    "swim",
    "climb",
]
_CLOSED = {
    "det": ["the", "a", "this", "that", "her", "some", "every", "no"],
    "pron": ["she", "he", "they", "it", "that", "her", "this", "some", "we", "you"],
    "prep": ["in", "on", "under", "near", "with", "by", "like", "past", "over"],
    "conj": ["and", "but", "or", "so"],
    "noun": ["dog", "tree", "child", "light", "past", "cold", "good", "like", *_AMBIGUOUS],
    "verb": ["sees", "takes", "saw", "like", "sleeps", "light", *_AMBIGUOUS],
    "adj": ["old", "small", "light", "cold", "good", "fast", "hard", "early", "like", "past"],
    "adv": ["fast", "hard", "early", "often", "so", "past", "now", "here"],
}
_ENDINGS = {
    "noun": ["ness", "er", "tion", "s"],
    "verb": ["s", "ed", "es", "ates"],
    "adj": ["ful", "ish", "ed", "y"],
    "adv": ["ly", "wards", "s"],
}
_STEMS = 60  # for each tag with endings
_MADE = 0.45  # the share of words of such a tag that are made of a stem and an ending
_BEGIN, _VOWEL, _END = (
    ["b", "br", "d", "f", "g", "gr", "k", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "v"],
    "aeiou",
    ["d", "k", "l", "m", "n", "p", "t", "v"],
)


@dataclass(frozen=True)
class Corpus:
    """Sentences to learn from and others to be tested on."""

    train: tuple[Sentence, ...]
    test: tuple[Sentence, ...]

    @property
    def words(self) -> list[str]:
        """All words, in order of appearance."""
        return list(
            dict.fromkeys(w for part in (self.train, self.test) for s in part for w, _ in s)
        )

    @property
    def unseen(self) -> float:
        """The share of the test words that no training sentence has."""
        known = {word for sentence in self.train for word, _ in sentence}
        test = [word for sentence in self.test for word, _ in sentence]
        return sum(word not in known for word in test) / len(test)


def make_corpus(seed: int, train: int = 200, test: int = 200) -> Corpus:
    """The corpus of a seed.

    >>> corpus = make_corpus(1, train=2, test=1)
    >>> len(corpus.train), corpus == make_corpus(1, train=2, test=1)
    (2, True)
    """
    writer = _Writer(random.Random(seed))
    return Corpus(
        tuple(writer.sentence() for _ in range(train)),
        tuple(writer.sentence() for _ in range(test)),
    )


class _Writer:
    """Writes sentences, one random choice after the other."""

    def __init__(self, choose: random.Random) -> None:
        self.choose = choose
        self.stems = {tag: [self._stem() for _ in range(_STEMS)] for tag in _ENDINGS}

    def sentence(self) -> Sentence:
        return tuple((self._word(tag), tag) for tag in self._tags("SENTENCE"))

    def _tags(self, symbol: str) -> list[str]:
        if symbol not in _GRAMMAR:
            return [symbol]
        weights, options = zip(*_GRAMMAR[symbol], strict=True)
        (chosen,) = self.choose.choices(options, weights)
        return [tag for part in chosen for tag in self._tags(part)]

    def _word(self, tag: str) -> str:
        if tag in _ENDINGS and self.choose.random() < _MADE:
            return self.choose.choice(self.stems[tag]) + self.choose.choice(_ENDINGS[tag])
        return self.choose.choice(_CLOSED[tag])

    def _stem(self) -> str:
        parts = (self.choose.choice(_BEGIN), self.choose.choice(_VOWEL), self.choose.choice(_END))
        return "".join(parts)


def ending(word: str) -> str:
    """The last two letters, which say much about a word that was never seen."""
    return word[-2:]
