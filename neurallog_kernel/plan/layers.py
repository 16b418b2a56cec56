"""The plan of a question: literal, fact and rule layers with the values of their nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neurallog_kernel.functions import ADD, Combiner, Top
from neurallog_kernel.language.syntax import Rule, Signature
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.plan.origins import Along, GroundOrigin, Origin
from neurallog_kernel.rulegraph.graph import BodyLiteral, Dag, Edge, Node


@dataclass(frozen=True, eq=False)
class RuleLayer:
    """A rule read for one output: the origin of each node and edge of its DAG, and the result.

    A unary or propositional head is computed for one entity at a time: `result` is then the
    number, and the literal layer that holds it has the vector of all entities. The result is the
    `body` (None for ground literals alone) and the `factors`, which are the ground literals,
    combined by `operation`; then the rule's weight, and the inputs at the places `at_output` of the
    output's own variable. `chain` is how often each predicate is open in the rule's body,
    `diagonals` what is called as p(X, X).
    """

    rule: Rule
    dag: Dag
    nodes: Mapping[Node, Origin]
    edges: Mapping[Edge, Along]
    calls: Mapping[BodyLiteral, LiteralLayer]
    result: Expr
    body: Origin | None
    factors: tuple[GroundOrigin, ...]
    operation: Combiner
    at_output: tuple[int, ...] = ()
    chain: tuple[tuple[Signature, int], ...] = ()
    diagonals: tuple[LiteralLayer, ...] = ()


@dataclass(frozen=True, eq=False)
class LiteralLayer:
    """A predicate read for one output: its facts and its rules, combined by `operation` (OR).

    `parts` holds what each of the rules adds, in their order. A call that is planned once for all
    who call it has the rules of `shared`, whose input is open, and no parts of its own.
    """

    signature: Signature
    output_place: int | None
    inputs: tuple[Expr | None, ...]  # by place; None at the output
    facts: Expr | None
    rules: tuple[RuleLayer, ...]
    result: Expr
    parts: tuple[Expr, ...] = ()
    operation: Combiner | Top = ADD
    beyond_depth: bool = False
    shared: LiteralLayer | None = None
