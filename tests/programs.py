"""Random programs over every feature of the language, and questions about them.

The generator makes its choices through `Choices`, so that hypothesis can drive it (`programs()`,
`sessions()`, `queries()`) and so can a seeded `random.Random` (`Drawn`), which is faster for long
runs. Programs are legal by construction:

* names are typed: the places of `age/2`, `size/2`, `pi/1` and `pair/2` that hold numbers always do,
  and every other place holds entities;
* a numeric variable is named after its owner, so it never joins two of them;
* the recursive calls of a program are few, and rules are dropped while unfolding it would be long.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from hypothesis import strategies as st

from neurallog_kernel.language.printer import format_constant
from tests.reference import Reference

T = TypeVar("T")

ENTITIES = ["a", "b", "c", "d"]
WEIGHTS = ["", "0.5::", "2::", "0.25::", "3::", "1.5::", "0.75::", "-1::", "-0.5::"]
NUMBERS = ["1", "2", "0.5", "3", "-2", "10", "1.5"]
BINARY, UNARY, PLAIN = ["p", "q", "r"], ["u", "v"], ["w", "z"]
WIDE = {"m": 3, "n": 4, "y": 3}  # facts of three and more places; the last of y holds numbers
PRICED = {"c": (3, 3), "x": (4, 2)}  # arity, and the place that is declared to hold numbers
YEARS = ["2024", "7", "0.5"]  # names there (2.5)
NUMBERED = ["e_1", "e_2"]  # binary, for templates
EMPTY = ["none_1", "none_2"]  # no facts at all
DEFINED = [  # heads of rules
    ("f", 2),
    ("g", 2),
    ("h", 2),
    ("k", 1),
    ("l", 1),
    ("h", 1),
    ("t", 0),
    ("s", 3),
]
ELEMENTWISE = [
    "tanh",
    "sigmoid",
    "relu",
    "softplus",
    "exponential",
    "square_root",
    "inverse",
    "hard_sigmoid",
    "softsign",
    "elu",
    "selu",
    "linear",
]
ROWWISE = ["softmax", "normalize"]
AGGREGATES = ["sum", "mean", "max", "min", "count"]
SETTINGS = {
    "and_combining_function": ["tf.math.minimum", "maximum", "tf.add", "multiply"],
    "path_combining_function": ["tf.math.minimum", "maximum", "add", "tf.math.multiply"],
    "literal_combining_function": ["tf.math.maximum", "minimum", "multiply", "subtract", "add"],
    "any_aggregation_function": ["sum", "max", "mean", "min"],
    "weighted_attribute_combining_function": ["tf.math.add", "maximum", "subtract"],
    "attributes_combine_function": ["tf.math.add", "minimum"],
}


class Choices(Protocol):
    """Where the generator's choices come from."""

    def pick(self, options: Sequence[T]) -> T: ...

    def count(self, low: int, high: int) -> int: ...

    def chance(self, percent: int) -> bool: ...


class Drawn:
    """Choices of a seeded generator of random numbers."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def pick(self, options: Sequence[T]) -> T:
        return self._random.choice(options)

    def count(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def chance(self, percent: int) -> bool:
        return self._random.randrange(100) < percent


class Hypothesis:
    """Choices of hypothesis; they shrink towards the first option, the low count, and no."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def pick(self, options: Sequence[T]) -> T:
        return self._draw(st.sampled_from(options))

    def count(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def chance(self, percent: int) -> bool:
        return self._draw(st.integers(0, 99)) >= 100 - percent


@dataclass
class RuleText:
    """A rule as text in pieces."""

    weight: str
    signature: tuple[str, int]
    head: str
    body: list[str]
    calls: list[tuple[str, int]]  # the rule-defined predicates of its body

    def __str__(self) -> str:
        return f"{self.weight}{self.head} :- {', '.join(self.body)}."


@dataclass
class ProgramText:
    """A program as a list of clauses."""

    fixed: list[str] = field(default_factory=list)  # what keeps every subset of the rest legal
    facts: list[str] = field(default_factory=list)
    rules: list[RuleText] = field(default_factory=list)
    directives: list[str] = field(default_factory=list)
    depth: int = 1

    def clauses(self) -> list[str]:
        return [*self.fixed, *self.facts, *map(str, self.rules), *self.directives]

    def __str__(self) -> str:
        return "\n".join(self.clauses())


def program(choices: Choices, *, ternary: bool = False, wide: bool = False) -> ProgramText:
    """A random program; with `ternary`, one with many literals of three places, which take long to
    explain; with `wide`, one that has facts of three and more places for sure."""
    return _Writer(choices, ternary, wide).program()


class _Writer:
    def __init__(self, choices: Choices, ternary: bool, wide: bool) -> None:
        self.choices = choices
        chance = choices.chance
        self.mostly_ternary = ternary
        self.defined = [s for s in DEFINED if chance(55)] or [("f", 2)]
        if ternary:
            self.defined += [("o", 3)]
        self.functions = chance(50)
        self.negation = chance(35)
        self.constants = chance(45)
        self.attributes = chance(40)
        self.all_numeric = self.attributes and chance(40)
        self.wide = chance(45) or wide
        self.priced = self.wide and chance(45)
        self.ternary = ternary or (("s", 3) in self.defined and chance(70))
        self.odd_heads = chance(35)
        self.ground = chance(40)
        self.signed = chance(50)
        self.recursive_calls = choices.pick([0, 0, 0, 1, 2])
        self.long_bodies = chance(30)
        self.joins = self.long_bodies and chance(40)

    # Program -------------------------------------------------------------------------------

    def program(self) -> ProgramText:
        choices, text = self.choices, ProgramText()
        self.write_facts(text)
        for signature in self.defined:
            for _ in range(choices.pick([1, 1, 1, 2, 3])):
                text.rules.append(self.rule(signature))
        if choices.chance(10):
            text.rules.append(self.template())
        if choices.chance(8):
            text.rules.append(choices.pick(text.rules))
        self.write_directives(text)
        while _unfolded(text) > 400:
            text.rules.pop()
        return text

    def weight(self) -> str:
        if self.choices.chance(40):
            return ""
        if self.choices.chance(3):
            return "0::"
        weight = self.choices.pick(WEIGHTS)
        return weight if self.signed else weight.removeprefix("-")

    def number(self) -> str:
        number = self.choices.pick(NUMBERS)
        return number if self.signed else number.removeprefix("-")

    def entity(self) -> str:
        return self.choices.pick(ENTITIES)

    def write_facts(self, text: ProgramText) -> None:
        choices = self.choices
        for name in [*BINARY, *NUMBERED]:
            for _ in range(choices.count(2, 9)):
                text.facts.append(f"{self.weight()}{name}({self.entity()}, {self.entity()}).")
        for name in UNARY:
            for _ in range(choices.count(1, 5)):
                text.facts.append(f"{self.weight()}{name}({self.entity()}).")
        for name in PLAIN:
            if choices.chance(80):
                text.facts.append(f"{self.weight()}{name}.")
        for name, arity in self.defined:
            if arity in (1, 2, 3) and choices.chance(25):
                terms = ", ".join(self.entity() for _ in range(arity))
                text.facts.append(f"{self.weight()}{name}({terms}).")
        for name, arity in WIDE.items() if self.wide else ():
            for _ in range(choices.count(1, 9)):
                terms = [self.entity() for _ in range(arity)]
                terms[-1] = choices.pick(YEARS) if name == "y" else terms[-1]
                text.facts.append(f"{self.weight()}{name}({', '.join(terms)}).")
        for name, (arity, place) in PRICED.items() if self.priced else ():
            text.fixed.append(f'set_predicate_parameter("{name}/{arity}", numeric, {place}).')
            for _ in range(choices.count(0, 7)):
                terms = [self.entity() for _ in range(arity)]
                terms[place - 1] = self.number()
                text.facts.append(f"{self.weight()}{name}({', '.join(terms)}).")
            terms = [self.entity() for _ in range(arity)]
            terms[place - 1] = self.number()
            text.fixed.append(f"{name}({', '.join(terms)}).")
        if self.attributes:
            text.fixed += [f"age({self.entity()}, 2).", f"size(3, {self.entity()})."]
            for _ in range(choices.count(0, 4)):
                text.facts.append(f"{self.weight()}age({self.entity()}, {self.number()}).")
            for _ in range(choices.count(0, 4)):
                text.facts.append(f"{self.weight()}size({self.number()}, {self.entity()}).")
        if self.all_numeric:
            text.fixed += ["0.5::pi(3.5).", "2::pair(0.5, 3)."]

    def write_directives(self, text: ProgramText) -> None:
        choices = self.choices
        if self.recursive_calls or choices.chance(10):
            text.depth = choices.pick([1, 0, 2])
            if choices.chance(30):
                name, arity = choices.pick(self.defined)
                which = choices.pick([name, f'"{name}/{arity}"'])
                depth = choices.pick([0, 1, 2])
                text.directives.append(
                    f"set_predicate_parameter({which}, recursion_depth, {depth})."
                )
                text.depth = max(text.depth, depth)
            else:
                text.directives.append(f"set_parameter(recursion_depth, {text.depth}).")
        if choices.chance(20):
            for _ in range(choices.count(1, 2)):
                name = choices.pick(list(SETTINGS))
                value = choices.pick(SETTINGS[name])
                if choices.chance(50):
                    text.directives.append(f'set_parameter({name}, "{value}").')
                else:
                    head, arity = choices.pick([*self.defined, ("age", 2)])
                    text.directives.append(
                        f'set_predicate_parameter("{head}/{arity}", {name}, "{value}").'
                    )
        if choices.chance(15):
            name, arity = choices.pick([*self.defined, ("seen", 2)])
            terms = "".join(f", {self.entity()}" for _ in range(arity))
            text.directives.append(f"example({name}{terms}).")
        if choices.chance(10):
            learned = ['learn("none_1/1").', "learn(p).", "learn(new).", "learn(prefix, non)."]
            text.directives.append(choices.pick(learned))
        if choices.chance(5):
            text.directives.append(f"mega_example(m, p, {self.entity()}, new).")
        if choices.chance(8):
            text.directives.append(
                "for i in {1..2} do 0.5::e_{i}(a, b). e_{i}(b, c). w_{i}. done"
                " for i in a 'b' do u({i}). done"
            )

    # Rules ---------------------------------------------------------------------------------

    def rule(self, signature: tuple[str, int]) -> RuleText:
        choices = self.choices
        name, arity = signature
        self.head_terms = ["X", "Y", "Z"][:arity]
        self.variables = [*self.head_terms]
        self.calls: list[tuple[str, int]] = []
        self.numbered = 0
        self.level = self.defined.index(signature)
        longest = 7 if self.long_bodies else 3
        body = [self.literal() for _ in range(choices.count(1, longest))]
        if choices.chance(3):
            body = []
        if body and choices.chance(5):
            again = choices.pick(body)
            if not ("_" in again and again.startswith(tuple(f"{name}(" for name in PRICED))):
                body.append(again)  # with _ it is another literal, and its number has two owners
        if self.attributes and choices.chance(30):
            body += self.comparison(body)
        head = list(self.head_terms)
        if head and self.odd_heads and choices.chance(30):
            place = choices.count(0, arity - 1)
            owners = [x for x in body if x.startswith("age(") and "N" in x]
            if choices.chance(50):
                head[place] = self.entity()
            elif owners and choices.chance(50):
                owner = owners[0][4:].split(",")[0]
                head[place] = f"N{owner}"
            else:
                head[place] = choices.pick(head)
        if head and choices.chance(3):
            head[-1] = "_"
        shown = f"{name}({', '.join(head)})" if head else name
        return RuleText(self.weight(), signature, shown, body, self.calls)

    def template(self) -> RuleText:
        """A rule with a placeholder that `e_1` and `e_2` fill."""
        rule = self.rule(self.choices.pick(self.defined))
        rule.body.append(f"e_{{i}}({self.variable()}, {self.variable()})")
        return rule

    def variable(self) -> str:
        """A variable: of the head, used before, or new."""
        choices = self.choices
        new = ["A", "B", "C", "D"]
        kind = choices.count(0, 9)
        if kind < 4 and self.head_terms:
            return choices.pick(self.head_terms)
        if kind < 8 and self.variables:
            return choices.pick(self.variables)
        if kind == 8 and choices.chance(25):
            return "_"
        name = choices.pick(new)
        if name not in self.variables:
            self.variables.append(name)
        return name

    def term(self) -> str:
        if self.constants and self.choices.chance(20):
            return self.entity()
        return self.variable()

    def terms(self, arity: int, *, distinct: bool = False) -> list[str]:
        found: list[str] = []
        while len(found) < arity:
            term = self.term()
            if distinct and term in found and term != "_":
                fresh = [v for v in ["A", "B", "C", "D", "E"] if v not in found]
                term = self.choices.pick(fresh)
                if term not in self.variables:
                    self.variables.append(term)
            found.append(term)
        return found

    def literal(self) -> str:
        choices = self.choices
        kinds = [self.binary] * 6 + [self.unary] * 3 + [self.plain]
        if self.joins and choices.chance(80):
            return self.binary()
        if self.mostly_ternary and choices.chance(60):
            return self.ternary_call()
        kinds += [self.call] * 4
        if self.wide:
            kinds += [self.wide_literal] * 5
        if self.priced:
            kinds += [self.priced_literal] * 4
        if self.functions:
            kinds += [self.function] * 4
        if self.attributes:
            kinds += [self.attribute] * 3
        if self.all_numeric:
            kinds += [self.scalar]
        if self.ground:
            kinds += [self.ground_literal]
        return choices.pick(kinds)()

    def negated(self, literal: str) -> str:
        return f"not {literal}" if self.negation and self.choices.chance(30) else literal

    def binary(self) -> str:
        name = self.choices.pick([*BINARY, *BINARY, *BINARY, "e_1"])
        if self.choices.chance(4):
            name = "none_2"
        first, second = self.terms(2, distinct=not self.choices.chance(15))
        return self.negated(f"{name}({first}, {second})")

    def wide_literal(self) -> str:
        """Facts of three and more places: variables may stand in several of them."""
        name = self.choices.pick(list(WIDE))
        terms = self.terms(WIDE[name], distinct=not self.choices.chance(25))
        if name == "y" and self.choices.chance(30):
            terms[-1] = self.choices.pick(YEARS)
        return self.negated(f"{name}({', '.join(terms)})")

    def priced_literal(self) -> str:
        """Facts with a declared number: given, or a variable of its own, perhaps in a function."""
        choices = self.choices
        name = choices.pick(list(PRICED))
        arity, place = PRICED[name]
        terms = self.terms(arity, distinct=not choices.chance(20))
        self.numbered += 1
        number = f"P{self.numbered}"
        terms[place - 1] = choices.pick(NUMBERS) if choices.chance(25) else number
        literal = f"{name}({', '.join(terms)})"
        if number in terms and self.functions and choices.chance(40):
            return f"{literal}, {choices.pick([*ELEMENTWISE, *AGGREGATES])}({number})"
        return literal

    def unary(self) -> str:
        name = "none_1" if self.choices.chance(4) else self.choices.pick(UNARY)
        return self.negated(f"{name}({self.term()})")

    def plain(self) -> str:
        name = self.choices.pick([*PLAIN, *PLAIN, "true"])
        if self.choices.chance(8):
            name = self.choices.pick(["false", "none_0"])
        return self.negated(name)

    def call(self) -> str:
        """A literal of a rule-defined predicate: of a later one, or a recursive call."""
        choices = self.choices
        later = [s for i, s in enumerate(self.defined) if i > self.level]
        earlier = [s for i, s in enumerate(self.defined) if i <= self.level]
        if self.recursive_calls and choices.chance(40):
            self.recursive_calls -= 1
            name, arity = choices.pick(earlier)
        elif later:
            name, arity = choices.pick(later)
        else:
            return self.binary()
        if arity == 3 and not self.ternary:
            return self.binary()
        return self.call_of(name, arity)

    def ternary_call(self) -> str:
        """A literal of three places, so that bodies have several of them."""
        later = [s for i, s in enumerate(self.defined) if i > self.level and s[1] == 3]
        return self.call_of(*self.choices.pick(later)) if later else self.binary()

    def call_of(self, name: str, arity: int) -> str:
        self.calls.append((name, arity))
        if arity == 0:
            return self.negated(name)
        terms = self.terms(arity, distinct=not self.choices.chance(15))
        return self.negated(f"{name}({', '.join(terms)})")

    def function(self) -> str:
        choices = self.choices
        names = [x for x in ELEMENTWISE if not (self.signed and x == "square_root")]
        name = choices.pick([*names, *names, *ROWWISE, *AGGREGATES])
        if choices.chance(15):
            first, second = self.terms(2, distinct=True)
            if "_" not in (first, second) and not {first, second} <= set(ENTITIES):
                return f"{name}({first}, {second})"
        term = self.term()
        if term in ENTITIES and name == "softmax":
            name = "tanh"
        return f"{name}({term})"

    def attribute(self) -> str:
        """An attribute, its numeric variable named after the owner; or a function of one."""
        choices = self.choices
        owner = self.term()
        if owner == "_":
            return f"age(_, {self.number()})"
        value = choices.pick([f"N{owner}", f"N{owner}", f"N{owner}", "_", self.number()])
        if choices.chance(20) and self.functions and value.startswith("N"):
            return f"{choices.pick([*ELEMENTWISE, *AGGREGATES])}({value})"
        return choices.pick([f"age({owner}, {value})", f"size({value}, {owner})"])

    def comparison(self, body: list[str]) -> list[str]:
        """One of the numeric variables of a body compared with a number, where it is the value of
        one attribute only."""
        attributes = [x for x in body if x.startswith(("age(", "size("))]
        named = [value for x in attributes for value in re.findall(r"\bN\w+", x)]
        alone = [value for value in named if named.count(value) == 1]
        if not alone:
            return []
        choices = self.choices
        name = choices.pick(["at_least", "at_most"])
        return [f"{name}({choices.pick(alone)}, {self.number()})"]

    def scalar(self) -> str:
        choices = self.choices
        return choices.pick(
            ["pi(S)", "pi(3.5)", "pi(4)", "pair(S, T)", "pair(0.5, T)", "pair(0.5, 3)", "tanh(S)"]
        )

    def ground_literal(self) -> str:
        choices = self.choices
        kind = choices.count(0, 4)
        if kind == 0:
            return self.negated(f"u({self.entity()})")
        if kind == 1:
            return self.negated(f"p({self.entity()}, {self.entity()})")
        if kind == 2 and self.attributes:
            return f"age({self.entity()}, {self.number()})"
        if kind == 3 and self.functions:
            return f"{choices.pick(['tanh', 'sigmoid', 'sum', 'inverse'])}({self.entity()})"
        if self.wide and choices.chance(40):
            return self.negated(f"m({self.entity()}, {self.entity()}, {self.entity()})")
        later = [s for i, s in enumerate(self.defined) if i > self.level and s[1] in (1, 2, 3)]
        if not later:
            return self.negated(f"v({self.entity()})")
        name, arity = choices.pick(later)
        self.calls.append((name, arity))
        terms = [self.entity() for _ in range(arity)]
        return self.negated(f"{name}({', '.join(terms)})")


def _unfolded(text: ProgramText) -> int:
    """How many calls of rule-defined predicates the dearest question unfolds to."""

    def calls(signature: tuple[str, int], opened: tuple[tuple[str, int], ...]) -> int:
        if opened.count(signature) > text.depth:
            return 0
        total = 1
        for rule in text.rules:
            if rule.signature == signature:
                for callee in rule.calls:
                    total += calls(callee, (*opened, signature))
                    if total > 1000:
                        return total
        return total

    return max((calls(s, ()) for s in {r.signature for r in text.rules}), default=0)


def query(choices: Choices, reference: Reference) -> str | None:
    """A question of any form that the program can be asked; None if it has no predicate."""
    known = [s for s in _askable(reference) if reference.program.is_known(s)]
    if not known:
        return None
    rules = [s for s in known if s in reference.program.rules]
    signature = choices.pick(rules if rules and choices.chance(85) else known)
    name, arity = signature
    if arity == 0:
        return name
    numeric = reference.program.numeric_places(signature)
    closed = [
        place in numeric or bool(reference.members(signature, place)) for place in range(arity)
    ]
    if arity > 2:
        place = choices.count(0, arity - 1)
        open_places = {place} if choices.chance(80) else set()
        while choices.chance(35):
            open_places.add(choices.count(0, arity - 1))
        if not all(closed[p] for p in range(arity) if p not in open_places):
            return None
    else:
        open_places = {p for p in range(arity) if not closed[p] or choices.chance(60)}
    terms = []
    for place in range(arity):
        if place in open_places:
            terms.append("_" if choices.chance(10) else f"Q{place}")
        elif place in numeric:
            terms.append(choices.pick(NUMBERS))
        else:
            terms.append(format_constant(choices.pick(reference.members(signature, place))))
    if len(open_places) > 1 and not numeric and choices.chance(30):
        for place in sorted(open_places)[:2]:
            terms[place] = "Q"
    return f"{name}({', '.join(terms)})"


def _askable(reference: Reference) -> list[tuple[str, int]]:
    program = reference.program
    found = {*program.facts, *program.rules, *program.example_signatures}
    found = {s for s in found if " " not in s[0]}  # those are the reference's own
    return sorted(found)


@st.composite
def programs(draw: st.DrawFn) -> ProgramText:
    """Random programs."""
    return program(Hypothesis(draw), ternary=draw(st.booleans()))


@st.composite
def queries(draw: st.DrawFn, reference: Reference, count: int = 3) -> list[str]:
    """Questions that a program can be asked."""
    asked = [query(Hypothesis(draw), reference) for _ in range(count)]
    return [q for q in dict.fromkeys(asked) if q is not None]


@dataclass(frozen=True)
class Edit:
    """A source gets a text; None removes it."""

    source: str
    text: str | None


def session(choices: Choices) -> list[Edit]:
    """A program in several sources, and edits of them; every state on the way is legal."""
    text = program(choices)
    sources: dict[str, list[str]] = {name: [] for name in ("one", "two", "three")}
    for clause in [*text.facts, *map(str, text.rules), *text.directives]:
        sources[choices.pick(list(sources))].append(clause)
    edits = [Edit("fixed", "\n".join(text.fixed))]
    edits += [Edit(name, "\n".join(part)) for name, part in sources.items()]
    there = set(sources)
    for _ in range(choices.count(1, 5)):
        name = choices.pick(list(sources))
        if name in there and choices.chance(25):
            there.remove(name)
            edits.append(Edit(name, None))
        else:
            there.add(name)
            kept = [clause for clause in sources[name] if not choices.chance(15)]
            edits.append(Edit(name, "\n".join(kept)))
    return edits


def live(edits: Sequence[Edit]) -> list[str]:
    """The texts that are there after the edits: a new text takes the place of the old one (8)."""
    texts: dict[str, str] = {}
    for edit in edits:
        if edit.text is None:
            del texts[edit.source]
        else:
            texts[edit.source] = edit.text
    return list(texts.values())


@st.composite
def sessions(draw: st.DrawFn) -> list[Edit]:
    """Programs in several sources, with edits."""
    return session(Hypothesis(draw))
