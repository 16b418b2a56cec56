"""What the living network shows, as plain data: the picture, its numbers, answers and weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neurallog_kernel.answers import Answers
from neurallog_kernel.errors import QueryError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.evaluate.questions import Questions
from neurallog_kernel.language import parse_query
from neurallog_kernel.language.printer import format_constant
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.pictures.live.frames import QuestionFrame, relevance
from neurallog_kernel.pictures.live.graph import CardGraph, GraphBuilder
from neurallog_kernel.pictures.live.layout import laid_out
from neurallog_kernel.pictures.model import shorten
from neurallog_kernel.plan.layers import LiteralLayer

ANSWERS = 12  # listed beside the picture
FOLLOWED = 50  # answers whose reasons are looked for
NAME = 32


@dataclass(frozen=True)
class Question:
    """A question as text, with its predicate, its entities and its open place."""

    text: str
    signature: Signature
    given: tuple[str | None, ...]
    whole: bool  # it names an answer
    named: str | None = None  # the answer that it names

    @classmethod
    def of(cls, inspector: Inspector, text: str) -> Question:
        signature, given = inspector.read_query(text)
        whole = None not in given and signature[1] > 0
        named = given[-1] if whole and signature[1] > 1 else None
        if named is not None:
            given[-1] = None  # one answer of that question is asked for
        if signature[1] > 1 and given.count(None) != 1:
            raise QueryError(
                f"{text}: the living network follows a question with one open place",
                hint=f"as in {signature[0]}({', '.join(['a'] * (signature[1] - 1))}, Y)",
            )
        return cls(text.strip(), signature, tuple(given), whole, named)

    @property
    def output(self) -> int | None:
        """The open place of a predicate with two and more arguments."""
        return self.given.index(None) if self.signature[1] > 1 else None

    def filled(self, names: Sequence[str]) -> str:
        """The question with an answer in its open places."""
        left = iter(names)
        terms = [format_constant(next(left) if one is None else one) for one in self.given]
        name = format_constant(self.signature[0])
        return f"{name}({', '.join(terms)})" if terms else name


def scene(
    evaluator: Evaluator, text: str, about: str | None = None, unfolded: Sequence[str] = ()
) -> tuple[dict[str, Any], CardGraph]:
    """The picture of a question with its numbers. `about` is the answer whose slopes are shown (by
    default the best), `unfolded` the cards that somebody opened."""
    followed = Followed.of(evaluator, text, about)
    graph = followed.graph(unfolded)
    found = numbers(followed, graph)
    steps = _steps(graph)
    return {
        "question": followed.question.text,
        "about": followed.about,
        **laid_out(graph, found["values"], len(steps)),
        **found,
        "steps": steps,
        "notes": [_cut(evaluator, name) for name in graph.cut],
    }, graph


def _cut(evaluator: Evaluator, name: str) -> str:
    depth = evaluator.program.depth((name, 2))
    return (
        f"{name} calls itself: it is followed {depth + 1} calls deep, and what lies deeper is left "
        f"out. set_parameter(recursion_depth, {depth + 2}). goes further"
    )


def moved_scene(
    evaluator: Evaluator, text: str, about: str | None, opened: Mapping[str, list[int]]
) -> dict[str, Any]:
    """The numbers of the same cards in another state of the program."""
    followed = Followed.of(evaluator, text, about)
    return numbers(followed, followed.graph((), opened))


def numbers(followed: Followed, graph: CardGraph) -> dict[str, Any]:
    """What travels while a slider moves."""
    return {
        "values": {name: _value(graph, name, followed.question) for name in graph.cards},
        "chips": {n: [c.get("value") for c in card.chips] for n, card in graph.cards.items()},
        "answers": followed.listed(),
        "count": followed.answers.total,
        "weight": followed.weight,
    }


def _value(graph: CardGraph, name: str, question: Question) -> dict[str, Any]:
    value = graph.value(name)
    if value["about"] in question.given:  # the question says it already
        value["about"] = ""
    for listed in ("top", "back"):
        value[listed] = [[shorten(entity, NAME), number] for entity, number in value[listed]]
    return value


@dataclass
class Followed:
    """A question with its answers, and the one of them whose slopes are asked for."""

    inspector: Inspector
    question: Question
    answers: Answers
    layer: LiteralLayer
    frame: QuestionFrame
    index: int | None  # the entity of a unary question
    about: str  # the answer followed, as a ground question
    weight: float

    @classmethod
    def of(cls, evaluator: Evaluator, text: str, about: str | None) -> Followed:
        inspector = Inspector(evaluator)
        question = Question.of(inspector, text)
        answers = Questions(evaluator).answer(parse_query(text), FOLLOWED)
        layer = inspector.layer(question.signature, question.output)
        indexes = _indexes(inspector, question)
        if question.signature[1] == 1 and not indexes:
            raise QueryError(
                f"{text}: the living network follows one entity",
                hint=f"name it, as in {question.signature[0]}(a)",
            )
        chosen = _chosen(inspector, question, answers, about)
        frame, index = _frame(inspector, question, layer, indexes, answers, chosen)
        named = question.filled(chosen) if chosen else question.text
        weight = answers.weights.get(tuple(chosen), 0.0) if chosen else answers.weights.get((), 0.0)
        if question.whole or not question.signature[1]:
            named, weight = question.text, answers.weight
        elif question.signature[1] > 1 and not chosen:
            named = ""
        return cls(inspector, question, answers, layer, frame, index, named, weight)

    def graph(
        self, unfolded: Sequence[str] = (), again: Mapping[str, list[int]] | None = None
    ) -> CardGraph:
        return GraphBuilder(self.inspector, unfolded, again).build(
            self.layer, self.frame, self.index
        )

    def listed(self) -> list[list[Any]]:
        """The best answers: the name, the weight, and the question that asks for it."""
        return [
            [
                ", ".join(shorten(name, NAME) for name in key) or self.question.text,
                weight,
                self.question.text if self.question.whole else self.question.filled(key),
            ]
            for key, weight in self.answers[:ANSWERS]
        ]


def _indexes(inspector: Inspector, question: Question) -> dict[int, int]:
    found = {}
    for place, name in enumerate(question.given):
        if name is None:
            continue
        index = inspector.position(question.signature, place, name)
        if index is None:
            raise QueryError(
                f"unknown entity {name} in {question.text}",
                hint="only a name that a fact or rule has at that place can be asked for",
            )
        found[place] = index
    return found


def _chosen(
    inspector: Inspector, question: Question, answers: Answers, about: str | None
) -> list[str]:
    """The answer whose slopes are shown: that which is named, or the best. It stays the same when
    a slider makes others better."""
    if question.named is not None:
        return [question.named]
    if about and question.output is not None:
        _, names = inspector.read_query(about)
        name = names[question.output]
        known = inspector.position(question.signature, question.output, name) if name else None
        if name and known is not None and question.filled([name]) == about:
            return [name]
    return list(answers[0][0]) if len(answers) else []


def _frame(
    inspector: Inspector,
    question: Question,
    layer: LiteralLayer,
    indexes: Mapping[int, int],
    answers: Answers,
    chosen: Sequence[str],
) -> tuple[QuestionFrame, int | None]:
    evaluator, signature = inspector.evaluator, question.signature
    output = question.output
    if output is None:
        size = 1 if layer.result.domain is None else evaluator.storage.size(layer.result.domain)
        index = indexes.get(0)
        seed = np.zeros(size)
        seed[index or 0] = 1.0
        return QuestionFrame(evaluator, {}, {layer.result: (seed, seed)}), index
    size = len(evaluator.domain(signature, output))

    def position(name: str) -> int:
        index = inspector.position(signature, output, name)
        assert index is not None
        return index

    slope = np.zeros(size)
    if chosen:
        slope[position(chosen[0])] = 1.0
    if question.named is None:
        best = [(position(key[0]), weight) for key, weight in answers]
    else:
        best = [(position(question.named), 1.0)]
    bound = evaluator.given(signature, dict(indexes))
    seeds = {layer.result: (slope, relevance(best, size))}
    # what the answers were computed from is not computed again
    return QuestionFrame(evaluator, bound, seeds, key=tuple(indexes.items())), None


# -- the order in which it comes about ------------------------------------------------------------


def _steps(graph: CardGraph) -> list[list[str]]:
    """The cards of each level, from the facts to the predicate."""
    into: dict[str, list[str]] = {name: [] for name in graph.cards}
    for start, end in graph.arrows:
        into[end].append(start)
    level: dict[str, int] = {}
    for name in reversed(graph.cards):  # what is called comes after its callers
        _level(name, into, level)
    steps: list[list[str]] = [[] for _ in range(max(level.values(), default=0) + 1)]
    for name, number in level.items():
        steps[number].append(name)
    return steps


def _level(name: str, into: Mapping[str, list[str]], found: dict[str, int]) -> int:
    if name not in found:
        found[name] = 0  # a way that comes back is counted once
        found[name] = max((_level(one, into, found) + 1 for one in into[name]), default=0)
    return found[name]
