"""Finding facts: the weight of one, and the source and line that it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from neurallog_kernel.explain.parts import Part
from neurallog_kernel.knowledge.blocks import Block, row_keys
from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.language.printer import format_clause, format_constant, format_number
from neurallog_kernel.language.syntax import Rule, Signature


def atom_text(name: str, arguments: Sequence[str]) -> str:
    """An atom of these arguments, as a program writes it."""
    return f"{name}({', '.join(arguments)})" if arguments else name


def rule_text(program: Program, rule: Rule) -> str:
    """A rule as a label. A learned weight is said beside it: the label stays what it was."""
    learned = rule.head.signature in program.learned_rules
    return format_clause(replace(rule, weight=1.0) if learned else rule)


def find_row(
    program: Program, signature: Signature, symbols: Sequence[int]
) -> tuple[Block, int] | None:
    """The block and row of the fact about these entities; of several, the one that counts."""
    wanted = row_keys([np.array([symbol], dtype=np.int32) for symbol in symbols], 1)
    for block in reversed(program.definition(signature).facts):
        if not len(block):
            continue
        row = int(block.rows_with(wanted)[0])
        if row >= 0:
            return block, row
    return None


def place_of(block: Block, row: int) -> str:
    """The source and line of a fact."""
    if block.source == LEARNED:
        return "learned"
    return f"{block.source}:{int(block.lines[row])}"


@dataclass
class Facts:
    """The facts of one program, as parts of an explanation."""

    program: Program
    symbols: SymbolTable

    def name(self, kind: EntityType, index: int) -> str:
        """An entity as a program writes it."""
        return format_constant(self.symbols.name(int(kind.members[index])))

    def part(self, signature: Signature, indexes: Sequence[int], weight: float) -> Part:
        """The fact about the entities with these indexes."""
        kinds = [self.program.entity_type((*signature, p)) for p in range(signature[1])]
        members = [int(k.members[i]) for k, i in zip(kinds, indexes, strict=True)]
        names = [self.name(k, i) for k, i in zip(kinds, indexes, strict=True)]
        found = find_row(self.program, signature, members)
        place = "" if found is None else place_of(*found)
        return Part("fact", atom_text(signature[0], names), weight, place=place)

    def attribute(self, signature: Signature, owner: int, at: int, value: float) -> Part:
        """The fact about an owner (at place `at`) of an attribute; the value is what it gives."""
        kind = self.program.entity_type((*signature, at))
        found = find_row(self.program, signature, [int(kind.members[owner])])
        names = [self.name(kind, owner)]
        if found is None:
            names.insert(1 - at, "_")
            return Part("missing", atom_text(signature[0], names), value, note="no such fact")
        block, row = found
        written = float(block.numbers[0][row])
        names.insert(1 - at, format_number(written))
        weight = float(block.weights[row])
        note = "" if weight == 1.0 and value == written else f"weight {weight:.4g}"
        label = atom_text(signature[0], names)
        return Part("fact", label, value, place=place_of(block, row), note=note)

    def scalar(self, signature: Signature, value: float) -> Part:
        """The one fact of a propositional or all-numeric predicate."""
        blocks = [b for b in self.program.definition(signature).facts if len(b)]
        if not blocks:
            return Part("fact", signature[0], value)
        numbers = [format_number(float(column[-1])) for column in blocks[-1].numbers]
        place = place_of(blocks[-1], len(blocks[-1]) - 1)
        return Part("fact", atom_text(signature[0], numbers), value, place=place)
