"""The syntax tree: frozen nodes, compared by content; spans say where each stood in the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from neurallog_kernel.errors import Span

PROGRAM_SET = "program"  # the set of examples that no call and no text puts into another
FROM_HERE_NAMES = 3  # terms from which on a number in a literal is a name
DIRECTIVES = frozenset(
    {
        "learn",
        "learn_rule_weights",
        "set_parameter",
        "set_predicate_parameter",
        "example",
        "mega_example",
        "example_set",
    }
)


@dataclass(frozen=True, slots=True)
class Constant:
    """An entity. `a`, `'a'` and `"a"` are one constant: `name` is the bare, decoded text."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a term's place."""

    value: float
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable. Every `_` gets a name of its own, `_#1`, `_#2`, ... counted within its clause."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def anonymous(self) -> bool:
        return self.name.startswith("_#")


@dataclass(frozen=True, slots=True)
class TemplateTerm:
    """A bare term with placeholders, such as `w_{i}`; `text` holds the braces."""

    text: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ListTerm:
    """`[a, b]`, which only directives may hold."""

    items: tuple[Term, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


Term: TypeAlias = Constant | Number | Variable | TemplateTerm | ListTerm


@dataclass(frozen=True, slots=True)
class Literal:
    """`p(t1, ..., tn)` or `not p(t1, ..., tn)`; an atom is a literal that is not negated.

    A predicate with placeholders has them in its name, as in `p_{i}`. With three and more terms a
    number is a name like any other (LANGUAGE 2.5): the constant of its shortest text.

    >>> Literal("enrolled", (Constant("ann"), Constant("logic"), Number(2024.0))).terms[2]
    Constant(name='2024')
    """

    predicate: str
    terms: tuple[Term, ...] = ()
    negated: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.terms) < FROM_HERE_NAMES or self.predicate in DIRECTIVES:
            return
        if any(isinstance(term, Number) for term in self.terms):
            object.__setattr__(self, "terms", tuple(map(_as_name, self.terms)))

    @property
    def arity(self) -> int:
        return len(self.terms)

    @property
    def signature(self) -> Signature:
        return (self.predicate, len(self.terms))

    @property
    def is_template(self) -> bool:
        return "{" in self.predicate or any(isinstance(t, TemplateTerm) for t in self.terms)


def _as_name(term: Term) -> Term:
    if not isinstance(term, Number):
        return term
    return Constant(format_number(term.value), term.span)


def format_number(value: float) -> str:
    """The shortest text that reads back as exactly this number.

    >>> format_number(10.0), format_number(0.001), format_number(1e-7)
    ('10', '0.001', '1e-07')
    """
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


Signature: TypeAlias = tuple[str, int]  # predicate name and arity
ParameterValue: TypeAlias = str | float | bool | tuple["ParameterValue", ...]  # of a parameter


@dataclass(frozen=True, slots=True)
class Fact:
    """A ground atom with its weight."""

    atom: Literal
    weight: float = 1.0
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Rule:
    """`weight::head :- body.` With placeholders left in it, it is a template for rules.

    Where training gave the weight, `stated` is the one that the text gives: it tells rules apart
    whose learned weights happen to be the same.
    """

    head: Literal
    body: tuple[Literal, ...] = ()
    weight: float = 1.0
    stated: float | None = field(default=None, kw_only=True, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)
    _hash: int | None = field(default=None, init=False, compare=False, repr=False)

    def __hash__(self) -> int:
        # kept, because tables of rules are looked at again on every change of a program
        if self._hash is None:
            object.__setattr__(self, "_hash", hash((self.head, self.body, self.weight)))
        return self._hash  # type: ignore[return-value]

    @property
    def is_template(self) -> bool:
        return self.head.is_template or any(literal.is_template for literal in self.body)


@dataclass(frozen=True, slots=True)
class Query:
    """`?- atom.`"""

    atom: Literal
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Learn:
    """`learn(p)`, `learn("p/2")` (arity None: every arity), `learn(prefix, x)`."""

    predicate: str
    arity: int | None = None
    prefix: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LearnRuleWeights:
    """`learn_rule_weights("p/2")` (arity None: every arity)."""

    predicate: str
    arity: int | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SetParameter:
    """`set_parameter(k1, ..., kn, value)`."""

    path: tuple[str, ...]
    value: ParameterValue
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SetPredicateParameter:
    """`set_predicate_parameter("p/2", k1, ..., kn, value)`; arity None: every arity."""

    predicate: str
    arity: int | None
    path: tuple[str, ...]
    value: ParameterValue
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Example:
    """`example(p, t1, ..., tn)`: the atom, its label, its set."""

    atom: Literal
    weight: float = 1.0
    set: str = PROGRAM_SET
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class MegaExample:
    """`mega_example(id, p, t1, ..., tn)`: one example of an ordered group."""

    group: str
    atom: Literal
    weight: float = 1.0
    set: str = PROGRAM_SET
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ExampleSet:
    """`example_set(name)`: the set of the examples that follow it in its source."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


Directive: TypeAlias = (
    Learn
    | LearnRuleWeights
    | SetParameter
    | SetPredicateParameter
    | Example
    | MegaExample
    | ExampleSet
)
Clause: TypeAlias = Fact | Rule | Query | Directive


def variables(rule: Rule) -> Iterator[Variable]:
    """Every occurrence of a variable in the rule, head first."""
    for literal in (rule.head, *rule.body):
        for term in literal.terms:
            if isinstance(term, Variable):
                yield term
