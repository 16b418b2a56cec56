"""The part of a session that scores: the best answers of all questions, computed by a database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from neurallog_kernel.arguments import Count
from neurallog_kernel.depth import deep
from neurallog_kernel.engines.attached_scores import AttachedEngine
from neurallog_kernel.engines.best import Asked
from neurallog_kernel.engines.duckdb import DuckDBEngine
from neurallog_kernel.engines.duckdb_connection import DuckDBConnection
from neurallog_kernel.engines.estimates import BUDGET
from neurallog_kernel.engines.job import Job
from neurallog_kernel.engines.spark import SparkRunner
from neurallog_kernel.engines.spark_connection import SparkConnection
from neurallog_kernel.errors import ParameterError, QueryError, UnknownEntityError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.knowledge.describe import one_named
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.state import LiveState, in_turn

if TYPE_CHECKING:
    from neurallog_kernel.engines.runner import Runner


class SessionScores(LiveState):
    """The part of a session that scores."""

    @deep
    @in_turn
    def score(
        self,
        predicate: str,
        top: Count | None = 10,
        of: str | Sequence[str] | None = None,
        inverse: bool = False,
        budget: float = BUDGET,
        memory: str | None = None,
    ) -> Job:
        """The best answers of all questions of a predicate, computed by a database: `p(e, Y)` for
        each entity, or with `inverse` `p(X, e)`; of a unary predicate the best entities.

        Nothing runs yet: the job tells its size (`estimate`), its SQL, and where its rows go
        (`to_parquet`, `to_table`, `to_pandas`). `of` is a unary predicate or a list of the entities
        that ask; `top=None` keeps all answers. More paths than the `budget` are refused. The facts
        of the session are copied into DuckDB, which uses at most `memory`, as in "2GB".

        >>> from neurallog_kernel import Session
        >>> s = Session()
        >>> _ = s.add("0.5::likes(ann, tea). likes(ann, jam). likes(bob, jam).")
        >>> s.score("likes/2", top=1).to_pandas()
          asked  rank answer  weight
        0   ann     1    jam     1.0
        1   bob     1    jam     1.0
        """
        evaluator, program = self._evaluator, self._program
        signature = one_named(program, predicate)
        if top == 0:
            raise ParameterError("top must be at least 1, not 0", hint="top=None keeps all answers")
        if budget <= 0:
            raise ParameterError(f"budget must be more than 0, not {budget}")
        _check_scored(evaluator, signature)
        output = 0 if signature[1] == 1 or inverse else 1
        layer = evaluator.layer(signature, None if signature[1] == 1 else output)
        runner = self._runner(evaluator, memory)
        lacking = runner.supports(layer.result)
        if lacking is not None:
            hint = "rank(...) computes it in this process"
            raise QueryError(
                f"{predicate} cannot be scored by {runner.address}: {lacking}", hint=hint
            )
        place = 1 - output if signature[1] == 2 else 0
        asking = program.type_ref((*signature, place)) if signature[1] == 2 else None
        answering = program.type_ref((*signature, output))
        who, table = "", ""
        if of is not None:
            if asking is None:
                raise ParameterError(
                    f"{predicate} has one argument only, so nobody asks", hint="leave out of"
                )
            names = self._asking(evaluator, of)
            who = of if isinstance(of, str) else f"{len(names):,} entities"
            _check_known(evaluator, (*signature, place), [] if isinstance(of, str) else names)
            table = runner.asking(asking, names)
        asked = Asked(layer.result, place, asking, answering, top, table)
        return Job(signature, asked, layer, runner, lambda: self._program is program, budget, who)

    def _runner(self, evaluator: Evaluator, memory: str | None) -> Runner:
        """The database that the session is connected to; else one in this process."""
        connection = None if self._reader is None else self._reader.connection
        if connection is not None and memory is not None:
            hint = "say it there: connect(address, memory='2GB'); --database-memory on the shell"
            raise ParameterError("the memory of a connection is set by connect", hint=hint)
        if isinstance(connection, SparkConnection):
            return SparkRunner(evaluator.storage, connection=connection)
        if isinstance(connection, DuckDBConnection):
            return AttachedEngine(evaluator.storage, connection=connection)
        return DuckDBEngine(evaluator.storage, memory=memory)

    def _asking(self, evaluator: Evaluator, of: str | Sequence[str]) -> list[str]:
        """The names of those who ask."""
        if not isinstance(of, str):
            return list(of)
        signature = one_named(evaluator.program, of)
        if signature[1] != 1 or evaluator.program.role(signature) is not Role.RELATION:
            hint = "a unary predicate or a list of names can"
            raise QueryError(f"{of} cannot name the entities that ask", hint=hint)
        rows = evaluator.rows(evaluator.layer(signature).result)
        indexes = np.flatnonzero(rows.dense()[0])
        members = evaluator.domain(signature, 0).members[indexes]
        return evaluator.symbols.names(members.tolist())


def _check_scored(evaluator: Evaluator, signature: Signature) -> None:
    name, arity = f"{signature[0]}/{signature[1]}", signature[1]
    if evaluator.program.role(signature) is not Role.RELATION or arity == 0:
        hint = "a relation between two entities, or a concept, can"
        raise QueryError(f"{name} cannot be scored", hint=hint)
    if arity > 2:
        hint = f"write a rule with two arguments, as in pair(X, Y) :- {signature[0]}(X, _, Y)."
        raise QueryError(f"{name} has {arity} arguments, and only two can be scored", hint=hint)


def _check_known(evaluator: Evaluator, slot: tuple[str, int, int], names: Sequence[str]) -> None:
    evaluator.domain(slot[:2], slot[2]).look_for(names)
    for name in names:
        if evaluator.index(slot[:2], slot[2], name) is None:
            where = f"place {slot[2] + 1} of {slot[0]}/{slot[1]}"
            raise UnknownEntityError(f"unknown entity {name} at {where}")
