"""The same weights in two processes: by name, since each has its own order of entities."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.rule_weights import rule_key
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.learning.examples.targets import Target
from neurallog_kernel.learning.start.learned_facts import parameter_block
from neurallog_kernel.network.network import Network
from neurallog_kernel.network.parameters import Parameter


class Alignment:
    """All learned weights of a network as one row of numbers, sorted by the names of their facts
    and the texts of their rules; `digest` tells what they stand for."""

    def __init__(self, network: Network, symbols: SymbolTable) -> None:
        self._variables = [parameter.variable for parameter in network.parameters]
        self._orders: list[np.ndarray] = []
        told = hashlib.sha256()
        for parameter in sorted_parameters(network):
            names, places = _names(network.program, parameter, symbols)
            order = sorted(range(len(names)), key=names.__getitem__)
            self._orders.append(places[np.array(order, dtype=np.int64)])
            told.update(json.dumps([parameter.name, [names[n] for n in order]]).encode())
        self._places = [
            next(n for n, v in enumerate(self._variables) if v is parameter.variable)
            for parameter in sorted_parameters(network)
        ]
        self.digest = told.hexdigest()
        self.size = sum(map(len, self._orders))

    def together(self, values: Sequence[np.ndarray]) -> np.ndarray:
        """The numbers of all variables (weights or gradients) in the common order."""
        pairs = zip(self._places, self._orders, strict=True)
        parts = [np.asarray(values[place], dtype=np.float64)[order] for place, order in pairs]
        return np.concatenate([np.zeros(0), *parts])

    def apart(self, row: np.ndarray) -> list[np.ndarray]:
        """The numbers of each variable, in its own order."""
        found: list[np.ndarray] = [np.zeros(0)] * len(self._variables)
        first = 0
        for place, order in zip(self._places, self._orders, strict=True):
            own = np.empty(len(order))
            own[order] = row[first : first + len(order)]
            found[place], first = own, first + len(order)
        return found


def sorted_parameters(network: Network) -> list[Parameter]:
    return sorted(network.parameters, key=lambda parameter: parameter.name)


def _names(
    program: Program, parameter: Parameter, symbols: SymbolTable
) -> tuple[list[tuple[Any, ...]], np.ndarray]:
    """What each entry stands for, and where it is in the tensor."""
    if parameter.rules:
        texts: list[tuple[Any, ...]] = [(repr(rule_key(rule)),) for rule in parameter.rules]
        return texts, np.arange(len(texts))
    block = parameter_block(program, parameter, np.arange(parameter.size, dtype=np.float64))
    columns: list[list[Any]] = [symbols.names(column.tolist()) for column in block.entities]
    columns += [column.tolist() for column in block.numbers]
    names = list(zip(*columns, strict=True)) if columns else [()] * len(block.weights)
    return names, block.weights.astype(np.int64)


def examples_digest(program: Program, symbols: SymbolTable, targets: Sequence[Target]) -> str:
    """What the examples of all targets are, in whatever order they come."""
    told = hashlib.sha256()
    for target in targets:
        keys = [symbols.names(key) for key in target.keys]
        outputs: list[str] = [""] * len(target.rows)
        if target.output is not None and target.signature[1] > 1:
            kind = program.entity_type((*target.signature, target.output))
            outputs = symbols.names(kind.symbols_at(target.outputs).tolist())
        rows, labels = target.rows.tolist(), target.labels.tolist()
        listed = sorted(
            (keys[row], output, label)
            for row, output, label in zip(rows, outputs, labels, strict=True)
        )
        told.update(json.dumps([target.name, listed]).encode())
    return told.hexdigest()
