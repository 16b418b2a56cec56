"""Static pictures: what `%neurallog show` and the objects themselves give a notebook."""

from __future__ import annotations

import html
import json
from base64 import b64encode
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from neurallog_kernel import (
    Dag,
    Inspector,
    LiteralLayer,
    NeuralLogError,
    PathTree,
    RuleView,
    Session,
    format_clause,
)
from neurallog_magics.display.graphs.model import Picture

KINDS = ("rule", "tree", "network", "types")


@dataclass(frozen=True)
class Drawing:
    """A picture that a notebook shows: inline SVG with hover text, and text for everyone else.

    A page that may not run our few lines of script (an untrusted notebook, some sites) shows an
    image and the text tree instead.
    """

    picture: Picture

    @cached_property
    def svg(self) -> str | None:
        """An SVG file's text; None where no Graphviz is installed."""
        try:
            from neurallog_magics.display.graphs.svg import svg
        except ImportError:
            return None
        return svg(self.picture)

    @property
    def dot(self) -> str:
        """The DOT source."""
        from neurallog_magics.display.graphs.dot import dot_source

        return dot_source(self.picture)

    def __str__(self) -> str:
        picture = self.picture
        said = [picture.title, picture.text, *(f"• {note}" for note in picture.notes)]
        return "\n".join(part for part in [*said, picture.left_out] if part)

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        if self.svg is None:
            return {"text/plain": str(self)}
        if _svg_only:
            return {"image/svg+xml": self.svg, "text/plain": str(self)}
        name = f"nl-{sha256(self.svg.encode()).hexdigest()[:12]}"
        shown = page(self.svg, str(self), name)
        return {"text/html": shown, "image/svg+xml": self.svg, "text/plain": str(self)}


_svg_only = False


def svg_only(chosen: bool = True) -> None:
    """Leave the HTML form out, for notebooks that go to a site which shows SVG but runs no script.

    JupyterLab then shows a plain image: without hover text, on a background of its own.
    """
    global _svg_only
    _svg_only = chosen


def page(drawn: str, text: str, name: str, more: str = "") -> str:
    """HTML that shows the picture: as part of the page where scripts may run, so that it has hover
    text and the page's colours, and elsewhere as an image with the text below it.

    JupyterLab runs no script of a notebook that its user has not run yet; an image it shows.
    """
    from neurallog_magics.display.graphs.svg import inline

    image = b64encode(drawn.encode()).decode()
    content = json.dumps(more + inline(drawn)).replace("<", "\\u003c")
    return (
        f'<div class="{name}"><img alt="" src="data:image/svg+xml;base64,{image}"/>'
        f"<details><summary>as text</summary><pre>{html.escape(text)}</pre></details></div>"
        f"<script>for (const place of document.getElementsByClassName({json.dumps(name)}))"
        f" place.innerHTML = {content};</script>"
    )


def show(
    session: Session, target: str | None = None, kind: str | None = None, output: int | None = None
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
        raise NeuralLogError(f"a {kind} picture of what?", hint="name a predicate, as in p/2")
    if kind == "network":
        return Drawing(network_of(session, target, output))
    views = find_rules(session, target, output)
    drawings = [Drawing(rule_of(v) if kind == "rule" else tree_of(v)) for v in views]
    return drawings[0] if len(drawings) == 1 else drawings


def find_rules(session: Session, target: str, output: int | None = None) -> list[RuleView]:
    """The rules a target names; a predicate without rules is an error that says so."""
    name, colon, number = target.rpartition(":")
    if not (colon and number.isdigit()):
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
    from neurallog_magics.display.graphs.rule import rule_picture

    return rule_picture(view.dag, view.inspect(), view.report, str(view))


def tree_of(view: RuleView) -> Picture:
    """The paths of a rule."""
    from neurallog_magics.display.graphs.rule import node_ids
    from neurallog_magics.display.graphs.tree import tree_picture

    return tree_picture(view.path_tree, view.inspect(), node_ids(view.dag), str(view))


def network_of(session: Session, target: str, output: int | None = None) -> Picture:
    """The network of a predicate."""
    from neurallog_magics.display.graphs.network import network_picture

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
    from neurallog_magics.display.graphs.typemap import type_map

    return type_map(inspector, "types of the program")


def register_formatters(shell) -> None:
    """Let a notebook show rules, DAGs, path trees and layers as pictures."""
    from neurallog_magics.display.graphs import network_picture, rule_picture, tree_picture

    def bundle(make):
        return lambda thing, include=None, exclude=None: Drawing(make(thing))._repr_mimebundle_()

    formatter = shell.display_formatter.mimebundle_formatter
    formatter.for_type(RuleView, bundle(rule_of))
    formatter.for_type(Dag, bundle(lambda dag: rule_picture(dag, title=format_clause(dag.rule))))
    formatter.for_type(PathTree, bundle(tree_picture))
    formatter.for_type(LiteralLayer, bundle(network_picture))
