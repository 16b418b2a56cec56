"""Checks of an exercise, run on a live session: by what the program answers, never by its text."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import assert_never

from neurallog_kernel.answers import Answers, format_weight
from neurallog_kernel.course.exercises import (
    TOLERANCE,
    AnswersCheck,
    BestCheck,
    Check,
    Exercise,
    MetricCheck,
    NamesCheck,
    WeightCheck,
    WrongAnswer,
)
from neurallog_kernel.course.report import ExerciseReport, Outcome, Verdict
from neurallog_kernel.errors import (
    NeuralLogError,
    UnknownEntityError,
    UnknownPredicateError,
)
from neurallog_kernel.session import Session

SHOWN = 4  # differences that are listed, so that a wholly wrong answer stays readable
ALMOST = 0.85  # how alike a name must be to be a misspelt one


def check_exercise(session: Session, exercise: Exercise) -> ExerciseReport:
    """Try the program of a session against all checks of an exercise."""
    return ExerciseReport(exercise, tuple(_verdict(session, one) for one in exercise.checks))


def _verdict(session: Session, check: Check) -> Verdict:
    match check:
        case MetricCheck():
            return _metric(session, check)
        case AnswersCheck() | NamesCheck() | BestCheck() | WeightCheck():
            return _question(session, check)
        case _:
            assert_never(check)


def _question(
    session: Session, check: AnswersCheck | NamesCheck | BestCheck | WeightCheck
) -> Verdict:
    subject = f"?- {check.ask}."
    if check.given:
        subject += "  (tried on other facts)"
    try:
        answers = _asked(session, check.ask, check.given)
    except (UnknownPredicateError, UnknownEntityError) as error:
        advice = _exchanged(session, check) or _misspelt(session, check.ask, error)
        return _not_found(subject, error.message, advice)
    except NeuralLogError as error:
        return Verdict(Outcome.WRONG, subject, (error.message,))
    found = {", ".join(key): weight for key, weight in answers.weights.items()}
    differs = _differences(check, found)
    if not differs:
        return Verdict(Outcome.RIGHT, subject)
    if not any(found.values()):
        advice = _exchanged(session, check) or _idle(session, check.ask)
        return _not_found(subject, "nothing is found", advice)
    said = _recognised(check.mistakes, found) or _likely(session, check, found)
    return Verdict(Outcome.WRONG, subject, (*_cut(differs), *said))


def _not_found(subject: str, why: str, advice: list[str]) -> Verdict:
    """Where there is advice, something was written: it is wrong, and not only missing."""
    return Verdict(Outcome.WRONG if advice else Outcome.MISSING, subject, (why, *advice))


def _asked(session: Session, question: str, given: str) -> Answers:
    if not given:
        return session.query(question)
    other = Session()
    other.add(session.program(), source="the answer")
    other.add(given, source="other facts")
    return other.query(question)


def _differences(
    check: AnswersCheck | NamesCheck | BestCheck | WeightCheck, found: Mapping[str, float]
) -> list[str]:
    match check:
        case AnswersCheck():
            return _unlike(check.answers, found, check.tolerance)
        case NamesCheck():
            return _not_there(check.names, found) + _too_much(check.names, found)
        case BestCheck():
            best = next(iter(found), "nothing")
            return [] if best == check.best else [f"the first answer is {best}, not {check.best}"]
        case WeightCheck():
            least, most = check.between
            weight = found.get("", 0.0)
            if least == most != weight:
                return [f"{format_weight(weight)}, it should be {format_weight(least)}"]
            wanted = f"between {format_weight(least)} and {format_weight(most)}"
            return [] if least <= weight <= most else [f"{format_weight(weight)} is not {wanted}"]
        case _:
            assert_never(check)


def _unlike(wanted: Mapping[str, float], found: Mapping[str, float], tolerance: float) -> list[str]:
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


def _cut(differs: list[str]) -> list[str]:
    rest = len(differs) - SHOWN
    return [*differs[:SHOWN], f"and {rest} more"] if rest > 0 else differs


def _recognised(mistakes: tuple[WrongAnswer, ...], found: Mapping[str, float]) -> list[str]:
    """What to say to a wrong answer that others gave before."""
    for mistake in mistakes:
        wanted = {"": mistake.weight} if mistake.weight is not None else mistake.answers
        if not _unlike(wanted, found, TOLERANCE):
            return [mistake.says]
    return []


def _likely(
    session: Session,
    check: AnswersCheck | NamesCheck | BestCheck | WeightCheck,
    found: Mapping[str, float],
) -> list[str]:
    """What is probably wrong with an answer that nobody foresaw: its arguments, or a factor."""
    exchanged = _exchanged(session, check)
    if exchanged:
        return exchanged
    if not isinstance(check, AnswersCheck) or set(found) != set(check.answers):
        return []
    factors = [found[name] / weight for name, weight in check.answers.items() if weight]
    if len(factors) > 1 and max(factors) - min(factors) < check.tolerance:
        times = format_weight(factors[0])
        return [
            f"all weights are {times} times as large as they should be: is there a literal "
            "too many or too few, or a weight?"
        ]
    return []


def _exchanged(
    session: Session, check: AnswersCheck | NamesCheck | BestCheck | WeightCheck
) -> list[str]:
    turned = _turned(check.ask)
    found = _found(session, turned, check.given) if turned else {}
    if not any(found.values()) or _differences(check, found):
        return []
    return ["the arguments are in the other order: exchange them in the head of the rule"]


def _misspelt(session: Session, question: str, error: NeuralLogError) -> list[str]:
    """What to say of a predicate that is not there, if the student wrote almost that name: a
    tutorial has names of its own that are alike."""
    if not isinstance(error, UnknownPredicateError):
        return []
    name = question.partition("(")[0]
    names = {one.name.partition("/")[0] for one in session.predicates()}
    near = get_close_matches(name, names, 1, ALMOST)
    if near and near[0] != name:
        return [f"the program has {near[0]}: write the name as in the task, {name}"]
    return [error.hint] if near and error.hint else []


def _idle(session: Session, question: str) -> list[str]:
    """What to say of a predicate that has a rule and no answer."""
    name = question.partition("(")[0]
    if not any(one.rules and one.name.partition("/")[0] == name for one in session.predicates()):
        return []
    return [f"there is a rule for {name}, but nothing fits: ask its conditions one by one"]


def _turned(question: str) -> str:
    """The question with its two arguments exchanged, or nothing if it has not two."""
    name, _, rest = question.partition("(")
    places = [place.strip() for place in rest.rstrip(").").split(",")]
    return f"{name}({places[1]}, {places[0]})" if len(places) == 2 else ""


def _found(session: Session, question: str, given: str) -> dict[str, float]:
    try:
        answers = _asked(session, question, given)
    except NeuralLogError:
        return {}
    return {", ".join(key): weight for key, weight in answers.weights.items()}


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
    known = _recognised(check.mistakes, {"": value})
    return Verdict(Outcome.WRONG, subject, (differs, *known), shows_work=False)
