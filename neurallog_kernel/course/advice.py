"""What is probably wrong with an answer: a name, exchanged arguments, facts in place of a rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice
from typing import TypeAlias

from neurallog_kernel.answers import format_weight
from neurallog_kernel.course.comparing import QuestionCheck, differences, try_to_ask, unlike
from neurallog_kernel.course.exercises import TOLERANCE, AnswersCheck, BestCheck, WrongAnswer
from neurallog_kernel.errors import NeuralLogError, UnknownPredicateError
from neurallog_kernel.language.printer import brief_clause, format_clause, format_literal
from neurallog_kernel.language.syntax import Rule
from neurallog_kernel.session import Session

Advice: TypeAlias = tuple[str, ...]

ALMOST = 0.85  # how alike a name must be to be a misspelt one
BEGINNING = 4  # letters of a name that is only the beginning of the name that is asked for
TRIED = 12  # literals that are tried with their arguments exchanged
SMALL = 100_000  # characters of a program in which that is tried


def for_error(session: Session, check: QuestionCheck, error: NeuralLogError) -> Advice:
    """To a name that the program does not have."""
    return (
        _exchanged(session, check)
        or _misspelt(session, _asked_for(check), error)
        or _turned_literal(session, check)
        or _facts_only(session, check)
        or _other_things(session, check)
    )


def for_nothing(session: Session, check: QuestionCheck) -> Advice:
    """To a question that finds nothing."""
    return (
        recognised(check.mistakes, {})
        or _exchanged(session, check)
        or _turned_literal(session, check)
        or _facts_only(session, check)
        or _idle(session, _asked_for(check))
    )


def for_wrong(session: Session, check: QuestionCheck, found: Mapping[str, float]) -> Advice:
    """To answers that differ."""
    return (
        recognised(check.mistakes, found)
        or _exchanged(session, check)
        or _one_too_many(session, check)
        or _turned_literal(session, check)
        or _facts_only(session, check)
        or _factor(check, found)
    )


def recognised(mistakes: tuple[WrongAnswer, ...], found: Mapping[str, float]) -> Advice:
    """What to say to a wrong answer that others gave before."""
    for mistake in mistakes:
        wanted = {"": mistake.weight} if mistake.weight is not None else mistake.answers
        if not unlike(wanted, found, TOLERANCE):
            return (mistake.says,)
    return ()


def _asked_for(check: QuestionCheck) -> str:
    return check.ask.partition("(")[0]


# -- names ----------------------------------------------------------------------------------------


def _misspelt(session: Session, name: str, error: NeuralLogError) -> Advice:
    """What to say of a predicate that is not there, if the student wrote almost that name, or its
    beginning: a tutorial has names of its own that are alike."""
    if not isinstance(error, UnknownPredicateError):
        return ()
    names = {one.name.partition("/")[0] for one in session.predicates()}
    near = get_close_matches(name, names, 1, ALMOST)
    near = near or [one for one in names if len(one) >= BEGINNING and name.startswith(one)]
    if near and near[0] != name:
        return (f"the program has {near[0]}: write the name as in the task, {name}",)
    return (error.hint,) if near and error.hint else ()


def _facts_only(session: Session, check: QuestionCheck) -> Advice:
    """What is tried on other facts needs a rule."""
    name = _asked_for(check)
    has = [one for one in session.predicates() if one.name.partition("/")[0] == name]
    if not check.given or not any(one.facts for one in has) or any(one.rules for one in has):
        return ()
    return (f"{name} has facts and no rule: only a rule finds answers for other people or things",)


def _other_things(session: Session, check: QuestionCheck) -> Advice:
    """What to say of a rule whose conditions are about other things than the question, although
    the program has these."""
    name, _, places = check.ask.partition("(")
    known = set(re.findall(r"\w+", f"{session.program()} {check.given}"))
    named = set(re.findall(r"\b[a-z]\w*", places))
    if not _has_rule(session, name) or not named <= known:
        return ()
    return (f"there is a rule for {name}: look at the names and the arguments of its conditions",)


def _idle(session: Session, name: str) -> Advice:
    """What to say of a predicate that has a rule and no answer."""
    if not _has_rule(session, name):
        return ()
    return (f"there is a rule for {name}, but nothing fits: ask its conditions one by one",)


def _has_rule(session: Session, name: str) -> bool:
    return any(one.rules and one.name.partition("/")[0] == name for one in session.predicates())


# -- arguments ------------------------------------------------------------------------------------


def _exchanged(session: Session, check: QuestionCheck) -> Advice:
    """The question with its two arguments exchanged has the right answers."""
    name, _, rest = check.ask.partition("(")
    places = [place.strip() for place in rest.rstrip(").").split(",")]
    if len(places) != 2:
        return ()
    found = try_to_ask(session, f"{name}({places[1]}, {places[0]})", check.given)
    if not any(found.values()) or differences(check, found):
        return ()
    return (
        "the arguments are in the other order: exchange them in the head of the rule, "
        "or in the pattern of the table",
    )


def _turned_literal(session: Session, check: QuestionCheck) -> Advice:
    """One condition with its two arguments exchanged makes the answers right."""
    turned = (
        (rule, literal)
        for rule in _rules(session, check)
        for literal in rule.body
        if len(literal.terms) == 2 and literal.terms[0] != literal.terms[1]
    )
    for rule, literal in islice(turned, TRIED):
        other = replace(literal, terms=literal.terms[::-1])
        body = tuple(other if one is literal else one for one in rule.body)
        if _is_right(session, check, rule, format_clause(replace(rule, body=body))):
            return (f"look at the order of the arguments in `{format_literal(literal)}`",)
    return ()


# -- rules ----------------------------------------------------------------------------------------


def _one_too_many(session: Session, check: QuestionCheck) -> Advice:
    """Without one of several rules the answers are right: often one of an earlier cell."""
    rules = _rules(session, check)
    for rule in rules[-TRIED:] if len(rules) > 1 else ():
        if _is_right(session, check, rule, ""):
            return (f"without the rule `{brief_clause(rule)}` this is right: take one rule out",)
    return ()


def _is_right(session: Session, check: QuestionCheck, rule: Rule, instead: str) -> bool:
    """Whether the answers are right in a program with another text instead of a rule."""
    text = session.program()
    changed = text.replace(format_clause(rule), instead)
    if changed == text or len(text) > SMALL:
        return False
    found = try_to_ask(session, check.ask, check.given, changed)
    return any(found.values()) and not differences(check, found)


def _rules(session: Session, check: QuestionCheck) -> list[Rule]:
    name = _asked_for(check)
    rules = [view.rule for view in session.rules() if view.rule.head.predicate == name]
    by_chance = isinstance(check, BestCheck) and len(rules) > 1  # many changes give that best one
    return [] if by_chance else rules


# -- weights --------------------------------------------------------------------------------------


def _factor(check: QuestionCheck, found: Mapping[str, float]) -> Advice:
    """All weights are the same number of times too large."""
    if not isinstance(check, AnswersCheck) or set(found) != set(check.answers):
        return ()
    factors = [found[name] / weight for name, weight in check.answers.items() if weight]
    if len(factors) < 2 or max(factors) - min(factors) >= check.tolerance:
        return ()
    return (
        f"all weights are {format_weight(factors[0])} times as large as they should be: is there a "
        "literal too many or too few, or a weight?",
    )
