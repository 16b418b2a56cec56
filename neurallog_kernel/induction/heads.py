"""What shall be explained: for each head its examples, as indexes into the graph."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.induction.graph import check_attached, fact_columns
from neurallog_kernel.induction.options import LearnOptions
from neurallog_kernel.knowledge.describe import named
from neurallog_kernel.knowledge.example_sets import training_set
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.examples.targets import listed_examples


@dataclass(frozen=True, eq=False)
class Head:
    """A predicate to find rules for. Columns hold symbols, one array for each place.

    `wrong` are listed negatives. Where there are none, every other pair is a negative.
    """

    signature: Signature
    right: tuple[np.ndarray, ...]
    wrong: tuple[np.ndarray, ...]
    held_right: np.ndarray  # which of them only judge; rules are not chosen by them
    held_wrong: np.ndarray

    @property
    def name(self) -> str:
        return f"{self.signature[0]}/{self.signature[1]}"

    @property
    def count(self) -> int:
        return len(self.right[0])

    @property
    def is_irreflexive(self) -> bool:
        """Whether no example relates an entity to itself."""
        return len(self.right) == 2 and not (self.right[0] == self.right[1]).any()

    @property
    def share(self) -> float:
        """Of the listed examples that are not held out, how many are positive."""
        right, wrong = int((~self.held_right).sum()), int((~self.held_wrong).sum())
        return right / max(1, right + wrong)

    @property
    def is_listed(self) -> bool:
        """Whether negatives are listed."""
        return len(self.wrong[0]) > 0


def heads_of(evaluator: Evaluator, options: LearnOptions) -> list[Head]:
    """The heads that the options name, or those that have facts or examples, as many as the budget
    pays for: `heads_left_out` says how many are not among them."""
    program = evaluator.program
    listed = {
        examples.signature: examples
        for examples in listed_examples(
            program, evaluator.symbols, options.set or training_set(program)
        )
    }
    named = named_signatures(program, options.heads) or _most_facts(program, listed, options)
    check_attached(program, (signature for signature in named if signature not in listed))
    found = []
    for signature in named:
        if signature[1] not in (1, 2) or program.role(signature) is not Role.RELATION:
            raise NeuralLogError(
                f"{signature[0]}/{signature[1]} cannot be learned: "
                "a rule's head relates one or two entities"
            )
        if signature in listed:
            examples = listed[signature]
            true = examples.labels > 0
            if options.heads and not true.any():
                raise NeuralLogError(
                    f"all examples of {signature[0]}/{signature[1]} are false: "
                    "a rule needs some that are true",
                    hint="add examples with a weight above 0",
                )
            right, wrong = (
                tuple(place[chosen] for place in examples.places) for chosen in (true, ~true)
            )
            found.append(_head(signature, right, wrong, options))
            continue
        right = fact_columns(evaluator, signature)
        if len(right[0]):
            nothing = tuple(np.zeros(0, dtype=np.int32) for _ in right)
            found.append(_head(signature, right, nothing, options))
        elif options.heads:
            raise NeuralLogError(
                f"{signature[0]}/{signature[1]} has neither facts nor examples to learn from",
                hint=f"add facts of it, or examples such as example({signature[0]}, ...).",
            )
    if not found:
        raise NeuralLogError(
            "there is nothing to learn rules from",
            hint="add facts, or examples of the predicate to be learned",
        )
    return [head for head in found if head.count or options.heads]


def _possible(program: Program, listed: Container[Signature]) -> list[Signature]:
    """The predicates with facts or examples that can be heads."""
    return [
        s
        for s in program.predicates()
        if s[1] in (1, 2)
        and (s in listed or program.definition(s).fact_count)
        and program.role(s) is Role.RELATION
    ]


def _most_facts(
    program: Program, listed: Container[Signature], options: LearnOptions
) -> list[Signature]:
    """Those with examples, then those with most facts; in the order of the program."""
    possible = _possible(program, listed)
    if len(possible) <= options.most_heads:
        return possible
    order = sorted(
        range(len(possible)),
        key=lambda n: (possible[n] not in listed, -program.definition(possible[n]).fact_count),
    )
    return [possible[n] for n in sorted(order[: options.most_heads])]


def heads_left_out(evaluator: Evaluator, options: LearnOptions) -> tuple[str, ...]:
    """In words, that there are more heads than the budget pays for."""
    program = evaluator.program
    listed = listed_examples(program, evaluator.symbols, options.set or training_set(program))
    number = len(_possible(program, {examples.signature for examples in listed}))
    if options.heads or number <= options.most_heads:
        return ()
    left = number - options.most_heads
    return (
        f"{left:,} heads with few facts: the budget pays for {options.most_heads:,}; name heads, "
        "or set a larger budget",
    )


def _head(
    signature: Signature,
    right: tuple[np.ndarray, ...],
    wrong: tuple[np.ndarray, ...],
    options: LearnOptions,
) -> Head:
    """The examples of a head, some held out: by its name, so that other heads change nothing."""
    generator = np.random.default_rng([options.seed, *signature[0].encode(), signature[1]])
    held = []
    for columns in (right, wrong):
        number = len(columns[0])
        mask = np.zeros(number, dtype=bool)
        if number > 4:  # of so few none can be spared
            mask[generator.permutation(number)[: int(options.held_out * number)]] = True
        held.append(mask)
    return Head(signature, right, wrong, *held)


def named_signatures(program: Program, names: Iterable[str]) -> list[Signature]:
    """The predicates that texts such as `p/2` or `p` name."""
    hint = "give facts or examples of it first"
    return list(dict.fromkeys(s for text in names for s in named(program, text, hint)))


def wanted_bodies(program: Program, names: Sequence[str]) -> set[Signature] | None:
    """The predicates that bodies may use; None: all."""
    return set(named_signatures(program, names)) if names else None
