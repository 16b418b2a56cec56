"""The examples of a set with the weights that the program gives them, as text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language.printer import format_clause, format_literal
from neurallog_kernel.language.syntax import Constant, Fact, Literal, Variable
from neurallog_kernel.learning.examples.targets import Examples, examples_of, target_of
from neurallog_kernel.learning.figures.predictions import predict


def inference(evaluator: Evaluator, name: str) -> str:
    """Weighted atoms, one a line, which can be read as facts. Those with an output come by input,
    best first, under a comment with the question they answer."""
    program, symbols = evaluator.program, evaluator.symbols
    lines: list[str] = []
    for listed in examples_of(program, symbols, name):
        examples = listed.each_atom_once()
        arity = examples.signature[1]
        target = target_of(program, examples, arity - 1 if arity else None)
        weights = predict(evaluator, target)
        if arity < 2:
            lines += _flat(examples, weights, symbols)
        else:
            lines += _by_input(examples, target.rows, weights, symbols)
    return "\n".join(lines).rstrip("\n") + "\n"


def _flat(examples: Examples, weights: np.ndarray, symbols: SymbolTable) -> Iterator[str]:
    for place, weight in enumerate(weights.tolist()):
        yield format_clause(Fact(_atom(examples, place, symbols), weight))
    yield ""


def _by_input(
    examples: Examples, rows: np.ndarray, weights: np.ndarray, symbols: SymbolTable
) -> Iterator[str]:
    before = None
    for place in np.lexsort((-weights, rows)).tolist():
        atom = _atom(examples, place, symbols)
        if rows[place] != before:
            if before is not None:
                yield ""
            before = rows[place]
            asked = Literal(atom.predicate, (*atom.terms[:-1], Variable("X")))
            yield f"%% {format_literal(asked)}."
        yield format_clause(Fact(atom, float(weights[place])))
    yield ""


def _atom(examples: Examples, place: int, symbols: SymbolTable) -> Literal:
    terms = tuple(Constant(symbols.name(int(column[place]))) for column in examples.places)
    return Literal(examples.signature[0], terms)
