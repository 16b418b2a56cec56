"""Templates filled in with the predicates and entities of the whole program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neurallog_kernel.errors import Notice
from neurallog_kernel.knowledge.program import Learnables
from neurallog_kernel.knowledge.sources import Evidence, Slot, type_conflict
from neurallog_kernel.knowledge.symbols import SymbolTable, distinct
from neurallog_kernel.knowledge.update.edit import Edit
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import Constant, Number, Rule, Signature
from neurallog_kernel.language.templates import expand_templates


@dataclass(frozen=True, eq=False)
class Instances:
    """The rules that the templates of the program produce, before and now."""

    before: tuple[Rule, ...]
    rules: tuple[Rule, ...]
    symbols: SymbolTable

    @cached_property
    def changed(self) -> bool:
        return self.rules != self.before

    @cached_property
    def by_head(self) -> Mapping[Signature, list[Rule]]:
        found: dict[Signature, list[Rule]] = {}
        for rule in self.rules:
            found.setdefault(rule.head.signature, []).append(rule)
        return found

    @property
    def touched(self) -> list[Signature]:
        """The predicates that have other instances now, or may have."""
        if not self.changed:
            return []
        return sorted({rule.head.signature for rule in (*self.before, *self.rules)})

    @cached_property
    def constants(self) -> Mapping[Slot, np.ndarray]:
        """The entities that the instances name, by slot."""
        names: dict[Slot, dict[str, None]] = {}
        for rule in self.rules:
            for slot, term in _values(rule):
                if isinstance(term, Constant):
                    names.setdefault(slot, {})[term.name] = None
        return {slot: distinct(self.symbols.intern(list(found))) for slot, found in names.items()}


def fill_templates(
    edit: Edit,
    evidence: Mapping[Slot, Mapping[str, Evidence]],
    learnables: Learnables,
    contributors: Mapping[Signature, tuple[str, ...]],
) -> Instances:
    """The instances of all templates; an empty template of the added source gets a notice."""
    templates = [t for contents in edit.sources.values() for t in contents.templates]
    if not templates:
        return Instances(edit.old.instances, (), edit.symbols)
    known = _known(edit, templates, learnables, contributors)
    expanded = [tuple(r) for r in expand_templates(templates, known, _constant_names(edit))]
    rules = tuple(rule for found in expanded for rule in found)
    _check_kinds(rules, evidence)
    _note_empty(edit, templates, expanded)
    return Instances(edit.old.instances, rules, edit.symbols)


def _known(
    edit: Edit,
    templates: Sequence[Rule],
    learnables: Learnables,
    contributors: Mapping[Signature, tuple[str, ...]],
) -> set[Signature]:
    """The predicates that a placeholder can stand for."""
    known = {s for s, sources in contributors.items() if sources}
    known |= {(name, arity) for name, arity in learnables.exact if arity is not None}
    named = {name for name, arity in learnables.exact if arity is None}
    rules = (*templates, *(rule for contents in edit.sources.values() for rule in contents.rules))
    bodies = {literal.signature for rule in rules for literal in rule.body}
    known |= {s for s in bodies if s in learnables}
    known |= {(name, arity) for name in named for _, arity in bodies}  # it means every arity
    return known


def _constant_names(edit: Edit) -> set[str]:
    arrays = [c for contents in edit.sources.values() for c in contents.constants.values()]
    if not arrays:
        return set()
    return set(edit.symbols.names(distinct(np.concatenate(arrays)).tolist()))


def _values(rule: Rule) -> Iterable[tuple[Slot, Constant | Number]]:
    """The entities and numbers that a rule names, each with its slot."""
    for literal in (rule.head, *rule.body):
        for place, term in enumerate(literal.terms):
            if isinstance(term, Constant | Number):
                yield (*literal.signature, place), term


def _check_kinds(rules: Iterable[Rule], evidence: Mapping[Slot, Mapping[str, Evidence]]) -> None:
    """A number or an entity that a template puts where the other kind stands is an error at the
    template, as it is in a rule that is written out."""
    filled: dict[Slot, Evidence] = {}
    for rule in rules:
        for slot, term in _values(rule):
            here = Evidence(isinstance(term, Number), term.span or rule.span)
            stated = evidence.get(slot, {}).values()
            for there in (*stated, filled.setdefault(slot, here)):
                if there.is_number != here.is_number:
                    raise type_conflict(slot, here, there)


def _note_empty(
    edit: Edit, templates: Sequence[Rule], expanded: Sequence[tuple[Rule, ...]]
) -> None:
    mine = set(map(id, edit.added.templates)) if edit.added else set()
    for template, rules in zip(templates, expanded, strict=True):
        if not rules and id(template) in mine:
            edit.notices.append(
                Notice(
                    "empty_template",
                    f"the template {format_clause(template)} produces no rule",
                    template.span,
                    "no predicate of the program fits its placeholders",
                )
            )
