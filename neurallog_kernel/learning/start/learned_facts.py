"""Before training: every trainable cell becomes a fact, with an initial weight if it has none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.fact_rows import FactRows
from neurallog_kernel.knowledge.learned import learned_block, learned_contents
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import FactVector, scalar
from neurallog_kernel.knowledge.roles import Role, owner_place
from neurallog_kernel.knowledge.rule_weights import RuleWeights, as_stated
from neurallog_kernel.knowledge.sources import SourceContents
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.language.printer import format_clause, format_constant
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.start.start_weights import StartWeights
from neurallog_kernel.network.parameters import LearnedPredicates, Parameter, entries, learned_rules

MAXIMUM_CELLS = 50_000_000  # of one learned matrix


def learnable_signatures(program: Program) -> Iterator[Signature]:
    """Every predicate of the program that `learn` names, with facts or without."""
    named = [(name, arity) for name, arity in program.learnables.exact if arity is not None]
    candidates = dict.fromkeys([*program.definitions, *program.users, *sorted(named)])
    return (s for s in candidates if s in program.learnables)


def initial_contents(drawing: StartWeights) -> SourceContents:
    """The learned weights to start from: those that are there stay, the rest are drawn."""
    program = drawing.program
    blocks: dict[Signature, Block] = {}
    for signature in learnable_signatures(program):
        block = _block(drawing, signature)
        if block is not None and len(block):
            blocks[signature] = block
    return learned_contents(blocks, {s: _by_key(program, s) for s in learned_rules(program)})


def _by_key(
    program: Program, signature: Signature, weights: np.ndarray | None = None
) -> RuleWeights:
    """The weights of a predicate's rules, by default those that they have."""
    keys = program.definition(signature).rule_keys
    values = [rule.weight for rule in keys] if weights is None else weights.tolist()
    return dict(zip(keys.values(), values, strict=True))


def _block(drawing: StartWeights, signature: Signature) -> Block | None:
    role = drawing.program.role(signature)
    if signature[1] == 0 or role is Role.NUMERIC:
        return _scalar_block(drawing, signature)
    if role is Role.ATTRIBUTE:
        return _attribute_block(drawing, signature)
    if signature[1] == 1:
        return _vector_block(drawing, signature)
    if signature[1] == 2:
        return _matrix_block(drawing, signature)
    return _rows_block(drawing, signature)


def _scalar_block(drawing: StartWeights, signature: Signature) -> Block | None:
    program = drawing.program
    has_fact = bool(program.definition(signature).fact_count)
    weight, numbers = scalar(program, signature)
    if signature[1] and not has_fact:
        return None
    if not has_fact or not drawing.keeps_facts(signature):
        weight = float(drawing.draw(signature, (1,))[0])
    columns = tuple(np.array([n]) for n in numbers)
    return learned_block(signature, (True,) * signature[1], (), columns, np.array([weight]))


def _attribute_block(drawing: StartWeights, signature: Signature) -> Block:
    program = drawing.program
    numeric = program.stored_as_numbers(signature)
    facts = drawing.storage.relations.vector(program, signature)
    owner = program.entity_type((*signature, owner_place(numeric)))
    assert facts.values is not None
    symbols, weights = owner.symbols_at(facts.indexes), facts.weights
    if not drawing.keeps_facts(signature):
        weights = drawing.draw(signature, weights.shape)
    return learned_block(signature, numeric, (symbols,), (facts.values,), weights)


def _vector_block(drawing: StartWeights, signature: Signature) -> Block:
    kind = drawing.program.entity_type((*signature, 0))
    facts = drawing.storage.relations.vector(drawing.program, signature)
    keeps = drawing.keeps_facts(signature)
    if keeps and len(facts.indexes) == len(kind):
        return learned_block(signature, (False,), (kind.members,), (), facts.weights)
    weights = drawing.draw(signature, (len(kind),))
    if keeps:
        weights[facts.indexes] = facts.weights
    return learned_block(signature, (False,), (kind.members,), (), weights)


def _matrix_block(drawing: StartWeights, signature: Signature) -> Block:
    program = drawing.program
    first, second = (program.entity_type((*signature, place)) for place in (0, 1))
    found = entries(drawing.storage.relations.relation(program, signature))
    keeps = drawing.keeps_facts(signature)
    if len(found.values) and not _learns_all_cells(program, signature):
        rows, columns, weights = found.rows, found.columns, found.values
        if not keeps:
            weights = drawing.draw(signature, weights.shape)
    else:
        cells = _cells(signature, [first, second])
        weights = drawing.draw(signature, (len(first), len(second))).reshape(-1)
        if keeps:
            weights[found.rows * len(second) + found.columns] = found.values
        rows, columns = np.divmod(np.arange(cells), max(len(second), 1))
    symbols = (first.symbols_at(rows), second.symbols_at(columns))
    return learned_block(signature, (False, False), symbols, (), weights)


def _rows_block(drawing: StartWeights, signature: Signature) -> Block:
    """The facts of three and more arguments, each with its weight; without facts, all there can
    be."""
    program = drawing.program
    numeric = (False,) * signature[1]
    found = drawing.storage.relations.rows(program, signature)
    keeps = drawing.keeps_facts(signature)
    if len(found) and not _learns_all_cells(program, signature):
        weights = found.weights.weights
        if not keeps:
            weights = drawing.draw(signature, weights.shape)
        return learned_block(signature, numeric, found.symbols, (), weights)
    kinds = [program.entity_type((*signature, place)) for place in range(signature[1])]
    cells = _cells(signature, kinds)
    sizes = [len(kind) for kind in kinds]
    weights = drawing.draw(signature, tuple(sizes)).reshape(-1)
    if len(found) and keeps:
        weights[np.ravel_multi_index(found.columns, sizes)] = found.weights.weights
    choices = np.unravel_index(np.arange(cells), sizes) if cells else [_NOTHING] * len(kinds)
    symbols = tuple(k.symbols_at(chosen) for k, chosen in zip(kinds, choices, strict=True))
    return learned_block(signature, numeric, symbols, (), weights)


_NOTHING = np.zeros(0, dtype=np.int64)


def _learns_all_cells(program: Program, signature: Signature) -> bool:
    return program.parameters.get("trainable_cells", signature) == "all"


def _cells(signature: Signature, kinds: Sequence[EntityType]) -> int:
    """How many facts a predicate can have, if that is not too many to learn."""
    cells = prod(map(len, kinds))
    if cells > MAXIMUM_CELLS:
        raise ParameterError(
            f"{signature[0]}/{signature[1]} would have {cells:,} learned cells",
            hint="give it facts: then only their weights are learned",
        )
    return cells


def trained_contents(program: Program, parameters: LearnedPredicates) -> SourceContents:
    """The learned facts and rule weights after training."""
    blocks: dict[Signature, Block] = {}
    rules: dict[Signature, RuleWeights] = {}
    for parameter in parameters:
        signature, weights = parameter.signature, parameter.numpy()
        if parameter.rules:
            rules[signature] = _by_key(program, signature, weights)
            continue
        blocks[signature] = parameter_block(program, parameter, weights)
    return learned_contents(blocks, rules)


def parameter_names(
    program: Program, symbols: SymbolTable, parameter: Parameter
) -> tuple[str, ...]:
    """The facts of a learned predicate, or its rules, as texts in the order of its tensor."""
    if parameter.rules:
        return tuple(format_clause(as_stated(rule)) for rule in parameter.rules)
    numbers = np.arange(parameter.size, dtype=np.float64)
    block = parameter_block(program, parameter, numbers)
    order = np.argsort(block.weights)
    columns = [symbols.names(column[order].tolist()) for column in block.entities]
    name = parameter.signature[0]
    rows = zip(*columns, strict=True)  # without the numbers of attributes: the owner tells
    return tuple(f"{name}({', '.join(map(format_constant, row))})" for row in rows) or (name,)


def parameter_block(program: Program, parameter: Parameter, weights: np.ndarray) -> Block:
    """The facts of a learned predicate with these weights, given in the order of its tensor."""
    signature, facts = parameter.signature, parameter.facts
    numeric = program.stored_as_numbers(signature)
    if isinstance(facts, FactVector):
        place = owner_place(numeric)
        symbols = program.entity_type((*signature, place)).symbols_at(facts.indexes)
        numbers = () if facts.values is None else (facts.values,)
        return learned_block(signature, numeric, (symbols,), numbers, weights)
    if isinstance(facts, FactRows):
        return learned_block(signature, numeric, facts.symbols, (), weights)
    if facts is None:
        numbers = tuple(np.array([n]) for n in scalar(program, signature)[1])
        return learned_block(signature, numeric, (), numbers, weights)
    found = entries(facts)
    first, second = (program.entity_type((*signature, place)) for place in (0, 1))
    pair = (first.symbols_at(found.rows), second.symbols_at(found.columns))
    return learned_block(signature, numeric, pair, (), weights)
