"""Examples that are all true, or all false: what follows from that, and what to add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from neurallog_kernel.learning.choices.settings import Loss
from neurallog_kernel.learning.examples.labelling import Labelling
from neurallog_kernel.learning.examples.targets import Target


def one_sided(
    targets: Sequence[Target], losses: Sequence[Loss], labelling: Labelling
) -> Iterator[str]:
    """For each predicate whose examples nothing contradicts: what follows, and what to add."""
    for target, loss in _once(targets, losses):
        truth = _only(target.labels)
        if truth is None or (truth and not _nothing_says_no(target, loss, labelling)):
            continue
        number = len(target.labels)
        listed = "the only example" if number == 1 else f"all {number:,} examples"
        verb = "is" if number == 1 else "are"
        said = f"{listed} of {target.name} {verb} {'true' if truth else 'false'}, and nothing says "
        if truth:
            yield f"{said}no: weights that make everything true fit them best. {_cure(target)}"
        else:
            shown = f"Add true examples, as in {_shown(target)}"
            yield f"{said}yes: weights that make everything false fit them best. {shown}"


def listed_are_true(targets: Sequence[Target], losses: Sequence[Loss]) -> bool:
    """Whether only the outputs that are not listed are false, of one target at least."""
    return any(
        _only(target.labels) is True and target.signature[1] > 1 and loss.chain is None
        for target, loss in _once(targets, losses)
    )


def _once(targets: Sequence[Target], losses: Sequence[Loss]) -> list[tuple[Target, Loss]]:
    """Without the other directions of a predicate: its examples are the same."""
    found: dict[object, tuple[Target, Loss]] = {}
    for target, loss in zip(targets, losses, strict=True):
        found.setdefault(target.signature, (target, loss))
    return list(found.values())


def _only(labels: np.ndarray) -> bool | None:
    """Whether all are true, or all false; None if they differ, or lie between."""
    if len(labels) and (labels >= 1).all():
        return True
    return False if len(labels) and (labels <= 0).all() else None


def _nothing_says_no(target: Target, loss: Loss, labelling: Labelling) -> bool:
    """Whether no output is taken for false. A label of a sequence says it of all others."""
    if loss.chain is not None:
        return False
    if target.signature[1] < 2:
        return True
    return labelling.unknown


def _cure(target: Target) -> str:
    add = f"dd false examples, as in 0::{_shown(target)}"
    if target.signature[1] < 2:
        return f"A{add}"
    others = "Let negatives=2 draw false ones, or unlisted='false' take all others as false, or a"
    return f"{others}{add}"


def _shown(target: Target) -> str:
    name, arity = target.signature
    return f"example({', '.join([name, *'abcdefgh'[:arity]])})."
