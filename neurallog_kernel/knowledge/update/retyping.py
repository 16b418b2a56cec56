"""Types of the slots that a change concerns; those that nothing concerns stay the same objects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, replace

import numpy as np

from neurallog_kernel.errors import Notice
from neurallog_kernel.knowledge.attached import AttachedColumn
from neurallog_kernel.knowledge.attached_types import AttachedType
from neurallog_kernel.knowledge.persistent_dict import Layers
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.rule_types import RuleTypes, rule_types
from neurallog_kernel.knowledge.sources import Slot
from neurallog_kernel.knowledge.types import EntityType, SlotUnion
from neurallog_kernel.knowledge.update.edit import Edit
from neurallog_kernel.knowledge.update.instances import Instances
from neurallog_kernel.knowledge.update.named_entities import NamedEntities
from neurallog_kernel.language.syntax import Rule, Signature


def retyped(
    edit: Edit,
    new: Program,
    touched: Collection[Signature],
    changed_roles: set[Signature],
    instances: Instances,
) -> tuple[Program, set[Slot]]:
    """The program with its types, and the slots that have another type now."""
    anew = _rules_read_anew(edit.old, changed_roles, instances)
    joining = _all_joined(new) if anew else _joined(edit.old, new, touched)
    named = NamedEntities(edit, instances)
    everything = anew or not edit.old.types or not joining.table
    if everything:
        old = edit.old
        # an instance that is gone may have named the only entity of a type: nothing else tells
        concerned = {*joining.slots, *old.slots, *old.types, *old.evidence, *named.slots()}
    else:
        changed = edit.changed_sources
        concerned = {slot for c in changed for slot in (*c.constants, *c.columns)}
    types, changed = _sized_types(edit.old, joining.slots, concerned | joining.joined, named)
    new = replace(new, slots=joining.slots, types=types, rule_types=joining.table)
    _note_empty_types(edit, new, joining.new_rules)
    return new, changed


def _rules_read_anew(old: Program, changed_roles: set[Signature], instances: Instances) -> bool:
    """Whether rules that stay must be read again: a predicate they name is something else now, or
    an instance of a template came or went."""
    return any(old.users.get(signature) for signature in changed_roles) or instances.changed


# -- which slots share a type -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Joining:
    """What each rule says of types, the slots that share one, and what is new of it."""

    table: MutableMapping[Rule, RuleTypes]
    slots: SlotUnion
    new_rules: list[Rule]
    joined: set[Slot]  # slots whose type may be another now


def _all_joined(new: Program) -> _Joining:
    """Of all rules, read anew."""
    return _read(new, Layers(), SlotUnion(), list(new.rules()), set())


def _joined(old: Program, new: Program, touched: Collection[Signature]) -> _Joining:
    """Of the rules that came and went; those that stay say what they said."""
    table, slots = Layers.of(old.rule_types), old.slots.copy()
    lost = _lost_rules(old, new, touched, table)
    now = [rule for signature in touched for rule in new.definition(signature).rules]
    new_rules = [rule for rule in now if rule not in table]
    parted = _part(slots, [table.pop(rule) for rule in lost])
    for signature in {slot[:2] for slot in parted}:
        for head in {signature, *new.users.get(signature, ())}:
            for rule in new.definition(head).rules:
                slots.join(table[rule].joins if rule in table else ())
    return _read(new, table, slots, new_rules, parted)


def _read(
    new: Program,
    table: MutableMapping[Rule, RuleTypes],
    slots: SlotUnion,
    rules: list[Rule],
    parted: set[Slot],
) -> _Joining:
    for rule in rules:
        table[rule] = rule_types(rule, new.role, new.numeric)
    joined = slots.join(join for rule in rules for join in table[rule].joins)
    return _Joining(table, slots, rules, parted | joined)


def _lost_rules(
    old: Program,
    new: Program,
    touched: Collection[Signature],
    table: MutableMapping[Rule, RuleTypes],
) -> list[Rule]:
    """The rules that went; one that only has another weight now hands its types on."""
    lost: list[Rule] = []
    for signature in touched:
        definition = new.definition(signature)
        before = old.definition(signature).rules
        gone = dict.fromkeys(rule for rule in before if rule not in definition.rule_keys)
        said = {(r.head, r.body): r for r in gone}
        for rule in definition.rules if gone else ():
            same = said.pop((rule.head, rule.body), None) if rule not in table else None
            if same is not None:
                table[rule] = table.pop(same)
                del gone[same]
        lost += gone
    return lost


def _part(slots: SlotUnion, lost: Iterable[RuleTypes]) -> set[Slot]:
    """Take apart the types that lost rules held together; their slots are to be joined anew."""
    roots = {slots.root(slot) for found in lost for join in found.joins for slot in join}
    return {slot for root in roots for slot in slots.part(root)}


# -- which entities a type has ------------------------------------------------------------------


def _sized_types(
    old: Program, slots: SlotUnion, concerned: set[Slot], named: NamedEntities
) -> tuple[Mapping[Slot, EntityType], set[Slot]]:
    """The types of all slots, and the slots that have another type now."""
    groups = {root: slots.group(root) for root in {slots.root(slot) for slot in concerned}}
    types = Layers.of(old.types)
    before: dict[Slot, EntityType | None] = {}  # of whole old groups at once: they are large
    for slot in (slot for group in groups.values() for slot in group):
        if slot not in before:
            root = old.slots.root(slot)
            before |= dict.fromkeys(old.slots.group(root), old.types.get(root))
            types.pop(root, None)
    for root, group in groups.items():
        made = _sized(root, group, before, named)
        if made is not None:
            types[root] = made
    changed: set[Slot] = set()
    for root, group in groups.items():
        now = types.get(root)
        changed.update(slot for slot in group if before[slot] is not now)
    return types, changed


def _sized(
    root: Slot,
    group: tuple[Slot, ...],
    before: Mapping[Slot, EntityType | None],
    named: NamedEntities,
) -> EntityType | None:
    """The type of a group: an old one with what came to it, or a new one if something went."""
    columns = named.columns(group)
    if columns:
        return _attached(group, before[root], columns, named)
    # when a type falls apart, one of the parts at most goes on with its index
    kinds = {id(kind): kind for slot in group if (kind := before[slot]) is not None}
    own = set(group)  # thousands of rules may join thousands of types
    known = {
        number: kind
        for number, kind in kinds.items()
        if kind.slot in own and not isinstance(kind, AttachedType)
    }
    parts = sorted(known.values(), key=len, reverse=True)
    largest = parts[0].without(named.gone(group, parts[0])) if parts else None
    if largest is None:
        symbols = named.of(group)
        return EntityType.of(root, symbols) if len(symbols) else None
    more = [part.members for part in parts[1:]]
    # slots of a type that fell apart and goes on elsewhere bring what they name
    strangers = tuple(s for s in group if (k := before[s]) is not None and id(k) not in known)
    more += [named.of(strangers)] if strangers else []
    more += named.added(group)
    return largest.extended(np.concatenate(more)) if more else largest


def _attached(
    group: tuple[Slot, ...],
    before: EntityType | None,
    columns: list[AttachedColumn],
    named: NamedEntities,
) -> EntityType:
    """The type of columns in a database: the old one if it has the same columns and names."""
    symbols = named.of(group)
    kept = before if isinstance(before, AttachedType) and before.slot in group else None
    if kept is not None and kept.is_over(symbols, columns):
        return kept
    return AttachedType.over(group[0], symbols, columns, named.edit.symbols)


def _note_empty_types(edit: Edit, new: Program, rules: Iterable[Rule]) -> None:
    for rule in filter(edit.wrote, rules):
        for term, slot in new.rule_types[rule].slots.items():
            if new.entity_type(slot).is_empty and not getattr(term, "anonymous", False):
                edit.notices.append(
                    Notice(
                        "empty_type",
                        f"no entity is known for {getattr(term, 'name', '?')} in the rule for "
                        f"{rule.head.predicate}/{rule.head.arity}",
                        rule.span,
                        "its sums are 0 until facts or examples name one",
                    )
                )
