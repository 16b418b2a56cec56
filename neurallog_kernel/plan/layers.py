"""The plan of a question: literal, fact and rule layers with the values of their nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from neurallog_kernel.language.syntax import Rule, Signature
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.rulegraph.graph import BodyLiteral, Dag, Edge, Node


@dataclass(frozen=True, eq=False, slots=True)
class Applied:
    """A literal that acted on one node: the value before it, what it multiplied by (None for a
    function), and the value after it."""

    literal: BodyLiteral
    before: Expr
    factor: Expr | None
    after: Expr


@dataclass(frozen=True, eq=False)
class RuleLayer:
    """A rule read for one output: the value of each node and edge of its DAG, and the result.

    A unary or propositional head is computed for one entity at a time: `result` is then the
    number, and the literal layer that holds it has the vector of all entities. `applied` holds what
    acts on each node, in order, `factors` the ground literals that multiply the result, `chain` how
    often each predicate is open in the rule's body, and `diagonals` what is called as p(X, X).
    """

    rule: Rule
    dag: Dag
    nodes: Mapping[Node, Expr]
    edges: Mapping[Edge, Expr]
    calls: Mapping[BodyLiteral, LiteralLayer]
    result: Expr
    applied: Mapping[Node, tuple[Applied, ...]] = field(default_factory=dict)
    factors: Mapping[BodyLiteral, Expr] = field(default_factory=dict)
    chain: tuple[tuple[Signature, int], ...] = ()
    diagonals: tuple[LiteralLayer, ...] = ()


@dataclass(frozen=True, eq=False)
class LiteralLayer:
    """A predicate read for one output: its facts and its rules, summed (OR).

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
    beyond_depth: bool = False
    shared: LiteralLayer | None = None
