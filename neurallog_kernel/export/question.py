"""A predicate as it is exported: which places are given, and what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from neurallog_kernel.errors import QueryError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.export.graph import GraphMaker
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.network.tensorflow import tensorflow
from neurallog_kernel.plan.exprs import Apply, Expr, everything


@dataclass(frozen=True, eq=False)
class ExportedQuestion:
    """The network of a predicate towards one place.

    `places` are those that are given, `inputs` the names of their entities in the order of their
    index. `names` are the entities of the output, sorted as answers of equal weight are; `order` is
    where each of them stands in its type. A predicate of one place takes it and gives one number.
    """

    signature: Signature
    output: int | None
    places: tuple[int, ...]
    inputs: tuple[list[str], ...]
    names: list[str]
    order: np.ndarray
    expr: Expr

    @property
    def predicate(self) -> str:
        return f"{self.signature[0]}/{self.signature[1]}"

    @property
    def arguments(self) -> list[str]:
        """What the inputs are called: their places, counted from 1."""
        return [f"argument_{place + 1}" for place in self.places]

    @property
    def has_names(self) -> bool:
        """Whether an answer is a weight for each entity of the output, not one number."""
        return self.output is not None

    def weights(self, graph: GraphMaker, indexes: Sequence[Any]) -> Any:
        """The weights for a batch of inputs: [batch, names], [batch], or one number."""
        tf = tensorflow()
        if not self.places:
            return graph.value(self.expr, {})[0]
        if self.output is None:
            return graph.at(self.expr, indexes[0])
        found = graph.value(self.expr, dict(zip(self.places, indexes, strict=True)))
        if not np.array_equal(self.order, np.arange(len(self.order))):
            found = tf.gather(found, graph.store.positions((self, "order"), self.order))
        shape = tf.stack([tf.shape(indexes[0])[0], len(self.order)])
        return tf.broadcast_to(tf.transpose(found), shape)

    @cached_property
    def nodes(self) -> list[Expr]:
        """All expressions that may be computed for it."""
        return list(everything([self.expr]))

    @property
    def models(self) -> list[Any]:
        """The Keras layers and models that the predicate uses."""
        functions = [node.function for node in self.nodes if isinstance(node, Apply)]
        return list({f.name: f.model for f in functions if f.model is not None}.values())


def question_of(
    evaluator: Evaluator, signature: Signature, output: int | None = None
) -> ExportedQuestion:
    """The question that ranks the entities at `output` (0 is the first place; default the last)."""
    arity = signature[1]
    _check_role(evaluator.program, signature)
    layer = evaluator.layer(signature, output)
    ranked = layer.output_place if arity > 1 else None  # of one place, the entity is given
    places = tuple(place for place in range(arity) if place != ranked)
    unsorted = [] if ranked is None else evaluator.names(signature, ranked)
    order = np.array(sorted(range(len(unsorted)), key=unsorted.__getitem__), dtype=np.int64)
    names = [unsorted[place] for place in order.tolist()]
    inputs = tuple(evaluator.names(signature, place) for place in places)
    return ExportedQuestion(signature, ranked, places, inputs, names, order, layer.result)


def _check_role(program: Program, signature: Signature) -> None:
    if program.role(signature) in (Role.ATTRIBUTE, Role.NUMERIC):
        raise QueryError(
            f"{_name(signature)} holds numbers: it is a table, not a network",
            hint=f'session.weights("{_name(signature)}") gives the table; '
            "export a predicate whose rules use it",
        )


def _name(signature: Signature) -> str:
    return f"{signature[0]}/{signature[1]}"
