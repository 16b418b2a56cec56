"""Example sets: for each target the rows to compute and the labels of their outputs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neurallog_kernel.arguments import a_text
from neurallog_kernel.errors import NeuralLogError, ParameterError, did_you_mean
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.example_sets import set_names
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language.syntax import (
    Constant,
    Example,
    Literal,
    MegaExample,
    Signature,
    Variable,
)


@dataclass(frozen=True, eq=False)
class Examples:
    """The listed examples of one predicate in one set: a column of symbols a place, and labels.

    Those of mega examples have the number of their group in the set, and of their step in it: an
    atom may be there at several steps. Other examples are of no group (-1).
    """

    signature: Signature
    places: tuple[np.ndarray, ...]
    labels: np.ndarray
    groups: np.ndarray
    steps: np.ndarray

    @classmethod
    def plain(
        cls, signature: Signature, places: tuple[np.ndarray, ...], labels: np.ndarray
    ) -> Examples:
        """Examples that are of no group."""
        none = np.full(len(labels), -1, dtype=np.int64)
        return cls(signature, places, labels, none, none)

    def __len__(self) -> int:
        return len(self.labels)

    def chosen(self, which: np.ndarray) -> Examples:
        """Some of the examples, by position."""
        places = tuple(column[which] for column in self.places)
        return Examples(
            self.signature, places, self.labels[which], self.groups[which], self.steps[which]
        )

    def each_atom_once(self) -> Examples:
        """As if they were of no group: of equal atoms the last counts."""
        last = self.chosen(_last_of_each(self.places, len(self)))
        return Examples.plain(self.signature, last.places, last.labels)


@dataclass(frozen=True, eq=False)
class Target:
    """A predicate to be learned or evaluated, with one output place.

    Row r has the entities `columns[place][r]` at the inputs. Example i says that the entry
    `outputs[i]` of row `rows[i]` should be `labels[i]`; a unary target has one number per row.
    `keys` are the symbols of the inputs, which tell rows of different targets apart or together.
    Rows of a mega example have its number in `groups` (others -1); they are in its order, and the
    same inputs may be there more than once.
    """

    signature: Signature
    output: int | None
    columns: Mapping[int, np.ndarray]
    keys: tuple[tuple[int, ...], ...]
    rows: np.ndarray
    outputs: np.ndarray
    labels: np.ndarray
    size: int  # of the output's type; 1 for a unary target
    groups: np.ndarray

    @property
    def name(self) -> str:
        predicate, arity = self.signature
        other = ""
        if arity > 1 and self.output is not None and self.output < arity - 1:
            other = "^-1" if arity == 2 else f" at place {self.output + 1}"
        return f"{predicate}/{arity}{other}"


def examples_of(program: Program, symbols: SymbolTable, name: str) -> list[Examples]:
    """A set's examples by predicate, at least one; of equal atoms the last counts."""
    a_text("set", name)
    found = listed_examples(program, symbols, name)
    if found:
        return found
    known = set_names(program)
    if name in known:
        raise NeuralLogError(
            f"the examples of the set {name} give no example: their variables stand for no entity",
            hint="a variable stands for every entity of its place: add facts first",
        )
    hint = did_you_mean(name, known) or (f"there are: {', '.join(known)}" if known else "")
    raise NeuralLogError(f"there are no examples in the set {name}", hint=hint)


def listed_examples(program: Program, symbols: SymbolTable, name: str) -> list[Examples]:
    """A set's examples by predicate, which may be none."""
    said: dict[Signature, list[Block | Example | MegaExample]] = {}
    for contents in program.sources.values():
        for example in contents.open_examples:
            if example.set == name:
                said.setdefault(example.atom.signature, []).append(example)
        for (own, signature), block in contents.examples.items():
            if own == name:
                said.setdefault(signature, []).append(block)
    groups = group_numbers(program, name)
    found = [
        _together(program, symbols, signature, parts, groups) for signature, parts in said.items()
    ]
    return [examples for examples in found if len(examples)]


def group_numbers(program: Program, name: str) -> dict[str, int]:
    """The ids of a set's mega examples, numbered: one may hold examples of several predicates."""
    ids = (
        example.group
        for contents in program.sources.values()
        for example in contents.open_examples
        if isinstance(example, MegaExample) and example.set == name
    )
    return {group: number for number, group in enumerate(dict.fromkeys(ids))}


def _together(
    program: Program,
    symbols: SymbolTable,
    signature: Signature,
    parts: Sequence[Block | Example | MegaExample],
    numbers: Mapping[str, int],
) -> Examples:
    columns = [[np.zeros(0, dtype=np.int32)] for _ in range(signature[1])]
    labels = [np.zeros(0)]
    groups, steps = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    of_part = _steps(parts)
    for number, part in enumerate(parts):
        if isinstance(part, Block):
            order = part.text_order()
            entities = tuple(column[order] for column in part.entities)
            weights = np.asarray(part.weights)[order]
        else:
            entities, weights = _expanded(program, symbols, part.atom, part.weight)
        if len(entities) != signature[1]:
            raise NeuralLogError(
                f"examples of {signature[0]}/{signature[1]} hold numbers; a target relates entities"
            )
        for column, symbols_here in zip(columns, entities, strict=True):
            column.append(symbols_here)
        labels.append(weights)
        group = -1
        if isinstance(part, MegaExample):
            group = numbers[part.group]
        groups.append(np.full(len(weights), group, dtype=np.int64))
        steps.append(np.full(len(weights), of_part[number], dtype=np.int64))
    places = tuple(np.concatenate(column) for column in columns)
    found = Examples(
        signature, places, np.concatenate(labels), np.concatenate(groups), np.concatenate(steps)
    )
    return found.chosen(_last_of_each((*places, found.steps), len(found)))


def _steps(parts: Sequence[Block | Example | MegaExample]) -> list[int]:
    """The step that each example of a predicate is at; -1 for those of no group.

    Every example of a group is a step of its own. One that says what is not so adds to the step
    before it in its group, so that a step can have listed negatives.
    """
    found: list[int] = []
    latest: dict[str, int] = {}
    for number, part in enumerate(parts):
        if not isinstance(part, MegaExample):
            found.append(-1)
            continue
        if part.weight > 0 or part.group not in latest:
            latest[part.group] = number
        found.append(latest[part.group])
    return found


def _expanded(
    program: Program, symbols: SymbolTable, atom: Literal, weight: float
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """An example with a variable stands for one of every entity of the place."""
    names = dict.fromkeys(t.name for t in atom.terms if isinstance(t, Variable))
    members = []
    for name in names:
        place = next(
            i for i, t in enumerate(atom.terms) if isinstance(t, Variable) and t.name == name
        )
        members.append(program.entity_type((*atom.signature, place)).members.tolist())
    terms = [t for t in atom.terms if isinstance(t, Variable | Constant)]
    rows = []
    for choice in itertools.product(*members):
        chosen = dict(zip(names, choice, strict=True))
        rows.append(
            [chosen[t.name] if isinstance(t, Variable) else symbols.find(t.name) for t in terms]
        )
    table = np.array(rows, dtype=np.int32).reshape(len(rows), len(terms))
    return tuple(table.T), np.full(len(rows), weight)


def _last_of_each(places: tuple[np.ndarray, ...], number: int) -> np.ndarray:
    """The last of equal atoms, in the order of the first ones."""
    if not places:
        return np.array([number - 1])
    stacked = np.column_stack(places)
    _, first, inverse = np.unique(stacked, axis=0, return_index=True, return_inverse=True)
    last = np.zeros(len(first), dtype=int)
    np.maximum.at(last, inverse.reshape(-1), np.arange(number))
    return last[np.argsort(first, kind="stable")]


def target_of(program: Program, examples: Examples, output: int | None) -> Target:
    """The rows and labels of a predicate's examples for one output place."""
    signature = examples.signature
    arity = signature[1]
    kinds = [program.entity_type((*signature, place)) for place in range(arity)]
    positions = [
        kind.positions(column).astype(np.int64)
        for kind, column in zip(kinds, examples.places, strict=True)
    ]
    inputs = [0] if arity == 1 else [place for place in range(arity) if place != output]
    own = [examples.places[place] for place in inputs]
    stepwise = (examples.groups >= 0).any()
    keys, first, rows = _distinct([*own, examples.steps] if stepwise else own, len(examples))
    if stepwise:
        keys = tuple(key[:-1] for key in keys)
    columns = {place: positions[place][first] for place in inputs}
    groups = examples.groups[first]
    if arity < 2:
        outputs, size = np.zeros(len(examples), dtype=np.int64), 1
    else:
        assert output is not None
        outputs, size = positions[output], len(kinds[output])
    return Target(signature, output, columns, keys, rows, outputs, examples.labels, size, groups)


def _distinct(
    columns: Sequence[np.ndarray], number: int
) -> tuple[tuple[tuple[int, ...], ...], np.ndarray, np.ndarray]:
    """The distinct rows in order of first appearance: their keys, where each first is, and the
    row of every example."""
    if not columns:
        return ((),), np.zeros(1, dtype=int), np.zeros(number, dtype=np.int64)
    stacked = np.column_stack(columns)
    _, first, inverse = np.unique(stacked, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    first = first[order]
    keys = tuple(map(tuple, stacked[first].tolist()))
    return keys, first, rank[inverse.reshape(-1)]


def targets_of(
    program: Program,
    symbols: SymbolTable,
    name: str,
    inverse: bool = False,
    place: int | None = None,
) -> list[Target]:
    """All targets of a set; with `inverse` each is also asked at its other places, with `place`
    (counted from 1) at that one instead of the last."""
    return targets_from(program, examples_of(program, symbols, name), inverse, place)


def targets_from(
    program: Program,
    listed: Sequence[Examples],
    inverse: bool = False,
    place: int | None = None,
) -> list[Target]:
    """The targets of examples."""
    targets: list[Target] = []
    for examples in listed:
        arity = examples.signature[1]
        output = arity - 1 if arity else None
        if place is not None:
            output = _at_place(examples.signature, place)
        targets.append(target_of(program, examples, output))
        if inverse and arity > 1:
            others = (other for other in range(arity) if other != output)
            targets += [target_of(program, examples, other) for other in others]
    return targets


def _at_place(signature: Signature, place: int) -> int:
    if place > signature[1]:
        name = f"{signature[0]}/{signature[1]}"
        raise ParameterError(
            f"place={place}: {name} has {signature[1]} place{'s' if signature[1] != 1 else ''}",
            hint="places are counted from 1",
        )
    return place - 1
