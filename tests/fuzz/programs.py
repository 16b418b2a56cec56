"""Programs: a damaged text is refused with a place inside it, or read, printed, and answered."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path

from neurallog_kernel import NeuralLogError, Session
from tests.fuzz.kinds import Input, Kind, WrongError, texts
from tests.fuzz.mutating import mutated

CONFORMANCE = Path(__file__).parents[1] / "conformance"
CASES = (CONFORMANCE / "open_cases.json", CONFORMANCE / "nary_cases.json")
_MOST = 4  # predicates and rules that are looked at
_VARIABLES = "XYZUV"


@cache
def _corpus() -> list[str]:
    cases = [case for file in CASES for case in json.loads(file.read_text(encoding="utf-8"))]
    asked = (
        " ".join([case["program"], *(f"?- {q['query']}." for q in case["queries"])])
        for case in cases
    )
    return [*texts("programs").values(), *asked]


def _make(chance: random.Random) -> Input:
    corpus = _corpus()
    return Input("programs", mutated(chance, chance.choice(corpus), corpus), {})


def _run(given: Input) -> None:
    text = "".join(given.parts)
    session = Session()
    try:
        change = session.add(text)
    except NeuralLogError as error:
        check_error(error, text)
        return
    printed = session.program()
    if printed != read_back(printed):
        raise WrongError("the text of the program reads back as another program")
    for query in change.queries[:_MOST]:
        allowed(lambda query=query: session.query(query, top=5))
    look_at(session)


def check_error(error: NeuralLogError, text: str) -> None:
    """Its place is inside the text, and it can be shown."""
    str(error)
    lines = text.split("\n")
    span = error.span
    if span is not None and not (
        1 <= span.line <= len(lines) and 1 <= span.column <= len(lines[span.line - 1]) + 1
    ):
        raise WrongError(f"the error {error.message!r} points outside the text")


def read_back(printed: str) -> str:
    """The text of the program that a text gives."""
    again = Session()
    try:
        again.add(printed)
    except NeuralLogError as error:
        raise WrongError(f"the text of a program is refused: {error.message}") from error
    return again.program()


def look_at(session: Session) -> None:
    """Ask what can be asked of a session."""
    for one in session.predicates()[:_MOST]:
        name, _, arity = one.name.rpartition("/")
        if int(arity) <= len(_VARIABLES):
            terms = ", ".join(_VARIABLES[: int(arity)])
            question = f"{name}({terms})" if terms else name
            allowed(lambda question=question: session.query(question, top=5))
    for rule in session.rules()[:_MOST]:
        allowed(lambda rule=rule: (rule.dag, rule.path_tree))
    allowed(session.check)


def allowed(work) -> None:
    """Do something that may be refused."""
    try:
        work()
    except NeuralLogError as error:
        str(error)


KIND = Kind("programs", 78, _make, _run)
