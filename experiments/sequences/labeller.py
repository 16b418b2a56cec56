"""The labeller as a program: emissions and transitions are rules with learned weights."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.sequences.corpus import TAGS, Corpus, Sentence, ending
from neurallog_kernel import Session, format_constant

PROGRAM = """
learn("word_tag/2"). learn("ending_tag/2"). learn("tag_tag/2"). learn("first_tag/1").
set_parameter(initial_value, 0).

score(X, T) :- token(X, W), word_tag(W, T), label(T).
score(X, T) :- token(X, W), ending(W, E), ending_tag(E, T), label(T).
follows(A, B) :- label(A), tag_tag(A, B), label(B).
starts(A) :- label(A), first_tag(A).

set_parameter(regularizer, class_name, l2).
set_parameter(regularizer, config, l2, 0.0001).
set_parameter(optimizer, adam).
set_parameter(learning_rate, 0.05).
set_parameter(shuffle, "True").
set_parameter(batch_size, 16).
set_parameter(epochs, 30).
"""
CHAIN = """
tag(X, T) :- score(X, T).
set_parameter(loss_function, crf).
set_parameter(transition_predicate, "follows/2").
set_parameter(initial_predicate, "starts/1").
"""
# The tags of a token compete; its neighbours do not count.
ALONE = """
tag(X, T) :- score(X, T), softmax(T).
set_parameter(loss_function, categorical_crossentropy).
"""


def prepare(corpus: Corpus, chain: bool = True) -> Session:
    """The program with the corpus: tokens and endings as facts, tags as mega examples."""
    session = Session()
    session.add(PROGRAM + "".join(f"label({tag}). " for tag in TAGS), source="program")
    session.add(CHAIN if chain else ALONE, source="loss")
    facts = [f"ending({_name(word)}, {_name(ending(word))})." for word in corpus.words]
    for name, sentences in (("train", corpus.train), ("test", corpus.test)):
        facts += [
            f"token({_token(name, number, place)}, {_name(word)})."
            for number, sentence in enumerate(sentences)
            for place, (word, _) in enumerate(sentence)
        ]
        session.add(_examples(name, sentences), source=name, set=name)
    session.add("\n".join(facts), source="text")
    return session


def labelled(session: Session) -> float:
    """The share of the test tokens that get their tag."""
    return session.decode("tag", set="test").accuracy


def _examples(name: str, sentences: Sequence[Sentence]) -> str:
    return "\n".join(
        f"mega_example(s{number}, tag, {_token(name, number, place)}, {tag})."
        for number, sentence in enumerate(sentences)
        for place, (_, tag) in enumerate(sentence)
    )


def _token(name: str, number: int, place: int) -> str:
    return f"{name}_{number}_{place}"


def _name(word: str) -> str:
    return format_constant(word)
