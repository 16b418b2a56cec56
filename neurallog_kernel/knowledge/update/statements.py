"""What the sources say together, before any rule is looked at: kinds of arguments, directives, and
which source speaks of which predicate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neurallog_kernel.knowledge.parameter_table import collected
from neurallog_kernel.knowledge.parameters import Parameters
from neurallog_kernel.knowledge.persistent_dict import Layers
from neurallog_kernel.knowledge.program import Learnables
from neurallog_kernel.knowledge.sources import Evidence, Slot, type_conflict
from neurallog_kernel.knowledge.update.edit import Edit
from neurallog_kernel.language.syntax import (
    Learn,
    LearnRuleWeights,
    SetParameter,
    SetPredicateParameter,
    Signature,
)


@dataclass(frozen=True, eq=False)
class Directives:
    """What all sources say about learning, and their settings."""

    learnables: Learnables
    learned_rules: Learnables
    parameters: Parameters


def next_evidence(edit: Edit) -> Mapping[Slot, Mapping[str, Evidence]]:
    """What each source says a slot holds, numbers or entities; two that differ are an error."""
    table = Layers.of(edit.old.evidence)
    if edit.removed:
        for slot in edit.removed.evidence:
            left = {k: v for k, v in table[slot].items() if k != edit.removed.source}
            table[slot] = left
    if edit.added:
        for slot, here in edit.added.evidence.items():
            others = table.get(slot, {})
            for there in others.values():
                if there.is_number != here.is_number:
                    raise type_conflict(slot, here, there)
            table[slot] = {**others, edit.added.source: here}
    return table


def next_directives(edit: Edit) -> Directives:
    """The directives of all sources; those of before if the change has none."""
    old = edit.old
    if not any(contents.directives for contents in edit.changed_sources):
        return Directives(old.learnables, old.learned_rules, old.parameters)
    every = [d for contents in edit.sources.values() for d in contents.directives]
    settings = [d for d in every if isinstance(d, SetParameter | SetPredicateParameter)]
    return Directives(
        Learnables.collect(d for d in every if isinstance(d, Learn)),
        Learnables.collect(d for d in every if isinstance(d, LearnRuleWeights)),
        collected(settings),
    )


def stated_signatures(edit: Edit) -> dict[Signature, None]:
    """The predicates that the change speaks of, in order."""
    found: dict[Signature, None] = {}
    for contents in edit.changed_sources:
        found.update(dict.fromkeys(sorted(contents.signatures)))
    return found


def next_contributors(edit: Edit) -> Layers[Signature, tuple[str, ...]]:
    """The sources that speak of each predicate, in the order of the program."""
    contributors = Layers.of(edit.old.contributors)
    order = {source: number for number, source in enumerate(edit.sources)}
    for signature in stated_signatures(edit):
        sources = set(contributors.get(signature, ()))
        if edit.removed and signature in edit.removed.signatures:
            sources.discard(edit.removed.source)
        if edit.added and signature in edit.added.signatures:
            sources.add(edit.added.source)
        contributors[signature] = tuple(sorted(sources, key=order.__getitem__))
    return contributors


def relearned(edit: Edit, now: Learnables) -> set[Signature]:
    """Predicates whose rules have learned weights now and had not, or the other way round."""
    before = edit.old.learned_rules
    if before == now:
        return set()
    return {s for s in edit.old.definitions if (s in before) != (s in now)}
