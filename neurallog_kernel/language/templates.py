"""Templates: rules with placeholders, filled in from the predicates and constants of a program."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from neurallog_kernel.errors import TemplateError
from neurallog_kernel.language.statements import unfilled
from neurallog_kernel.language.syntax import (
    Constant,
    Literal,
    Rule,
    Signature,
    TemplateTerm,
    Term,
)
from neurallog_kernel.language.words import DIRECTIVES, fill, is_predicate, placeholders, term_of

MOST_INSTANCES = 5_000_000  # a template that makes more is taken for a mistake
_NEVER_MATCHED = DIRECTIVES | {"true", "false"}


def expand_templates(
    templates: Sequence[Rule], predicates: Collection[Signature], constants: Collection[str]
) -> list[tuple[Rule, ...]]:
    """The rules that each template stands for, in the order of the templates.

    `predicates` are those with facts, rules, examples or `learn` in the whole program. The heads
    of the rules made here are known to the templates that follow.
    """
    known = _matchable(predicates)
    entities = frozenset(constants)
    made: list[tuple[Rule, ...]] = []
    for template in templates:
        rules = _instances(template, known, entities)
        known.update(
            rule.head.signature for rule in rules if rule.head.predicate not in _NEVER_MATCHED
        )
        made.append(rules)
    return made


def _matchable(predicates: Iterable[Signature]) -> set[Signature]:
    return {one for one in predicates if one[0] not in _NEVER_MATCHED}


def _instances(
    template: Rule, known: set[Signature], constants: frozenset[str]
) -> tuple[Rule, ...]:
    names = tuple(dict.fromkeys(_names(template)))
    choices = _choices(template, {name for name, _ in known}, constants)
    if any(not choices.get(name) for name in names):
        return ()
    assignments = _assignments(template, choices, known)
    texts = sorted({tuple(values[name] for name in names) for values in assignments})
    made = (
        _fill_rule(template, dict(zip(names, values, strict=True)), constants) for values in texts
    )
    return tuple(dict.fromkeys(rule for rule in made if rule is not None))


def _names(rule: Rule) -> Iterator[str]:
    for literal in (rule.head, *rule.body):
        yield from unfilled(literal)


def _choices(
    template: Rule, predicates: set[str], constants: frozenset[str]
) -> dict[str, set[str]]:
    """The values of every placeholder of the body.

    One that stands in body predicates takes what all of them allow; one that stands in terms only
    takes what any of them finds among the predicates and the constants.
    """
    in_predicates: dict[str, set[str]] = {}
    for literal in template.body:
        for name, values in _captured(literal.predicate, predicates).items():
            in_predicates[name] = in_predicates.get(name, values) & values
    in_terms: dict[str, set[str]] = {}
    texts = {t.text for one in template.body for t in one.terms if isinstance(t, TemplateTerm)}
    for text in texts:
        if set(placeholders(text)) <= in_predicates.keys():
            continue
        for pool in (predicates, constants):
            for name, values in _captured(text, pool).items():
                in_terms.setdefault(name, set()).update(values)
    return in_terms | in_predicates


def _captured(text: str, pool: Iterable[str]) -> dict[str, set[str]]:
    """What each placeholder stands for wherever the text is found in a name of the pool."""
    names = placeholders(text)
    if not names:
        return {}
    between = re.split(r"\{[^}]*\}", text)
    captured: dict[str, set[str]] = {name: set() for name in names}
    for candidate in pool:
        for line in candidate.split("\n"):
            for name, value in zip(names, _filled_in(line, between), strict=False):
                captured[name].add(value)
    return captured


def _filled_in(candidate: str, between: Sequence[str]) -> list[str]:
    """What stands for the placeholders between these texts, or nothing; the first placeholder
    takes as much as it can, then the second, and so on.

    So every text but the first stands as far right as it can, and one look from the right finds
    them all, however many placeholders there are.

    >>> _filled_in("my_old_rel_1", ["", "_", ""]), _filled_in("abc", ["", "", ""])
    (['my_old_rel', '1'], ['ab', 'c'])
    """
    first, *others = between
    start = candidate.find(first) + len(first)
    if start < len(first):
        return []
    places: list[int] = []
    stop = len(candidate)
    for text in reversed(others):
        place = candidate.rfind(text, 0, stop)
        if place <= start:  # a placeholder stands for one character at least
            return []
        places.insert(0, place)
        stop = place - 1
    ends = zip(places, others, strict=True)
    begins = [start, *(place + len(text) for place, text in ends)]
    return [candidate[a:b] for a, b in zip(begins, places, strict=False)]


def _assignments(
    template: Rule, choices: dict[str, set[str]], known: set[Signature]
) -> list[dict[str, str]]:
    """Every choice of values under which the body predicates with placeholders are known."""
    partial: list[dict[str, str]] = [{}]
    for literal in template.body:
        names = placeholders(literal.predicate)
        for name in names:
            partial = _extended(partial, name, choices[name], template)
        if names:
            arity = literal.arity
            partial = [one for one in partial if (fill(literal.predicate, one), arity) in known]
    for name in _names(template):
        partial = _extended(partial, name, choices[name], template)
    return partial


def _extended(
    partial: list[dict[str, str]], name: str, values: set[str], template: Rule
) -> list[dict[str, str]]:
    if not partial or name in partial[0]:
        return partial
    if len(partial) * len(values) > MOST_INSTANCES:
        raise TemplateError(f"this template makes more than {MOST_INSTANCES} rules", template.span)
    return [{**one, name: value} for one in partial for value in values]


def _fill_rule(template: Rule, values: dict[str, str], constants: frozenset[str]) -> Rule | None:
    """The rule, or None where it has no meaning: a bad head name, a term that is none, itself."""
    head = _fill_literal(template.head, values, constants)
    body = tuple(_fill_literal(one, values, constants) for one in template.body)
    if not is_predicate(head.predicate) or body == (head,):
        return None
    return replace(template, head=head, body=body)


def _fill_literal(literal: Literal, values: dict[str, str], constants: frozenset[str]) -> Literal:
    terms = tuple(_fill_term(term, values, constants) for term in literal.terms)
    return replace(literal, predicate=fill(literal.predicate, values), terms=terms)


def _fill_term(term: Term, values: dict[str, str], constants: frozenset[str]) -> Term:
    if isinstance(term, Constant) and "{" in term.name:
        return Constant(fill(term.name, values), term.span)
    if not isinstance(term, TemplateTerm):
        return term
    text = fill(term.text, values)
    # A known constant stays one, even if its bare text looks like a variable or a number.
    made = Constant(text) if text in constants else term_of(text, None)
    return replace(made or Constant(text), span=term.span)
