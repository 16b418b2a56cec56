"""The trainings of a session: settings, data, curves and weights, to compare and go back to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from neurallog_kernel.answers import format_weight
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.explain.difference import Difference, difference
from neurallog_kernel.explain.whatif import apart
from neurallog_kernel.knowledge.learned import LEARNED, learned_contents
from neurallog_kernel.knowledge.listing import contents_as_text
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.rule_weights import as_stated
from neurallog_kernel.knowledge.sources import ContentsBuilder, SourceContents
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.update import with_source
from neurallog_kernel.language import parse
from neurallog_kernel.language.printer import format_clause, format_number
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.history import History
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

KEPT = 30  # runs of a session
WEIGHTS = 20_000  # weights of a run that a saved model keeps
LISTED = 20  # weights of a comparison


@dataclass(frozen=True, eq=False)
class Run:
    """One training: what was asked for, from what, how it went, and what was learned."""

    number: int
    options: Mapping[str, Any]  # what the call gave
    data: Mapping[str, int]  # examples by set
    history: History
    learned: SourceContents
    weights: Mapping[str, float]  # by the text of the fact or rule

    @property
    def losses(self) -> dict[str, float]:
        """The last value of every curve."""
        logs = self.history.logs.items()
        return {name: values[-1] for name, values in logs if values and name != "seconds"}

    def __str__(self) -> str:
        said = ", ".join(f"{name} {format_weight(value)}" for name, value in self.losses.items())
        asked = ", ".join(f"{name} {value}" for name, value in self.options.items())
        return f"run {self.number}: {self.history.epochs} epochs, {said} ({asked or 'as set'})"


@dataclass(frozen=True)
class Runs(Tabular):
    """The runs of a session, oldest first; a run goes by its number."""

    runs: tuple[Run, ...] = ()

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def __getitem__(self, number: int) -> Run:
        for run in self.runs:
            if run.number == number:
                return run
        known = ", ".join(str(run.number) for run in self.runs)
        hint = f"there are: {known}" if known else "train first"
        raise NeuralLogError(f"there is no run {number}", hint=hint)

    def __str__(self) -> str:
        return "\n".join(map(str, self.runs)) or "no training yet"

    def __repr__(self) -> str:
        return str(self)

    def to_pandas(self) -> pd.DataFrame:
        """One row per run: options, examples, seconds, the last losses and metrics."""
        import pandas as pd

        rows = [
            {
                "run": run.number,
                **{name: str(value) for name, value in run.options.items()},
                **{f"examples in {name}": count for name, count in run.data.items()},
                "epochs": run.history.epochs,
                "seconds": run.history.seconds,
                **run.losses,
                "weights": len(run.weights),
            }
            for run in self.runs
        ]
        return pd.DataFrame(rows).set_index("run") if rows else pd.DataFrame(columns=["run"])


@dataclass(frozen=True)
class RunComparison:
    """Two runs beside each other: the weights that differ most, and the answers that follow."""

    first: Run
    second: Run
    weights: tuple[tuple[str, float, float], ...]
    answers: Difference = field(repr=False)

    def __str__(self) -> str:
        lines = [str(self.first), str(self.second), "weights:"]
        lines += [
            f"  {format_weight(a)} → {format_weight(b)}  {name}" for name, a, b in self.weights
        ]
        return "\n".join([*lines, str(self.answers)])

    def __repr__(self) -> str:
        return str(self)


# -- a run ----------------------------------------------------------------------------------------


def with_run(
    runs: Sequence[Run],
    options: Mapping[str, Any],
    data: Mapping[str, int],
    history: History,
    program: Program,
    symbols: SymbolTable,
) -> tuple[Run, ...]:
    """The runs and one more, of the training that this program has just come from."""
    number = runs[-1].number + 1 if runs else 1
    learned = program.sources.get(LEARNED) or learned_contents({})
    weights = named_weights(program, learned, symbols)
    plain = {name: value for name, value in options.items() if value is not None}
    said = {name: v if isinstance(v, str | int | float) else str(v) for name, v in plain.items()}
    return (*runs[-KEPT + 1 :], Run(number, said, dict(data), history, learned, weights))


def named_weights(
    program: Program, learned: SourceContents, symbols: SymbolTable
) -> dict[str, float]:
    """What was learned, by the texts of facts and rules; of very many nothing is listed."""
    if sum(map(len, learned.facts.values())) > WEIGHTS:
        return {}
    text, _ = contents_as_text(learned, symbols)
    found: dict[str, float] = {}
    for line in text.splitlines():
        weight, mark, fact = line.strip().removesuffix(".").partition("::")
        found[fact if mark else weight] = float(weight) if mark else 1.0
    for signature, weights in learned.rule_weights.items():
        keys = program.definition(signature).rule_keys
        texts = {key: format_clause(as_stated(rule)) for rule, key in keys.items()}
        found |= {texts[key]: weight for key, weight in weights.items() if key in texts}
    return found


def program_of(program: Program, run: Run, symbols: SymbolTable) -> Program:
    """The program as it is, with what a run learned."""
    known = {s: block for s, block in run.learned.facts.items() if s in program.learnables}
    rules = {s: w for s, w in run.learned.rule_weights.items() if s in program.learned_rules}
    return with_source(program, learned_contents(known, rules), symbols, strict=False)


def compare(
    evaluator: Evaluator, first: Run, second: Run, query: str | None = None, top: int = 10
) -> RunComparison:
    """Two runs: the weights that differ most, and the answers that changed places."""
    names = dict.fromkeys([*first.weights, *second.weights])
    pairs = [(n, first.weights.get(n, 0.0), second.weights.get(n, 0.0)) for n in names]
    moved = sorted((p for p in pairs if p[1] != p[2]), key=lambda p: -abs(p[2] - p[1]))
    old, new = (
        apart(evaluator, program_of(evaluator.program, run, evaluator.symbols))
        for run in (first, second)
    )
    answers = difference(old, new, f"run {first.number}", query, top, by_place=True)
    return RunComparison(first, second, tuple(moved[:LISTED]), answers)


# -- in a file ------------------------------------------------------------------------------------


def saved_runs(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """The runs as plain values, for a saved model."""
    return [
        {
            "number": run.number,
            "options": dict(run.options),
            "data": dict(run.data),
            "seconds": float(run.history.seconds),
            "interrupted": run.history.interrupted,
            "logs": {
                name: [v if math.isfinite(v) else None for v in values]
                for name, values in run.history.logs.items()
            },
            "weights": {name: float(weight) for name, weight in run.weights.items()},
        }
        for run in runs
    ]


def opened_runs(
    saved: Sequence[Mapping[str, Any]], program: Program, symbols: SymbolTable
) -> tuple[Run, ...]:
    """The runs of a saved model; what is of another form raises whatever it breaks."""
    return tuple(_opened(one, program, symbols) for one in saved)


def _opened(saved: Mapping[str, Any], program: Program, symbols: SymbolTable) -> Run:
    logs = {
        str(name): [float("nan") if v is None else float(v) for v in values]
        for name, values in saved["logs"].items()
    }
    history = History(
        logs, {}, interrupted=bool(saved["interrupted"]), seconds=float(saved["seconds"])
    )
    weights = {str(name): float(weight) for name, weight in saved["weights"].items()}
    data = {str(name): int(count) for name, count in saved["data"].items()}
    options = {str(name): value for name, value in saved["options"].items()}
    learned = _learned(weights, program, symbols)
    return Run(int(saved["number"]), options, data, history, learned, weights)


def _learned(
    weights: Mapping[str, float], program: Program, symbols: SymbolTable
) -> SourceContents:
    """The learned source of a run, from the texts of its facts and rules."""
    rules: dict[Signature, dict] = {}
    known = {
        format_clause(as_stated(rule)): (signature, key)
        for signature in program.predicates()
        if signature in program.learned_rules
        for rule, key in program.definition(signature).rule_keys.items()
    }
    facts = []
    for name, weight in weights.items():
        if name in known:
            signature, key = known[name]
            rules.setdefault(signature, {})[key] = weight
        else:
            facts.append(f"{format_number(weight)}::{name}.")
    builder = ContentsBuilder(LEARNED, symbols)
    builder.add(parse("\n".join(facts), LEARNED), None)
    return learned_contents(builder.build().facts, rules)
