"""Facts in tables give the answers of facts in memory: generated programs, split at random."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.language import parse_query
from neurallog_kernel.language.printer import format_literal
from neurallog_kernel.language.syntax import Constant, Variable
from tests.engines.attached_programs import split
from tests.programs import Drawn, program, query
from tests.reference import Reference

pytest.importorskip("duckdb", reason="the extra tables, which brings DuckDB, is not installed")

PROGRAMS = 60
BLOCKS = 6


def answered(session: Session, question: str) -> dict | str:
    try:
        return session.query(question).weights
    except NeuralLogError as error:
        return type(error).__name__


def same(found: dict | str, expected: dict | str) -> bool:
    if isinstance(found, str) or isinstance(expected, str):
        return found == expected
    keys = {*found, *expected}
    return all(
        found.get(k, 0.0) == pytest.approx(expected.get(k, 0.0), rel=1e-9, abs=1e-9, nan_ok=True)
        for k in keys
    )


@pytest.mark.parametrize("block", range(BLOCKS))
def test_answers_of_generated_programs(block: int) -> None:
    asked = 0
    for seed in range(block * PROGRAMS // BLOCKS, (block + 1) * PROGRAMS // BLOCKS):
        choices = Drawn(seed)
        text = program(choices, wide=seed % 3 == 2)
        whole, attached = split(text, choices)
        reference = Reference(str(text))
        for _ in range(6):
            question = query(choices, reference)
            if question is None:
                continue
            expected, found = answered(whole, question), answered(attached, question)
            assert same(found, expected), f"seed {seed}: {question}: {found}, not {expected}"
            asked += 1
    assert asked > 30


@pytest.mark.parametrize("block", range(3))
def test_reasons_of_generated_programs(block: int) -> None:
    """Explanations, slopes and the check, which look at facts in ways of their own."""
    explained = 0
    for seed in range(block * 8, block * 8 + 8):
        choices = Drawn(seed)
        text = program(choices, wide=seed % 3 == 2)
        whole, attached = split(text, choices)
        kinds = [Counter(n.kind for n in s.check()) for s in (whole, attached)]
        kinds[0].pop("never_fires", None)  # what a table holds is not read through for it
        kinds[1].pop("never_fires", None)
        assert kinds[0] == kinds[1], f"seed {seed}"
        reference = Reference(str(text))
        for _ in range(4):
            question = query(choices, reference)
            answers = answered(whole, question) if question else {}
            if not isinstance(answers, dict) or not answers or "Q" not in question:
                continue
            ground = _ground(question, next(iter(answers)))
            try:
                expected = whole.explain(ground)
            except NeuralLogError:
                continue
            found = attached.explain(ground)
            values = [sorted(r.value for r in e.rules) for e in (found, expected)]
            assert values[0] == pytest.approx(values[1], rel=1e-9, abs=1e-9, nan_ok=True), ground
            slopes = [{x.name: x.slope for x in s.sensitivity(ground)} for s in (attached, whole)]
            assert slopes[0] == pytest.approx(slopes[1], rel=1e-9, abs=1e-9, nan_ok=True), ground
            explained += 1
    assert explained >= 3


def _ground(question: str, key: tuple[str, ...]) -> str:
    """The question with the entities of an answer for its variables, in order."""
    atom = parse_query(question)
    names, filled, left = {}, [], list(key)
    for term in atom.terms:
        if isinstance(term, Variable):
            name = term.name if not term.anonymous else object()
            if name not in names:
                names[name] = Constant(left.pop(0))
            filled.append(names[name])
        else:
            filled.append(term)
    return format_literal(replace(atom, terms=tuple(filled)))
