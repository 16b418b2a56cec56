"""A program with what plans and computes its answers: one object for all who need values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from neurallog_kernel.errors import QueryError
from neurallog_kernel.evaluate.calls import batch_size
from neurallog_kernel.evaluate.engine import Bindings, Engine, EngineValue
from neurallog_kernel.evaluate.ensembles import mean_rows
from neurallog_kernel.evaluate.rows import Rows, entity_row, look_up, one_hot
from neurallog_kernel.knowledge.attached_types import AttachedType
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.plan.exprs import Expr
from neurallog_kernel.plan.layers import LiteralLayer
from neurallog_kernel.plan.planner import Planner
from neurallog_kernel.plan.row_literal import Groups
from neurallog_kernel.plan.sharing import CallChain


@dataclass(frozen=True, eq=False, slots=True)
class Evaluator:
    """One state of a program: its layers, its entities and the values of its expressions."""

    planner: Planner
    engine: Engine
    members: tuple[Evaluator, ...] = ()  # of an ensemble, whose values are their mean

    @property
    def storage(self) -> Storage:
        return self.engine.storage

    @property
    def program(self) -> Program:
        return self.engine.storage.program

    def of(self, program: Program) -> Evaluator:
        """That of another version of the program."""
        return Evaluator(self.planner, self.engine.bind(self.storage.of(program)))

    # -- layers ---------------------------------------------------------------------------------

    def layer(
        self,
        signature: Signature,
        output: int | None = None,
        chain: CallChain = (),
        groups: Groups = (),
    ) -> LiteralLayer:
        """The layer that answers a predicate of any arity; `output` is the open place of two or
        more (by default the last), `groups` are places that hold one term."""
        if output is not None and not 0 <= output < signature[1]:
            name = f"{signature[0]}/{signature[1]}"
            raise QueryError(f"{name} has no place {output}", hint="0 is the first place")
        return self.planner.question(self.program, signature, output, chain, groups)

    # -- entities -------------------------------------------------------------------------------

    @property
    def symbols(self) -> SymbolTable:
        return self.engine.storage.symbols

    def domain(self, signature: Signature, place: int) -> EntityType:
        """The entities that can stand at a place."""
        return self.program.entity_type((*signature, place))

    def kind(self, expr: Expr) -> EntityType | None:
        """The entities that a vector is over; None for a number."""
        return None if expr.domain is None else self.storage.entities(expr.domain)

    def index(self, signature: Signature, place: int, name: str) -> int | None:
        """Where an entity stands in the vectors of a place; None if it is not of that type."""
        return self.domain(signature, place).index_of(name, self.symbols)

    def name(self, signature: Signature, place: int, index: int) -> str:
        """The entity at an index of the vectors of a place."""
        return self.symbols.name(self.domain(signature, place).symbol_at(index))

    def names(self, signature: Signature, place: int) -> list[str]:
        """All entities of a place, in the order of its vectors."""
        return self.symbols.names(self.domain(signature, place).members.tolist())

    def given(self, signature: Signature, indexes: Mapping[int, int]) -> dict[int, Rows]:
        """The inputs of a question that names one entity at some places."""
        return {
            place: entity_row(len(self.domain(signature, place)), index)
            for place, index in indexes.items()
        }

    # -- values ---------------------------------------------------------------------------------

    def value(self, expr: Expr, inputs: Bindings | None = None, key: object = None) -> EngineValue:
        """What the engine computes; expressions asked with the same `key` share their work."""
        return self.engine.evaluate(expr, inputs, key)

    def rows(self, expr: Expr, inputs: Bindings | None = None, key: object = None) -> Rows:
        """The value of an expression that is a vector."""
        found = self.engine.evaluate(expr, inputs, key)
        assert isinstance(found, Rows)
        return found

    def at(self, expr: Expr, index: int | None) -> float:
        """An entry of a vector that depends on no input, or a number (then `index` is None)."""
        found = self.engine.evaluate(expr)
        if isinstance(found, np.ndarray):
            return float(found[0])
        assert index is not None
        return float(look_up(found, np.array([index], dtype=np.int64), 1)[0])

    def batches(
        self, layer: LiteralLayer, columns: Mapping[int, np.ndarray], steady: bool = False
    ) -> Iterator[tuple[np.ndarray, Rows]]:
        """A layer for many questions, so many at once that memory is bounded: which of them, and
        their vectors. `columns` are the entities that they name at each place. Where facts are
        fetched, more are asked at once as long as few are listed, unless it is to be `steady`."""
        if self.members:
            yield from self._mean_batches(layer, columns)
            return
        output = layer.output_place
        assert output is not None
        sizes = {place: len(self.domain(layer.signature, place)) for place in columns}
        kinds = [self.domain(layer.signature, place) for place in (output, *columns)]
        step = batch_size(max(map(len, kinds)))
        fetched = not steady and any(isinstance(kind, AttachedType) for kind in kinds)
        count, start = len(next(iter(columns.values()))), 0
        while start < count:
            chosen = np.arange(start, min(start + step, count))
            inputs = {p: one_hot(sizes[p], column[chosen]) for p, column in columns.items()}
            rows = self.rows(layer.result, inputs)
            yield chosen, rows
            start += len(chosen)
            if fetched and rows.is_sparse:
                fitting = batch_size(-(-len(rows.values) // len(chosen)))
                step = max(step, min(8 * step, fitting))

    def _mean_batches(
        self, layer: LiteralLayer, columns: Mapping[int, np.ndarray]
    ) -> Iterator[tuple[np.ndarray, Rows]]:
        signature, output = layer.signature, layer.output_place
        every = [
            one.batches(one.layer(signature, output), columns, steady=True) for one in self.members
        ]
        for parts in zip(*every, strict=True):
            yield parts[0][0], mean_rows([rows for _, rows in parts])
