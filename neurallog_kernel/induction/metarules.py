"""Metarules as bias: which forms a rule may have, such as `P(X, Y) :- Q(X, Z), R(Z, Y).`"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from neurallog_kernel.errors import NeuralLogError, ParameterError
from neurallog_kernel.language.parser import parse
from neurallog_kernel.language.syntax import Literal, Rule, Variable

_PREDICATE = re.compile(r"\b([A-Z]\w*)\s*\(")
_ADVICE = "write it as a rule, as in P(X, Y) :- Q(X, Z), R(Z, Y)."
_ANY = "any_"  # what a predicate variable is called inside


@dataclass(frozen=True)
class Metarule:
    """The form of a rule: a predicate that begins with a capital letter stands for any."""

    form: Rule

    def allows(self, rule: Rule) -> bool:
        """Whether a rule has this form; its literals may stand in any order."""
        if len(rule.body) != len(self.form.body):
            return False
        return self._match((self.form.head, *self.form.body), (rule.head, *rule.body), {}, {})

    def _match(
        self,
        forms: tuple[Literal, ...],
        literals: tuple[Literal, ...],
        names: dict[str, str],
        terms: dict[str, object],
    ) -> bool:
        if not forms:
            return True
        first, *others = forms
        choices = literals[:1] if first is self.form.head else literals
        for literal in choices:
            known = _joined(first, literal, names, terms)
            left = tuple(one for one in literals if one is not literal)
            if known is not None and self._match(tuple(others), left, *known):
                return True
        return False


def _joined(
    form: Literal, literal: Literal, names: dict[str, str], terms: dict[str, object]
) -> tuple[dict[str, str], dict[str, object]] | None:
    """What the variables of the form stand for if it is this literal; None if it cannot be."""
    if len(form.terms) != len(literal.terms) or form.negated != literal.negated:
        return None
    names, terms = dict(names), dict(terms)
    if form.predicate.startswith(_ANY):
        if names.setdefault(form.predicate, literal.predicate) != literal.predicate:
            return None
    elif form.predicate != literal.predicate:
        return None
    for own, other in zip(form.terms, literal.terms, strict=True):
        if isinstance(own, Variable):
            taken = {v for k, v in terms.items() if k != own.name and isinstance(v, Variable)}
            if terms.setdefault(own.name, other) != other or other in taken:
                return None
        elif own != other:
            return None
    return names, terms


def metarules(texts: Sequence[str]) -> tuple[Metarule, ...]:
    """Read metarules.

    >>> from neurallog_kernel.language.parser import parse
    >>> (form,) = metarules(["P(X, Y) :- Q(X, Z), R(Z, Y)."])
    >>> form.allows(next(iter(parse("h(X, Y) :- p(X, A), q(A, Y).", "a"))))
    True
    >>> form.allows(next(iter(parse("h(X, Y) :- p(A, X), q(A, Y).", "a"))))
    False
    """
    return tuple(_read(text) for text in texts)


def _read(text: str) -> Metarule:
    named = _PREDICATE.sub(lambda found: f"{_ANY}{found.group(1)}(", str(text).strip())
    try:
        clauses = list(parse(named if named.endswith(".") else f"{named}.", "metarule"))
    except NeuralLogError as error:
        raise ParameterError(f"the metarule {text} cannot be read", hint=_ADVICE) from error
    if len(clauses) != 1 or not isinstance(clauses[0], Rule) or not clauses[0].body:
        raise ParameterError(f"the metarule {text} is not one rule with a body", hint=_ADVICE)
    return Metarule(clauses[0])
