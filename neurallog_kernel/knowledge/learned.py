"""Learned weights of facts and of rules in the live program: a source of its own, the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.rule_weights import RuleKey, RuleWeights, rule_key
from neurallog_kernel.knowledge.sources import Unit
from neurallog_kernel.language.syntax import Signature

LEARNED = "learned weights"


def learned_unit(
    blocks: Mapping[Signature, Block], rules: Mapping[Signature, RuleWeights] | None = None
) -> Unit:
    """The source of the learned facts and rule weights. It names no entity and decides no type:
    what it is about was there before, and goes when its sources go."""
    return Unit(LEARNED, (), (), (), (), (), dict(blocks), {}, {}, {}, dict(rules or {}))


def learned_block(
    signature: Signature,
    numeric: tuple[bool, ...],
    entities: tuple[np.ndarray, ...],
    numbers: tuple[np.ndarray, ...],
    weights: np.ndarray,
) -> Block:
    """Facts by their symbols; rows are put into the order of their keys."""
    from neurallog_kernel.knowledge.blocks import row_keys

    order = np.argsort(row_keys(entities, len(weights)), kind="stable")
    return Block(
        signature,
        LEARNED,
        numeric,
        tuple(column[order].astype(np.int32) for column in entities),
        tuple(column[order] for column in numbers),
        weights[order].astype(np.float64),
        np.zeros(len(weights), dtype=np.int32),
    )


def without_restated(program: Program, old: Unit | None, new: Unit | None) -> Unit | None:
    """What was learned without the facts and rules that a changed source now states otherwise.

    What the source states as it did before keeps its learned weight: running a cell again forgets
    nothing. Returns None if nothing has to change.
    """
    learned = program.units.get(LEARNED)
    if learned is None or any(unit is not None and unit.source == LEARNED for unit in (old, new)):
        return None  # taking a training back is no statement about its facts
    kept: dict[Signature, Block] = {}
    changed = False
    for signature, block in learned.facts.items():
        gone = _restated(block, old, new, signature)
        if gone.any():
            changed = True
            block = _chosen(block, ~gone)
        if signature not in program.learnables:
            changed = True
        elif len(block):
            kept[signature] = block
    rules = _kept_rules(learned.rule_weights, program, [(old, new)])
    changed |= rules != learned.rule_weights
    return learned_unit(kept, rules) if changed else None


def kept_by_edits(learned: Unit, before: Program, now: Program) -> Unit:
    """What was learned for a program, for what edits have made of it since: without facts and rules
    that a source states otherwise now, and with what was learned of other predicates meanwhile."""
    units = {**before.units, **now.units}
    edited = [n for n in units if n != LEARNED and before.units.get(n) is not now.units.get(n)]
    meanwhile = now.units.get(LEARNED)
    kept = dict(meanwhile.facts) if meanwhile is not None else {}
    for signature, block in learned.facts.items():
        gone = np.zeros(len(block), dtype=bool)
        for name in edited:
            gone |= _restated(block, before.units.get(name), now.units.get(name), signature)
        fits = signature in now.learnables and now.numeric(signature) == block.numeric
        kept.pop(signature, None)
        if fits and not gone.all():
            kept[signature] = _chosen(block, ~gone) if gone.any() else block
    others = meanwhile.rule_weights if meanwhile is not None else {}
    rules = {s: weights for s, weights in others.items() if s not in learned.rule_weights}
    pairs = [(before.units.get(name), now.units.get(name)) for name in edited]
    rules |= _kept_rules(learned.rule_weights, now, pairs)
    return learned_unit(kept, rules)


def _kept_rules(
    learned: Mapping[Signature, RuleWeights],
    program: Program,
    edits: Sequence[tuple[Unit | None, Unit | None]],
) -> dict[Signature, RuleWeights]:
    """The weights of the rules that the program still has, and learns, and that no edit of a source
    states otherwise."""
    kept: dict[Signature, RuleWeights] = {}
    restated = set().union(*(_rules_restated(*edit) for edit in edits)) if learned else set()
    for signature, weights in learned.items():
        there = set(program.definition(signature).rule_keys.values()).difference(restated)
        if signature in program.learned_rules and not there.isdisjoint(weights):
            kept[signature] = {key: weights[key] for key in weights if key in there}
    return kept


def _rules_restated(old: Unit | None, new: Unit | None) -> set[RuleKey]:
    """The rules that one of the two states, and the other does not."""
    before, now = (
        {rule_key(rule) for rule in unit.rules} if unit else set() for unit in (old, new)
    )
    return before ^ now


def _restated(block: Block, old: Unit | None, new: Unit | None, signature: Signature) -> np.ndarray:
    before = old.facts.get(signature) if old else None
    after = new.facts.get(signature) if new else None
    gone = np.zeros(len(block), dtype=bool)
    if before is not None:  # stated before, and not stated the same way now
        gone |= before.rows_with(block.keys) >= 0
    if after is not None:
        rows = after.rows_with(block.keys)
        stated = rows >= 0
        same = np.zeros(len(block), dtype=bool)
        if before is not None:
            same = _same_rows(before, after, block.keys)
        gone = (gone | stated) & ~same
    return gone


def _same_rows(before: Block, after: Block, keys: np.ndarray) -> np.ndarray:
    first, second = before.rows_with(keys), after.rows_with(keys)
    both = (first >= 0) & (second >= 0)
    same = both.copy()
    same[both] = before.weights[first[both]] == after.weights[second[both]]
    for one, other in zip(before.numbers, after.numbers, strict=True):
        same[both] &= one[first[both]] == other[second[both]]
    return same


def _chosen(block: Block, keep: np.ndarray) -> Block:
    return Block(
        block.signature,
        block.source,
        block.numeric,
        tuple(column[keep] for column in block.entities),
        tuple(column[keep] for column in block.numbers),
        block.weights[keep],
        block.lines[keep],
    )
