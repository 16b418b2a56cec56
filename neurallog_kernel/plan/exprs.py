"""The expression graph: immutable nodes over entity types, equal ones made only once."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import copysign
from typing import Any, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from neurallog_kernel.functions import Combiner, Comparison, Function
from neurallog_kernel.knowledge.references import ROWS, Scan, TypeRef
from neurallog_kernel.language.syntax import Rule, Signature


class _Noted:
    """What is known of a node once it is made."""

    __slots__ = ("uses_input",)
    uses_input: bool  # whether its value depends on what is asked


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class ExprNode(_Noted):
    """A row vector over `domain`, or one number if `domain` is None.

    Nodes are compared by identity: an `Interner` gives the same object for the same content.
    """

    domain: TypeRef | None

    def __post_init__(self) -> None:
        depends = isinstance(self, Input) or any(child.uses_input for child in self.operands)
        object.__setattr__(self, "uses_input", depends)

    @property
    def operands(self) -> tuple[Expr, ...]:
        """The expressions it is computed from, for the same inputs."""
        return ()

    @property
    def children(self) -> tuple[Expr, ...]:
        """All expressions inside it, those for other inputs included."""
        return self.operands


@dataclass(frozen=True, eq=False, slots=True)
class Input(ExprNode):
    """The vector given for one argument of the question."""

    place: int


@dataclass(frozen=True, eq=False, slots=True)
class Ones(ExprNode):
    """The 1-vector: every entity of the type."""


@dataclass(frozen=True, eq=False, slots=True)
class Zero(ExprNode):
    """Nothing at all."""


@dataclass(frozen=True, eq=False, slots=True)
class OneHot(ExprNode):
    """One entity; nothing at all, if the type does not have it."""

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Weight(ExprNode):
    """A number that is no fact's: a rule's weight that stays, a 1, an attribute's value."""

    value: float
    label: str


@dataclass(frozen=True, eq=False, slots=True)
class RuleWeight(ExprNode):
    """The weight of one rule, told apart from equal weights of others: it is learned, or asked
    about."""

    value: float
    rule: Rule


@dataclass(frozen=True, eq=False, slots=True)
class FactWeight(ExprNode):
    """The weight of a propositional fact."""

    scan: Scan


@dataclass(frozen=True, eq=False, slots=True)
class NumericFact(ExprNode):
    """An all-numeric fact as one number: its numbers `together`, `combiner` with its weight; 0 if
    one of them is not the number `given` for its place."""

    scan: Scan
    combiner: Combiner
    together: Combiner
    given: tuple[float | None, ...]

    def value_of(self, numbers: Sequence[float]) -> float | None:
        """The numbers of the fact as one; None if one is not as given."""
        pairs = zip(self.given, numbers, strict=True)
        if any(wanted is not None and wanted != number for wanted, number in pairs):
            return None
        return float(reduce(self.together, numbers))


@dataclass(frozen=True, eq=False, slots=True)
class Facts(ExprNode):
    """The weights of a unary predicate (or of a relation's diagonal) as a vector."""

    scan: Scan


@dataclass(frozen=True, eq=False, slots=True)
class Attribute(ExprNode):
    """An attribute over its owners: weight and value combined, only where it equals `number`."""

    scan: Scan
    combiner: Combiner
    number: float | None


@dataclass(frozen=True, eq=False, slots=True)
class Compared(ExprNode):
    """1 at each owner of an attribute whose value stands so to `number`; 0 elsewhere, and where
    there is no fact. The facts' weights do not count, so nothing learned reaches it."""

    scan: Scan
    comparison: Comparison
    number: float


@dataclass(frozen=True, eq=False, slots=True)
class Product(ExprNode):
    """A vector times a relation's matrix, or its transpose."""

    vector: Expr
    scan: Scan
    inverted: bool

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.vector,)


@dataclass(frozen=True, eq=False, slots=True)
class Combine(ExprNode):
    """Two values, entry by entry; a number is taken for every entry."""

    operation: Combiner
    left: Expr
    right: Expr

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.left, self.right)


@dataclass(frozen=True, eq=False, slots=True)
class Apply(ExprNode):
    """A function of the registry."""

    function: Function
    arguments: tuple[Expr, ...]

    @property
    def operands(self) -> tuple[Expr, ...]:
        return self.arguments


@dataclass(frozen=True, eq=False, slots=True)
class Aggregate(ExprNode):
    """All entries of a vector as one number (by default their sum)."""

    function: Function
    vector: Expr

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.vector,)


@dataclass(frozen=True, eq=False, slots=True)
class Expand(ExprNode):
    """One number at every entity of a type."""

    scalar: Expr

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.scalar,)


@dataclass(frozen=True, eq=False, slots=True)
class ForEach(ExprNode):
    """For every entity e: the number that `body` is when its input is the one-hot vector of e.

    `whole`, where there is one, gives all entities at once without trying them one by one.
    """

    body: Expr
    whole: Expr | None

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.body,) if self.whole is None else (self.body, self.whole)


@dataclass(frozen=True, eq=False, slots=True)
class Call(ExprNode):
    """What a predicate's rules make of a vector, planned once for all who call it.

    The rules are linear in the vector given for `place`, so the value is that vector times a matrix
    (or its transpose): row e of the matrix is `body` when its input is the one-hot vector of e.
    """

    vector: Expr
    body: Expr
    place: int
    signature: Signature
    inverted: bool = False

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.vector,)

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.vector, self.body)


Learnable: TypeAlias = FactWeight | NumericFact | Facts | Attribute | RuleWeight
"""What has weights of its own: facts and rules."""

LeafExpr: TypeAlias = Input | Ones | Zero | OneHot | Weight | Compared | Learnable
"""What is computed from no other expression."""

# Every kind there is. What interprets a plan is a `match` over these that ends in `assert_never`: a
# new kind is a type error wherever it is forgotten.
Expr: TypeAlias = LeafExpr | Product | Combine | Apply | Aggregate | Expand | ForEach | Call

Made = TypeVar("Made", bound=ExprNode)


@dataclass
class Interner:
    """Makes nodes; the same content gives the same node while anyone holds it. Nodes in it are
    compared by identity, names of types and facts by what they say."""

    _made: WeakValueDictionary = field(default_factory=WeakValueDictionary)

    def make(self, kind: type[Made], *content: Any) -> Made:
        key = (kind, *content)
        if kind is Weight or kind is RuleWeight:  # 0.0 == -0.0
            key = (*key, copysign(1.0, content[1]))
        found = self._made.get(key)
        if found is None:
            found = kind(*content)
            self._made[key] = found
        return found  # type: ignore[return-value]

    def __len__(self) -> int:
        return len(self._made)


def walk(root: Expr, inside: bool = False, known: Container[Expr] = ()) -> Iterator[Expr]:
    """Every node that `root` is computed from once, operands first, without recursion; with
    `inside`, also the bodies of "for each entity". Nothing below a `known` node is gone through."""
    done: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if node in done:
            continue
        if ready:
            done.add(node)
            yield node
            continue
        stack.append((node, True))
        if node in known:
            continue
        below = node.children if inside else node.operands
        stack.extend((child, False) for child in reversed(below) if child not in done)


def everything(roots: Iterable[Expr]) -> dict[Expr, None]:
    """All nodes below some, each once."""
    found: dict[Expr, None] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in found:
            found[node] = None
            stack += node.children
    return found


def is_of_rows(node: Expr) -> bool:
    """Whether it is a vector over the facts of a predicate, not over entities."""
    slot = None if node.domain is None else node.domain.slot
    return slot is not None and slot[2] == ROWS
