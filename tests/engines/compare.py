"""Answers of an engine beside those of the SciPy executor, for all entities at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.engines.duckdb import DuckDBEngine
from neurallog_kernel.evaluate.rows import Rows, one_hot
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.language.syntax import Signature


def dense(value: Rows | np.ndarray, batch: int) -> np.ndarray:
    found = value.reshape(-1, 1) if isinstance(value, np.ndarray) else value.dense()
    return np.broadcast_to(found, (batch, found.shape[1]))


def compared(session: Session) -> tuple[int, int]:
    """Every predicate towards every place, for all entities at once: how many were the same, and
    how many the engine refused."""
    scipy = session._evaluator
    duckdb = replace(scipy, engine=DuckDBEngine(scipy.storage))
    same = refused = 0
    for signature in list(session._program.definitions):
        if session._program.role(signature) is not Role.RELATION:
            continue
        for output in range(signature[1]) or [None]:
            try:
                layer = scipy.layer(signature, output)
            except NeuralLogError:
                continue
            places = [p for p in range(signature[1]) if p != output]
            sizes = [len(scipy.domain(signature, p)) for p in places]
            if not all(sizes):
                continue
            batch = max(sizes, default=1)
            columns = {p: np.arange(batch) % s for p, s in zip(places, sizes, strict=True)}
            if duckdb.engine.supports(layer.result) is not None:
                refused += 1
                continue
            given = {p: scipy.given(signature, {p: 0})[p] for p in places}
            given = {p: one_hot(given[p].size, column) for p, column in columns.items()}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # overflow, on both sides
                expected = dense(scipy.value(layer.result, given), batch)
                found = dense(duckdb.value(layer.result, given), batch)
            small = np.isfinite(expected) & (np.abs(expected) < 1e30)
            assert np.allclose(found[small], expected[small], rtol=1e-9, atol=1e-9), signature
            same += 1
    return same, refused


def scored(session: Session, make: Callable[[Session], Any] | None = None) -> int:
    """Every predicate that can be scored, towards both places: listed weights, what is not listed,
    and the best two. How many were the same."""
    same = 0
    for signature, output in _scoreable(session):
        name = f"{signature[0]}/{signature[1]}"
        options = {"inverse": output == 0 and signature[1] == 2}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            expected = _expected(session, signature, output)
        if not np.isfinite(expected).all() or np.abs(expected).max(initial=0) > 1e30:
            continue
        job = session.score(name, top=None, **options)
        if make is not None:
            job.runner = make(session)
        found = _dense(session, signature, output, job.to_arrow().to_pylist(), expected.shape)
        assert np.allclose(found, expected, rtol=1e-9, atol=1e-9), (name, output)
        same += 1
    return same


def _scoreable(session: Session) -> Iterator[tuple[Signature, int]]:
    program = session._program
    for signature in list(program.definitions):
        if program.role(signature) is Role.RELATION and signature[1] in (1, 2):
            for output in range(signature[1]):
                places = range(signature[1])
                if all(len(program.entity_type((*signature, place))) for place in places):
                    yield signature, output


def _expected(session: Session, signature: Signature, output: int) -> np.ndarray:
    scipy = session._evaluator
    if signature[1] == 1:
        return dense(scipy.value(scipy.layer(signature).result), 1)
    layer, size = scipy.layer(signature, output), len(scipy.domain(signature, 1 - output))
    given = {1 - output: one_hot(size, np.arange(size))}
    return dense(scipy.value(layer.result, given), size)


def _dense(
    session: Session,
    signature: Signature,
    output: int,
    rows: list[dict[str, Any]],
    shape: tuple[int, ...],
) -> np.ndarray:
    """Rows of a score as an array; all that is not listed is the rest of its question."""
    evaluator = session._evaluator
    asked = (
        {n: i for i, n in enumerate(evaluator.names(signature, 1 - output))}
        if signature[1] == 2
        else {}
    )
    answers = {n: i for i, n in enumerate(evaluator.names(signature, output))}
    found = np.zeros(shape)
    for row in rows:
        if row["answer"] is None:
            found[asked.get(row.get("asked"), 0)] = row["weight"]
    for row in rows:
        if row["answer"] is not None:
            found[asked.get(row.get("asked"), 0), answers[row["answer"]]] = row["weight"]
    return found
