"""A predicate as a TensorFlow SavedModel: names in, weights out, without this package."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from neurallog_kernel.evaluate.engine import Engine
from neurallog_kernel.export.entities import Entities
from neurallog_kernel.export.graph import GraphMaker
from neurallog_kernel.export.question import ExportedQuestion
from neurallog_kernel.network.tensorflow import tensorflow
from neurallog_kernel.quiet import quiet_stderr
from neurallog_kernel.writing import whole_folder

DESCRIPTION = "neurallog.json"


def save_model(
    question: ExportedQuestion,
    engine: Engine,
    path: str | Path,
    dtype: str,
    unknown: str,
    overwrite: bool,
) -> None:
    """Write the SavedModel, whole or not at all."""
    with whole_folder(path, overwrite) as folder:
        module = _module(question, engine, dtype, unknown)
        with quiet_stderr():
            tensorflow().saved_model.save(module, str(folder), signatures=module.signatures_)
        extra = folder / "assets.extra"  # where tools look for files that the graph does not read
        extra.mkdir(exist_ok=True)
        text = json.dumps(_description(question, dtype, unknown), ensure_ascii=False, indent=1)
        (extra / DESCRIPTION).write_text(text + "\n", encoding="utf-8")


def _module(question: ExportedQuestion, engine: Engine, dtype: str, unknown: str) -> Any:
    tf = tensorflow()
    graph = GraphMaker(engine, dtype)
    entities = Entities(question, unknown) if question.places else None
    names = tf.constant(question.names, tf.string, shape=[len(question.names)])

    def weights(*given: Any) -> Any:
        if entities is None:
            return question.weights(graph, [])
        indexes, known = entities.indexes(given)
        return entities.without_unknown(question.weights(graph, indexes), known)

    def best(k: Any, *given: Any) -> dict[str, Any]:
        number = tf.clip_by_value(k, 0, len(question.names))
        found, where = tf.math.top_k(weights(*given), number)
        return {"names": tf.gather(names, where), "weights": found}

    key = "weights" if question.has_names else "weight"
    module = tf.Module(name="neurallog")
    inputs = [tf.TensorSpec([None], tf.string, name=name) for name in question.arguments]
    module.query = _function(lambda *given: {key: weights(*given)}, inputs)
    signatures = {"serving_default": module.query}
    if question.has_names:
        number = tf.TensorSpec([], tf.int32, name="k")
        module.top = _function(lambda *given: best(given[-1], *given[:-1]), [*inputs, number])
        module.names = _function(lambda: {"names": tf.identity(names)}, [])
        signatures |= {"top": module.top, "names": module.names}
    for function in signatures.values():
        function.get_concrete_function()  # so that all that it needs is made now
    module.kept = [graph.store.variables, question.models, entities.tables if entities else []]
    module.signatures_ = signatures
    return module


def _function(call: Callable[..., Any], inputs: list[Any]) -> Any:
    """A TensorFlow function whose arguments have the names of its inputs."""

    def named(*given: Any) -> Any:
        return call(*given)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(spec.name, kind) for spec in inputs]
    named.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return tensorflow().function(named, input_signature=inputs, autograph=False)


def _description(question: ExportedQuestion, dtype: str, unknown: str) -> dict[str, Any]:
    return {
        "predicate": question.predicate,
        "inputs": {
            name: {"place": place + 1, "entities": names}
            for name, place, names in zip(
                question.arguments, question.places, question.inputs, strict=True
            )
        },
        "output": None if question.output is None else question.output + 1,
        "names": question.names,
        "dtype": dtype,
        "unknown": unknown,
    }
