"""The program as one immutable value: what every source said, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from types import MappingProxyType

from neurallog_kernel.errors import NeuralLogError, Notice
from neurallog_kernel.functions import COMPARISONS, Function, Registry
from neurallog_kernel.knowledge.attached import AttachedTable
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.configured import configured_function
from neurallog_kernel.knowledge.number_places import number_places
from neurallog_kernel.knowledge.parameters import Parameters
from neurallog_kernel.knowledge.references import ROWS, FactForm, Scan, TypeRef
from neurallog_kernel.knowledge.roles import Numeric, Role, role_of_places
from neurallog_kernel.knowledge.rule_types import RuleTypes
from neurallog_kernel.knowledge.rule_weights import RuleKey
from neurallog_kernel.knowledge.sources import Evidence, Slot, SourceContents
from neurallog_kernel.knowledge.types import EMPTY_TYPE, EntityType, SlotUnion
from neurallog_kernel.language.syntax import (
    Learn,
    LearnRuleWeights,
    Rule,
    SetParameter,
    SetPredicateParameter,
    Signature,
)

_NOTHING: Mapping = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Definition:
    """All that the program says about one predicate: blocks of facts and of examples, rules, and
    the table where more of its facts are. A fact in a block counts before one of the table."""

    signature: Signature
    facts: tuple[Block, ...] = ()
    rules: tuple[Rule, ...] = ()
    examples: tuple[Block, ...] = ()
    named_in_examples: bool = False
    rule_keys: Mapping[Rule, RuleKey] = field(default_factory=dict)  # `rule_key` of each rule
    facts_stamp: int = 0  # the version in which the facts last changed
    attached: AttachedTable | None = None

    @property
    def is_known(self) -> bool:
        stated = self.facts or self.rules or self.examples or self.named_in_examples
        return bool(stated or self.attached)

    def has_facts(self, blocks: Sequence[Block], attached: AttachedTable | None) -> bool:
        """Whether its facts are these very blocks, and those of this very table."""
        if attached is not self.attached or len(blocks) != len(self.facts):
            return False
        return all(own is other for own, other in zip(self.facts, blocks, strict=True))

    @property
    def is_unweighted(self) -> bool:
        """Whether every fact has the weight 1, as far as can be told without reading them."""
        table = self.attached
        stated = all(block.is_unweighted for block in self.facts)
        return stated and (table is None or table.is_unweighted)

    @property
    def may_be_negative(self) -> bool:
        """Whether a fact has a weight or a number below 0."""
        stated = (
            (b.weights < 0).any() or any((n < 0).any() for n in b.numbers) for b in self.facts
        )
        return any(stated) or (self.attached is not None and self.attached.lowest < 0)

    @property
    def fact_count(self) -> int:
        """How many facts it has; one that is stated and in its table too counts twice."""
        stated = sum(len(block) for block in self.facts)
        return stated + (self.attached.count if self.attached else 0)


@dataclass(frozen=True, slots=True)
class Learnables:
    """Which predicates `learn` (or `learn_rule_weights`) names: by name and arity, by name, and by
    prefix."""

    exact: frozenset[tuple[str, int | None]] = frozenset()
    prefixes: tuple[str, ...] = ()

    @classmethod
    def collect(cls, directives: Iterable[Learn | LearnRuleWeights]) -> Learnables:
        exact, prefixes = set(), []
        for one in directives:
            if isinstance(one, Learn) and one.prefix:
                prefixes.append(one.predicate)
            else:
                exact.add((one.predicate, one.arity))
        return cls(frozenset(exact), tuple(prefixes))

    def __contains__(self, signature: Signature) -> bool:
        name = signature[0]
        return (
            signature in self.exact
            or (name, None) in self.exact
            or (bool(self.prefixes) and name.startswith(self.prefixes))
        )


UNTIL_STABLE = "until_stable"  # a recursion_depth that is found: `evaluate/settling.py`


@dataclass(frozen=True, slots=True)
class Settled:
    """A depth that was found for one state of a predicate; `change` is by how much values still
    change there, relative to their size: 0 where they stay."""

    stamp: int
    depth: int
    change: float


@dataclass(frozen=True, eq=False)
class Program:
    """A snapshot; a change makes a new one that shares all it can with the old one.

    `stamps` holds, for each predicate, the version in which it or something it rests on last
    changed: what was computed for an unchanged stamp is still right. So no two programs may have
    one version, those that were made and thrown away included: `versions` numbers all that come
    from one beginning. That and `settled`, the depths that were found for `until_stable`, are the
    only things here that move.
    """

    registry: Registry = field(default_factory=Registry)
    sources: Mapping[str, SourceContents] = field(default_factory=dict)
    definitions: Mapping[Signature, Definition] = field(default_factory=dict)
    contributors: Mapping[Signature, tuple[str, ...]] = field(default_factory=dict)
    learnables: Learnables = field(default_factory=Learnables)
    learned_rules: Learnables = field(default_factory=Learnables)  # of `learn_rule_weights`
    parameters: Parameters = field(default_factory=Parameters)
    instances: tuple[Rule, ...] = ()  # of templates
    evidence: Mapping[Slot, Mapping[str, Evidence]] = field(default_factory=dict)
    slots: SlotUnion = field(default_factory=SlotUnion)
    types: Mapping[Slot, EntityType] = field(default_factory=dict)  # by the root of their slots
    rule_types: Mapping[Rule, RuleTypes] = field(default_factory=dict)
    users: Mapping[Signature, frozenset[Signature]] = field(
        default_factory=dict
    )  # heads whose bodies name a predicate
    stamps: Mapping[Signature, int] = field(default_factory=dict)
    changed: frozenset[Signature] = frozenset()  # those with the stamp of this version
    version: int = 0
    versions: Iterator[int] = field(default_factory=lambda: count(1))
    notices: tuple[Notice, ...] = ()
    settled: dict[Signature, Settled] = field(default_factory=dict)

    # -- looking things up ----------------------------------------------------------------------

    def definition(self, signature: Signature) -> Definition:
        return self.definitions.get(signature) or Definition(signature)

    def stamp(self, signature: Signature) -> int:
        return self.stamps.get(signature, 0)

    def numeric(self, signature: Signature) -> Numeric:
        """For each place of the predicate, whether it ever holds a number. Of three and more
        arguments, whether numbers there are declared to be numbers: they are stored as names."""
        if signature[1] > 2:
            return number_places(self.parameters, signature)
        return tuple(
            any(e.is_number for e in self.evidence.get((*signature, place), _NOTHING).values())
            for place in range(signature[1])
        )

    def stored_as_numbers(self, signature: Signature) -> Numeric:
        """For each place, whether its numbers are stored as such, not as names."""
        return (False,) * signature[1] if signature[1] > 2 else self.numeric(signature)

    def without_evidence_of(self, source: str) -> Callable[[Slot], bool | None]:
        """For a slot, whether it holds numbers as far as the other sources tell; None: unknown."""

        def known(slot: Slot) -> bool | None:
            others = (e for name, e in self.evidence.get(slot, _NOTHING).items() if name != source)
            return next((e.is_number for e in others), None)

        return known

    def is_known(self, signature: Signature) -> bool:
        """Whether it has a fact, a rule, an example or a `learn`."""
        found = self.definitions.get(signature)
        return (found is not None and found.is_known) or signature in self.learnables

    def function(self, signature: Signature) -> Function | None:
        """The function a body literal applies, if its predicate is not a logic one."""
        if self.is_known(signature):
            return None
        if "function_value" not in self.parameters.names:
            return self.registry.get(signature[0])
        try:
            named = configured_function(self.parameters, self.registry, "function_value", signature)
        except NeuralLogError:  # a notice says so where it is set
            return None
        return named or self.registry.get(signature[0])

    def role(self, signature: Signature) -> Role:
        if self.is_known(signature):
            return role_of_places(self.numeric(signature))
        if signature in _TRUTH:
            return Role.RELATION
        if self.function(signature) is not None:
            return Role.FUNCTION
        if signature[0] in COMPARISONS:
            return Role.COMPARISON
        by_places = role_of_places(self.numeric(signature))
        return Role.EMPTY if by_places is Role.RELATION else by_places

    def predicates(self) -> Iterator[Signature]:
        """All known predicates, in order of appearance."""
        return (s for s, definition in self.definitions.items() if definition.is_known)

    @property
    def attached(self) -> Mapping[Signature, AttachedTable]:
        """The predicates whose facts are in tables."""
        return {s: t for contents in self.sources.values() for s, t in contents.attached.items()}

    def rules(self) -> Iterator[Rule]:
        for definition in self.definitions.values():
            yield from definition.rules

    def entity_type(self, slot: Slot | None) -> EntityType:
        """The type of a slot; slots that nothing names are types of their own, and empty."""
        if slot is None:
            return EMPTY_TYPE
        found = self._slot_types.get(slot)
        if found is None:
            found = self.types.get(self.slots.root(slot), EMPTY_TYPE)
            self._slot_types[slot] = found
        return found

    @cached_property
    def _slot_types(self) -> dict[Slot, EntityType]:
        return {}  # what `entity_type` found

    def type_ref(self, slot: Slot) -> TypeRef:
        """What a plan calls the type of a slot."""
        return self.entity_type(slot).ref

    def scan(self, signature: Signature, form: FactForm) -> Scan:
        """What a plan calls the facts of a predicate."""
        return Scan(signature, form, self.definition(signature).facts_stamp)

    def rows_ref(self, signature: Signature) -> TypeRef:
        """What a plan calls the hidden type of the facts of a predicate, of three and more
        arguments."""
        kinds = (self.entity_type((*signature, place)).stamp for place in range(signature[1]))
        facts = self.definition(signature).facts_stamp
        # rows with the same entities are one where the rest of them is numbers
        return TypeRef((*signature, ROWS), (facts, *kinds, *map(int, self.numeric(signature))))

    def depth(self, signature: Signature) -> int:
        """How often the predicate may be opened again along a chain of calls."""
        value = self.parameters.get("recursion_depth", signature)
        if value == UNTIL_STABLE:
            found = self.settled.get(signature)
            return 1 if found is None else found.depth
        return int(value) if isinstance(value, float) else 1

    def is_open(self, signature: Signature) -> bool:
        """Whether its depth is to be found: `until_stable`."""
        return self.parameters.get("recursion_depth", signature) == UNTIL_STABLE

    def is_recursive(self, signature: Signature, group: Collection[Signature]) -> bool:
        """Whether it calls itself, in turn with the others of its group or at once."""
        rules = self.definition(signature).rules
        own = (x.signature == signature for rule in rules for x in rule.body)
        return bool(rules) and (len(group) > 1 or any(own))

    @cached_property
    def has_open_depths(self) -> bool:
        """Whether some predicate has one that is to be found."""
        return any(
            isinstance(directive, SetParameter | SetPredicateParameter)
            and directive.value == UNTIL_STABLE
            for contents in self.sources.values()
            for directive in contents.directives
        )

    @cached_property
    def learn_directives(self) -> tuple[Learn | LearnRuleWeights, ...]:
        directives = (d for contents in self.sources.values() for d in contents.directives)
        return tuple(d for d in directives if isinstance(d, Learn | LearnRuleWeights))


_TRUTH = {("true", 0), ("false", 0)}


def truth_value(signature: Signature) -> float | None:
    """The weight of the built-in facts `true` and `false`."""
    return {("true", 0): 1.0, ("false", 0): 0.0}.get(signature)
