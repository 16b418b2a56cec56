"""From the costs of nodes to the costs of rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import Rule
from neurallog_kernel.plan.build import Planner
from neurallog_kernel.plan.exprs import Expr, everything
from neurallog_kernel.plan.network import LiteralLayer
from neurallog_kernel.profiling.owners import Owner, Owners
from neurallog_kernel.profiling.profile import RuleCost
from neurallog_kernel.profiling.watched import Cost


def rule_costs(
    planner: Planner,
    asked: Iterable[LiteralLayer],
    costs: Mapping[Expr, Cost],
    steps: Mapping[Rule, float] | None = None,
) -> tuple[RuleCost, ...]:
    """The cost of every rule that was used and of every predicate's own work, dearest first.

    What belongs to no rule (the inputs, reading an answer off the result) is a row of its own.
    """
    owners = Owners(planner, asked)
    own: dict[Owner, list[tuple[Cost, int]]] = {owner: [] for owner in owners.roots}
    nobody: list[tuple[Cost, int]] = []
    for node, cost in costs.items():
        found = owners.of.get(node, ())
        for owner in found:
            own[owner].append((cost, len(found)))
        if not found:
            nobody.append((cost, 1))
    rows = [
        _row(
            owner,
            parts,
            owners.roots[owner],
            costs,
            (steps or {}).get(owner) if isinstance(owner, Rule) else None,
        )
        for owner, parts in own.items()
        if parts or isinstance(owner, Rule)
    ]
    if nobody:
        rows.append(_row("inputs and answer", nobody, (), costs, None))
    return tuple(sorted(rows, key=lambda row: (-(row.step or 0.0), -row.seconds)))


def _row(
    owner: Owner | str,
    parts: list[tuple[Cost, int]],
    roots: Iterable[Expr],
    costs: Mapping[Expr, Cost],
    step: float | None,
) -> RuleCost:
    nodes = everything(roots)
    whole = sum(costs[node].seconds for node in nodes if node in costs)
    seconds = sum(cost.seconds / shared for cost, shared in parts)
    return RuleCost(
        *_names(owner),
        seconds=seconds,
        with_calls=whole if nodes else seconds,
        layers=len(list(roots)),
        operations=sum(cost.calls for cost, _ in parts),
        facts=sum(cost.facts for cost, _ in parts),
        entries=sum(cost.entries for cost, _ in parts),
        bytes=sum(cost.bytes for cost, _ in parts),
        step=step,
    )


def _names(owner: Owner | str) -> tuple[str, str, str]:
    """The text of the row, its predicate and where it stands."""
    if isinstance(owner, str):
        return owner, "", ""
    if isinstance(owner, Rule):
        name, arity = owner.head.signature
        place = f"{owner.span.source}:{owner.span.line}" if owner.span else ""
        return format_clause(owner), f"{name}/{arity}", place
    name, arity = owner
    return f"facts and OR of {name}/{arity}", f"{name}/{arity}", ""
