"""Weights held near those that a training begins with: a penalty on how far they went."""

from __future__ import annotations

from functools import reduce
from typing import Any

from neurallog_kernel.network import autodiff
from neurallog_kernel.network.autodiff import FLAT, Tensor
from neurallog_kernel.network.deferred import BatchStep
from neurallog_kernel.network.network import Network


class Anchor:
    """`strength` times the sum of squared distances from the start."""

    def __init__(self, network: Network, strength: float) -> None:
        self._network = network
        self._strength = strength
        self._starts: list[Any] = [None for _ in network.parameters]
        self.here()

    def here(self) -> None:
        """Let the weights as they are now be the start."""
        arrays, dtype = self._network.arrays, self._network.dtype
        self._starts = [
            arrays.stored(known, arrays.constant(parameter.numpy(), dtype))
            for known, parameter in zip(self._starts, self._network.parameters, strict=True)
        ]

    def penalty(self, step: BatchStep) -> Tensor:
        parts = []
        for start, parameter in zip(self._starts, self._network.parameters, strict=True):
            begun = Tensor(self._network.arrays.opened(start), FLAT)
            gone = step.leaf(parameter.variable) - begun
            parts.append(autodiff.total(gone * gone))
        return reduce(lambda a, b: a + b, parts).scaled(self._strength)
