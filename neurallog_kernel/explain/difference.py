"""What changed in the answers between two states of a program, and why."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from neurallog_kernel.answers import format_weight
from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.questions import Questions
from neurallog_kernel.explain import ground_question
from neurallog_kernel.explain.lookup import atom_text
from neurallog_kernel.explain.parts import Part
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.language import parse_query
from neurallog_kernel.language.printer import format_constant
from neurallog_kernel.language.syntax import Constant, Literal, Signature, Variable
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

CELLS = 250_000  # pairs of a predicate that are compared; of a larger one, the first inputs
EXPLAINED = 10  # moves whose parts are looked at
PARTS = 5  # of one move
INPUTS = 20  # of a function of a whole row


@dataclass(frozen=True)
class Move:
    """An answer that changed; `parts` are its facts and rules that gave something else before.

    `places` are where it stood and stands among the answers to its question: 1 is the best.
    """

    query: str
    before: float
    after: float
    parts: tuple[tuple[str, float, float], ...] = ()
    places: tuple[int, int] = (1, 1)

    @property
    def change(self) -> float:
        return self.after - self.before

    def __str__(self) -> str:
        said = f"{self.query}: {format_weight(self.before)} → {format_weight(self.after)}"
        return f"{said}  ({'+' if self.change > 0 else ''}{format_weight(self.change)})"


@dataclass(frozen=True)
class Difference(Tabular):
    """The answers that moved most, since the point that `since` names."""

    since: str
    moves: tuple[Move, ...]
    total: int  # how many answers changed
    note: str = ""
    changed_places: int = 0  # how many answers stand at another place

    def __len__(self) -> int:
        return len(self.moves)

    def __iter__(self) -> Iterator[Move]:
        return iter(self.moves)

    def __getitem__(self, which: int) -> Move:
        return self.moves[which]

    def __str__(self) -> str:
        if not self.total:
            return f"No answer has changed since {self.since}."
        lines = [
            f"{self.total:,} answer{'s' if self.total != 1 else ''} changed since {self.since}"
        ]
        for move in self.moves:
            lines.append(f"  {move}")
            lines += [
                f"      {format_weight(before)} → {format_weight(after)}  {label}"
                for label, before, after in move.parts
            ]
        if self.total > len(self.moves):
            lines.append(f"  … {self.total - len(self.moves):,} more")
        return "\n".join([*lines, *([f"  {self.note}"] if self.note else [])])

    def __repr__(self) -> str:
        return str(self)

    def to_pandas(self) -> pd.DataFrame:
        """One row a move."""
        import pandas as pd

        rows = [(m.query, m.before, m.after, m.change) for m in self.moves]
        return pd.DataFrame(rows, columns=["answer", "before", "after", "change"])


def difference(
    old: Evaluator,
    new: Evaluator,
    since: str,
    query: str | None = None,
    top: int = 10,
    by_place: bool = False,
) -> Difference:
    """The largest moves of a question, or of all predicates with rules that the change concerns.

    `by_place`: first the predicates with examples, which are what a training is for, and of them
    what changed places, the best places first.
    """
    if query is not None:
        atoms = [parse_query(query)]
        if not any(a.program.is_known(atoms[0].signature) for a in (old, new)):
            ground_question.weight(new, atoms[0])  # the error that a query gives
    else:
        atoms = [_open(signature) for signature in _concerned(old, new)]
    moves: list[Move] = []
    trained: set[str] = set()
    cut = []
    for atom in atoms:
        for part in _pieces(old, new, atom, cut):
            before, after = _answers(old, part), _answers(new, part)
            places = _places(before), _places(after)
            aimed = bool(new.program.definition(part.signature).examples)
            for key in {**before, **after}:
                first, second = before.get(key, 0.0), after.get(key, 0.0)
                if abs(first - second) > 1e-12 * max(1.0, abs(first)):
                    where = (places[0](key), places[1](key))
                    moves.append(Move(filled(part, key), first, second, places=where))
                    if aimed:
                        trained.add(moves[-1].query)
    moves.sort(key=lambda move: (-abs(move.change), move.query))
    if by_place:
        moves.sort(key=lambda move: (move.query not in trained, *_by_place(move)))
    shown = [
        _explained(old, new, move) if place < EXPLAINED else move
        for place, move in enumerate(moves[:top])
    ]
    note = f"for {', '.join(cut)} only the first inputs were compared" if cut else ""
    changed = sum(move.places[0] != move.places[1] for move in moves)
    return Difference(since, tuple(shown), len(moves), note, changed)


def _by_place(move: Move) -> tuple[bool, int]:
    before, after = move.places
    return (before == after, min(before, after) if before != after else 0)


def _places(weights: Mapping[tuple[str, ...], float]) -> Callable[[tuple[str, ...]], int]:
    """Where an answer stands among those with the same entities before its last; one that is not
    there has the weight 0."""
    groups: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for key, weight in weights.items():
        groups[key[:-1]].append(weight)
    for group in groups.values():
        group.sort()

    def place(key: tuple[str, ...]) -> int:
        group = groups.get(key[:-1], [])
        return len(group) - bisect_right(group, weights.get(key, 0.0)) + 1

    return place


def _open(signature: Signature) -> Literal:
    names = [Variable(f"X{place + 1}") for place in range(signature[1])]
    return Literal(signature[0], tuple(names))


def _concerned(old: Evaluator, new: Evaluator) -> list[Signature]:
    """Predicates with rules whose answers may have changed; if there is none, those of facts."""
    found = [
        s
        for s in dict.fromkeys([*old.program.definitions, *new.program.definitions])
        if s[1] <= 2
        and old.program.stamp(s) != new.program.stamp(s)
        and any(a.program.role(s) is Role.RELATION for a in (old, new))
    ]
    ruled = [s for s in found if any(a.program.definition(s).rules for a in (old, new))]
    return ruled or found


def _pieces(old: Evaluator, new: Evaluator, atom: Literal, cut: list[str]) -> Iterator[Literal]:
    """The question, or for a large predicate one question for each of its first entities."""
    is_open = [isinstance(term, Variable) for term in atom.terms]
    if is_open != [True, True] or atom.terms[0] == atom.terms[1]:
        yield atom
        return
    kinds = [new.program.entity_type((*atom.signature, place)) for place in (0, 1)]
    if len(kinds[0]) * len(kinds[1]) <= CELLS:
        yield atom
        return
    cut.append(f"{atom.predicate}/{atom.arity}")
    for member in kinds[0].members[: max(20, CELLS // max(1, len(kinds[1])))].tolist():
        name = new.symbols.name(member)
        yield Literal(atom.predicate, (Constant(name), atom.terms[1]))


def _answers(evaluator: Evaluator, atom: Literal) -> dict[tuple[str, ...], float]:
    try:
        return Questions(evaluator).answer(atom).weights
    except NeuralLogError:  # not there in this state
        return {}


def filled(atom: Literal, key: Sequence[str]) -> str:
    """A question with an answer in its open places."""
    values = iter(key)
    found: dict[str, str] = {}
    names = []
    for term in atom.terms:
        if isinstance(term, Variable):
            if term.name not in found:
                found[term.name] = format_constant(next(values))
            names.append(found[term.name])
        else:
            names.append(format_constant(term.name) if isinstance(term, Constant) else str(term))
    return atom_text(atom.predicate, names)


def _explained(old: Evaluator, new: Evaluator, move: Move) -> Move:
    """The move with the parts that made it: the facts and rules of the answer. A rule that only
    passes another answer on is looked through."""
    parts = [_part(one, move.query) for one in (old, new)]
    while (inner := [_passed_on(part) for part in parts]) != [None, None]:
        if not all(map(_is_followed, parts, inner)) or _moves_too(parts, inner):
            break
        parts = inner
    before, after = map(_values, parts)
    changed = [
        (label, before.get(label, 0.0), after.get(label, 0.0))
        for label in {**after, **before}
        if abs(before.get(label, 0.0) - after.get(label, 0.0)) > 1e-12
    ]
    changed.sort(key=lambda part: -abs(part[2] - part[1]))
    return replace(move, parts=tuple(changed[:PARTS]))


def _is_followed(part: Part | None, inner: Part | None) -> bool:
    return inner is not None or part is None or not part.children


def _moves_too(parts: Sequence[Part | None], inner: Sequence[Part | None]) -> bool:
    """Whether a rule gives another part of the answer below it than before: its own weight, or
    another literal, moved as well."""
    shares = [
        part.value / below.value
        for part, below in zip(parts, inner, strict=True)
        if part is not None and below is not None and below.value and not _has_function(part)
    ]
    return len(shares) == 2 and abs(shares[0] - shares[1]) > 1e-9 * max(1.0, abs(shares[0]))


def _part(evaluator: Evaluator, query: str) -> Part | None:
    """What an answer is made of; None where it cannot be asked in this state."""
    asked = parse_query(query)
    try:
        part = ground_question.part(evaluator, asked, 1)
        if _is_of_a_row(part):  # not the strongest of what goes in, but what is at its own place
            part = ground_question.part(evaluator, asked, INPUTS)
    except NeuralLogError:
        return None
    return part


def _values(part: Part | None) -> dict[str, float]:
    """What the facts and rules of an answer give."""
    if part is None:
        return {}
    children = part.children if part.kind == "answer" else (part,)
    values: dict[str, float] = {}
    for child in children:  # rules that differ in their learned weights only have one label
        if child.value != 0:
            values[child.label] = values.get(child.label, 0.0) + child.value
    return values


def _passed_on(part: Part | None) -> Part | None:
    """The one answer that a part is made of; of those that go into a function of a whole row, the
    one with the same entities."""
    if part is None or part.kind != "answer" or len(part.children) != 1:
        return None
    found = [child for child in _inside(part) if child.kind == "answer"]
    if _is_of_a_row(part):
        found = [one for one in found if _entities(one.label) == _entities(part.label)]
    return found[0] if len(found) == 1 else None


def _inside(part: Part) -> Iterator[Part]:
    """What a part is made of, as far as the next answers."""
    waiting = list(part.children)
    while waiting:
        child = waiting.pop(0)
        yield child
        if child.kind != "answer":
            waiting += child.children


def _is_of_a_row(part: Part) -> bool:
    """Whether its value comes from a function of a whole row, such as softmax."""
    return any(one.kind == "function" and not one.is_elementwise for one in _inside(part))


def _has_function(part: Part) -> bool:
    return any(one.kind == "function" for one in _inside(part))


def _entities(label: str) -> str:
    return label.partition("(")[2]
