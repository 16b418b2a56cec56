"""Changing the program: a source or the functions, whole or not at all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from neurallog_kernel.errors import Notice, UnknownPredicateError, nearest_predicate
from neurallog_kernel.functions import Registry
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.checks import check_function, check_rule, empty_notice
from neurallog_kernel.knowledge.directive_notices import directive_notices
from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.parameters import Parameters
from neurallog_kernel.knowledge.persistent_dict import Layers
from neurallog_kernel.knowledge.program import Definition, Learnables, Program
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.knowledge.rule_types import RuleTypes, rule_types
from neurallog_kernel.knowledge.rule_weights import RuleKey, rule_key, with_weights
from neurallog_kernel.knowledge.sources import Evidence, Slot, Unit, type_conflict
from neurallog_kernel.knowledge.symbols import SymbolTable, distinct
from neurallog_kernel.knowledge.types import EntityType, SlotUnion
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import (
    Constant,
    Learn,
    LearnRuleWeights,
    Literal,
    Number,
    Rule,
    SetParameter,
    SetPredicateParameter,
    Signature,
)
from neurallog_kernel.language.templates import expand_templates

NAMES_COMPARED = 50  # unknown predicates of one change for which a near name is looked for


def with_unit(
    program: Program,
    unit: Unit,
    symbols: SymbolTable,
    strict: bool,
    registry: Registry | None = None,
) -> Program:
    """The program in which `unit` stands in the place of the source of that name, or at the end;
    with other functions, if they are given."""
    units = dict(program.units)
    units[unit.source] = unit  # a dict keeps the place of a key that is there
    if LEARNED in units:  # what was learned goes before what was written
        units[LEARNED] = units.pop(LEARNED)
    return _Update(program, units, unit, symbols, strict, registry or program.registry).run()


def with_functions(program: Program, registry: Registry, symbols: SymbolTable) -> Program:
    """The program with these functions; itself if it has them."""
    if registry is program.registry:
        return program
    return _Update(program, dict(program.units), None, symbols, False, registry).run()


def without_source(program: Program, source: str, symbols: SymbolTable) -> Program:
    """The program without a source."""
    units = dict(program.units)
    del units[source]
    return _Update(program, units, None, symbols, False, program.registry).run()


def with_source_as_before(
    program: Program,
    source: str,
    unit: Unit | None,
    order: Collection[str],
    symbols: SymbolTable,
    registry: Registry | None = None,
) -> Program:
    """The program in which `source` is `unit` again (None: gone) and stands in its old place, with
    the functions of then if they are given."""
    places = {name: place for place, name in enumerate(order)}
    units = {name: found for name, found in program.units.items() if name != source}
    if unit is not None:
        units[source] = unit
    ordered = sorted(units, key=lambda n: (n == LEARNED, places.get(n, len(places))))
    restored = {name: units[name] for name in ordered}
    registry = registry or program.registry
    return _Update(program, restored, unit, symbols, False, registry).run()


@dataclass
class _Update:
    """One change, stage by stage; nothing of the old program is touched."""

    old: Program
    units: dict[str, Unit]
    added: Unit | None
    symbols: SymbolTable
    strict: bool
    registry: Registry
    notices: list[Notice] = field(default_factory=list)
    nearest: dict[Signature, str | None] = field(default_factory=dict)

    def run(self) -> Program:
        self.removed = self._removed_unit()
        self.evidence = self._evidence()
        self._directives()
        self._definitions()
        self._templates()
        self._program()
        self._check()
        self._types()
        self._stamps()
        return self.new

    # -- stages ---------------------------------------------------------------------------------

    def _removed_unit(self) -> Unit | None:
        for source, unit in self.old.units.items():
            if self.units.get(source) is not unit:
                return unit
        return None

    def _evidence(self) -> Mapping[Slot, Mapping[str, Evidence]]:
        table = Layers.of(self.old.evidence)
        if self.removed:
            for slot in self.removed.evidence:
                left = {k: v for k, v in table[slot].items() if k != self.removed.source}
                table[slot] = left
        if self.added:
            for slot, here in self.added.evidence.items():
                others = table.get(slot, {})
                for there in others.values():
                    if there.is_number != here.is_number:
                        raise type_conflict(slot, here, there)
                table[slot] = {**others, self.added.source: here}
        return table

    def _directives(self) -> None:
        old, new = (tuple(u.directives) if u else () for u in (self.removed, self.added))
        self.learnables, self.parameters = self.old.learnables, self.old.parameters
        self.learned_rules = self.old.learned_rules
        if not old and not new:
            return
        directives = [d for unit in self.units.values() for d in unit.directives]
        self.learnables = Learnables.collect(d for d in directives if isinstance(d, Learn))
        self.learned_rules = Learnables.collect(
            d for d in directives if isinstance(d, LearnRuleWeights)
        )
        settings = [d for d in directives if isinstance(d, SetParameter | SetPredicateParameter)]
        self.parameters = Parameters.collect(settings)

    def _definitions(self) -> None:
        self.definitions = Layers.of(self.old.definitions)
        self.contributors = Layers.of(self.old.contributors)
        touched: dict[Signature, None] = {}
        for unit in (self.removed, self.added):
            if unit is not None:
                touched.update(dict.fromkeys(sorted(unit.signatures)))
        order = {source: place for place, source in enumerate(self.units)}
        for signature in touched:
            sources = set(self.contributors.get(signature, ()))
            if self.removed and signature in self.removed.signatures:
                sources.discard(self.removed.source)
            if self.added and signature in self.added.signatures:
                sources.add(self.added.source)
            self.contributors[signature] = tuple(sorted(sources, key=order.__getitem__))
        self.relearned = self._relearned()
        self.touched = touched | dict.fromkeys(sorted(self.relearned))

    def _relearned(self) -> set[Signature]:
        """Predicates whose rules have learned weights now and had not, or the other way round."""
        before, now = self.old.learned_rules, self.learned_rules
        if before == now:
            return set()
        return {s for s in self.definitions if (s in before) != (s in now)}

    def _templates(self) -> None:
        """Fill in the templates of the whole program, then collect every touched definition."""
        templates = [t for unit in self.units.values() for t in unit.templates]
        self.instances: tuple[Rule, ...] = ()
        before = {rule.head.signature for rule in self.old.instances}
        if templates:
            expanded = self._expand(templates)
            self.instances = tuple(rule for rules in expanded for rule in rules)
            self._check_instances()
            self._report_templates(templates, expanded)
        self.instances_of: dict[Signature, list[Rule]] = {}
        for rule in self.instances:
            self.instances_of.setdefault(rule.head.signature, []).append(rule)
        if self.instances != self.old.instances:
            after = {rule.head.signature for rule in self.instances}
            self.touched.update(dict.fromkeys(sorted(before | after)))
        for signature in self.touched:
            definition = self._collect(signature)
            if definition.is_known:
                self.definitions[signature] = definition
            else:
                self.definitions.pop(signature, None)

    def _check_instances(self) -> None:
        """A number or an entity that a template puts where the other kind stands is an error at
        the template, as it is in a rule that is written out."""
        filled: dict[Slot, Evidence] = {}
        for rule in self.instances:
            for literal in (rule.head, *rule.body):
                for place, term in enumerate(literal.terms):
                    if isinstance(term, Constant | Number):
                        slot = (*literal.signature, place)
                        here = Evidence(isinstance(term, Number), term.span or rule.span)
                        stated = self.evidence.get(slot, {}).values()
                        for there in (*stated, filled.setdefault(slot, here)):
                            if there.is_number != here.is_number:
                                raise type_conflict(slot, here, there)

    def _expand(self, templates: list[Rule]) -> list[tuple[Rule, ...]]:
        known = {s for s, sources in self.contributors.items() if sources}
        known |= {(name, arity) for name, arity in self.learnables.exact if arity is not None}
        named = {name for name, arity in self.learnables.exact if arity is None}
        rules = (*templates, *(rule for unit in self.units.values() for rule in unit.rules))
        bodies = {literal.signature for rule in rules for literal in rule.body}
        known |= {s for s in bodies if s in self.learnables}
        known |= {(name, arity) for name in named for _, arity in bodies}  # it means every arity
        constants = self._constant_names()
        return [tuple(rules) for rules in expand_templates(templates, known, constants)]

    def _constant_names(self) -> set[str]:
        arrays = [c for unit in self.units.values() for c in unit.constants.values()]
        if not arrays:
            return set()
        return set(self.symbols.names(distinct(np.concatenate(arrays)).tolist()))

    def _report_templates(self, templates: list[Rule], expanded: list[tuple[Rule, ...]]) -> None:
        mine = set(map(id, self.added.templates)) if self.added else set()
        for template, rules in zip(templates, expanded, strict=True):
            if not rules and id(template) in mine:
                self.notices.append(
                    Notice(
                        "empty_template",
                        f"the template {format_clause(template)} produces no rule",
                        template.span,
                        "no predicate of the program fits its placeholders",
                    )
                )

    def _collect(self, signature: Signature) -> Definition:
        facts: list[Block] = []
        examples: list[Block] = []
        rules: list[Rule] = []
        named = False
        for source in self.contributors.get(signature, ()):
            unit = self.units[source]
            if signature in unit.facts:
                facts.append(unit.facts[signature])
            examples += [b for (_, s), b in unit.examples.items() if s == signature]
            named = named or signature in unit.open_signatures
            rules += unit.rules_by_head.get(signature, ())
        rules += self.instances_of.get(signature, ())
        self._note_overwritten(signature, facts)
        old = self.old.definition(signature)
        keys = self._distinct(rules, old.rule_keys)
        learned = self.units[LEARNED].rule_weights.get(signature) if LEARNED in self.units else None
        if learned and signature in self.learned_rules:
            keys = with_weights(keys, learned)
        kept = tuple(keys)
        if old.rules == kept:
            kept, keys = old.rules, old.rule_keys  # what is known of these objects stays known
        return Definition(signature, tuple(facts), kept, tuple(examples), named, keys)

    def _note_overwritten(self, signature: Signature, blocks: list[Block]) -> None:
        if self.added is None or self.added.source == LEARNED:
            return
        mine = [block for block in blocks if block.source == self.added.source]
        for block in mine:
            again = block.overwritten
            others = [o for o in blocks if o is not block and o.source != LEARNED]
            again += sum(block.overlap(other) for other in others)
            if again:
                name = f"{signature[0]}/{signature[1]}"
                self.notices.append(
                    Notice(
                        "fact_again",
                        f"{again} fact{'s' if again > 1 else ''} of {name} defined more than once",
                        hint="the last definition counts",
                    )
                )

    def _distinct(
        self, rules: Iterable[Rule], known: Mapping[Rule, RuleKey]
    ) -> dict[Rule, RuleKey]:
        """The rules that say something new, each with its key."""
        seen: set[RuleKey] = set()
        kept: dict[Rule, RuleKey] = {}
        for rule in rules:
            key = known.get(rule) or rule_key(rule)
            if key in seen:
                self._note_rule(rule, "rule_again", "equals an earlier one and is kept once")
            elif len(rule.body) == 1 and rule.body[0] == rule.head:
                self._note_rule(rule, "self_rule", "says nothing new and is left out")
            else:
                seen.add(key)
                kept[rule] = key
        return kept

    def _note_rule(self, rule: Rule, kind: str, what: str) -> None:
        if self.added and rule.span and rule.span.source == self.added.source:
            self.notices.append(Notice(kind, f"the rule {format_clause(rule)} {what}", rule.span))

    # -- the new program ------------------------------------------------------------------------

    def _program(self) -> None:
        self.users = Layers.of(self.old.users)
        more: dict[Signature, set[Signature]] = {}  # one predicate may have thousands of users
        for signature in self.touched:
            known = self.old.definition(signature).rule_keys
            for rule in self.definitions.get(signature, Definition(signature)).rules:
                for literal in rule.body if rule not in known else ():
                    more.setdefault(literal.signature, set()).add(signature)
        for called, users in more.items():
            before = self.users.get(called, frozenset())
            if not users <= before:
                self.users[called] = before | users
        self.new = Program(
            registry=self.registry,
            units=self.units,
            definitions=self.definitions,
            contributors=self.contributors,
            learnables=self.learnables,
            learned_rules=self.learned_rules,
            parameters=self.parameters,
            instances=self.instances,
            evidence=self.evidence,
            slots=self.old.slots,
            types=self.old.types,
            rule_types=self.old.rule_types,
            users=self.users,
            stamps=self.old.stamps,
            version=next(self.old.versions),
            versions=self.old.versions,
        )

    def _check(self) -> None:
        """Check the rules of the touched predicates, and those that name one whose role changed or
        that is another function now."""
        self.changed_functions = self._changed_functions()
        suspects = set(self.touched) | self.changed_functions
        if self.removed or self.added:
            units = [u for u in (self.removed, self.added) if u]
            suspects |= {slot[:2] for u in units for slot in u.evidence}
        if self.learnables != self.old.learnables or not self.parameters.same_as(
            self.old.parameters
        ):
            suspects |= set(self.users)
        self.changed_roles = {
            s
            for s in suspects
            if (self.old.role(s), self.old.numeric(s)) != (self.new.role(s), self.new.numeric(s))
        }
        heads = set(self.touched)
        for signature in self.changed_roles | self.changed_functions:
            heads |= self.users.get(signature, frozenset()) | {signature}
        for signature in sorted(heads):
            known = self.old.definitions.get(signature)
            fresh = self.changed_roles or self.changed_functions or known is None
            for rule in self.new.definition(signature).rules:
                if fresh or rule not in self.old.rule_types or self._is_mine(rule):
                    self._check_rule(rule)
        if self.added and self.added.directives:
            self.notices += directive_notices(self.new, self.added.directives)

    def _changed_functions(self) -> set[Signature]:
        """What the bodies of rules name that is another function now, or no longer one."""
        if self.registry is self.old.registry:
            return set()
        return {s for s in self.users if self.old.function(s) is not self.new.function(s)}

    def _is_mine(self, rule: Rule) -> bool:
        """Whether the source that is added wrote it: its notices are given again."""
        span = rule.span
        return self.added is not None and span is not None and span.source == self.added.source

    def _check_rule(self, rule: Rule) -> None:
        check_rule(rule, self.new.role, self.new.numeric)
        for literal in rule.body:
            role = self.new.role(literal.signature)
            function = self.new.function(literal.signature)
            if role is Role.FUNCTION and function is not None:
                check_function(literal, function)
            elif role is Role.EMPTY:
                self._report_empty(rule, literal)
            elif literal.predicate in self.new.registry and self.new.is_known(literal.signature):
                self._note_shadow(literal)

    def _report_empty(self, rule: Rule, literal: Literal) -> None:
        notice = empty_notice(rule, literal, self._nearest(literal.signature))
        if self.strict:
            raise UnknownPredicateError(notice.message, notice.span, notice.hint)
        if self.added and rule.span and rule.span.source == self.added.source:
            self.notices.append(notice)

    def _nearest(self, signature: Signature) -> str | None:
        """The known predicate whose name is nearest; of very many unknown ones nobody reads it."""
        if signature not in self.nearest and len(self.nearest) < NAMES_COMPARED:
            known = [f"{name}/{arity}" for name, arity in self.new.predicates()]
            known += [f"{f.name}/{f.inputs}" for f in self.new.registry]
            self.nearest[signature] = nearest_predicate(f"{signature[0]}/{signature[1]}", known)
        return self.nearest.get(signature)

    def _note_shadow(self, literal: Literal) -> None:
        name = f"{literal.predicate}/{literal.arity}"
        notice = Notice(
            "shadowed_function",
            f"{name} has clauses of its own, so it is not the function of that name",
            literal.span,
            f"rename the predicate to use the function {literal.predicate}",
        )
        if notice not in self.notices:
            self.notices.append(notice)

    # -- types ----------------------------------------------------------------------------------

    def _types(self) -> None:
        """Types of the slots that the change concerns; of all if old rules are read anew."""
        if self._rules_read_anew():
            lost, table, slots = [], Layers(), SlotUnion()
            new_rules = list(self.new.rules())
        else:
            table, slots = Layers.of(self.old.rule_types), self.old.slots.copy()
            lost = self._lost_rules(table)
            now = [rule for s in self.touched for rule in self.new.definition(s).rules]
            new_rules = [rule for rule in now if rule not in table]
        parted = self._part(slots, [table.pop(rule) for rule in lost])
        joined = set(parted)
        for signature in {slot[:2] for slot in parted}:
            for head in {signature, *self.users.get(signature, ())}:
                for rule in self.new.definition(head).rules:
                    slots.join(table[rule].joins if rule in table else ())
        for rule in new_rules:
            table[rule] = rule_types(rule, self.new.role, self.new.numeric)
        joined |= slots.join(join for rule in new_rules for join in table[rule].joins)
        types = self._sized_types(slots, joined, everything=not self.old.types or not table)
        self.new = replace(self.new, slots=slots, types=types, rule_types=table)
        self._report_empty_types(new_rules)

    def _rules_read_anew(self) -> bool:
        """Whether rules that stay must be read again: a predicate they name is something else now,
        or an instance of a template came or went."""
        roles = any(self.old.users.get(signature) for signature in self.changed_roles)
        return roles or self.instances != self.old.instances

    def _lost_rules(self, table: MutableMapping[Rule, RuleTypes]) -> list[Rule]:
        """The rules that went; one that only has another weight now hands its types on."""
        lost: list[Rule] = []
        for signature in self.touched:
            new = self.new.definition(signature)
            gone = [r for r in self.old.definition(signature).rules if r not in new.rule_keys]
            said = {(r.head, r.body): r for r in gone}
            for rule in new.rules if gone else ():
                before = said.pop((rule.head, rule.body), None) if rule not in table else None
                if before is not None:
                    table[rule] = table.pop(before)
                    gone.remove(before)
            lost += gone
        return lost

    def _part(self, slots: SlotUnion, lost: Iterable[RuleTypes]) -> set[Slot]:
        """Take apart the types that lost rules held together; their slots are to be joined anew."""
        roots = {slots.root(slot) for found in lost for join in found.joins for slot in join}
        return {slot for root in roots for slot in slots.part(root)}

    def _sized_types(
        self, slots: SlotUnion, joined: set[Slot], everything: bool
    ) -> Mapping[Slot, EntityType]:
        """The types of all slots; those that nothing concerns stay the same objects."""
        units = [unit for unit in (self.removed, self.added) if unit]
        concerned = {slot for unit in units for slot in unit.constants} | joined
        if everything or self._rules_read_anew():
            concerned = set(slots) | set(self.old.slots) | set(self.old.evidence)
            concerned |= {slot for slot, _ in self._all_constants()}
        roots = {slots.root(slot) for slot in concerned}
        groups = {root: slots.group(root) for root in roots}
        before = {s: self.old.types.get(self.old.slots.root(s)) for g in groups.values() for s in g}
        types = Layers.of(self.old.types)
        for slot in before:
            types.pop(self.old.slots.root(slot), None)
        for root, group in groups.items():
            made = self._sized(root, group, before)
            if made is not None:
                types[root] = made
        self.changed_types = {
            slot
            for root, group in groups.items()
            for slot in group
            if before[slot] is not types.get(root)
        }
        return types

    def _sized(
        self, root: Slot, group: tuple[Slot, ...], before: Mapping[Slot, EntityType | None]
    ) -> EntityType | None:
        """The type of a group: an old one with what came to it, or a new one if something went."""
        # when a type falls apart, one of the parts at most goes on with its index
        kinds = {id(kind): kind for slot in group if (kind := before[slot]) is not None}
        known = {number: kind for number, kind in kinds.items() if kind.slot in group}
        parts = sorted(known.values(), key=len, reverse=True)
        largest = parts[0].without(self._gone(group, parts[0])) if parts else None
        if largest is None:
            symbols = self._constants_of(group)
            return EntityType.of(root, symbols) if len(symbols) else None
        more = [part.members for part in parts[1:]]
        # slots of a type that fell apart and goes on elsewhere bring what they name
        strangers = tuple(s for s in group if (k := before[s]) is not None and id(k) not in known)
        more += [self._constants_of(strangers)] if strangers else []
        more += [c[slot] for c in (self._added_constants,) for slot in group if slot in c]
        more += self._named_in_instances(group)
        return largest.extended(np.concatenate(more)) if more else largest

    def _gone(self, group: tuple[Slot, ...], kind: EntityType) -> np.ndarray:
        """The members that are named in none of these slots any more."""
        assert kind.slot is not None
        old_group = self.old.slots.group(kind.slot)
        if self.instances != self.old.instances or not set(old_group) <= set(group):
            return kind.members[~_contained(kind.members, self._constants_of(group))]
        if self.removed is None:
            return _NO_SYMBOLS
        gone = [self.removed.constants[s] for s in group if s in self.removed.constants]
        left = distinct(np.concatenate(gone)) if gone else _NO_SYMBOLS
        for unit in reversed(self.units.values()):
            for slot in group:
                if len(left) and slot in unit.constants:
                    left = left[~_contained(left, unit.constants[slot])]
        for symbols in self._named_in_instances(group) if len(left) else ():
            left = left[~_contained(left, symbols)]
        return left

    @property
    def _added_constants(self) -> Mapping[Slot, np.ndarray]:
        return self.added.constants if self.added else {}

    def _constants_of(self, group: tuple[Slot, ...]) -> np.ndarray:
        found = [u.constants[s] for u in self.units.values() for s in group if s in u.constants]
        found += self._named_in_instances(group)
        return distinct(np.concatenate(found)) if found else _NO_SYMBOLS

    def _all_constants(self) -> Iterator[tuple[Slot, np.ndarray]]:
        for unit in self.units.values():
            yield from unit.constants.items()
        yield from self._instance_constants.items()

    def _named_in_instances(self, group: Iterable[Slot]) -> list[np.ndarray]:
        """The constants that instances of templates name in these slots."""
        named = self._instance_constants
        return [named[slot] for slot in group if slot in named] if named else []

    @cached_property
    def _instance_constants(self) -> Mapping[Slot, np.ndarray]:
        names: dict[Slot, dict[str, None]] = {}
        for rule in self.instances:
            for literal in (rule.head, *rule.body):
                for place, term in enumerate(literal.terms):
                    if isinstance(term, Constant):
                        names.setdefault((*literal.signature, place), {})[term.name] = None
        return {slot: distinct(self.symbols.intern(list(found))) for slot, found in names.items()}

    def _report_empty_types(self, rules: Collection[Rule]) -> None:
        if self.added is None:
            return
        for rule in rules:
            if not (rule.span and rule.span.source == self.added.source):
                continue
            found = self.new.rule_types[rule]
            for term, slot in found.slots.items():
                if not len(self.new.entity_type(slot)) and not getattr(term, "anonymous", False):
                    self.notices.append(
                        Notice(
                            "empty_type",
                            f"no entity is known for {getattr(term, 'name', '?')} in the rule for "
                            f"{rule.head.predicate}/{rule.head.arity}",
                            rule.span,
                            "its sums are 0 until facts or examples name some",
                        )
                    )

    # -- what has to be computed again ----------------------------------------------------------

    def _stamps(self) -> None:
        changed = {
            s
            for s in self.touched
            if not _same(self.old.definitions.get(s), self.new.definitions.get(s))
        }
        changed |= self.changed_roles | self.changed_functions | self.relearned
        changed |= {slot[:2] for slot in self.changed_types}
        changed |= self._reset()
        queue = list(changed)
        while queue:
            for user in self.users.get(queue.pop(), ()):
                if user not in changed:
                    changed.add(user)
                    queue.append(user)
        stamps = Layers.of(self.old.stamps)
        for signature in changed:
            stamps[signature] = self.new.version
        notices = tuple(self.notices)
        self.new = replace(self.new, stamps=stamps, changed=frozenset(changed), notices=notices)

    def _reset(self) -> set[Signature]:
        """Predicates whose settings changed; a global setting concerns them all."""
        if self.parameters.same_as(self.old.parameters):
            return set()
        return set(self.definitions) | set(self.users)


def _same(a: Definition | None, b: Definition | None) -> bool:
    if a is None or b is None:
        return a is b
    return (
        len(a.facts) == len(b.facts)
        and all(x is y for x, y in zip(a.facts, b.facts, strict=True))
        and a.rules == b.rules
        and a.is_known == b.is_known
    )


def _contained(symbols: np.ndarray, ordered: np.ndarray) -> np.ndarray:
    """For each symbol, whether it is among the ordered ones."""
    if not len(ordered):
        return np.zeros(len(symbols), dtype=bool)
    place = np.searchsorted(ordered, symbols)
    place[place == len(ordered)] = 0
    return ordered[place] == symbols


_NO_SYMBOLS = np.zeros(0, dtype=np.int32)
