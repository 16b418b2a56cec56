"""Rule files of other programs: AnyBURL (PyClause reads and writes the same) and AMIE.

AnyBURL has a rule on a line, behind how often its body holds, how often the head holds too, and the
confidence, with tabs between them. Capital letters are variables, everything else is a name:

    286    27    0.0944    advised(X,Y) <= wrote(A,X), wrote(A,Y)

AMIE has triples with the head behind the arrow, then columns; the fifth is how many answers are
right, the sixth how many there are:

    ?a  wrote  ?x  ?a  wrote  ?y   => ?x  advised  ?y    0.24    0.0944    0.12    27    286    ...
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from neurallog_kernel.errors import LoadError
from neurallog_kernel.induction.aggregation import start_weights
from neurallog_kernel.induction.bodies import smoothed
from neurallog_kernel.induction.candidates import DIGITS
from neurallog_kernel.induction.written import written
from neurallog_kernel.language.printer import format_clause, format_constant
from neurallog_kernel.language.syntax import Constant, Literal, Rule, Variable
from neurallog_kernel.paths import path_of
from neurallog_kernel.tables.vocabulary import predicate_name

_ATOM = re.compile(r"\s*([^\s(]+)\((.*?)\)(?:,\s+|\s*$)")
_ITSELF = "me_myself_i"  # AnyBURL's word for an entity that stands at both places


@dataclass(frozen=True)
class ReadRule:
    """A rule of a file with its counts: `right` of the `fires` answers of the body."""

    rule: Rule
    right: int
    fires: int
    line: int

    def clauses(self, taken: set[str]) -> tuple[Rule, ...]:
        """The rule as a program gets it: weighted for noisy-or, and counting a proof once.
        Predicates that it needs have names that are not taken."""
        weight = float(start_weights(smoothed(self.right, self.fires)))
        return written(self.rule, float(f"{weight:.{DIGITS}g}"), taken)


@dataclass
class RuleFile:
    """The rules of a file, in its order. `renamed` are relations whose names no program can have,
    `left_out` lines that are no rules here, with the reason."""

    name: str
    rules: list[ReadRule] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[ReadRule]:
        return iter(self.rules)

    def predicate(self, text: str) -> str:
        """The predicate of a relation, as `load` names it: its name, or one like it."""
        text = text.removeprefix("<").removesuffix(">")
        name = predicate_name(text)
        if name == text:
            return name
        for other, taken in self.renamed.items():
            if taken == name and other != text:
                raise LoadError(f"{self.name}: {other} and {text} would both be {name}")
        self.renamed[text] = name
        return name

    def text(self, least: int = 1) -> str:
        """The rules that are right at least so often, as program text."""
        lines = [f"% rules of {self.name}"]
        lines += [f"% {old} is called {new}" for old, new in self.renamed.items()]
        heads: dict[str, None] = {}
        taken = {
            literal.predicate for one in self.rules for literal in (one.rule.head, *one.rule.body)
        }
        for one in self.rules:
            if one.right >= least:
                head = one.rule.head
                name = format_constant(f"{head.predicate}/{len(head.terms)}")
                heads.setdefault(f"learn_rule_weights({name}).")
        lines += heads
        for one in self.rules:
            if one.right >= least:
                confidence = float(smoothed(one.right, one.fires))
                lines.append(f"% {one.right} of {one.fires} right, confidence {confidence:.3f}")
                lines += map(format_clause, one.clauses(taken))
        return "\n".join(lines) + "\n"


def read_rules(path: str | Path) -> RuleFile:
    """Read a file of AnyBURL, PyClause or AMIE; which one, its lines tell."""
    file = path_of(path)
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LoadError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    return parse_rules(text, file.name)


def parse_rules(text: str, name: str = "rules") -> RuleFile:
    r"""Read rules from a text.

    >>> found = parse_rules("286\t27\t0.0944\tadvised(X,Y) <= wrote(A,X), wrote(A,Y)")
    >>> format_clause(found.rules[0].rule), found.rules[0].right
    ('advised(X, Y) :- wrote(A, X), wrote(A, Y).', 27)
    >>> found = parse_rules("?a <wrote> ?b => ?b <writtenBy> ?a\t0.5\t0.9\t0.9\t9\t10\t10\t?b")
    >>> format_clause(found.rules[0].rule), found.rules[0].fires
    ('writtenBy(B, A) :- wrote(A, B).', 10)
    """
    found = RuleFile(name)
    for number, line in enumerate(text.splitlines(), start=1):
        if "<=" in line and "\t" in line:
            _anyburl(found, line, number)
        elif "=>" in line and "?" in line:
            _amie(found, line, number)
    if not found.rules and not found.left_out:
        raise LoadError(
            f"{name} has no rule of AnyBURL, PyClause or AMIE",
            hint="a line is 286<tab>27<tab>0.09<tab>h(X,Y) <= p(X,A), q(A,Y), "
            "or ?a p ?b => ?a h ?b<tab>...",
        )
    return found


def _anyburl(found: RuleFile, line: str, number: int) -> None:
    *counts, rule = line.split("\t")
    fires, right = (_count(found, counts, place, number) for place in (0, 1))
    head, _, body = rule.partition("<=")
    atoms = list(_atoms(found, f"{head.strip()}, {body.strip()}", number))
    _add(found, atoms[:1], atoms[1:], right, fires, line, number)


def _atoms(found: RuleFile, text: str, number: int) -> Iterator[Literal]:
    place = 0
    text = text.strip().rstrip(",")
    while place < len(text):
        atom = _ATOM.match(text, place)
        if atom is None:
            raise LoadError(f"{found.name}, line {number}: not an atom: {text[place : place + 60]}")
        yield Literal(found.predicate(atom[1]), tuple(_terms(atom[2])))
        place = atom.end()


def _terms(text: str) -> Iterator[Variable | Constant]:
    """One or two arguments. A name may have commas in it; the other argument is a letter then."""
    first, comma, second = text.partition(",")
    if comma and not _is_letter(first.strip()) and _is_letter(text.rpartition(",")[2].strip()):
        first, _, second = text.rpartition(",")
    for part in (first, second) if comma else (first,):
        name = part.strip()
        yield Variable(name) if _is_letter(name) else Constant(name)


def _is_letter(name: str) -> bool:
    return len(name) == 1 and "A" <= name <= "Z"


def _amie(found: RuleFile, line: str, number: int) -> None:
    rule, *counts = line.split("\t") if line.index("=>") < (line + "\t").index("\t") else (line,)
    right, fires = (_count(found, counts, place, number) for place in (3, 4))
    body, _, head = rule.partition("=>")
    sides = []
    for words in (head.split(), body.split()):
        if len(words) % 3:
            raise LoadError(f"{found.name}, line {number}: not triples: {' '.join(words)[:60]}")
        triples = [words[i : i + 3] for i in range(0, len(words), 3)]
        sides.append([Literal(found.predicate(p), (_term(a), _term(b))) for a, p, b in triples])
    _add(found, sides[0], sides[1], right, fires, line, number)


def _term(word: str) -> Variable | Constant:
    if word.startswith("?"):
        return Variable(word[1:].capitalize())
    return Constant(word.removeprefix("<").removesuffix(">"))


def _count(found: RuleFile, counts: Sequence[str], place: int, number: int) -> int:
    try:
        value = int(float(counts[place]))
    except (ValueError, IndexError, OverflowError):
        raise LoadError(
            f"{found.name}, line {number}: the counts of the rule are missing"
        ) from None
    if value < 0:
        raise LoadError(f"{found.name}, line {number}: a count below 0")
    return value


def _add(
    found: RuleFile,
    head: Sequence[Literal],
    body: Sequence[Literal],
    right: int,
    fires: int,
    line: str,
    number: int,
) -> None:
    """Take a rule in, or say why not."""
    terms = [term for literal in (*head, *body) for term in literal.terms]
    why = ""
    if len(head) != 1 or not body:
        why = "a rule without a body"
    elif Constant(_ITSELF) in terms:
        why = f"{_ITSELF} has no counterpart"
    if why:
        found.left_out.append(f"line {number}: {why}")
    else:
        found.rules.append(ReadRule(Rule(head[0], tuple(body)), right, fires, number))
