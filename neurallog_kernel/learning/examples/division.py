"""Whose inputs are whose: each process has a share, and all have the same batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.learning.examples.batches import RowPlan
from neurallog_kernel.learning.examples.targets import Target


@dataclass(frozen=True)
class Share:
    """One of so many: every input whose number leaves this rest."""

    place: int
    number: int


def common_numbers(plan: RowPlan, symbols: SymbolTable) -> np.ndarray:
    """For each part of a plan its number by name: the same in every process, whatever the order in
    which entities and examples came there."""
    names = [
        (1, part[1], ()) if part[0] == "group" else (0, 0, tuple(symbols.names(part)))
        for part in plan.parts
    ]
    order = sorted(range(len(names)), key=names.__getitem__)
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.arange(len(order))
    return numbers


def own_targets(
    plan: RowPlan, targets: Sequence[Target], share: Share, symbols: SymbolTable
) -> list[Target]:
    """The targets with their rows of the share. The plan goes on dividing all inputs into batches,
    and gives of each batch the rows of the share; a mega example is never divided."""
    owners = common_numbers(plan, symbols) % share.number
    found = []
    for place, target in enumerate(targets):
        chosen = np.flatnonzero(owners[plan.parts_of(place)] == share.place)
        if not len(chosen):
            raise ParameterError(
                f"{target.name} has too few inputs for {share.number} processes: one would have "
                "nothing to do",
                hint="name fewer workers",
            )
        plan.rows[place] = plan.rows[place][chosen]
        found.append(rows_of(target, chosen))
    return found


def rows_of(target: Target, chosen: np.ndarray) -> Target:
    """A target with some of its rows, in their order."""
    place = np.full(len(target.keys), -1)
    place[chosen] = np.arange(len(chosen))
    own = np.flatnonzero(place[target.rows] >= 0)
    return replace(
        target,
        columns={at: column[chosen] for at, column in target.columns.items()},
        keys=tuple(target.keys[row] for row in chosen.tolist()),
        rows=place[target.rows[own]],
        outputs=target.outputs[own],
        labels=target.labels[own],
        groups=target.groups[chosen],
    )
