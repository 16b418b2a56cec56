"""The text of a program, as it is now: what a fresh session would need to give the same answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.units import Unit
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import Constant, Example, Fact, Literal, Number, Term


def listing(program: Program, symbols: SymbolTable) -> str:
    """Source by source: directives, facts and examples by predicate, rules; one clause a line."""
    parts = []
    for unit in program.units.values():
        lines = [format_clause(clause) for clause in _clauses(program, unit, symbols)]
        if lines:
            parts.append("\n".join([f"% {_one_line(unit.source)}", *lines]))
    return "\n\n".join(parts) + ("\n" if parts else "")


def _clauses(program: Program, unit: Unit, symbols: SymbolTable) -> Iterator:
    yield from unit.directives
    for block in unit.facts.values():
        later = _later_blocks(program, block)
        for row, atom in _atoms(block, symbols, later):
            yield Fact(atom, float(block.weights[row]))
    yield from unit.rules
    yield from unit.templates
    for (which, _), block in unit.examples.items():
        for row, atom in _atoms(block, symbols, ()):
            yield Example(atom, float(block.weights[row]), which)
    yield from unit.open_examples


def _later_blocks(program: Program, block: Block) -> list[Block]:
    blocks = program.definition(block.signature).facts
    return list(blocks[blocks.index(block) + 1 :])


def _atoms(block: Block, symbols: SymbolTable, later) -> Iterator[tuple[int, Literal]]:
    """The rows of a block in the order of the text, without those that a later block replaced."""
    gone = np.zeros(len(block), dtype=bool)
    for other in later:
        gone |= other.rows_with(block.keys) >= 0
    for row in np.argsort(block.lines, kind="stable").tolist():
        if not gone[row]:
            yield row, Literal(block.signature[0], _terms(block, row, symbols))


def _terms(block: Block, row: int, symbols: SymbolTable) -> tuple[Term, ...]:
    entities, numbers = iter(block.entities), iter(block.numbers)
    return tuple(
        Number(float(next(numbers)[row]))
        if numeric
        else Constant(symbols.name(int(next(entities)[row])))
        for numeric in block.numeric
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
