"""What one source (a cell, a file) contributes: checked on its own, before it meets the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from neurallog_kernel.errors import (
    NotGroundError,
    ParameterError,
    Span,
    TypeConflictError,
)
from neurallog_kernel.knowledge import parameter_table
from neurallog_kernel.knowledge.attached import AttachedColumn, AttachedTable
from neurallog_kernel.knowledge.blocks import Block, BlockBuilder, Column
from neurallog_kernel.knowledge.rule_weights import RuleWeights
from neurallog_kernel.knowledge.symbols import SymbolTable, distinct
from neurallog_kernel.language.facts import FactRun
from neurallog_kernel.language.printer import format_literal
from neurallog_kernel.language.prolog import command_advice
from neurallog_kernel.language.syntax import (
    PROGRAM_SET,
    Clause,
    Constant,
    Example,
    ExampleSet,
    Fact,
    Learn,
    LearnRuleWeights,
    Literal,
    MegaExample,
    Number,
    Query,
    Rule,
    SetParameter,
    SetPredicateParameter,
    Signature,
    Term,
    Variable,
)

Slot = tuple[str, int, int]  # predicate, arity, place
ExampleKey = tuple[str, Signature]  # set and predicate
Instruction = Learn | LearnRuleWeights | SetParameter | SetPredicateParameter


@dataclass(frozen=True, slots=True)
class Evidence:
    """The first place where a slot holds a number, or an entity."""

    is_number: bool
    span: Span | None


@dataclass(frozen=True, eq=False)
class SourceContents:
    """The clauses of one source, in order, with its facts and examples as blocks."""

    source: str
    rules: tuple[Rule, ...]
    templates: tuple[Rule, ...]
    directives: tuple[Instruction, ...]
    # with variables or in an ordered group, and those of the same predicate before them
    open_examples: tuple[Example | MegaExample, ...]
    queries: tuple[Query, ...]
    facts: Mapping[Signature, Block]
    examples: Mapping[ExampleKey, Block]
    evidence: Mapping[Slot, Evidence]
    constants: Mapping[Slot, np.ndarray]  # unique symbols
    rule_weights: Mapping[Signature, RuleWeights] = field(default_factory=dict)  # learned ones
    attached: Mapping[Signature, AttachedTable] = field(default_factory=dict)
    # of an ensemble: what each member learned; the source itself is the first of them
    members: tuple[SourceContents, ...] = ()

    @classmethod
    def of_table(cls, table: AttachedTable) -> SourceContents:
        """The source of an attached table: it tells what its places hold, and holds no fact."""
        evidence = {
            (*table.signature, place): Evidence(number, Span(table.source, 1, 1, 1, 1))
            for place, number in enumerate(table.numeric)
        }
        attached = {table.signature: table}
        return cls(table.source, (), (), (), (), (), {}, {}, evidence, {}, attached=attached)

    @property
    def states_nothing(self) -> bool:
        """Whether there are questions at most, and nothing that the program consists of."""
        return not (self.signatures or self.templates or self.directives or self.constants)

    @cached_property
    def signatures(self) -> frozenset[Signature]:
        """The predicates this source says something about."""
        examples = {signature for _, signature in self.examples}
        others = (self.open_signatures, self.rules_by_head, self.rule_weights, self.attached)
        return frozenset(self.facts).union(examples, *others)

    @cached_property
    def columns(self) -> Mapping[Slot, AttachedColumn]:
        """The columns of attached tables that name the entities of a slot."""
        return {
            (*table.signature, place): column
            for table in self.attached.values()
            for place, column in table.entity_columns.items()
        }

    @cached_property
    def rules_by_head(self) -> Mapping[Signature, tuple[Rule, ...]]:
        found: dict[Signature, list[Rule]] = {}
        for rule in self.rules:
            found.setdefault(rule.head.signature, []).append(rule)
        return {signature: tuple(rules) for signature, rules in found.items()}

    @cached_property
    def open_signatures(self) -> frozenset[Signature]:
        return frozenset(example.atom.signature for example in self.open_examples)


class ContentsBuilder:
    """Goes through the clauses in text order; the first mistake is the one reported."""

    def __init__(self, source: str, symbols: SymbolTable) -> None:
        self.source = source
        self.symbols = symbols
        self.example_set = PROGRAM_SET  # of the examples that come
        self.only_examples = False  # whether plain atoms are examples too
        self.rules: list[Rule] = []
        self.templates: list[Rule] = []
        self.directives: list[Instruction] = []
        self.open_examples: list[Example | MegaExample] = []
        self.queries: list[Query] = []
        self.fact_builders: dict[Signature, BlockBuilder] = {}
        self.example_builders: dict[ExampleKey, BlockBuilder] = {}
        self.evidence: dict[Slot, Evidence] = {}
        self.names: dict[Slot, set[str]] = {}

    def add(self, clauses: Iterable[Clause | FactRun], example_set: str | None) -> None:
        """Take clauses in. With a set, plain atoms are examples too, and all examples belong to
        it, until the text itself names another."""
        if example_set is not None and not (isinstance(example_set, str) and example_set):
            raise ParameterError(
                f"a set of examples has a name, not {example_set!r}", hint='such as set="train"'
            )
        self.example_set = PROGRAM_SET if example_set is None else example_set
        self.only_examples = example_set is not None
        for clause in clauses:
            self._add(clause)

    def build(self) -> SourceContents:
        facts = self._finish(self.fact_builders)
        examples = self._finish(self.example_builders)
        return SourceContents(
            self.source,
            tuple(self.rules),
            tuple(self.templates),
            tuple(self.directives),
            tuple(self.open_examples),
            tuple(self.queries),
            facts,
            examples,
            self.evidence,
            self._constants([*facts.values(), *examples.values()]),
        )

    def _add(self, clause: Clause | FactRun) -> None:
        if isinstance(clause, FactRun):
            self._add_run(clause)
        elif isinstance(clause, Fact):
            self._add_fact(clause)
        elif isinstance(clause, Rule):
            self._add_rule(clause)
        elif isinstance(clause, Example | MegaExample):
            self._add_example(clause)
        elif isinstance(clause, ExampleSet):
            self.example_set = clause.name
        elif isinstance(clause, Query):
            self.queries.append(clause)
        else:
            if isinstance(clause, SetParameter | SetPredicateParameter):
                parameter_table.checked(clause)
            self.directives.append(clause)

    # -- ground atoms ---------------------------------------------------------------------------

    def _add_run(self, run: FactRun) -> None:
        for columns in run.columns.values():
            numeric = tuple(isinstance(place, np.ndarray) for place in columns.places)
            if self._is_news(columns.signature, numeric):
                first = run.fact_at(int(columns.offsets[0]))
                self._note(first.atom)
            weights = columns.weights
            if weights is None:
                weights = np.ones(len(columns.lines))
            builder = self._builder(columns.signature, numeric)
            builder.add(columns.places, weights, columns.lines)

    def add_columns(
        self,
        signature: Signature,
        numeric: tuple[bool, ...],
        places: Sequence[Column],
        weights: np.ndarray,
        lines: np.ndarray,
        example_set: str | None = None,
    ) -> None:
        """Take in the facts of a table, or the examples of a set: columns of symbols and of
        numbers."""
        line = int(lines[0]) if len(lines) else 1
        for place, number in enumerate(numeric):
            here = Evidence(number, Span(self.source, line, place + 1, line, place + 2))
            there = self.evidence.setdefault((*signature, place), here)
            if there.is_number != here.is_number:
                raise type_conflict((*signature, place), here, there)
        builders: dict = self.fact_builders if example_set is None else self.example_builders
        key = signature if example_set is None else (example_set, signature)
        builders.setdefault(key, BlockBuilder(signature, numeric)).add(places, weights, lines)

    def add_mega_examples(self, examples: Iterable[MegaExample], example_set: str | None) -> None:
        """Take in the mega examples of a table, for a set."""
        before = self.example_set
        self.example_set = example_set or before
        for example in examples:
            self._add_example(example)
        self.example_set = before

    def _is_news(self, signature: Signature, numeric: tuple[bool, ...]) -> bool:
        known = [self.evidence.get((*signature, place)) for place in range(len(numeric))]
        return any(k is None or k.is_number != n for k, n in zip(known, numeric, strict=True))

    def _builder(self, signature: Signature, numeric: tuple[bool, ...]) -> BlockBuilder:
        if self.only_examples:
            key = (self.example_set, signature)
            return self.example_builders.setdefault(key, BlockBuilder(signature, numeric))
        return self.fact_builders.setdefault(signature, BlockBuilder(signature, numeric))

    def _add_fact(self, fact: Fact) -> None:
        if self.only_examples:
            self._add_example(Example(fact.atom, fact.weight, span=fact.span))
            return
        check_fact(fact.atom)
        self._note(fact.atom)
        _add_atom(self._builder(fact.atom.signature, _numeric(fact.atom)), fact.atom, fact.weight)

    def _add_example(self, example: Example | MegaExample) -> None:
        self._note(example.atom)
        open_example = any(isinstance(term, Variable) for term in example.atom.terms)
        if open_example or isinstance(example, MegaExample):
            self._keep_order((self.example_set, example.atom.signature))
            self.open_examples.append(replace(example, set=self.example_set))
            self._name_constants(example.atom)
            return
        key = (self.example_set, example.atom.signature)
        builder = self.example_builders.setdefault(
            key, BlockBuilder(example.atom.signature, _numeric(example.atom))
        )
        _add_atom(builder, example.atom, example.weight)

    def _keep_order(self, key: ExampleKey) -> None:
        """Of equal examples the last counts: ground ones stay before an open one that follows."""
        builder = self.example_builders.pop(key, None)
        for atom, weight in builder.atoms(self.symbols) if builder else ():
            self.open_examples.append(Example(atom, weight, key[0]))
            self._name_constants(atom)

    def _finish(self, builders: Mapping) -> dict:
        return {key: builder.finish(self.source, self.symbols) for key, builder in builders.items()}

    # -- rules ----------------------------------------------------------------------------------

    def _add_rule(self, rule: Rule) -> None:
        if rule.is_template:
            self.templates.append(rule)
            return
        self.rules.append(rule)
        for literal in (rule.head, *rule.body):
            self._note(literal)
            self._name_constants(literal)

    # -- what each slot holds -------------------------------------------------------------------

    def _note(self, literal: Literal) -> None:
        for place, term in enumerate(literal.terms):
            if not isinstance(term, Constant | Number):
                continue
            slot = (literal.predicate, literal.arity, place)
            here = Evidence(isinstance(term, Number), term.span or literal.span)
            there = self.evidence.setdefault(slot, here)
            if there.is_number != here.is_number:
                raise type_conflict(slot, here, there)

    def _name_constants(self, literal: Literal) -> None:
        for place, term in enumerate(literal.terms):
            if isinstance(term, Constant):
                slot = (literal.predicate, literal.arity, place)
                self.names.setdefault(slot, set()).add(term.name)

    def _constants(self, blocks: Iterable[Block]) -> dict[Slot, np.ndarray]:
        found: dict[Slot, list[np.ndarray]] = {}
        for block in blocks:
            columns = iter(block.entities)
            for place, numeric in enumerate(block.numeric):
                if not numeric:
                    found.setdefault((*block.signature, place), []).append(next(columns))
        for slot, names in self.names.items():
            found.setdefault(slot, []).append(self.symbols.intern(sorted(names)))
        return {slot: distinct(np.concatenate(arrays)) for slot, arrays in found.items()}


def check_fact(atom: Literal) -> None:
    """Facts are ground."""
    for term in atom.terms:
        if isinstance(term, Variable):
            name = "_" if term.anonymous else term.name
            raise NotGroundError(
                f"the fact {format_literal(atom)} holds the variable {name}",
                term.span,
                command_advice(*atom.signature) or _not_ground_hint(name),
            )


def _not_ground_hint(name: str) -> str:
    if name.startswith("_"):
        return "name the entity, or write a rule if it holds for every entity"
    return (
        f'to ask, write ?- before it; for a name write {name[0].lower()}{name[1:]} or "{name}"; '
        "for every entity write a rule"
    )


def type_conflict(slot: Slot, here: Evidence, there: Evidence) -> TypeConflictError:
    """The error at `here` that names the earlier place."""
    predicate, arity, place = slot
    now, before = ("a number", "an entity") if here.is_number else ("an entity", "a number")
    where = f" at {there.span}" if there.span else ""
    return TypeConflictError(
        f"place {place + 1} of {predicate}/{arity} holds {now} here and {before}{where}",
        here.span,
        "a place is for numbers or for entities, not for both; put a number in "
        "quotes to use it as a name",
    )


def _numeric(atom: Literal) -> tuple[bool, ...]:
    return tuple(isinstance(term, Number) for term in atom.terms)


def _add_atom(builder: BlockBuilder, atom: Literal, weight: float) -> None:
    line = atom.span.line if atom.span else 0
    builder.add([_column(t) for t in atom.terms], np.array([weight]), np.array([line], np.int32))


def _column(term: Term) -> Column:
    if isinstance(term, Constant):
        return [term.name]
    assert isinstance(term, Number)
    return np.array([term.value])
