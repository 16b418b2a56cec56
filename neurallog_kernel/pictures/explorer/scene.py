"""What the explorer shows, as plain data for the browser: pictures, links, numbers, details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from neurallog_kernel.evaluate.inspection import Inspector
from neurallog_kernel.evaluate.rule_view import RuleView
from neurallog_kernel.language.printer import brief_clause
from neurallog_kernel.pictures.inspectable import Inspectable
from neurallog_kernel.pictures.model import Arrow, Picture, lines, shorten
from neurallog_kernel.pictures.rule import literal_id, node_ids
from neurallog_kernel.pictures.show import rule_of, tree_of
from neurallog_kernel.pictures.svg import inline, svg
from neurallog_kernel.rulegraph.graph import node_label

SUGGESTED = 200  # entities offered for a place of the question
FACTS = 12
TRIED = 25  # entities tried for a first question that has an answer
RULE_TEXT = 140


def catalogue(session: Inspectable) -> list[dict[str, Any]]:
    """Every predicate that has rules, with their texts."""
    inspector = session.inspect()
    found = []
    for signature in inspector.signatures():
        rules = inspector.rules(signature)
        if rules:
            texts = [shorten(brief_clause(rule), RULE_TEXT) for rule in rules]
            found.append({"name": f"{signature[0]}/{signature[1]}", "rules": texts})
    return found


def scene(view: RuleView, inspector: Inspector) -> dict[str, Any]:
    """The two pictures of a rule and how they belong together."""
    dag, tree = rule_of(view), tree_of(view)
    notes = [*dag.notes, dag.left_out, tree.left_out]
    dag = replace(dag, title="", notes=(), left_out="", roomy=True)
    tree = replace(tree, title="", left_out="", roomy=True)
    head = view.rule.head
    output = view.dag.output_place
    single = head.arity == 1
    return {
        "title": str(view),
        "notes": [note for note in notes if note],
        "dag": _drawn(dag),
        "tree": _drawn(tree),
        "links": {part.id: [n for n in part.links if n] for part in (*tree.marks, *tree.arrows)},
        "ways": _ways(tree),
        "labels": {part.id: part.label for part in (*dag.marks, *dag.arrows)},
        "places": [
            {
                "name": node_label(term),  # type: ignore[arg-type]
                "output": place == output and not single,
                "choices": list(inspector.entities(head.signature, place, SUGGESTED)),
            }
            for place, term in enumerate(head.terms)
        ],
    }


def _drawn(picture: Picture) -> str:
    """Inline SVG; where there is no Graphviz, the text."""
    found = svg(picture)
    return "" if found is None else inline(found)


def _ways(tree: Picture) -> dict[str, list[str]]:
    """For each part of the path tree: the whole way from the root to it."""
    into: dict[str, Arrow] = {arrow.end: arrow for arrow in tree.arrows}
    ways: dict[str, list[str]] = {}
    for mark in tree.marks:  # parents come first
        arrow = into.get(mark.id)
        above = ways[arrow.start] if arrow else []
        ways[mark.id] = [*above, *([arrow.id] if arrow else []), mark.id]
        if arrow:
            ways[arrow.id] = ways[mark.id]
    return ways


# -- a first question ------------------------------------------------------------------------------


def first_question(view: RuleView, inspector: Inspector) -> dict[int, str]:
    """Entities for the input places, chosen so that the rule gives something if that is easy."""
    head = view.rule.head
    output = view.dag.output_place
    places = [p for p in range(head.arity) if p != output or head.arity == 1]
    choices = [
        [
            *_likely(inspector, view.rule, head.terms[place]),
            *inspector.entities(head.signature, place, TRIED),
        ][:TRIED]
        for place in places
    ]
    if not places or not all(choices):
        return {}
    first = {place: names[0] for place, names in zip(places, choices, strict=True)}
    for name in choices[0]:
        given = {**first, places[0]: name}
        if inspector.position(head.signature, places[0], name) is None:
            continue
        if inspector.trace(view.rule, output, given).result.count:
            return given
    return {p: inspector.entities(head.signature, p, 1)[0] for p in places}


def _likely(inspector: Inspector, rule: Any, term: Any, depth: int = 3) -> list[str]:
    """Entities that the facts of the body have where the term stands."""
    found: list[str] = []
    for literal in rule.body:
        for place, other in enumerate(literal.terms):
            if other != term or literal.negated:
                continue
            listed, _ = inspector.facts(literal.signature, 5)
            found += [key[place] for key, _ in listed if place < len(key)]
            if depth and not listed:
                for below in inspector.rules(literal.signature)[:5]:
                    found += _likely(inspector, below, below.head.terms[place], depth - 1)
        if len(found) > TRIED:
            break
    return found


# -- details of one part --------------------------------------------------------------------------


def details(
    view: RuleView, inspector: Inspector, name: str, values: Mapping[str, Any]
) -> dict[str, Any]:
    """What a part of the picture is: for a literal its facts, for a term its entities."""
    literals = {literal_id(literal): literal for literal in _literals(view)}
    found: dict[str, Any] = {"id": name, "title": name, "lines": [], "rows": [], "open": ""}
    if name in literals:
        literal = literals[name]
        about = inspector.predicate(literal.signature)
        listed, total = inspector.facts(literal.signature, FACTS)
        left = f"the strongest {len(listed)} of {total:,} facts" if total > len(listed) else ""
        found |= {
            "title": shorten(str(literal), 80),
            "lines": lines(str(about), left).split("\n"),
            "rows": [[shorten(", ".join(key), 60), weight] for key, weight in listed],
            "open": f"{literal.predicate}/{len(literal.nodes)}" if about.rules else "",
        }
    terms = {key: node for node, key in node_ids(view.dag).items()}
    if name in terms:
        found["title"] = node_label(terms[name])
        found["lines"] = [_term(view, inspector, terms[name])]
    if name.startswith("a-"):
        found["title"] = "any"
        found["lines"] = ["true for any pair: what does not reach the output counts as a sum"]
    if name in values:
        value = values[name]
        found["lines"] = [*found["lines"], _summary(value)]
        found["values"] = value["top"]
    return found


def _literals(view: RuleView) -> list:
    dag = view.dag
    loops = [literal for literals in dag.loops.values() for literal in literals]
    return [*(edge.literal for edge in dag.edges), *loops, *dag.grounded]


def _term(view: RuleView, inspector: Inspector, node) -> str:
    """The type of a term: how many entities, and some of them."""
    for literal in (view.rule.head, *view.rule.body):
        for place, term in enumerate(literal.terms):
            if term == node and inspector.predicate(literal.signature).role in _TYPED:
                if inspector.type_of(literal.signature, place) is None:
                    return "a number"
                names = inspector.entities(literal.signature, place, 4)
                size = inspector.predicate(literal.signature).shape
                listed = ", ".join(shorten(name, 20) for name in names)
                return f"one of {size[min(place, len(size) - 1)]:,}: {listed}" if size else listed
    return "a term of functions"


_TYPED = {"relation", "attribute"}


def _summary(value: Mapping[str, Any]) -> str:
    if value["size"] is None:
        return f"value {value['total']:.6g}"
    return f"{value['count']:,} of {value['size']:,} entries, sum {value['total']:.6g}"


def places(given: Sequence[str | None]) -> dict[int, str]:
    """The places of a question that are filled in."""
    return {place: name for place, name in enumerate(given) if name}
