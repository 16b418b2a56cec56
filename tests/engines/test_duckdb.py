"""DuckDB computes what SciPy computes: generated programs, every operation, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from neurallog_kernel import Session
from neurallog_kernel.engines.duckdb import DuckDBEngine
from neurallog_kernel.functions import COMBINERS
from neurallog_kernel.functions.elementwise import ELEMENTWISE
from neurallog_kernel.functions.rows import AGGREGATES
from neurallog_kernel.plan import sharing
from tests.engines.compare import compared, dense
from tests.programs import Drawn, program

pytest.importorskip("duckdb", reason="the extra tables, which brings DuckDB, is not installed")

PROGRAMS = 30
FACTS = """
0.5::p(a, b). -1::p(b, c). 2::p(c, a). p(a, c). 0.3::t(b). t(c). -0.4::u(a).
age(a, 4). 3::age(b, 7). w(2, 0.5). 0.2::on. 0.7::gave(a, b, c). gave(b, b, a).
"""


@pytest.mark.parametrize("block", range(6))
def test_generated_programs(block: int) -> None:
    size = PROGRAMS // 6
    same = refused = 0
    for seed in range(block * size, (block + 1) * size):
        session = Session()
        session.add(str(program(Drawn(seed))))
        one, other = compared(session)
        same, refused = same + one, refused + other
    assert (same > 100, refused) == (True, 0)


def test_every_kind_of_fact() -> None:
    session = Session()
    session.add(FACTS)
    session.add(
        """
        g(X, Z) :- p(X, Y), p(Y, Z), t(Y), on.
        loop(X) :- p(X, X), age(X, A), w(2, B).
        old(X) :- age(X, 7). grown(X, Y) :- p(X, Y), age(X, A), at_least(A, 5).
        named(X) :- p(X, c), not t(X), p(a, b). one_way(X, Y) :- p(X, Y), not p(Y, X).
        far(X, Y) :- p(X, Y). far(X, Y) :- p(X, Z), far(Z, Y).
        0.7::h(X, X) :- p(X, Y), w(A, B). gift(X, Y) :- gave(X, Z, Y), t(Z).
        bias(X, Y) :- p(X, Z), sigmoid(Z), p(Z, Y). any(X, Y) :- p(X, Z), t(Y).
        """
    )
    assert compared(session) == (27, 0)


@pytest.mark.parametrize("function", [f.name for f in ELEMENTWISE])
def test_every_function_of_an_entry(function: str) -> None:
    session = Session()
    session.add(FACTS)
    session.add(f"f(X, Y) :- p(X, Y), {function}(Y). c(X) :- u(X), {function}(X).")
    same, refused = compared(session)
    assert (same, refused) == (11, 0)


@pytest.mark.parametrize("combiner", COMBINERS)
def test_every_combiner(combiner: str) -> None:
    session = Session()
    session.add(FACTS)
    session.add("f(X, Y) :- p(X, Y), t(Y). f(X, Y) :- p(Y, X). c(X) :- t(X). c(X) :- u(X).")
    for name in ("literal", "and", "path", "edge"):
        session.add(f'set_parameter({name}_combining_function, "{combiner}").', source=name)
    same, refused = compared(session)
    assert (same, refused) == (11, 0)


@pytest.mark.parametrize("function", [f.name for f in AGGREGATES])
def test_every_aggregate(function: str) -> None:
    session = Session()
    session.add(FACTS)
    session.add(f'set_parameter(any_aggregation_function, "{function}").', source="set")
    session.add(f"f(X, Y) :- p(X, Z), t(Y). s(X) :- p(X, Y), {function}(Y).")
    same, refused = compared(session)
    assert same > 8 and refused == 0


def test_calls_that_are_planned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SHARED_FROM", "OPENINGS_A_LEVEL", "SMALL"):
        monkeypatch.setattr(sharing, name, 0)
    session = Session()
    session.add("p(a, b). 0.5::s(a, b). s(b, b). q(b, c). 2::q(b, d).")
    session.add("r(X, Y) :- q(X, Y). r(X, Y) :- p(X, Z), q(Z, Y). i(X, Y) :- s(X, Z), r(Y, Z).")
    session.add("t(X, Y) :- s(X, Z), r(Z, Y). t(X, Y) :- s(X, Z), s(Z, A), r(A, Y).")
    same, refused = compared(session)
    assert (same, refused) == (12, 0)


def test_functions_of_a_row_and_the_best_parts() -> None:
    session = Session()
    session.add(FACTS)
    session.add('set_predicate_parameter("m/2", literal_combining_function, "top_2").')
    session.add(
        """
        s(X, Y) :- p(X, Y), softmax(Y). n(X, Y) :- p(X, Y), normalize(Y), tanh(Y).
        o(X) :- p(X, Y), softmax(Y), u(Y). both(X, Y) :- p(X, Z), sigmoid(Z), softmax(Z), p(Z, Y).
        m(X, Y) :- p(X, Y). m(X, Y) :- p(Y, X). m(X, Y) :- t(X), u(Y). m(X, X) :- u(X).
        """
    )
    assert compared(session) == (17, 0)


def test_a_python_function_of_entries_runs_in_the_database() -> None:
    session = Session()
    session.add(FACTS)
    session.register("twice", lambda x: 2 * x + 1)
    session.add("f(X, Y) :- p(X, Y), twice(Y). g(X) :- p(X, Y), twice(Y), u(Y).")
    assert compared(session) == (11, 0)


def test_what_has_no_form_in_sql_is_named() -> None:
    session = Session()
    session.add(FACTS)
    session.register("spread", lambda row: row - row.mean(axis=-1, keepdims=True), kind="rowwise")
    session.add("f(X, Y) :- p(X, Y), spread(Y).")
    engine = DuckDBEngine(session._evaluator.storage)
    said = engine.supports(session._evaluator.layer(("f", 2)).result)
    assert said == "the function spread: it has no form in SQL"


def test_an_edit_is_another_table() -> None:
    session = Session()
    session.add(FACTS)
    session.add("g(X, Z) :- p(X, Y), p(Y, Z).", source="rules")
    compared(session)
    engine = DuckDBEngine(session._evaluator.storage)
    layer = session._evaluator.layer(("g", 2))
    given = session._evaluator.given(("g", 2), {0: 0})
    before = dense(engine.evaluate(layer.result, given), 1)
    session.add("0.25::p(a, b).", source="edit")
    new, layer = engine.bind(session._evaluator.storage), session._evaluator.layer(("g", 2))
    expected = dense(session._evaluator.value(layer.result, given), 1)
    assert np.allclose(dense(new.evaluate(layer.result, given), 1), expected)
    assert not np.allclose(expected, before)
    with pytest.raises(LookupError, match="another version"):
        engine.evaluate(layer.result, given)
