"""How well the program's own rules do on the examples that a search holds out."""

from __future__ import annotations

import numpy as np

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.rows import Rows
from neurallog_kernel.induction.aggregation import Figure, area
from neurallog_kernel.induction.graph import positions
from neurallog_kernel.induction.heads import Head


def own_figure(evaluator: Evaluator, head: Head) -> Figure | None:
    """ROC AUC of the program as it is; None where it has no rule for the head, where negatives are
    not listed (a fact would prove itself), where nothing is held out, or where the rules say the
    same of all examples: their weights are to be learned, and nobody trained them."""
    if not evaluator.program.definition(head.signature).rules or not head.is_listed:
        return None
    if not head.held_right.any() or not head.held_wrong.any():
        return None
    right = tuple(column[head.held_right] for column in head.right)
    wrong = tuple(column[head.held_wrong] for column in head.wrong)
    try:
        values = [_weights(evaluator, head, columns) for columns in (right, wrong)]
    except NeuralLogError:  # rules that cannot be asked have no figure
        return None
    if len(np.unique(np.concatenate(values))) == 1:
        return None
    return Figure("ROC AUC", area(values[0], values[1], 0), len(values[0]))


def _weights(evaluator: Evaluator, head: Head, columns: tuple[np.ndarray, ...]) -> np.ndarray:
    """What the program says of some examples; 0 of entities that it does not know."""
    places = [
        positions(evaluator.domain(head.signature, place).members, column)
        for place, column in enumerate(columns)
    ]
    known = np.all([place >= 0 for place in places], axis=0)
    found = np.zeros(len(known))
    layer = evaluator.layer(head.signature)
    if len(places) == 1:
        value = evaluator.value(layer.result)
        assert isinstance(value, Rows)
        found[known] = np.ravel(value.dense())[places[0][known]]
        return found
    asked, where = np.unique(places[0][known], return_inverse=True)
    outputs, own = places[1][known], np.zeros(int(known.sum()))
    for chosen, rows in evaluator.batches(layer, {0: asked}):
        dense = np.broadcast_to(rows.dense(), (len(chosen), rows.dense().shape[-1]))
        here = (where >= chosen[0]) & (where <= chosen[-1])
        own[here] = dense[where[here] - chosen[0], outputs[here]]
    found[known] = own
    return found
