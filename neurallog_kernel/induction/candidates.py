"""Rules that were found, with what speaks for them: rows of a table that a human decides about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.induction.aggregation import TOP
from neurallog_kernel.induction.options import LearnOptions
from neurallog_kernel.induction.written import written, written_each
from neurallog_kernel.language.printer import format_clause, format_constant, format_number
from neurallog_kernel.language.syntax import Constant, Fact, Literal, Rule, Signature
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

DIGITS = 6  # of a weight in accepted text
WIDTH = 100  # characters of a line with the weights of entities


@dataclass(frozen=True)
class Candidate:
    """One rule and its counts.

    `right` of the `fires` pairs that the body reaches are examples; the example's own fact never
    counts for it. `confidence` is smoothed, `pca` counts as wrong only answers for inputs whose
    answers are known. `gain` is what the rule adds on held-out examples, `new` how many pairs it
    reaches that no example lists. `like_it` are rules that hold for almost the same examples.
    """

    number: int
    rule: Rule  # as people read it: weight 1, without the function that turns ways into existence
    weight: float
    right: int
    fires: int
    confidence: float
    pca: float
    gain: float | None = None
    new: int = 0
    like_it: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # such as "rests on one person"
    known: bool = False  # the program has this rule
    kept: bool = True  # its weight is not 0 after fitting: ticked in the table
    weights: tuple[tuple[str, float], ...] = ()  # of a rule with one for each entity

    @property
    def head(self) -> Signature:
        return self.rule.head.signature

    @property
    def text(self) -> str:
        """The rule as people read it."""
        return format_clause(self.rule)

    @property
    def proved(self) -> Rule:
        """What facts prove: the rule without the literal that has a weight for each entity."""
        return replace(self.rule, body=self.rule.body[:-1]) if self.weights else self.rule

    def lines(self, taken: set[str]) -> list[str]:
        """The rule as the program gets it: with its weight, and counting a proof once. Predicates
        that it needs have names that are not taken."""
        if not self.weights:
            clauses = written(self.rule, _rounded(self.weight), taken)
            return [format_clause(clause) for clause in clauses]
        name, clauses = written_each(self.rule, taken)
        facts = [
            format_clause(Fact(Literal(name, (Constant(entity),)), _rounded(weight)))
            for entity, weight in self.weights
        ]
        return [f"learn({name}).", *_packed(facts), *map(format_clause, clauses)]


@dataclass(frozen=True)
class HeadReport:
    """What was found for one head, in numbers."""

    head: Signature
    examples: int  # positive ones
    negatives: int  # listed ones, or all other pairs where none is listed
    bodies: int = 0  # bodies counted
    differ: int = 0  # of those with support, how many are left when equal ones count once
    aggregation: str = ""  # how rules of this head are put together, and
    why: str = ""  # what spoke for that
    measure: str = ""  # name of the held-out figure
    held_out: float | None = None  # of the rules that are shown
    held_out_before: float | None = None  # of the program's own rules
    kept: int = 0  # rules with a weight, shown or not
    held_out_kept: float | None = None  # of all these
    nearest: tuple[str, ...] = ()  # where no rule was found: the best of those that were cut


@dataclass(frozen=True)
class Candidates(Tabular):
    """The rules that a search found, best first, and what the search looked at.

    `exact` is False where only a sample was counted; `cut` says in words what was sampled, and
    what was not looked at and why.
    """

    rows: tuple[Candidate, ...]
    options: LearnOptions
    heads: tuple[HeadReport, ...] = ()
    exact: bool = True
    cut: tuple[str, ...] = ()
    seconds: float = 0.0
    rejected: tuple[str, ...] = field(default=())  # texts of rules that a human refused

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.rows)

    def __getitem__(self, number: int) -> Candidate:
        """The row with this number; the first one has the number 1."""
        for row in self.rows:
            if row.number == number:
                return row
        hint = "rows are counted from 1" if number == 0 else ""
        raise ParameterError(f"there is no row {number}: the table has {len(self.rows)}", hint=hint)

    def of(self, head: Signature) -> tuple[Candidate, ...]:
        return tuple(row for row in self.rows if row.head == head)

    @property
    def kept(self) -> tuple[int, ...]:
        """The numbers of the rows that fitting kept."""
        return tuple(row.number for row in self.rows if row.kept and not row.known)

    def accept(self, numbers: Iterable[int] | None = None, taken: Iterable[str] = ()) -> str:
        """A program text with these rows (by default those that were kept), ready for a cell;
        `taken` are names of predicates that it must not define."""
        names = set(taken)
        chosen = [self[number] for number in (self.kept if numbers is None else numbers)]
        chosen = list({row.number: row for row in chosen}.values())
        lines = [f"% {line}" for line in self._origin()]
        for report in self.heads:
            own = [row for row in chosen if row.head == report.head]
            if own:
                lines += [
                    "",
                    *_settings(report),
                    *(line for row in own for line in _written(row, names)),
                ]
        return "\n".join(lines) + "\n"

    def _origin(self) -> list[str]:
        said = ", ".join(
            f"{name} {_plain(value)}" for name, value in self.options.describe().items()
        )
        found = [f"learned rules ({said})"]
        return found + [f"not looked at: {line}" for line in self.cut]

    def to_pandas(self) -> pd.DataFrame:
        """One row per rule."""
        import pandas as pd

        rows = [
            {
                "number": row.number,
                "kept": row.kept,
                "weight": row.weight,
                "right": row.right,
                "fires": row.fires,
                "confidence": row.confidence,
                "pca": row.pca,
                "gain": row.gain,
                "new": row.new,
                "rule": row.text,
                "like_it": len(row.like_it),
                "known": row.known,
                "weights": len(row.weights),
                "notes": "; ".join(row.notes),
            }
            for row in self.rows
        ]
        columns = list(rows[0]) if rows else _COLUMNS
        return pd.DataFrame(rows, columns=pd.Index(columns)).set_index("number")


_COLUMNS = [
    "number",
    "kept",
    "weight",
    "right",
    "fires",
    "confidence",
    "pca",
    "gain",
    "new",
    "rule",
    "like_it",
    "known",
    "weights",
    "notes",
]


@dataclass(frozen=True)
class Snapshot:
    """A search at one moment: the best so far, and how far it is."""

    candidates: Candidates
    stage: str  # such as "paths of length 2"
    done: float = 0.0  # part of the work, 0 to 1
    finished: bool = False
    stopped: str = ""  # "interrupted", "budget"; "" while it runs and when everything was looked at


def _settings(report: HeadReport) -> list[str]:
    name = format_constant(f"{report.head[0]}/{report.head[1]}")
    lines = [f"learn_rule_weights({name})."]
    if report.aggregation == TOP:
        lines.append(f"set_predicate_parameter({name}, literal_combining_function, top_5).")
    return lines


def _written(row: Candidate, taken: set[str]) -> Sequence[str]:
    notes = "".join(f"; {note}" for note in row.notes)
    if row.weights:
        notes += f"; a weight for each of {len(row.weights):,} entities"
    return (
        f"% {row.right} of {row.fires} right, confidence {row.confidence:.3f}{notes}",
        *row.lines(taken),
    )


def _packed(clauses: Iterable[str]) -> list[str]:
    """Several short clauses in a line.

    >>> _packed(["p(a).", "p(b)."])
    ['p(a). p(b).']
    """
    lines: list[str] = []
    for clause in clauses:
        if lines and len(lines[-1]) + len(clause) < WIDTH:
            lines[-1] += f" {clause}"
        else:
            lines.append(clause)
    return lines


def _rounded(weight: float) -> float:
    return float(f"{weight:.{DIGITS}g}")


def _plain(value: object) -> str:
    if isinstance(value, float):
        return format_number(value)
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
