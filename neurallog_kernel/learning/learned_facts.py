"""Before training: every trainable cell becomes a fact, with an initial weight if it has none."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from neurallog_kernel.errors import NeuralLogError, ParameterError
from neurallog_kernel.functions.keras_names import INITIALIZERS
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.configured import Configured, configured
from neurallog_kernel.knowledge.learned import learned_block, learned_unit
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import FactVector, Relation, Relations, scalar
from neurallog_kernel.knowledge.roles import Role, owner_place
from neurallog_kernel.knowledge.rule_weights import RuleWeights
from neurallog_kernel.knowledge.sources import Unit
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.setting_place import set_in
from neurallog_kernel.learning.settings import first_line, make
from neurallog_kernel.network.parameters import Parameters, entries, learned_rules

MAXIMUM_CELLS = 50_000_000  # of one learned matrix
_MEAN, _DEVIATION = 0.5, 0.125


def learnable_signatures(program: Program) -> Iterator[Signature]:
    """Every predicate of the program that `learn` names, with facts or without."""
    named = [(name, arity) for name, arity in program.learnables.exact if arity is not None]
    candidates = dict.fromkeys([*program.definitions, *program.users, *sorted(named)])
    return (s for s in candidates if s in program.learnables)


def initial_unit(program: Program, relations: Relations, seed: int) -> Unit:
    """The learned weights to start from: those that are there stay, the rest are drawn."""
    blocks: dict[Signature, Block] = {}
    for signature in learnable_signatures(program):
        block = _block(program, relations, signature, seed)
        if block is not None and len(block):
            blocks[signature] = block
    return learned_unit(blocks, {s: _by_key(program, s) for s in learned_rules(program)})


def _by_key(
    program: Program, signature: Signature, weights: np.ndarray | None = None
) -> RuleWeights:
    """The weights of a predicate's rules, by default those that they have."""
    keys = program.definition(signature).rule_keys
    values = [rule.weight for rule in keys] if weights is None else weights.tolist()
    return dict(zip(keys.values(), values, strict=True))


def _block(program: Program, relations: Relations, signature: Signature, seed: int) -> Block | None:
    role = program.role(signature)
    if signature[1] > 2:
        raise NeuralLogError(
            f"learn({signature[0]}/{signature[1]}): only predicates with up to two arguments "
            "have facts whose weights can be learned"
        )
    if signature[1] == 0 or role is Role.NUMERIC:
        return _scalar_block(program, signature, seed)
    if role is Role.ATTRIBUTE:
        return _attribute_block(program, relations, signature)
    if signature[1] == 1:
        return _vector_block(program, relations, signature, seed)
    return _matrix_block(program, relations, signature, seed)


def _scalar_block(program: Program, signature: Signature, seed: int) -> Block | None:
    has_fact = bool(program.definition(signature).fact_count)
    weight, numbers = scalar(program, signature)
    if signature[1] and not has_fact:
        return None
    if not has_fact:
        weight = float(draw(program, signature, (1,), seed)[0])
    columns = tuple(np.array([n]) for n in numbers)
    return learned_block(signature, (True,) * signature[1], (), columns, np.array([weight]))


def _attribute_block(program: Program, relations: Relations, signature: Signature) -> Block:
    numeric = program.numeric(signature)
    facts = relations.vector(program, signature)
    owner = program.entity_type((*signature, owner_place(numeric)))
    assert facts.values is not None
    symbols = owner.members[facts.indexes]
    return learned_block(signature, numeric, (symbols,), (facts.values,), facts.weights)


def _vector_block(program: Program, relations: Relations, signature: Signature, seed: int) -> Block:
    kind = program.entity_type((*signature, 0))
    weights = draw(program, signature, (len(kind),), seed)
    facts = relations.vector(program, signature)
    weights[facts.indexes] = facts.weights
    return learned_block(signature, (False,), (kind.members,), (), weights)


def _matrix_block(program: Program, relations: Relations, signature: Signature, seed: int) -> Block:
    first, second = (program.entity_type((*signature, place)) for place in (0, 1))
    found = entries(relations.relation(program, signature))
    everything = program.parameters.get("trainable_cells", signature) == "all"
    if len(found.values) and not everything:
        rows, columns, weights = found.rows, found.columns, found.values
    else:
        cells = len(first) * len(second)
        if cells > MAXIMUM_CELLS:
            raise ParameterError(
                f"{signature[0]}/{signature[1]} would have {cells:,} learned cells",
                hint="give it facts: then only their weights are learned",
            )
        weights = draw(program, signature, (len(first), len(second)), seed).reshape(-1)
        weights[found.rows * len(second) + found.columns] = found.values
        rows, columns = np.divmod(np.arange(cells), max(len(second), 1))
    symbols = (first.members[rows], second.members[columns])
    return learned_block(signature, (False, False), symbols, (), weights)


def draw(program: Program, signature: Signature, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Initial weights; the same for the same seed and predicate, whatever else is learned."""
    own = zlib.crc32(f"{signature[0]}/{signature[1]}".encode())
    plain = program.parameters.said("initial_value", signature).get(())
    chosen = configured(program.parameters, "initial_value", signature)
    if isinstance(plain, float):
        return np.full(shape, plain)
    if chosen is None:
        generator = np.random.default_rng([seed, own])
        return generator.normal(_MEAN, _DEVIATION, shape)
    with set_in(program, "initial_value"):
        return _keras_values(chosen, signature, shape, seed + own % 1_000_003)


def _keras_values(
    chosen: Configured, signature: Signature, shape: tuple[int, ...], seed: int
) -> np.ndarray:
    try:
        maker = make(INITIALIZERS, chosen)
        if "seed" in maker.get_config() and chosen.config.get("seed") is None:
            maker = make(INITIALIZERS, replace(chosen, config={**chosen.config, "seed": seed}))
        return np.array(maker(shape=shape, dtype="float32"), dtype=np.float64)
    except ParameterError:
        raise
    except (ValueError, TypeError) as error:  # some draw matrices only
        raise ParameterError(
            f"initial_value {chosen.name} of {signature[0]}/{signature[1]}: {first_line(error)}"
        ) from error


def trained_unit(program: Program, parameters: Parameters) -> Unit:
    """The learned facts and rule weights after training."""
    blocks: dict[Signature, Block] = {}
    rules: dict[Signature, RuleWeights] = {}
    for parameter in parameters:
        signature, weights = parameter.signature, parameter.numpy()
        if parameter.rules:
            rules[signature] = _by_key(program, signature, weights)
            continue
        numeric = program.numeric(signature)
        facts = parameter.facts
        if isinstance(facts, FactVector):
            place = owner_place(numeric)
            symbols = program.entity_type((*signature, place)).members[facts.indexes]
            numbers = () if facts.values is None else (facts.values,)
            blocks[signature] = learned_block(signature, numeric, (symbols,), numbers, weights)
        elif isinstance(facts, Relation):
            found = entries(facts)
            first, second = (program.entity_type((*signature, place)) for place in (0, 1))
            symbols = (first.members[found.rows], second.members[found.columns])
            blocks[signature] = learned_block(signature, numeric, symbols, (), weights)
        else:
            numbers = tuple(np.array([n]) for n in scalar(program, signature)[1])
            blocks[signature] = learned_block(signature, numeric, (), numbers, weights)
    return learned_unit(blocks, rules)
