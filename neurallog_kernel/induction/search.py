"""The order of the search, what it costs, and what is sampled where it would cost too much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from neurallog_kernel.induction.bit_walks import BitWalks
from neurallog_kernel.induction.columns import Columns
from neurallog_kernel.induction.conditions import Conditions
from neurallog_kernel.induction.conjunctions import Conjunctions
from neurallog_kernel.induction.each import families
from neurallog_kernel.induction.findings import BestBodies
from neurallog_kernel.induction.graph import Graph
from neurallog_kernel.induction.heads import Head
from neurallog_kernel.induction.long_paths import SAMPLE, LongPaths
from neurallog_kernel.induction.options import EXACT, LearnOptions
from neurallog_kernel.induction.pairs import pairs_of_heads
from neurallog_kernel.induction.walks import WalkCounts, Walks
from neurallog_kernel.language.syntax import Signature

_HUGE = 20  # an entity may cost one in so many parts of the budget; costlier ones are left out
_FEWEST = 20  # entities: what is counted from fewer of them says nothing about the others


class BodySearch:
    """Looks at short bodies first. `run` gives control back after every piece of work."""

    def __init__(
        self,
        graph: Graph,
        heads: Sequence[Head],
        findings: BestBodies,
        options: LearnOptions,
        constants: set[Signature],
        each: set[Signature],
    ) -> None:
        self.graph, self.heads, self.findings = graph, heads, findings
        self.options, self.constants, self.each = options, constants, each
        self.stage = "paths of length 1"
        self.work = 0  # walks so far
        self.finished = False
        self.late = False
        self.broken = False  # an exception came in the midst of a piece of work
        self.exact = True
        self.unaffordable = False  # whether a length was left out
        self.rows: np.ndarray | None = None  # first entities, where paths were counted from some
        self._allowed = self._since = 0
        self._sampled: list[str] = []

    def allow(self, work: int) -> None:
        """Pay for more walks, from here on."""
        self._since = self.work
        self._allowed = self.work + work
        self.late = False

    @property
    def spent(self) -> bool:
        return self.work >= self._allowed

    @property
    def done(self) -> float:
        return min(1.0, (self.work - self._since) / max(1, self._allowed - self._since))

    @property
    def cut(self) -> tuple[str, ...]:
        """What was sampled, and what was not looked at, in words."""
        return (*self._sampled, self.ended) if self.ended else tuple(self._sampled)

    @property
    def ended(self) -> str:
        """What ended the search before it was finished, in words."""
        if self.finished:
            return ""
        ended = "the budget ended the search" if self.spent else "the search was stopped"
        ended = "the clock ended the search" if self.late else ended
        return f"{ended} within: {self.stage}"

    def run(self) -> Iterator[int]:
        """The work, piece by piece."""
        if any(len(head.right) == 2 for head in self.heads):
            yield from self._paths()
        self.stage = "conditions on one argument"
        yield from self._conditions()
        self.finished = True

    # -- paths ----------------------------------------------------------------------------------

    def _paths(self) -> Iterator[int]:
        walks = Walks.of(self.graph, pairs_of_heads(self.graph, self.heads))
        steps = range(len(self.graph.steps))
        for block in walks.length_one():
            yield self._took(block)
        for length in range(2, min(self.options.length, EXACT) + 1):
            self.stage = f"paths of length {length}"
            if length == EXACT and (bits := self._by_bits(walks)):
                blocks = bits.length_three
            elif some := self._affordable(walks, length):
                blocks = some.length_two if length == 2 else some.length_three
            else:
                continue
            for first in steps:
                for block in blocks(first):
                    yield self._took(block)
        for length in range(EXACT + 1, self.options.length + 1):
            self.stage = f"paths of length {length}"
            yield from self._long(length)

    def _long(self, length: int) -> Iterator[int]:
        """Paths that are found from both ends of some examples."""
        paths = LongPaths(self.graph, Columns(self.graph), self.options.seed)
        self._sampled.append(
            f"paths of length {length}: those that connect {SAMPLE} examples of each head or fewer"
        )
        for number, head in enumerate(self.heads):
            if len(head.right) == 2:
                own = paths.found(head, length, self.options.min_support, self.options.kept)
                for found, cost in own:
                    self.findings.add(number, [found])
                    self.findings.counted += 1
                    self.work += cost
                    yield cost
        if paths.too_many:
            self._sampled.append(
                f"paths of length {length}: {paths.too_many:,} reach too many pairs to be counted"
            )

    def _took(self, block: WalkCounts) -> int:
        self.findings.add_block(block)
        self.work += block.walks
        return block.walks

    def _by_bits(self, walks: Walks) -> BitWalks | None:
        """How to count all paths of a small graph, where that costs less than to follow them and
        the budget pays for it."""
        bits = BitWalks(self.graph, walks.pairs, walks.all)
        left = max(1, self._allowed - self.work)
        cheap = bits.is_possible and bits.cost <= min(left, walks.cost(EXACT).sum())
        return bits if cheap else None

    def _affordable(self, walks: Walks, length: int) -> Walks | None:
        """The walks of all first entities or, where they cost more than the budget, of a sample;
        None where that would be too small to tell anything."""
        cost = walks.cost(length)
        left = max(1, self._allowed - self.work)
        if cost.sum() <= left:
            return walks
        order = np.random.default_rng(self.options.seed).permutation(len(cost))
        order = order[cost[order] <= left / _HUGE]
        upto = np.cumsum(cost[order])
        rows = order[: int(np.searchsorted(upto, left, side="right"))]
        if len(rows) < _FEWEST:
            self.unaffordable = True
            self._sampled.append(
                f"paths of length {length}: the budget does not pay for those of {_FEWEST} entities"
            )
            return None
        self.exact, self.rows = False, np.sort(rows)
        huge = int((cost > left / _HUGE).sum())
        self._sampled.append(
            f"paths of length {length}: counted from {len(rows):,} of {len(cost):,} entities, "
            f"drawn with seed {self.options.seed}"
            + (f"; {huge:,} with too many paths were left out" if huge else "")
        )
        return walks.among(rows, length)

    # -- conditions -----------------------------------------------------------------------------

    def _conditions(self) -> Iterator[int]:
        graph, options = self.graph, self.options
        if not (graph.concepts or graph.attributes or graph.steps):
            return
        longest = min(options.length, EXACT)
        table = Conditions(graph, longest, self.constants, options.min_support)
        if table.cut:
            self._sampled.append(table.cut)
        for number, head in enumerate(self.heads):
            if len(head.right) == 1 or head.is_listed:
                self.findings.add(number, table.count(head, options.kept))
            elif self.constants:
                found = table.with_constant(head, options.min_support, options.kept)
                self.findings.add(number, found)
            else:
                continue
            self.findings.counted += len(table.conditions)
            self.work += int(table.matrix.nnz)
            yield int(table.matrix.nnz)
        self.stage = "a weight for each entity"
        yield from self._each()
        self.stage = "a condition more"
        if self.rows is not None:
            self._sampled.append("a condition more: not tried, where paths are counted from some")
            return
        joined = Conjunctions(Columns(graph), table)
        for number, head in enumerate(self.heads):
            best = self.findings.best(number)
            for found, cost in joined.found(head, best, options.min_support, options.length):
                self.findings.add(number, [found])
                self.findings.counted += 1
                self.work += cost
                yield cost

    def _each(self) -> Iterator[int]:
        """Rules with a weight for each entity, of heads that conditions alone can explain."""
        options = self.options
        for number, head in enumerate(self.heads):
            if not self.each or not (len(head.right) == 1 or head.is_listed):
                continue
            left = max(1, self._allowed - self.work)
            found = families(self.graph, head, self.each, options.length, options.min_support, left)
            for one in found:
                if isinstance(one, str):
                    self._sampled.append(one)
                    continue
                self.findings.families[number].append(one)
                self.findings.counted += len(one.members)
                self.work += one.cost
                if one.left_out:
                    self._sampled.append(
                        f"{one.left_out:,} entities that are met least often have no weight"
                    )
                yield one.cost
