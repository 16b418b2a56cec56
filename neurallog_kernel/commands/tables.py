"""Tables about a session: its predicates, functions, examples, weights and metrics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from neurallog_kernel.answers import format_weight
from neurallog_kernel.commands.context import Context
from neurallog_kernel.commands.results import Table
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.functions import COMPARISONS
from neurallog_kernel.knowledge.describe import PredicateStatus
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.session import Session


def chosen(session: Session, predicate: str | None) -> list[PredicateStatus]:
    """The predicates asked for; an unknown one is an error with the nearest name."""
    found = list(session.predicates())
    if predicate is None:
        return found
    name, _, arity = predicate.partition("/")
    found = [p for p in found if p.name == predicate or (not arity and _bare(p) == name)]
    if not found:
        session.rules(predicate)  # raises, and knows the nearest name
    return found


def _bare(predicate: PredicateStatus) -> str:
    return predicate.name.rpartition("/")[0]


def _learned(one: PredicateStatus) -> str:
    return (", learned" if one.learned else "") + (", rules learned" if one.rules_learned else "")


def status_table(context: Context, predicate: str | None) -> Table:
    """What the session holds, predicate by predicate."""
    rows = []
    statuses = chosen(context.session, predicate)
    for one in statuses:
        rows.append(
            (
                one.name,
                one.kind + _learned(one),
                " × ".join(one.types),
                f"{one.facts:,}",
                f"{one.rules:,}",
                f"{one.examples:,}",
                size(one.bytes),
                context.relabel(", ".join(one.sources)),
            )
        )
    attached = [f"{one.name} in {one.attached}" for one in statuses if one.attached]
    settings = ", ".join(f"{k} = {v}" for k, v in context.session.settings().items())
    sets = ", ".join(f"{k} {v:,}" for k, v in context.session.example_sets().items())
    notes = [f"attached: {', '.join(attached)}" if attached else ""]
    notes += [f"examples: {sets}" if sets else "", f"set: {settings}" if settings else ""]
    title = f"session {context.name}: " if context.name else ""
    title += f"{len(rows)} predicate{'' if len(rows) == 1 else 's'}" if rows else "empty"
    return Table(
        ("predicate", "kind", "types", "#facts", "#rules", "#examples", "#memory", "from"),
        rows,
        title=title + f", {size(sum(one.bytes for one in statuses))}",
        limit=200,
        note="; ".join(filter(None, notes)),
    )


def size(count: int) -> str:
    """Bytes for people.

    >>> size(900), size(2_500_000)
    ('900 B', '2.5 MB')
    """
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count} B"


_EXAMPLE_ROW = np.array([[0.5, -1.0, 0.0, 2.0]])


def function_table(session: Session, name: str | None) -> Table:
    """Name, kind, formula and an example of each function."""
    compared = [c for c in COMPARISONS.values() if c.name not in session.registry]
    compared = [one for one in compared if name in (None, one.name)]
    if name is None:
        functions = list(session.registry)
    else:
        functions = [] if compared else [session.registry[name]]
    rows = [
        (one.name, one.kind.value, one.formula, example_of(one.name, one.kind.value, one.numpy))
        for one in functions
    ]
    rows += [
        (one.name, "comparison", one.formula, f"age(X, A), {one.name}(A, 50)") for one in compared
    ]
    return Table(("$name", "kind", "formula", "$example"), rows, limit=500)


def example_of(name: str, kind: str, function) -> str:
    """A worked value: of 0.5 for functions of one entry, of a short row for the others."""
    try:
        if kind == "elementwise":
            return f"{name}(0.5) = {format_weight(float(function(np.array([0.5]))[0]))}"
        row = ", ".join(map(format_weight, _EXAMPLE_ROW[0]))
        value = np.asarray(function(_EXAMPLE_ROW.copy())).reshape(-1)
        shown = ", ".join(format_weight(float(v)) for v in value)
        return f"{name}[{row}] = {shown if kind == 'aggregate' else f'[{shown}]'}"
    except Exception:  # a user's function may want other arguments
        return ""


def example_table(session: Session, predicate: str | None, which: str | None, limit: int) -> Table:
    """The examples in the program's own words."""
    names = {one.name for one in chosen(session, predicate)}
    found = [
        example
        for example in session.examples()
        if example.predicate in names and which in (None, example.set)
    ]
    rows = [(one.set, one.text, format_weight(one.weight)) for one in found]
    columns: tuple[str, ...] = ("set", "$example", "#label")
    if any(one.group is not None for one in found):
        columns = ("set", "group", "$example", "#label")
        rows = [(a, one.group or "", b, c) for one, (a, b, c) in zip(found, rows, strict=True)]
    return Table(
        columns,
        rows[:limit],
        total=len(rows),
        title=f"{len(rows):,} examples",
        limit=limit,
    )


def weight_table(session: Session, predicate: str | None, limit: int) -> Table:
    """The facts of a predicate, heaviest first; without one, those of all learned predicates."""
    if predicate is None:
        return _learned_table(session, limit)
    (one, *others) = chosen(session, predicate)
    if others:
        known = ", ".join(p.name for p in (one, *others))
        raise NeuralLogError(f"{predicate} has several arities", hint=f"say {known}")
    facts, number = _facts(session, one, limit)
    rules = one.rules if one.rules_learned else 0
    title = f"{one.name}: {number - rules:,} facts" + (", learned" if one.learned else "")
    title += f", {rules:,} rules learned" if rules else ""
    return _fact_table(facts, number, title, limit)


def _learned_table(session: Session, limit: int) -> Table:
    learned = [one for one in session.predicates() if one.learned or one.rules_learned]
    if not learned:
        raise NeuralLogError(
            "no predicate has learned weights", hint="train first, or name a predicate"
        )
    if len(learned) == 1:
        return weight_table(session, learned[0].name, limit)
    found = [_facts(session, one, limit) for one in learned]
    facts = [fact for some, _ in found for fact in some]
    number = sum(count for _, count in found)
    names = ", ".join(one.name for one in learned)
    return _fact_table(facts[:limit], number, f"{names}: {number:,} learned weights", limit)


def _facts(
    session: Session, predicate: PredicateStatus, limit: int
) -> tuple[list[tuple[str, float]], int]:
    """The heaviest facts with their weights, and how many there are; before them the rules, if
    their weights are learned."""
    name, _, arity = predicate.name.rpartition("/")
    facts, number = session.inspect().facts((name, int(arity)), limit)
    found = [(f"{name}({', '.join(key)})" if key else name, weight) for key, weight in facts]
    if predicate.rules_learned:
        rules = [view.rule for view in session.rules(predicate.name)]
        texts = [(format_clause(replace(rule, weight=1.0)), rule.weight) for rule in rules]
        found, number = texts + found, number + len(texts)
    return found, number


def _fact_table(facts: list[tuple[str, float]], number: int, title: str, limit: int) -> Table:
    return Table(
        ("$fact", "#weight"),
        [(atom, format_weight(weight)) for atom, weight in facts],
        title=title,
        bars=[weight for _, weight in facts],
        total=number,
        limit=limit,
    )


def metrics_table(metrics: Any, name: str) -> Table:
    """One row per metric, one column per target."""
    frame = metrics.to_pandas()
    targets = [str(target) for target in frame.index]
    rows = [
        (str(metric), *(format_weight(float(value)) for value in frame[metric]))
        for metric in frame.columns
    ]
    return Table(("metric", *(f"#{t}" for t in targets)), rows, title=f"set {name}", limit=200)
