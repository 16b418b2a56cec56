"""The numbers of one question in the graph of a rule: values by part, and steps in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neurallog_kernel.evaluate.inspection import Inspector, Trace, Value
from neurallog_kernel.evaluate.rule_view import RuleView
from neurallog_kernel.pictures.model import shorten
from neurallog_kernel.pictures.rule import literal_id, node_ids
from neurallog_kernel.rulegraph.graph import node_label


def numbers(view: RuleView, inspector: Inspector, given: Mapping[int, str]) -> dict[str, Any]:
    """The values of every part for a question, and the steps in which they come about."""
    trace = inspector.trace(view.rule, view.dag.output_place, given)
    ids = node_ids(view.dag)
    values = {ids[node]: _value(value) for node, value in trace.nodes.items() if node in ids}
    values |= {literal_id(edge.literal): _value(v) for edge, v in trace.edges.items()}
    for node, total in trace.sums.items():
        name = f"a-{ids[node]}-{ids[view.dag.destination]}"  # type: ignore[index]
        values[name] = {"top": [], "total": total, "count": 1, "size": None}
    for literal, weight in trace.grounded.items():
        values[literal_id(literal)] = {"top": [], "total": weight, "count": 1, "size": None}
    return {
        "question": _question(view, given),
        "values": values,
        "steps": _steps(view, trace, ids),
        "result": _value(trace.result),
        "answer": _value(trace.answer),
    }


def _question(view: RuleView, given: Mapping[int, str]) -> str:
    head = view.rule.head
    shown = [
        shorten(given[p], 24) if p in given else node_label(term)  # type: ignore[arg-type]
        for p, term in enumerate(head.terms)
    ]
    return f"{head.predicate}({', '.join(shown)})" if shown else head.predicate


def _value(value: Value) -> dict[str, Any]:
    top = [[shorten(name, 24), weight] for name, weight in value.top]
    return {"top": top, "total": value.total, "count": value.count, "size": value.size}


def _steps(view: RuleView, trace: Trace, ids: dict) -> list[dict[str, Any]]:
    """One step for each edge and each term, in the order of computation, then the factors."""
    dag = view.dag
    steps: list[dict[str, Any]] = []
    for node, value in trace.nodes.items():
        for edge in dag.incoming(node):
            say = f"{edge.literal} gives {say_value(trace.edges[edge])}"
            steps.append({"ids": [literal_id(edge.literal)], "say": say})
        into = dag.any_into(node)
        for source in into.inputs if into else ():
            if node == dag.destination:
                say = f"any: the sum of {node_label(source)}, {trace.sums[source]:.4g}, goes to all"
            else:
                say = f"{node_label(node)} is free: it starts as the 1-vector"
            steps.append({"ids": [f"a-{ids[source]}-{ids[node]}"], "say": say})
        loops = dag.loops.get(node, ())
        after = f" after {', '.join(map(str, loops))}" if loops else ""
        say = f"{node_label(node)} is {say_value(value)}{after}"
        steps.append({"ids": [ids[node], *map(literal_id, loops)], "say": say})
    for literal in dag.grounded:
        weight = trace.grounded.get(literal)
        say = f"times {literal}" + ("" if weight is None else f", {weight:.4g}")
        beside = [f"b-{literal_id(literal)}"] if ids else []
        steps.append({"ids": [literal_id(literal), *beside], "say": say})
    ends = [dag.destination] if dag.destination is not None and dag.sources else dag.ends
    say = f"the rule gives {say_value(trace.result)}"
    if trace.answer != trace.result:
        say += f"; with its facts and other rules: {say_value(trace.answer)}"
    steps.append({"ids": [ids[node] for node in ends if node in ids], "say": say, "last": True})
    return steps


def say_value(value: Value) -> str:
    """A value in words: its strongest entries, or the number."""
    if value.size is None:
        return f"{value.total:.4g}"
    if not value.count:
        return "nothing"
    listed = ", ".join(f"{shorten(name, 24)} {weight:.4g}" for name, weight in value.top)
    more = value.count - len(value.top)
    return listed + (f" and {more:,} more" if more else "")
