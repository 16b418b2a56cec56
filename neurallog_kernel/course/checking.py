"""Checks of an exercise, run on a live session: by what the program answers, never by its text."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from neurallog_kernel.answers import format_weight
from neurallog_kernel.course import advice
from neurallog_kernel.course.comparing import QuestionCheck, ask, differences
from neurallog_kernel.course.exercises import (
    AnswersCheck,
    BestCheck,
    Exercise,
    ExerciseCheck,
    MetricCheck,
    NamesCheck,
    WeightCheck,
)
from neurallog_kernel.course.report import ExerciseReport, Outcome, Verdict
from neurallog_kernel.errors import (
    NeuralLogError,
    UnknownEntityError,
    UnknownPredicateError,
)
from neurallog_kernel.session import Session

SHOWN = 4  # differences that are listed, so that a wholly wrong answer stays readable


def check_exercise(session: Session, exercise: Exercise) -> ExerciseReport:
    """Try the program of a session against all checks of an exercise."""
    verdicts: list[Verdict] = []
    told: set[str] = set()  # each advice is given once
    for check in exercise.checks:
        verdict = _verdict(session, check)
        fresh = tuple(one for one in verdict.advice if one not in told)
        told |= set(verdict.advice)
        verdicts.append(replace(verdict, advice=fresh))
    return ExerciseReport(exercise, tuple(verdicts))


def _verdict(session: Session, check: ExerciseCheck) -> Verdict:
    match check:
        case MetricCheck():
            return _metric(session, check)
        case AnswersCheck() | NamesCheck() | BestCheck() | WeightCheck():
            return _question(session, check)
        case _:
            assert_never(check)


def _question(session: Session, check: QuestionCheck) -> Verdict:
    subject = f"?- {check.ask}."
    if check.given:
        subject += "  (tried on other facts)"
    try:
        found = ask(session, check.ask, check.given)
    except UnknownPredicateError as error:
        said = advice.for_error(session, check, error)
        return Verdict(_begun(said), subject, (error.message,), said)
    except UnknownEntityError as error:
        said = advice.for_error(session, check, error)
        return Verdict(_begun(said), subject, (*_tried(check, said), error.message), said)
    except NeuralLogError as error:
        return Verdict(Outcome.WRONG, subject, (error.message,))
    differs = differences(check, found)
    if not differs:
        return Verdict(Outcome.RIGHT, subject)
    if not any(found.values()):
        said = advice.for_nothing(session, check)
        return Verdict(_begun(said), subject, (*_tried(check, said), "nothing is found"), said)
    said = advice.for_wrong(session, check, found)
    return Verdict(Outcome.WRONG, subject, (*_tried(check, True), *_cut(differs)), said)


def _begun(said: tuple[str, ...]) -> Outcome:
    """Where there is advice, something was written: it is wrong, and not only missing."""
    return Outcome.WRONG if said else Outcome.MISSING


def _tried(check: QuestionCheck, begun: object) -> list[str]:
    return [f"the other facts are `{check.given}`"] if check.given and begun else []


def _cut(differs: list[str]) -> list[str]:
    rest = len(differs) - SHOWN
    return [*differs[:SHOWN], f"and {rest} more"] if rest > 0 else differs


def _metric(session: Session, check: MetricCheck) -> Verdict:
    subject = f"{check.metric} on the set {check.set}"
    try:
        value = session.evaluate(check.set)[check.metric]
    except (NeuralLogError, KeyError) as error:
        said = error.message if isinstance(error, NeuralLogError) else f"there is no {error}"
        return Verdict(Outcome.MISSING, subject, (said,), shows_work=False)
    if check.at_least is not None and value < check.at_least:
        differs = f"{format_weight(value)}, it should be at least {format_weight(check.at_least)}"
    elif check.at_most is not None and value > check.at_most:
        differs = f"{format_weight(value)}, it should be at most {format_weight(check.at_most)}"
    else:
        return Verdict(Outcome.RIGHT, subject, shows_work=False)
    known = advice.recognised(check.mistakes, {"": value})
    return Verdict(Outcome.WRONG, subject, (differs,), known, shows_work=False)
