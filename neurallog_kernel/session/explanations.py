"""The session's questions about its own answers: why, what if, how much, and what changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurallog_kernel.arguments import Count
from neurallog_kernel.depth import deep
from neurallog_kernel.errors import NeuralLogError, did_you_mean
from neurallog_kernel.explain.change import WhatWouldChange, what_would_change
from neurallog_kernel.explain.check import Checked, Findings, check
from neurallog_kernel.explain.difference import Difference, difference
from neurallog_kernel.explain.explanation import Explanation
from neurallog_kernel.explain.ground_question import explain, explain_ensemble
from neurallog_kernel.explain.sensitivity import Sensitivity, sensitivity
from neurallog_kernel.explain.whatif import apart, without_facts
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.state import LiveState, in_turn

quiet = np.errstate(all="ignore")  # an infinite weight is explained, not remarked on by NumPy


class SessionExplanations(LiveState):
    """The part of a session that explains its answers."""

    @deep
    @quiet
    @in_turn
    def explain(
        self, query: str, best: Count = 5, without: str | Sequence[str] | None = None
    ) -> Explanation:
        """Why an answer has its weight: facts, rules and the `best` groundings of each.

        With `without`, the answer that there would be without that fact (or those facts).

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> _ = s.add("parent(ann, bob). 0.5::parent(bob, cid).", source="family")
        >>> _ = s.add("grandparent(X, Z) :- parent(X, Y), parent(Y, Z).", source="rules")
        >>> print(s.explain("grandparent(ann, cid)"))
        grandparent(ann, cid) = 0.5
        └─ 0.5  grandparent(X, Z) :- parent(X, Y), parent(Y, Z).   [rules:1]
           └─ Y = bob: parent(ann, bob) 1 × parent(bob, cid) 0.5 = 0.5   [family:1]
        """
        evaluator = self._evaluator
        if without is None and evaluator.members:
            return explain_ensemble(evaluator.members, query, best)
        if without is None:
            return explain(evaluator, query, best)
        facts = [without] if isinstance(without, str) else list(without)
        program, gone = without_facts(self._program, self._symbols, facts)
        return explain(evaluator, query, best, apart(self._evaluator, program), gone)

    @deep
    @quiet
    @in_turn
    def sensitivity(self, query: str) -> Sensitivity:
        """How fast an answer changes with each fact's and rule's weight, the fastest first.

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> _ = s.add("2::p(a, b). 3::q(b, c). r(X, Z) :- p(X, Y), q(Y, Z).")
        >>> [(slope.name, slope.slope) for slope in s.sensitivity("r(a, c)")][1:]
        [('p(a, b)', 3.0), ('q(b, c)', 2.0)]
        """
        return sensitivity(self._evaluator, query)

    @deep
    @quiet
    @in_turn
    def check(self, source: str | None = None, quick: bool = False) -> Findings:
        """Where the program may not mean what it seems to: each finding with its place, its name,
        a sentence why, and a fix. With `source` only about what that source says; `quick` leaves
        out what may take long to compute.

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> _ = s.add("parent(ann, bob).\\nold(X) :- parnet(X, Y).", source="family")
        >>> print(s.check()[0].message)
        nothing is known of parnet/2: it is 0 everywhere
        """
        return check(Checked(self._evaluator, quick), source)

    @deep
    @quiet
    @in_turn
    def diff(self, since: int | str = 1, query: str | None = None, top: Count = 10) -> Difference:
        """The answers that moved most since an earlier point, and the rules that moved them.

        `since` counts changes back (1: before the last one), or names what came after the point:
        "training", or a source. With `query` only the answers of that question are compared.

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> _ = s.add("p(a, b).", source="facts")
        >>> _ = s.add("h(X, Y) :- p(X, Y).", source="rules")
        >>> _ = s.add("0.25::p(a, b).", source="facts")
        >>> print(s.diff())
        1 answer changed since before facts
          h(a, b): 1 → 0.25  (-0.75)
              1 → 0.25  h(X, Y) :- p(X, Y).
        """
        label, program = self._point(since)
        old = apart(self._evaluator, program)
        return difference(old, self._evaluator, f"before {label}", query, top)

    @deep
    @in_turn
    def what_would_change(
        self, question: str, instead: str | None = None, top: Count = 3
    ) -> WhatWouldChange:
        """The smallest edits of one weight, of a fact or of a rule, after which another answer of
        the question is first; with `instead`, that answer. Each edit was tried.

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> _ = s.add("0.9::likes(ann, tea). 0.5::likes(ann, milk).", source="facts")
        >>> _ = s.add("drinks(X, Y) :- likes(X, Y).", source="rules")
        >>> print(s.what_would_change("drinks(ann, Y)", top=1))
        drinks(ann, tea) is first, with 0.9
          if the weight of likes(ann, tea) falls from 0.9 to below 0.5, drinks(ann, milk) is first
        """
        return what_would_change(self._evaluator, question, instead, top)

    def _point(self, since: int | str) -> tuple[str, Program]:
        points = self._state.points  # oldest first
        if not isinstance(since, str):
            if not 1 <= since <= len(points):
                hint = f"{len(points)} changes are kept" if points else "nothing has changed yet"
                raise NeuralLogError(f"there is no point {since} changes back", hint=hint)
            return points[-since]
        found = [point for point in points if point[0] == since]
        if not found:
            hint = did_you_mean(since, [label for label, _ in points])
            raise NeuralLogError(f"no change of the last {len(points)} was {since}", hint=hint)
        return found[-1]
