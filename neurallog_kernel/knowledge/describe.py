"""A program described for people: its predicates, its names and its examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from neurallog_kernel.errors import UnknownPredicateError, did_you_mean
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.sources import Slot
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language.printer import format_literal, format_number
from neurallog_kernel.language.syntax import (
    Constant,
    Literal,
    MegaExample,
    Number,
    Signature,
)


@dataclass(frozen=True)
class PredicateStatus:
    """What a session holds of one predicate."""

    name: str  # "parent/2"
    kind: str  # relation, attribute, numeric
    types: tuple[str, ...]  # one for each place: "t1 (5)" is a type with five entities
    facts: int
    rules: int
    examples: int
    learned: bool
    bytes: int  # of the stored facts and examples
    sources: tuple[str, ...]
    rules_learned: bool = False  # the weights of its rules
    attached: str = ""  # the table where its facts are, and the database


def predicate_statuses(program: Program) -> tuple[PredicateStatus, ...]:
    """Every known predicate, in order of appearance."""
    labels: dict[Slot, str] = {}
    return tuple(_status(program, signature, labels) for signature in _signatures(program))


def _signatures(program: Program) -> Iterator[Signature]:
    yield from program.predicates()
    for name, arity in sorted(program.learnables.exact, key=str):
        if arity is not None and (name, arity) not in program.definitions:
            yield name, arity


def named(program: Program, predicate: str | None, otherwise: str = "") -> list[Signature]:
    """The predicates that `"p/2"`, or `"p"` for every arity, names; None names all. `otherwise` is
    the hint where no name is near."""
    known = list(program.predicates())
    if predicate is None:
        return known
    found = [s for s in known if predicate in (s[0], f"{s[0]}/{s[1]}")]
    if not found:
        names = [f"{n}/{a}" for n, a in known]
        hint = did_you_mean(predicate, names) or otherwise
        raise UnknownPredicateError(f"unknown predicate {predicate}", hint=hint)
    return found


def one_named(program: Program, predicate: str) -> Signature:
    """The one predicate of that name."""
    (signature, *others) = named(program, predicate)
    if others:
        known = ", ".join(f"{n}/{a}" for n, a in (signature, *others))
        raise UnknownPredicateError(f"{predicate} has several arities", hint=f"say {known}")
    return signature


def _status(program: Program, signature: Signature, labels: dict[Slot, str]) -> PredicateStatus:
    definition = program.definition(signature)
    numeric = program.numeric(signature)
    blocks = (*definition.facts, *definition.examples)
    return PredicateStatus(
        name=f"{signature[0]}/{signature[1]}",
        kind=program.role(signature).value,
        types=tuple(
            "number" if number else _type_label(program, (*signature, place), labels)
            for place, number in enumerate(numeric)
        ),
        facts=definition.fact_count,
        rules=len(definition.rules),
        examples=sum(map(len, definition.examples)),
        learned=signature in program.learnables,
        bytes=sum(_bytes(block) for block in blocks),
        sources=program.contributors.get(signature, ()),
        rules_learned=bool(definition.rules) and signature in program.learned_rules,
        attached=f"{table} of {table.address}" if (table := definition.attached) else "",
    )


def _type_label(program: Program, slot: Slot, labels: dict[Slot, str]) -> str:
    root = program.slots.root(slot)
    label = labels.setdefault(root, f"t{len(labels) + 1}")
    return f"{label} ({len(program.entity_type(slot)):,})"


def _bytes(block: Block) -> int:
    arrays = (*block.entities, *block.numbers, block.lines)
    shared = block.weights.strides == (0,)  # one number for all rows
    own = 8 if shared else block.weights.nbytes
    order = 0 if block.order is None else block.order.nbytes
    return sum(a.nbytes for a in arrays) + own + order


# -- names --------------------------------------------------------------------------------------


def constants(
    program: Program,
    symbols: SymbolTable,
    prefix: str,
    limit: int,
    place: tuple[str, int] | None = None,
) -> list[str]:
    """Entities of the program that begin so; those that fit the `place` (name, position) first."""
    known = symbols.beginning_with(prefix)
    chosen = np.array([symbol for symbol, _ in known], dtype=np.int32)
    if not len(chosen):
        return []
    alive = _members(program, program.types, chosen)
    fitting = np.zeros(len(chosen), dtype=bool)
    if place is not None:
        name, position = place
        slots = [slot for slot in _slots(program) if slot[0] == name and slot[2] == position]
        fitting = _members(program, slots, chosen)
    names = [name for _, name in known]
    first = sorted(names[i] for i in np.flatnonzero(fitting))
    rest = sorted(names[i] for i in np.flatnonzero(alive & ~fitting))
    return [*first, *rest][:limit]


def _slots(program: Program) -> Iterator[Slot]:
    for name, arity in program.predicates():
        yield from ((name, arity, place) for place in range(arity))


def _members(program: Program, slots: Iterable[Slot], chosen: np.ndarray) -> np.ndarray:
    found = np.zeros(len(chosen), dtype=bool)
    for slot in slots:
        found |= program.entity_type(slot).positions(chosen) >= 0
    return found


# -- examples -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExampleStatus:
    """An example: its set, its predicate, its atom as text and its label; of a mega example also
    its group."""

    set: str
    predicate: str  # "parent/2"
    text: str
    weight: float
    group: str | None = None


def examples(program: Program, symbols: SymbolTable) -> Iterator[ExampleStatus]:
    """All examples, source by source."""
    for contents in program.sources.values():
        for (which, (name, arity)), block in contents.examples.items():
            for row in block.text_order().tolist():
                text = format_literal(stated_atom(block, row, symbols))
                yield ExampleStatus(which, f"{name}/{arity}", text, float(block.weights[row]))
        for one in contents.open_examples:
            name, arity = one.atom.signature
            text = format_literal(one.atom)
            group = one.group if isinstance(one, MegaExample) else None
            yield ExampleStatus(one.set, f"{name}/{arity}", text, one.weight, group)


def stated_atom(block: Block, row: int, symbols: SymbolTable) -> Literal:
    """The atom of a row, as it would be written."""
    entities, numbers = iter(block.entities), iter(block.numbers)
    terms = tuple(
        Number(float(next(numbers)[row])) if n else Constant(symbols.name(int(next(entities)[row])))
        for n in block.numeric
    )
    return Literal(block.signature[0], terms)


def settings(program: Program) -> dict[str, str]:
    """The parameters that the program sets for all predicates."""
    return {
        ".".join(path): format_number(value) if isinstance(value, float) else str(value)
        for path, value in program.parameters.everywhere.items()
    }
