"""A predicate as a Keras model: names or indexes in, weights out, to be trained further."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from neurallog_kernel.errors import NeuralLogError
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.export.entities import Entities
from neurallog_kernel.export.graph import GraphMaker
from neurallog_kernel.export.question import ExportedQuestion
from neurallog_kernel.network.compiler import Compiler
from neurallog_kernel.network.parameters import LearnedPredicates, Parameter
from neurallog_kernel.network.tensorflow import keras, tensorflow


def keras_model(
    evaluator: Evaluator,
    question: ExportedQuestion,
    dtype: str,
    unknown: str,
) -> Any:
    """The model of a question, with the learned weights of the program as it is now."""
    parameters = LearnedPredicates(evaluator.program, evaluator.storage.relations, dtype)
    compiler = Compiler(parameters, evaluator.engine, evaluator.planner.algebra)
    return _model_class()(question, compiler, dtype, unknown)


@cache
def _model_class() -> Any:
    """Made when Keras is there."""
    tf = tensorflow()

    class PredicateModel(keras().Model):  # type: ignore[misc]
        """A predicate of a NeuralLog program.

        `names` are the entities of its output: weights[i, j] is that of names[j] for input i.
        `entities` are those of each input, in the order of their indexes.
        """

        def __init__(
            self, question: ExportedQuestion, compiler: Compiler, dtype: str, unknown: str
        ):
            name = f"{question.signature[0]}_{question.signature[1]}"
            super().__init__(name=name, dtype=dtype, autocast=False)
            self.predicate = question.predicate
            self.names = tuple(question.names)
            self.entities = tuple(map(tuple, question.inputs))
            self._question = question
            self._lookup = Entities(question, unknown) if question.places else None
            self._learned = {
                parameter.key: self.add_weight(
                    shape=(parameter.size,),
                    initializer=lambda shape, dtype, own=parameter: tf.cast(own.variable, dtype),
                    dtype=dtype,
                    name="_".join(map(str, parameter.key)),
                )
                for parameter in _learned(question, compiler)
            }
            self._functions = question.models
            self._graph = GraphMaker(compiler.engine, dtype, compiler, self._learned)
            self.built = True

        def __call__(self, inputs: Any = None, *more: Any, **options: Any) -> Any:
            if self._lookup is None:
                return self._question.weights(self._graph, [])
            return super().__call__(_as_tensors(inputs, len(self.entities)), *more, **options)

        def call(self, inputs: Any) -> Any:
            lookup = self._lookup
            assert lookup is not None  # `__call__` answers where nothing is given
            given = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
            indexes, known = lookup.indexes([tf.reshape(one, [-1]) for one in given])
            return lookup.without_unknown(self._question.weights(self._graph, indexes), known)

        def get_config(self) -> Any:
            raise NeuralLogError(
                "this model is part of a session, and Keras cannot save it alone",
                hint="session.save keeps the program, session.export_saved_model writes a model "
                "that runs by itself, and model.save_weights keeps the weights",
            )

    return PredicateModel


def _learned(question: ExportedQuestion, compiler: Compiler) -> list[Parameter]:
    """The learned predicates that the question depends on."""
    found = [compiler.parameter(node) for node in question.nodes]
    return list(dict.fromkeys(parameter for parameter in found if parameter is not None))


def _as_tensors(inputs: Any, places: int) -> Any:
    """Lists of names as tensors, which is all that Keras takes; one for each place."""
    if places > 1 and isinstance(inputs, Sequence) and len(inputs) == places:
        return [_as_tensor(one) for one in inputs]
    return _as_tensor(inputs)


def _as_tensor(values: Any) -> Any:
    return tensorflow().constant(values) if isinstance(values, list | tuple) else values
