"""An explanation as text: one line for each part, its parts below it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from neurallog_kernel.answers import format_weight
from neurallog_kernel.explain.parts import Part
from neurallog_kernel.functions import ADD, MULTIPLY, Combiner
from neurallog_kernel.rulegraph.graph import Dag, node_label

_LEAVES = ("fact", "number", "missing", "nothing")


@dataclass(frozen=True)
class Line:
    """A line of an explanation: what it says, where that stands in the program, and the lines
    below it."""

    text: str
    place: str = ""
    below: tuple[Line, ...] = ()
    value: float | None = None  # of the part
    say: str = ""  # how the parts below make it, in one sentence

    def label(self, number: str) -> str:
        """The text without its number, for those who write that in a column of its own."""
        if number and self.text.startswith(f"{number}  "):
            return self.text[len(number) + 2 :]
        end = rf" = {re.escape(number)}(?=$|  \()"
        return re.sub(end, "", self.text, count=1) if number else self.text


Above = set[int]  # the children of the answers that have been written, by their id


def lines_of(part: Part, above: Above | None = None) -> Line:
    """The part and all below it as lines; an answer that others share is written out once."""
    above = set() if above is None else above
    line = _line(part, above)
    return replace(line, value=part.value, say=_sentence(part) if line.below else "")


def _sentence(part: Part) -> str:
    """How a part comes about, plainly."""
    number = len(part.children)
    if part.kind == "answer" and part.operation is ADD:
        if number == 1:
            return "it comes from one part"
        return f"{number} parts are added up"
    if part.kind == "rule" and part.operation is ADD:
        if number == 1:
            return "there is one way to fill its variables"
        return f"{number} ways to fill its variables are added up"
    if part.operation is MULTIPLY:
        return "its literals are multiplied"
    if part.kind == "function":
        return f"{part.label.partition('(')[0]} is applied to what is below"
    if part.kind == "negation":
        return "what was found is subtracted"
    if isinstance(part.operation, Combiner) and number > 1:
        return f"{number} parts are combined by {part.operation.name}"
    return ""


def _line(part: Part, above: Above) -> Line:
    if part.kind == "answer":
        if part.children and id(part.children) in above:
            return Line(f"{part.label} = {_weight(part)}  (as above)", part.place)
        above.add(id(part.children))
        return Line(_noted(f"{part.label} = {_weight(part)}", part), part.place, _sums(part, above))
    if part.kind == "rule":
        return _rule(part, above)
    if part.kind == "grounding":
        return _grounding(part, above)
    if part.kind == "negation":
        return _negation(part, above)
    if part.kind == "function":
        return Line(f"{_applied(part)} = {_weight(part)}", part.place, _below_function(part, above))
    if part.kind == "rest":
        return Line(f"{_weight(part)}  {part.label}")
    if part.kind in _LEAVES:
        return Line(_noted(f"{_weight(part)}  {part.label}", part), part.place)
    if part.kind == "given":
        return Line(f"given {part.label}: {_weight(part)}", part.place, _sums(part, above))
    label = f"{part.label} of" if part.kind == "combine" else part.label or "all groundings"
    return Line(f"{label} = {_weight(part)}", part.place, _sums(part, above))


def _sums(part: Part, above: Above) -> tuple[Line, ...]:
    return tuple(lines_of(child, above) for child in part.children)


def _rule(part: Part, above: Above) -> Line:
    text = _noted(f"{_weight(part)}  {part.label}", part)
    if part.operation is MULTIPLY:
        return Line(text, part.place, (_product(part, "", above),))
    return Line(text, part.place, _sums(part, above))


def _grounding(part: Part, above: Above) -> Line:
    return _product(part, f"{_weight(part)}  ", above)


def _product(part: Part, start: str, above: Above) -> Line:
    names = ", ".join(f"{variable} = {name}" for variable, name in part.names)
    factors = [child for child in part.children if not _is_trivial(child)] or part.children
    inline = " × ".join(map(_inline, factors))
    text = f"{names}: {inline}" if names and inline else names or inline
    if not start and len(factors) > 1:
        text = f"{text} = {_weight(part)}"
    below = tuple(lines_of(child, above) for child in factors if not _is_plain(child))
    places = dict.fromkeys(child.place for child in factors if child.place)
    return Line(f"{start}{text}", ", ".join(places), below, part.value)


def _is_trivial(part: Part) -> bool:
    return part.kind == "nothing" and part.value == 1.0


def _is_plain(part: Part) -> bool:
    """Whether its one line says all there is to say."""
    if part.kind == "negation":
        return part.children[1].kind in _LEAVES and part.children[0].label == "1"
    return part.kind in _LEAVES


def _negation(part: Part, above: Above) -> Line:
    whole, found = part.children
    text = f"{part.label} = {format_weight(whole.value)} ({whole.label})"
    if whole.label in ("1", "0"):
        text = f"{part.label} = {whole.label}"
    taken = format_weight(found.value)
    taken = f"({taken})" if found.value < 0 else taken
    text += f" - {taken} = {_weight(part)}"
    below = tuple(lines_of(child, above) for child in whole.children)
    if found.kind in _LEAVES:
        return Line(f"{text}  ({_found(found)})", found.place, below)
    return Line(text, "", (*below, lines_of(found, above)))


def _found(found: Part) -> str:
    return found.note or ("not found" if found.value == 0 else f"{found.label} was found")


def _below_function(part: Part, above: Above) -> tuple[Line, ...]:
    found: list[Line] = []
    for child in part.children:
        if child.kind == "sum":
            found += [lines_of(inner, above) for inner in child.children]
        elif child.kind == "grounding" and len(child.children) == 1:
            only = child.children[0]
            found.append(lines_of(only if not _is_plain(only) else child, above))
        else:
            found.append(lines_of(child, above))
    return tuple(found)


def _inline(part: Part) -> str:
    """A factor within a line."""
    if part.kind == "function":
        return f"{_applied(part)} {_weight(part)}"
    if part.kind == "negation":
        found = part.children[1]
        remark = f" ({_found(found)})" if found.kind in _LEAVES else ""
        return f"{part.label} {_weight(part)}{remark}"
    if part.kind == "missing":
        return _noted(f"{part.label} {_weight(part)}", part)
    if part.kind in ("sum", "product", "grounding"):
        return f"{part.label or 'all groundings'} {_weight(part)}"
    if part.kind == "given":
        return f"given {part.label} {_weight(part)}"
    return f"{part.label} {_weight(part)}"


def _applied(part: Part) -> str:
    """A function with the number that goes into it; of a whole vector, with its variable."""
    if part.operation is None or not part.is_elementwise:
        return part.label
    inputs = ", ".join(format_weight(child.value) for child in part.children)
    return f"{part.operation.name}({inputs})"


def _noted(text: str, part: Part) -> str:
    return f"{text}  ({part.note})" if part.note else text


def _weight(part: Part) -> str:
    return format_weight(part.value)


def render(line: Line) -> str:
    """The lines as a tree."""
    return "\n".join(_rendered(line, "", ""))


def _rendered(line: Line, first: str, others: str) -> Iterable[str]:
    place = f"   [{line.place}]" if line.place else ""
    yield f"{first}{line.text}{place}"
    for number, child in enumerate(line.below):
        last = number == len(line.below) - 1
        yield from _rendered(
            child, others + ("└─ " if last else "├─ "), others + ("   " if last else "│  ")
        )


def paths_text(dag: Dag) -> str:
    """The paths of a rule on one line: X -parent→ Y -parent→ Z."""
    texts = []
    for path in dag.paths:
        text = node_label(path.start)
        for step in path.steps:
            by = "any" if step.literal is None else step.literal.predicate
            if step.literal is not None and step.literal.negated:
                by = f"not {by}"
            turned = step.literal is not None and step.literal.nodes[0] != step.start
            text += f" -{by}{'⁻¹' if turned else ''}→ {node_label(step.end)}"
        texts.append(text)
    return "; ".join(texts)


def grounding_text(part: Part) -> str:
    """A grounding on one line, without its value."""
    factors: Sequence[Part] = part.children if part.operation is MULTIPLY else (part,)
    names = ", ".join(f"{variable} = {name}" for variable, name in part.names)
    inline = " × ".join(_inline(f) for f in factors if not _is_trivial(f))
    return f"{names}: {inline}" if names else inline
