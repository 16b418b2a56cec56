"""The program with some facts left out or weighed otherwise, for asking what would be then."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from neurallog_kernel.errors import NeuralLogError, QueryError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.executor import Executor
from neurallog_kernel.explain.lookup import rule_text
from neurallog_kernel.knowledge.blocks import Block, row_keys
from neurallog_kernel.knowledge.learned import LEARNED, learned_block
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import Relations
from neurallog_kernel.knowledge.rule_weights import rule_key
from neurallog_kernel.knowledge.sources import SourceContents
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.update import with_source
from neurallog_kernel.language import parse_query
from neurallog_kernel.language.printer import format_literal
from neurallog_kernel.language.syntax import Constant, Literal, Rule, Signature, Variable
from neurallog_kernel.plan.planner import Planner

_WHAT_IF = "what if"  # the source of facts that stand before those of a table


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


def apart(evaluator: Evaluator, program: Program) -> Evaluator:
    """For another program than a session's: nothing of the session's work is used or changed."""
    storage = Storage(program, evaluator.symbols, Relations())
    return Evaluator(Planner(), Executor(storage))


def with_weights(program: Program, symbols: SymbolTable, weights: Mapping[str, float]) -> Program:
    """The program in which these facts and rules have other weights, wherever they are stated.

    Each is named by its text, a rule as `sensitivity` writes it.
    """
    for text, weight in weights.items():
        if is_rule(text):
            program = _with_rule(program, symbols, text, weight)
            continue

        def weighed(block: Block, row: int, weight: float = weight) -> Block:
            changed = np.array(block.weights, dtype=float)
            changed[row] = weight
            return replace(block, weights=changed)

        program = _changed(program, symbols, parse_query(text), weighed)
    return program


def is_rule(text: str) -> bool:
    """Whether a text that names a weight names that of a rule.

    >>> is_rule("p(X) :- q(X)."), is_rule('p("a :- b")')
    (True, False)
    """
    return ":-" in re.sub(r'"(?:\\.|[^"\\])*"', "", text)


def _with_rule(program: Program, symbols: SymbolTable, text: str, weight: float) -> Program:
    """The program in which a rule has another weight; one that was learned stays one."""
    for source, contents in program.sources.items():
        for at, stated in enumerate(contents.rules):
            definition = program.definition(stated.head.signature)
            keys = definition.rule_keys
            rule = next((r for r, key in keys.items() if key == rule_key(stated)), stated)
            if rule_text(program, rule) != text:
                continue
            if rule.stated is not None:
                return _with_learned_rule(program, symbols, rule, weight)
            rules = (
                *contents.rules[:at],
                replace(stated, weight=weight),
                *contents.rules[at + 1 :],
            )
            changed = replace(program.sources[source], rules=rules)
            return with_source(program, changed, symbols, strict=False)
    raise NeuralLogError(f"there is no rule {text}", hint="it may have been edited since")


def _with_learned_rule(
    program: Program, symbols: SymbolTable, rule: Rule, weight: float
) -> Program:
    contents = program.sources[LEARNED]
    signature = rule.head.signature
    known = {**contents.rule_weights[signature], rule_key(rule): weight}
    learned = {**contents.rule_weights, signature: known}
    return with_source(program, replace(contents, rule_weights=learned), symbols, strict=False)


def _without(program: Program, symbols: SymbolTable, atom: Literal) -> Program:
    return _changed(program, symbols, atom, _less, _zero)


def _changed(
    program: Program,
    symbols: SymbolTable,
    atom: Literal,
    change: Callable[[Block, int], Block],
    in_table: Callable[[Block, int], Block] | None = None,
) -> Program:
    """The program with a change of each block that states the fact, at its row. A fact of a table
    is stated beside it, with its own change: what a program states counts before a table."""
    if any(isinstance(term, Variable) for term in atom.terms):
        raise QueryError(
            f"{format_literal(atom)} is not a fact",
            atom.span,
            "write names instead of the variables",
        )
    names = [term.name for term in atom.terms if isinstance(term, Constant)]
    found = [symbols.find(name) for name in names]
    known = [symbol for symbol in found if symbol is not None]
    blocks = program.definition(atom.signature).facts
    rows = (
        {block.source: _row(block, known) for block in blocks} if len(known) == len(found) else {}
    )
    rows = {source: row for source, row in rows.items() if row >= 0}
    stated = _from_table(program, symbols, atom.signature, names)
    if stated is not None:
        changed = (in_table or change)(stated, 0)
        contents = SourceContents(
            _WHAT_IF, (), (), (), (), (), {atom.signature: changed}, {}, {}, {}
        )
        program = with_source(program, contents, symbols, strict=False)
    elif not rows:
        raise NeuralLogError(
            f"{format_literal(atom)} is not a fact of the program",
            atom.span,
            "only a fact can be left out; a rule depends on facts of other predicates",
        )
    for source, row in rows.items():
        contents = program.sources[source]
        facts = {**contents.facts, atom.signature: change(contents.facts[atom.signature], row)}
        program = with_source(program, replace(contents, facts=facts), symbols, strict=False)
    return program


def _from_table(
    program: Program, symbols: SymbolTable, signature: Signature, names: Sequence[str]
) -> Block | None:
    """A fact of an attached table, as if the program stated it."""
    table = program.definition(signature).attached
    if table is None or len(names) != len(table.entity_columns):
        return None
    found = table.reader.rows(table, [[name] for name in names])
    if not len(found):
        return None
    entities = tuple(symbols.intern([name]) for name in names)
    numbers = tuple(column[:1] for column in found.numbers.values())
    return learned_block(signature, table.numeric, entities, numbers, found.weights[:1])


def _zero(block: Block, row: int) -> Block:
    return replace(block, weights=np.zeros(len(block)))


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
