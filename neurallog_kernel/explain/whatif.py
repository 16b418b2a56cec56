"""The program with some facts left out, for asking what would be without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurallog_kernel.errors import NeuralLogError, QueryError
from neurallog_kernel.knowledge.blocks import Block, row_keys
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.update import with_unit
from neurallog_kernel.language import parse_query
from neurallog_kernel.language.printer import format_literal
from neurallog_kernel.language.syntax import Constant, Literal, Variable


def without_facts(
    program: Program, symbols: SymbolTable, texts: Sequence[str]
) -> tuple[Program, tuple[str, ...]]:
    """The program without these facts, and the facts as the program writes them.

    What else the sources said stays, the names of the entities too: types keep their members.
    """
    gone = []
    for text in texts:
        atom = parse_query(text)
        program = _without(program, symbols, atom)
        gone.append(format_literal(atom))
    return program, tuple(gone)


def _without(program: Program, symbols: SymbolTable, atom: Literal) -> Program:
    if any(isinstance(term, Variable) for term in atom.terms):
        raise QueryError(f"{format_literal(atom)} is not a fact", atom.span, "name its entities")
    names = [term.name for term in atom.terms if isinstance(term, Constant)]
    found = [symbols.find(name) for name in names]
    known = [symbol for symbol in found if symbol is not None]
    blocks = program.definition(atom.signature).facts
    rows = (
        {block.source: _row(block, known) for block in blocks} if len(known) == len(found) else {}
    )
    rows = {source: row for source, row in rows.items() if row >= 0}
    if not rows:
        raise NeuralLogError(
            f"{format_literal(atom)} is not a fact of the program",
            atom.span,
            "only a fact can be left out; an answer that rules give rests on facts of others",
        )
    for source, row in rows.items():
        unit = program.units[source]
        facts = {**unit.facts, atom.signature: _less(unit.facts[atom.signature], row)}
        program = with_unit(program, replace(unit, facts=facts), symbols, strict=False)
    return program


def _row(block: Block, symbols: Sequence[int]) -> int:
    if len(block.entities) != len(symbols) or not len(block):
        return -1
    keys = row_keys([np.array([symbol], dtype=np.int32) for symbol in symbols], 1)
    return int(block.rows_with(keys)[0])


def _less(block: Block, row: int) -> Block:
    keep = np.arange(len(block)) != row
    return replace(
        block,
        entities=tuple(column[keep] for column in block.entities),
        numbers=tuple(column[keep] for column in block.numbers),
        weights=block.weights[keep],
        lines=block.lines[keep],
    )
