"""What a program answers to the question of a check, and how that differs from what is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, assert_never

from neurallog_kernel.answers import format_weight
from neurallog_kernel.course.exercises import AnswersCheck, BestCheck, NamesCheck, WeightCheck
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.session import Session

NARROW = 0.05
"""How wide a range may be that is told as one number."""

QuestionCheck: TypeAlias = AnswersCheck | NamesCheck | BestCheck | WeightCheck


def ask(session: Session, question: str, given: str, program: str = "") -> dict[str, float]:
    """The weights of the answers by their names. With given facts, or another program than the
    one of the session, a new session is asked."""
    if given or program:
        session, old = Session(), session
        session.add(program or old.program(), source="the answer")
        session.add(given, source="other facts")
    answers = session.query(question)
    return {", ".join(key): weight for key, weight in answers.weights.items()}


def try_to_ask(session: Session, question: str, given: str, program: str = "") -> dict[str, float]:
    """The same; what is an error has no answers."""
    try:
        return ask(session, question, given, program)
    except NeuralLogError:
        return {}


def differences(check: QuestionCheck, found: Mapping[str, float]) -> list[str]:
    match check:
        case AnswersCheck():
            return unlike(check.answers, found, check.tolerance)
        case NamesCheck():
            return _not_there(check.names, found) + _too_much(check.names, found)
        case BestCheck():
            best = next(iter(found), "nothing")
            return [] if best == check.best else [f"the first answer is {best}, not {check.best}"]
        case WeightCheck():
            least, most = check.between
            weight = found.get("", 0.0)
            if least <= weight <= most:
                return []
            return [f"it is {format_weight(weight)}, it should be {_between(least, most)}"]
        case _:
            assert_never(check)


def unlike(wanted: Mapping[str, float], found: Mapping[str, float], tolerance: float) -> list[str]:
    moved = [
        f"{name or 'it'} is {format_weight(found[name])}, it should be {format_weight(weight)}"
        for name, weight in wanted.items()
        if name in found and abs(found[name] - weight) > tolerance
    ]
    return _not_there(wanted, found) + _too_much(wanted, found) + moved


def _not_there(
    wanted: Mapping[str, float] | tuple[str, ...], found: Mapping[str, float]
) -> list[str]:
    return [f"{name} is missing" for name in wanted if name not in found]


def _too_much(
    wanted: Mapping[str, float] | tuple[str, ...], found: Mapping[str, float]
) -> list[str]:
    return [f"{name} should not be an answer" for name in found if name not in wanted]


def _between(least: float, most: float) -> str:
    middle = round((least + most) / 2, 4)
    if most - least <= NARROW * max(1.0, abs(middle)):
        return format_weight(middle)
    return f"between {format_weight(least)} and {format_weight(most)}"
