"""From counted bodies to the rows that a human sees: judged, without repetitions, with weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from neurallog_kernel.induction.aggregation import Figure, held_out_figure
from neurallog_kernel.induction.bodies import Body, end_of, rule_of, smoothed
from neurallog_kernel.induction.candidates import Candidate, HeadReport
from neurallog_kernel.induction.columns import Columns
from neurallog_kernel.induction.duplicates import alike, without_equals
from neurallog_kernel.induction.findings import Found
from neurallog_kernel.induction.gate import Ranked
from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.induction.heads import Head
from neurallog_kernel.induction.judging import Judged, judge, with_exclusions
from neurallog_kernel.induction.worth import only, row_columns
from neurallog_kernel.knowledge.rule_weights import rule_key
from neurallog_kernel.language.printer import format_clause


def judged_once(
    columns: Columns,
    head: Head,
    found: Sequence[Found],
    least: int,
    check: Callable[[], None] = lambda: None,
) -> Judged:
    """Bodies judged as the engine would use them, without repetitions, best first. `check` may end
    it."""
    judged = judge(columns, head, found, check)
    each = np.array([one.body.each is not None for one in judged.found], dtype=bool)
    judged = judged.chosen(np.flatnonzero((judged.hits >= least) | judged.against | each))
    judged = judged.chosen(without_equals(judged))
    confidence = judged.confidence
    order = sorted(
        range(len(judged.found)), key=lambda n: (-confidence[n], judged.found[n].body.key)
    )
    return with_exclusions(columns, judged.chosen(order), least)


@dataclass(frozen=True)
class Shown:
    """The rows of a head, and what these few rules are worth on held-out examples."""

    rows: tuple[Candidate, ...]
    ranked: Ranked | None = None
    figure: Figure | None = None


def rows_of(columns: Columns, found: Ranked, most: int, known: set, with_gain: bool) -> Shown:
    """The best rows of a head; bodies that are almost equal to a better one stand beside it."""
    graph, judged = columns.graph, found.judged
    if not judged.found:
        return Shown((), found)
    weights = found.weights
    own = row_columns(judged, weights, found.way)[: 4 * most]
    some = judged.chosen([several[0] for several in own])
    single = np.flatnonzero([one.body.each is None for one in some.found])
    leader = np.arange(len(own))
    leader[single] = single[alike(some.chosen(single))]
    rows: list[Candidate] = []
    for place, several in enumerate(own):
        if leader[place] == place and len(rows) < most:
            near = [n for n in np.flatnonzero(leader == place).tolist() if n != place]
            weight = float(weights[several[0]])
            row = _row(graph, columns, some, place, near, weight, known)
            rows.append(row if place in single else _each(graph, judged, several, weights, row))
    shown = np.concatenate([own[row.number] for row in rows])
    now = held_out_figure(judged, only(found.honest, shown), found.way)
    if now is not None and with_gain:
        rows = [_with_gain(row, found, shown, own[row.number], now) for row in rows]
    return Shown(tuple(rows), found, now)


def _each(
    graph: Graph, judged: Judged, own: np.ndarray, weights: np.ndarray, row: Candidate
) -> Candidate:
    """The row of a rule with a weight for each entity, from that of one of them."""
    some = own[weights[own] != 0.0]
    right, others = (_some_hold(part[:, own]) for part in (judged.right, judged.others))
    ends = [end_of(judged.found[n].body) for n in some.tolist()]
    named = zip(map(graph.name, ends), weights[some].tolist(), strict=True)
    reach = _reach(graph, judged.found[own[0]].body, ends) * graph.size ** (len(judged.places) - 1)
    return replace(
        row,
        weight=1.0,
        right=right,
        fires=right + others,
        confidence=float(smoothed(right, right + others)),
        pca=right / max(1, right + others),
        new=max(0, reach - right - others if judged.head.is_listed else others),
        notes=(),
        kept=len(some) > 0,
        weights=tuple(sorted(named, key=lambda end: (-abs(end[1]), end[0]))),
    )


def _some_hold(matrix: Any) -> int:
    """How many rows have an entry."""
    return int((np.diff(sp.csr_array(matrix).indptr) > 0).sum())


def _reach(graph: Graph, body: Body, ends: Sequence[int]) -> int:
    """How many entities the steps of a body connect with some of these ends."""
    assert body.each is not None
    vector = np.zeros(graph.size, dtype=np.float32)
    vector[ends] = 1.0
    for step in reversed(body.each[1]):
        vector = (graph.matrices[step] @ vector > 0).astype(np.float32)
    return int(vector.sum())


def _row(
    graph: Graph,
    columns: Columns,
    judged: Judged,
    place: int,
    near: Sequence[int],
    weight: float,
    known: set,
) -> Candidate:
    head = judged.head
    one = judged.found[place]
    rule = rule_of(graph, head.signature, one.body)
    right, fires = one.all_right, one.all_fires
    return Candidate(
        place,
        rule,
        float(weight),
        right,
        fires,
        float(smoothed(right, fires)),
        _pca(judged, place),
        new=_new(columns, judged, place),
        like_it=tuple(_text(graph, head, judged.found[n]) for n in near),
        notes=tuple(_notes(graph, judged, place, rule.head.predicate)),
        known=rule_key(rule)[1] in known,
        kept=weight != 0.0,
    )


def _text(graph: Graph, head: Head, found: Found) -> str:
    return format_clause(rule_of(graph, head.signature, found.body))


def _pca(judged: Judged, place: int) -> float:
    """Of the pairs whose first argument has known answers, how many are examples."""
    others = judged.holds_for(place)[1]
    hits, wrong = float(judged.hits[place]), float(len(others))
    if len(judged.places) == 2 and not judged.head.is_listed:
        subjects = judged.keys[others] // judged.size
        wrong = float(np.isin(subjects, judged.places[0]).sum())
    return hits / (hits + wrong) if hits else 0.0


def _new(columns: Columns, judged: Judged, place: int) -> int:
    """How many answers the rule gives that no example lists."""
    fires = int(judged.fires[place])
    if not judged.head.is_listed:
        return fires - int(judged.hits[place])
    body = judged.found[place].body
    if len(judged.places) == 1:
        return int(columns.mark(body.on_x).sum()) - fires
    if not body.steps:
        x, y = columns.mark(body.on_x), columns.mark(body.on_y)
        return max(0, int(x.sum()) * int(y.sum()) - fires)
    return max(0, int(columns.holds(body).nnz) - fires)


def _notes(graph: Graph, judged: Judged, place: int, own: str) -> list[str]:
    hit = judged.holds_for(place)[0]
    notes = []
    for column in judged.places:
        used = np.unique(column[hit])
        if len(used) == 1 and len(hit) > 1 and len(np.unique(column)) > 1:
            notes.append(f"rests on one entity, {graph.name(int(used[0]))}")
    body = judged.found[place].body
    if judged.found[place].against:
        notes.append("speaks against it")
    if any(graph.steps[step].signature == judged.head.signature for step in body.steps):
        notes.append(f"recursive: counted on the facts of {own}")
    return notes


def _with_gain(
    row: Candidate, found: Ranked, shown: np.ndarray, own: np.ndarray, now: Figure
) -> Candidate:
    """What the held-out figure of the rows loses without the rule."""
    without = only(found.honest, shown)
    without[own] = 0.0
    left = held_out_figure(found.judged, without, found.way)
    return replace(row, gain=now.value - left.value) if left else row


def report_of(
    head: Head, counted: int, others: int, found: Shown | None, before: Figure | None
) -> HeadReport:
    """The numbers above and below the table."""
    negatives = len(head.wrong[0]) if head.is_listed else others
    if found is None or found.ranked is None:
        return HeadReport(head.signature, head.count, negatives, counted)
    ranked = found.ranked
    return HeadReport(
        head.signature,
        head.count,
        negatives,
        counted,
        len(ranked.judged.found),
        ranked.way,
        ranked.why,
        found.figure.measure if found.figure else "",
        _value(found.figure),
        _value(before),
        ranked.rows,
        _value(ranked.figure),
    )


def _value(figure: Figure | None) -> float | None:
    return None if figure is None else figure.value
