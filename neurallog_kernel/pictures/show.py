"""Pictures of a program: which there are, and how a target names them."""

from __future__ import annotations

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.evaluate.rule_view import RuleView
from neurallog_kernel.pictures.drawing import Drawing
from neurallog_kernel.pictures.inspectable import Inspectable
from neurallog_kernel.pictures.model import Picture
from neurallog_kernel.pictures.network import network_picture
from neurallog_kernel.pictures.rule import node_ids, rule_picture
from neurallog_kernel.pictures.tree import tree_picture
from neurallog_kernel.pictures.typemap import type_map

KINDS = ("rule", "tree", "network", "types")


def show(
    session: Inspectable,
    target: str | None = None,
    kind: str | None = None,
    output: int | None = None,
) -> Drawing | list[Drawing]:
    """Pictures of a target.

    `p/2` shows its rules (`kind` "rule"), their path trees ("tree") or the predicate's network
    ("network"); no target shows the type map. `p/2:3` is the third rule of p/2. `output` is the
    open place, counted from 0.
    """
    kind = kind or ("types" if target is None else "rule")
    if kind not in KINDS:
        raise NeuralLogError(f"unknown picture {kind}", hint=f"one of {', '.join(KINDS)}")
    if kind == "types":
        return Drawing(_types(session.inspect()))
    if target is None:
        raise NeuralLogError(
            f"a {kind} picture needs a predicate", hint="name a predicate, as in p/2"
        )
    if kind == "network":
        return Drawing(network_of(session, target, output))
    views = find_rules(session, target, output)
    drawings = [Drawing(rule_of(v) if kind == "rule" else tree_of(v)) for v in views]
    return drawings[0] if len(drawings) == 1 else drawings


def find_rules(session: Inspectable, target: str, output: int | None = None) -> list[RuleView]:
    """The rules a target names; a predicate without rules is an error that says so."""
    name, colon, number = target.rpartition(":")
    if not (colon and number.isdecimal()):
        name, number = target, ""
    views = session.rules(name)
    if not views:
        raise NeuralLogError(
            f"{name} has facts only", hint=f"its network can be drawn: show {name} --kind network"
        )
    if number:
        if not 1 <= int(number) <= len(views):
            raise NeuralLogError(f"{name} has {len(views)} rules", hint="they count from 1")
        views = [views[int(number) - 1]]
    if output is None:
        return views
    return [view.towards(output) if view.rule.head.arity else view for view in views]


def rule_of(view: RuleView) -> Picture:
    """The DAG of a rule."""
    return rule_picture(view.dag, view.inspect(), view.report, str(view))


def tree_of(view: RuleView) -> Picture:
    """The paths of a rule."""
    return tree_picture(view.path_tree, view.inspect(), node_ids(view.dag), str(view))


def network_of(session: Inspectable, target: str, output: int | None = None) -> Picture:
    """The network of a predicate."""
    text = session.plan(target, output)  # refuses unknown and ambiguous names
    name, slash, arity = target.rpartition("/")
    inspector = session.inspect()
    chosen = next(
        s
        for s in inspector.signatures()
        if s == (name, int(arity) if slash else -1) or s[0] == target
    )
    title = f"{chosen[0]}/{chosen[1]}"
    return network_picture(inspector.layer(chosen, output), inspector, title, text)


def _types(inspector: Inspector) -> Picture:
    return type_map(inspector, "types of the program")
