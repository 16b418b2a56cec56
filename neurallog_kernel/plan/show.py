"""A plan as text that can be read beside the rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from neurallog_kernel.functions import MULTIPLY
from neurallog_kernel.knowledge.references import FactForm
from neurallog_kernel.language.printer import format_clause, format_number
from neurallog_kernel.plan import exprs
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.plan.layers import LiteralLayer, RuleLayer
from neurallog_kernel.rulegraph.graph import node_label


def show_layer(layer: LiteralLayer) -> str:
    """The literal, then its facts and rules; what a rule calls is shown below it, once."""
    return "\n".join(_Shower().layer(layer, ""))


class _Shower:
    """Shared layers are written out where they first occur and named after that."""

    def __init__(self) -> None:
        self.seen: dict[int, str] = {}

    def layer(self, layer: LiteralLayer, indent: str) -> list[str]:
        layer = layer.shared or layer
        title = self.title(layer)
        if layer.beyond_depth:
            return [f"{indent}{title}: nothing, the recursion ends here"]
        if id(layer) in self.seen:
            return [f"{indent}{title}: as above"]
        self.seen[id(layer)] = title
        lines = [f"{indent}{title}"]
        if layer.facts is not None:
            lines.append(f"{indent}  facts: {self.expr(layer.facts, {})}")
        for rule in layer.rules:
            lines += self.rule(rule, indent + "  ")
        if layer.facts is None and not layer.rules:
            lines.append(f"{indent}  nothing")
        return lines

    def title(self, layer: LiteralLayer) -> str:
        name, arity = layer.signature
        if arity < 2:
            return f"literal {name}/{arity}"
        places = ", ".join("?" if p == layer.output_place else "_" for p in range(arity))
        return f"literal {name}({places})"

    def rule(self, layer: RuleLayer, indent: str) -> list[str]:
        lines = [f"{indent}rule {format_clause(layer.rule)}"]
        names = self.called(layer)
        for node, origin in layer.nodes.items():
            label, value = node_label(node), origin.expr
            lines.append(f"{indent}  {label} = {self.expr(value, names)}")
            if not isinstance(value, exprs.Ones | exprs.Weight | exprs.Zero):
                names[value] = label
        lines.append(f"{indent}  = {self.expr(layer.result, names)}")
        for call in layer.calls.values():
            if call.rules or call.beyond_depth:
                lines += self.layer(call, indent + "    ")
        return lines

    def called(self, layer: RuleLayer) -> dict[Expr, str]:
        """What the rule calls goes by its name here; it is written out below."""
        values = {origin.expr: node_label(node) for node, origin in layer.nodes.items()}
        names: dict[Expr, str] = {}
        for call in layer.calls.values():
            if call.rules and not isinstance(call.result, exprs.Ones | exprs.Weight | exprs.Zero):
                name, arity = call.signature
                given = ("?" if i is None else values.get(i, "...") for i in call.inputs)
                names[call.result] = f"{name}({', '.join(given)})" if arity > 1 else name
        return names

    def expr(self, value: Expr, names: dict[Expr, str]) -> str:
        """The expression; a sub-expression that is a node of the rule goes by its name."""
        if value in names:
            return names[value]
        match value:
            case exprs.Combine():
                return self.combined(value, names)
            case exprs.Product():
                inverse = "⁻¹" if value.inverted else ""
                inner = _wrap(self.expr(value.vector, names), "·")
                return f"{inner} · {value.scan.signature[0]}{inverse}"
            case exprs.Call():
                inverse = "⁻¹" if value.inverted else ""
                inner = _wrap(self.expr(value.vector, names), "·")
                return f"{inner} · {value.signature[0]}{inverse}"
            case exprs.Apply():
                inner = ", ".join(self.expr(a, names) for a in value.arguments)
                return f"{value.function.name}({inner})"
            case exprs.Aggregate():
                entry = _entry(value)
                if entry is not None:
                    return f"{_wrap(self.expr(entry[1], names), '·')}[{entry[0].name}]"
                return f"{value.function.name}({self.expr(value.vector, names)})"
            case exprs.Expand():
                return self.expr(value.scalar, names)
            case exprs.ForEach():
                return f"for each e: {self.expr(value.body, {})}"
            case _:
                return _leaf(value)

    def combined(self, value: exprs.Combine, names: dict[Expr, str]) -> str:
        left, right = self.expr(value.left, names), self.expr(value.right, names)
        if value.operation is MULTIPLY and isinstance(value.right, exprs.Ones):
            return left  # a number, at every entity
        sign = value.operation.sign
        if not sign:
            return f"{value.operation.name}({left}, {right})"
        return f"{_wrap(left, sign)} {sign} {_wrap(right, sign)}"


def _entry(value: exprs.Aggregate) -> tuple[exprs.OneHot, Expr] | None:
    """The sum of [e] * v is the entry of v at e."""
    inner = value.vector
    if isinstance(inner, exprs.Combine) and inner.operation is MULTIPLY:
        return (inner.left, inner.right) if isinstance(inner.left, exprs.OneHot) else None
    return None


def _leaf(value: exprs.LeafExpr) -> str:
    match value:
        case exprs.Input():
            return f"input {value.place + 1}"
        case exprs.Ones():
            return "1"
        case exprs.Zero():
            return "0"
        case exprs.OneHot():
            return f"[{value.name}]"
        case exprs.Weight():
            return f"{value.label} {format_number(value.value)}" if value.label != "1" else "1"
        case exprs.RuleWeight():
            return f"rule weight {format_number(value.value)}"
        case exprs.FactWeight():
            return value.scan.signature[0]
        case exprs.NumericFact():
            return _compared(value.scan.signature[0], value.given)
        case exprs.Facts():
            name = value.scan.signature[0]
            return name if value.scan.form is FactForm.VECTOR else f"diagonal of {name}"
        case exprs.Attribute():
            return _compared(value.scan.signature[0], (value.number,))
        case exprs.Compared():
            number = format_number(value.number)
            return f"{value.scan.signature[0]}{value.comparison.sign}{number}"
        case _:
            assert_never(value)


def _compared(name: str, given: Sequence[float | None]) -> str:
    """The name, with the numbers that it is compared with."""
    if all(number is None for number in given):
        return name
    numbers = ("_" if number is None else format_number(number) for number in given)
    return f"{name}={', '.join(numbers)}"


def _wrap(text: str, sign: str) -> str:
    """Brackets where the sign inside binds less tightly."""
    weaker = {"·": (" + ", " - ", " * "), "*": (" + ", " - "), "-": (" + ", " - "), "+": ()}
    return f"({text})" if any(w in text for w in weaker.get(sign, ())) else text
