"""Which facts and rules an answer depends on most: its derivative by each weight, ranked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from neurallog_kernel.answers import format_weight
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.explain import ground_question
from neurallog_kernel.explain.backward import Slopes, slopes_of
from neurallog_kernel.explain.lookup import FactParts, rule_text
from neurallog_kernel.knowledge.relations import scalar
from neurallog_kernel.knowledge.roles import Role, owner_place
from neurallog_kernel.language.printer import format_literal
from neurallog_kernel.language.syntax import Literal, Signature
from neurallog_kernel.plan.planner import Planner
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Slope:
    """How fast the answer changes with one weight; `learned` if training may change it."""

    name: str
    kind: str  # "fact" or "rule"
    weight: float
    slope: float
    place: str = ""
    learned: bool = False


@dataclass(frozen=True)
class Sensitivity(Tabular):
    """The weights that an answer rests on, those that move it most first."""

    query: str
    weight: float
    slopes: tuple[Slope, ...]

    def __len__(self) -> int:
        return len(self.slopes)

    def __iter__(self) -> Iterator[Slope]:
        return iter(self.slopes)

    def __getitem__(self, which: int) -> Slope:
        return self.slopes[which]

    def __str__(self) -> str:
        lines = [f"{self.query} = {format_weight(self.weight)}; "]
        lines[0] += "change of the answer per unit of each weight (derivative):"
        width = max((len(format_weight(s.slope)) for s in self.slopes[:SHOWN]), default=0)
        for one in self.slopes[:SHOWN]:
            said = f"  {format_weight(one.slope).rjust(width)}  {one.name}"
            said += f"  (weight {format_weight(one.weight)}{', learned' if one.learned else ''})"
            lines.append(said + (f"   [{one.place}]" if one.place else ""))
        if len(self) > SHOWN:
            lines.append(f"  … {len(self) - SHOWN:,} more")
        if not self.slopes:
            lines = [f"{self.query} = {format_weight(self.weight)} does not depend on a weight"]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def to_pandas(self) -> pd.DataFrame:
        """One row a weight."""
        import pandas as pd

        rows = [(s.name, s.kind, s.weight, s.slope, s.place, s.learned) for s in self.slopes]
        columns = ("name", "kind", "weight", "slope", "source", "learned")
        return pd.DataFrame(rows, columns=list(columns))


def sensitivity(evaluator: Evaluator, text: str) -> Sensitivity:
    """The derivative of a ground answer by every fact and rule weight that it rests on.

    Exact for the plan: where a function has a corner (relu at 0, a maximum of equals), the slope
    on one side of it.
    """
    atom = ground_question.ground(evaluator, text)
    weight = ground_question.weight(evaluator, atom)
    if evaluator.program.role(atom.signature) is not Role.RELATION:
        return Sensitivity(format_literal(atom), weight, ())
    found = _slopes(evaluator, atom)
    named = [*_facts(evaluator, found), *_rules(evaluator, found)]
    ranked = sorted((s for s in named if s.slope != 0), key=lambda s: (-abs(s.slope), s.name))
    return Sensitivity(format_literal(atom), weight, tuple(ranked))


def _slopes(evaluator: Evaluator, atom: Literal) -> Slopes:
    planner = Planner(every_weight=True)
    result = replace(evaluator, planner=planner).layer(atom.signature).result
    indexes = ground_question.indexes(evaluator, atom)
    given = evaluator.given(atom.signature, dict(enumerate(indexes[:-1])))
    return slopes_of(evaluator.engine, result, indexes[-1] if indexes else None, given)


def _facts(evaluator: Evaluator, slopes: Slopes) -> Iterator[Slope]:
    facts = FactParts(evaluator)
    for signature, table in slopes.facts.items():
        learned = signature in evaluator.program.learnables
        for key, slope in table.items():
            name, weight, place = _described(evaluator, facts, signature, key)
            yield Slope(name, "fact", weight, slope, place, learned)


def _described(
    evaluator: Evaluator, facts: FactParts, signature: Signature, key: Sequence[int]
) -> tuple[str, float, str]:
    """A fact's text, weight and place."""
    program = evaluator.program
    role = program.role(signature)
    if not key:
        part = facts.scalar(signature, 0.0)
        return part.label, scalar(program, signature)[0], part.place
    if role is Role.ATTRIBUTE:
        at = owner_place(program.numeric(signature))
        part = facts.attribute(signature, key[0], at, 0.0)
        places = [at]
    else:
        part = facts.part(signature, key, 0.0)
        places = list(range(signature[1]))
    kinds = [program.entity_type((*signature, place)) for place in places]
    found = facts.stored(signature, kinds, key)
    return (part.label, 0.0, "") if found is None else (part.label, found.weight, found.place)


def _rules(evaluator: Evaluator, slopes: Slopes) -> Iterator[Slope]:
    for rule, slope in slopes.rules.items():
        place = "" if rule.span is None else f"{rule.span.source}:{rule.span.line}"
        learned = rule.head.signature in evaluator.program.learned_rules
        name = rule_text(evaluator.program, rule)
        yield Slope(name, "rule", rule.weight, slope, place, learned)
