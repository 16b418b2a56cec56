"""Where the expressions of a rule come from: which literal, input or combination made each.

The planner writes an origin beside every expression of a rule that it makes. Equal expressions are
one node of the plan, whoever made them; their origins are not. Explanations and the X-ray read
origins and values, so that what a rule means is written in `rule_planner.py` only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from neurallog_kernel.functions import Combiner, Function, Negation
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.plan.row_literal import Groups
from neurallog_kernel.rulegraph.graph import AttributeCondition, BodyLiteral, Node

if TYPE_CHECKING:
    from neurallog_kernel.plan.layers import LiteralLayer


@dataclass(frozen=True, eq=False, slots=True)
class _Made:
    expr: Expr


@dataclass(frozen=True, eq=False, slots=True)
class HeadInputs(_Made):
    """The rule's inputs at some places of its head, multiplied."""

    places: tuple[int, ...]


@dataclass(frozen=True, eq=False, slots=True)
class HeadEntity(_Made):
    """The one entity that a unary head is computed for."""


@dataclass(frozen=True, eq=False, slots=True)
class Everything(_Made):
    """1 at every entity: nothing is said of it yet."""


@dataclass(frozen=True, eq=False, slots=True)
class Reached(_Made):
    """The value of a node, before the literals that act on it."""

    node: Node
    of: Origin


@dataclass(frozen=True, eq=False, slots=True)
class Joined(_Made):
    """Several values, combined in order: edges into a node (AND), paths, the ends of a rule."""

    operation: Combiner
    parts: tuple[Origin, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Anything(_Made):
    """`any` into the output: sums of other nodes, times what acts on the 1-vector."""

    sums: tuple[Summed, ...]
    acting: Origin


@dataclass(frozen=True, eq=False, slots=True)
class Along(_Made):
    """A literal from its inputs to its output: the value of an edge."""

    literal: BodyLiteral
    of: Origin


@dataclass(frozen=True, eq=False, slots=True)
class Acted(_Made):
    """A value combined with what a literal is there; the literal leaves it at its node, or is an
    attribute that turns an owner into its number."""

    literal: BodyLiteral
    operation: Combiner
    before: Origin
    factor: Origin


@dataclass(frozen=True, eq=False, slots=True)
class Applied(_Made):
    """A function of the values of some nodes; `node` is the one that it stays at, if it does."""

    literal: BodyLiteral
    function: Function
    arguments: tuple[tuple[Node, Origin], ...]
    node: Node | None = None


@dataclass(frozen=True, eq=False, slots=True)
class AttributeNumbers(_Made):
    """The value of an attribute at its owners, whose place is `owner`, or of numbers alone."""

    literal: BodyLiteral
    owner: int | None


@dataclass(frozen=True, eq=False, slots=True)
class Compares(_Made):
    """1 where the value of an attribute fits a condition; of a ground literal, one number."""

    literal: BodyLiteral
    condition: AttributeCondition
    owner: int


@dataclass(frozen=True, eq=False, slots=True)
class Unknown(_Made):
    """A literal at one node, or a ground one, of which nothing is known: 0."""

    literal: BodyLiteral


@dataclass(frozen=True, eq=False, slots=True)
class Held(_Made):
    """What a literal of one entity (`p(X)`, `p(X, X)`) is at each entity."""

    literal: BodyLiteral
    layer: LiteralLayer


@dataclass(frozen=True, eq=False, slots=True)
class Passed(_Made):
    """An input of a call: the value of a node, over the type of the place it goes to."""

    place: int
    node: Node
    of: Origin


@dataclass(frozen=True, eq=False, slots=True)
class Called(_Made):
    """A predicate used from its inputs to one output; without a `layer` nothing is known of it.
    `groups` are places that hold one term: of facts of three and more only those count that have
    one entity there."""

    literal: BodyLiteral
    output: int
    inputs: tuple[Passed, ...]
    layer: LiteralLayer | None
    groups: Groups


@dataclass(frozen=True, eq=False, slots=True)
class Ground(_Made):
    """A literal without variables: one number, of a predicate (`layer`), function or attribute."""

    literal: BodyLiteral
    layer: LiteralLayer | None


@dataclass(frozen=True, eq=False, slots=True)
class Complement(_Made):
    """`not`: what was found, taken from the product of the sums of what went in (from 1 if there
    are none), or from nothing if the negation is of that kind."""

    literal: BodyLiteral
    negation: Negation
    total: Expr
    sums: tuple[Summed, ...]
    found: Origin


@dataclass(frozen=True, eq=False, slots=True)
class Summed(_Made):
    """All entries of a node as one number."""

    function: Function
    node: Node
    of: Origin


@dataclass(frozen=True, eq=False, slots=True)
class AtEntity(_Made):
    """The entry of a node at the entity that a unary head is computed for."""

    node: Node
    of: Origin


@dataclass(frozen=True, eq=False, slots=True)
class EachEntity(_Made):
    """A head like h(X, X): what it is for one entity, for every entity."""

    of: Origin


# Every kind there is. What reads origins is a `match` that ends in `assert_never`.
Origin: TypeAlias = (
    HeadInputs
    | HeadEntity
    | Everything
    | Reached
    | Joined
    | Anything
    | Along
    | Acted
    | Applied
    | AttributeNumbers
    | Compares
    | Unknown
    | Held
    | Called
    | Ground
    | Complement
    | Summed
    | AtEntity
    | EachEntity
)

GroundOrigin: TypeAlias = Ground | Compares | Unknown | Complement  # of a literal without variables


def sums_in(body: Origin | None) -> tuple[Summed, ...]:
    """The nodes that a body takes as one number each: those that `any` sends to the output, or
    the ends of a unary or plain head."""
    match body:
        case Reached():
            return sums_in(body.of)
        case Joined():
            return tuple(one for part in body.parts for one in sums_in(part))
        case Anything():
            return body.sums
        case Summed():
            return (body,)
        case _:
            return ()
