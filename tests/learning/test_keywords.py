"""The options that editors are told are those that the work takes."""

import inspect
from dataclasses import fields

from neurallog_kernel.learning.choices.keywords import EvaluateKeywords, TrainKeywords
from neurallog_kernel.learning.choices.options import TrainOptions
from neurallog_kernel.learning.figures.evaluation import evaluate


def declared(keywords: type) -> dict[str, str]:
    return {name: kind.__forward_arg__ for name, kind in keywords.__annotations__.items()}


def test_those_of_train():
    assert declared(TrainKeywords) == {field.name: field.type for field in fields(TrainOptions)}


def test_those_of_evaluate():
    *taken, unknown = list(inspect.signature(evaluate).parameters.values())[2:]
    assert unknown.kind is inspect.Parameter.VAR_KEYWORD
    assert declared(EvaluateKeywords) == {one.name: one.annotation for one in taken}
