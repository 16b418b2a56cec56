"""Learned weights of facts and of rules in the live program: a source of its own, the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.rule_weights import RuleKey, RuleWeights, rule_key
from neurallog_kernel.knowledge.sources import SourceContents
from neurallog_kernel.language.syntax import Signature

LEARNED = "learned weights"


def learned_contents(
    blocks: Mapping[Signature, Block], rules: Mapping[Signature, RuleWeights] | None = None
) -> SourceContents:
    """The source of the learned facts and rule weights. It names no entity and decides no type:
    what it is about was there before, and goes when its sources go."""
    return SourceContents(LEARNED, (), (), (), (), (), dict(blocks), {}, {}, {}, dict(rules or {}))


def as_ensemble(members: Sequence[SourceContents]) -> SourceContents:
    """What several trainings learned as one source. Its facts and rules are those of the first."""
    return replace(members[0], members=tuple(members)) if len(members) > 1 else members[0]


def members_of(program: Program) -> tuple[SourceContents, ...]:
    """What each member of an ensemble learned; nothing where there is none."""
    learned = program.sources.get(LEARNED)
    return learned.members if learned is not None else ()


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


def without_restated(
    program: Program, old: SourceContents | None, new: SourceContents | None
) -> SourceContents | None:
    """What was learned without the facts and rules that a changed source now states otherwise.

    What the source states as it did before keeps its learned weight: running a cell again forgets
    nothing. Returns None if nothing has to change.
    """
    learned = program.sources.get(LEARNED)
    if learned is None or any(
        contents is not None and contents.source == LEARNED for contents in (old, new)
    ):
        return None  # taking a training back is no statement about its facts
    found = _without_restated(learned, program, old, new)
    if found is None:
        return None
    members = [_without_restated(m, program, old, new) or m for m in learned.members]
    return replace(found, members=tuple(members))


def _without_restated(
    learned: SourceContents,
    program: Program,
    old: SourceContents | None,
    new: SourceContents | None,
) -> SourceContents | None:
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
    return learned_contents(kept, rules) if changed else None


def kept_by_edits(learned: SourceContents, before: Program, now: Program) -> SourceContents:
    """What was learned for a program, for what edits have made of it since: without facts and rules
    that a source states otherwise now, and with what was learned of other predicates meanwhile."""
    sources = {**before.sources, **now.sources}
    edited = [
        n for n in sources if n != LEARNED and before.sources.get(n) is not now.sources.get(n)
    ]
    meanwhile = now.sources.get(LEARNED)
    kept = dict(meanwhile.facts) if meanwhile is not None else {}
    for signature, block in learned.facts.items():
        gone = np.zeros(len(block), dtype=bool)
        for name in edited:
            gone |= _restated(block, before.sources.get(name), now.sources.get(name), signature)
        same_places = now.stored_as_numbers(signature) == block.numeric
        fits = signature in now.learnables and same_places
        kept.pop(signature, None)
        if fits and not gone.all():
            kept[signature] = _chosen(block, ~gone) if gone.any() else block
    others = meanwhile.rule_weights if meanwhile is not None else {}
    rules = {s: weights for s, weights in others.items() if s not in learned.rule_weights}
    pairs = [(before.sources.get(name), now.sources.get(name)) for name in edited]
    rules |= _kept_rules(learned.rule_weights, now, pairs)
    return learned_contents(kept, rules)


def _kept_rules(
    learned: Mapping[Signature, RuleWeights],
    program: Program,
    edits: Sequence[tuple[SourceContents | None, SourceContents | None]],
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


def _rules_restated(old: SourceContents | None, new: SourceContents | None) -> set[RuleKey]:
    """The rules that one of the two states, and the other does not."""
    before, now = (
        {rule_key(rule) for rule in contents.rules} if contents else set()
        for contents in (old, new)
    )
    return before ^ now


def _restated(
    block: Block, old: SourceContents | None, new: SourceContents | None, signature: Signature
) -> np.ndarray:
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
