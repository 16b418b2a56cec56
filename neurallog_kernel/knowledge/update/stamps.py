"""What has to be computed again: the predicates that a change reaches get the new version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from neurallog_kernel.knowledge.persistent_dict import Layers
from neurallog_kernel.knowledge.program import Definition, Program
from neurallog_kernel.language.syntax import Signature


def reached(
    old: Program, new: Program, touched: Iterable[Signature], more: set[Signature]
) -> frozenset[Signature]:
    """The predicates that changed, or rest on one that did: of the touched ones those with other
    clauses, and all of `more`."""
    changed = {s for s in touched if not _same(old.definitions.get(s), new.definitions.get(s))}
    changed |= more | _reset(old, new)
    queue = list(changed)
    while queue:
        for user in new.users.get(queue.pop(), ()):
            if user not in changed:
                changed.add(user)
                queue.append(user)
    return frozenset(changed)


def next_stamps(
    old: Program, new: Program, changed: Iterable[Signature]
) -> Mapping[Signature, int]:
    """The version in which each predicate last changed; one that nothing names has none."""
    stamps = Layers.of(old.stamps)
    for signature in changed:
        if signature in new.definitions or signature in new.users:
            stamps[signature] = new.version
        else:
            stamps.pop(signature, None)
    return stamps


def _reset(old: Program, new: Program) -> set[Signature]:
    """Predicates whose settings changed; a global setting concerns them all."""
    if new.parameters.same_as(old.parameters):
        return set()
    return set(new.definitions) | set(new.users)


def _same(a: Definition | None, b: Definition | None) -> bool:
    if a is None or b is None:
        return a is b
    return a.has_facts(b.facts, b.attached) and a.rules == b.rules and a.is_known == b.is_known
