"""Which calls are planned once for all who call them: those that would be opened very often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from neurallog_kernel.errors import BoundError
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.plan.recursion import Group, RecursiveGroups

CallChain: TypeAlias = tuple[tuple[Signature, int], ...]  # how often each predicate is open, sorted

SHARED_FROM = 500  # openings below a call; to plan so many takes about a tenth of a second
SMALL = 5  # openings of a call that is opened again even where others are shared
OPENINGS_A_LEVEL = 50  # what a long chain of calls may open at each of its levels
MOST_LEVELS = 1_800  # of rules that call rules; Python's stack has room for few more
MOST_WAYS = 5_000  # of opening the rules of a predicate, told apart by what is open around it


def opened(chain: CallChain, signature: Signature) -> CallChain:
    """The chain of calls with the predicate opened once more."""
    open_now = dict(chain)
    open_now[signature] = open_now.get(signature, 0) + 1
    return tuple(sorted(open_now.items()))


@dataclass(frozen=True, slots=True)
class Size:
    """How often rules are opened for a call if every call is planned by itself, and how deep."""

    openings: int
    depth: int

    @property
    def is_small(self) -> bool:
        return self.openings <= SMALL

    @property
    def is_large(self) -> bool:
        """Whether it is more than can be opened anew for every caller."""
        return self.openings > max(SHARED_FROM, OPENINGS_A_LEVEL * self.depth)


class CallSizes:
    """The sizes of calls, counted without planning them and kept while what they rest on stays."""

    def __init__(self, groups: RecursiveGroups) -> None:
        self._groups = groups
        self._kept: dict[Signature, dict[CallChain, tuple[int, Size]]] = {}

    def of(self, program: Program, signature: Signature, chain: CallChain) -> Size:
        """The size of a call within a chain that holds what can matter below it."""
        found = _Count(self, program, signature).size(signature, chain, 1)
        if found.depth > MOST_LEVELS:
            raise _too_deep(program, signature)
        return found

    def relevant(self, program: Program, signature: Signature, chain: CallChain) -> CallChain:
        """The part of the chain that can matter below: the callers that it calls in turn."""
        if not chain:
            return chain
        group = self.group(program, signature)
        return tuple((s, n) for s, n in chain if s in group)

    def group(self, program: Program, signature: Signature) -> Group:
        """The predicates that it calls and that call it, itself included."""
        return self._groups.of(program, signature)

    def forget(self, changed: Iterable[Signature]) -> None:
        """Drop what was counted for predicates that changed."""
        for signature in changed:
            self._kept.pop(signature, None)
        self._groups.forget(changed)


class _Count:
    """The count for one call; `asked` is the predicate that an error names."""

    def __init__(self, sizes: CallSizes, program: Program, asked: Signature) -> None:
        self.sizes = sizes
        self.program = program
        self.asked = asked
        self.new = 0
        self.calls: dict[Signature, list[tuple[Signature, int, bool]]] = {}

    def size(self, signature: Signature, chain: CallChain, level: int) -> Size:
        if level > MOST_LEVELS:
            raise _too_deep(self.program, self.asked)
        rules = self.program.definition(signature).rules
        if not rules or dict(chain).get(signature, 0) > self.program.depth(signature):
            return Size(0, 0)
        known, stamp = self.sizes._kept.setdefault(signature, {}), self.program.stamp(signature)
        kept = known.get(chain)
        if kept is not None and kept[0] == stamp:
            return kept[1]
        self.new += bool(chain)  # without a chain there is one way for each predicate
        if self.new > MOST_WAYS:
            raise self._too_many(signature)
        inside = opened(chain, signature)
        openings, depth = len(rules), 0
        for called, times, is_mutual in self._calls(signature):
            # the chain holds predicates of the caller's group only
            below = self.size(called, inside if is_mutual else (), level + 1)
            openings += times * below.openings
            depth = max(depth, below.depth)
        found = Size(openings, depth + 1)
        known[chain] = (stamp, found)
        return found

    def _calls(self, signature: Signature) -> list[tuple[Signature, int, bool]]:
        """The predicates with rules that its rules call: how often, and whether they call it."""
        found = self.calls.get(signature)
        if found is None:
            rules = self.program.definition(signature).rules
            times = Counter(literal.signature for rule in rules for literal in rule.body)
            called = [one for one in times if self.program.definition(one).rules]
            group = self.sizes.group(self.program, signature) if called else ()
            found = self.calls[signature] = [(one, times[one], one in group) for one in called]
        return found

    def _too_many(self, signature: Signature) -> BoundError:
        return too_many(self.program, self.asked, f"more than {MOST_WAYS:,} ways")


def _too_deep(program: Program, signature: Signature) -> BoundError:
    rules = program.definition(signature).rules
    return BoundError(
        f"the rules below {signature[0]}/{signature[1]} call each other too deeply to be followed: "
        f"more than {MOST_LEVELS:,} levels",
        rules[0].span if rules else None,
        "set a smaller recursion_depth, or write fewer rules that only lead to the next one",
    )


def too_many(program: Program, signature: Signature, how_many: str) -> BoundError:
    """The error for rules that open each other too often, at the first of them."""
    rules = program.definition(signature).rules
    name = f"{signature[0]}/{signature[1]}"
    return BoundError(
        f"the rules below {name} call each other in {how_many}",
        rules[0].span if rules else None,
        "set a smaller recursion_depth, or call fewer predicates that call each other",
    )
