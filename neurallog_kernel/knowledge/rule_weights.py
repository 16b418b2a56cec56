"""The weights of rules as something to learn: what names a rule, and a rule with its weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from neurallog_kernel.language.syntax import Rule, Variable

RuleKey: TypeAlias = tuple  # the weight that the text gives, and the literals
RuleWeights: TypeAlias = Mapping[RuleKey, float]


def rule_key(rule: Rule) -> RuleKey:
    """Equal for rules that differ in the names of their variables only; the weight in the text
    counts, and not one that was learned."""
    names: dict[str, int] = {}
    literals = []
    for literal in (rule.head, *rule.body):
        terms = tuple(
            ("var", names.setdefault(term.name, len(names))) if isinstance(term, Variable) else term
            for term in literal.terms
        )
        literals.append((literal.predicate, literal.negated, terms))
    return (as_stated(rule).weight, tuple(literals))


def as_stated(rule: Rule) -> Rule:
    """The rule as the text has it."""
    return rule if rule.stated is None else replace(rule, weight=rule.stated, stated=None)


def with_weights(keys: Mapping[Rule, RuleKey], learned: RuleWeights) -> dict[Rule, RuleKey]:
    """Stated rules with the weights that were learned for them, each with its key."""
    return {
        replace(rule, weight=learned[key], stated=rule.weight) if key in learned else rule: key
        for rule, key in keys.items()
    }
