"""A function's definition is whole, and a user's function is never taken for a built-in one."""

from __future__ import annotations

import inspect
import subprocess
import sys

import numpy as np
import pytest

from neurallog_kernel import Session
from neurallog_kernel.functions import AGGREGATIONS, BUILTIN_FUNCTIONS, COMBINERS, elementwise, rows


@pytest.mark.parametrize("name", sorted({*BUILTIN_FUNCTIONS, *AGGREGATIONS}))
def test_a_built_in_function_has_every_form(name: str) -> None:
    function = {**BUILTIN_FUNCTIONS, **AGGREGATIONS}[name]
    assert function.derivative is not None and function.with_tensorflow is not None


@pytest.mark.parametrize("module", [elementwise, rows])
def test_a_form_that_is_missing_is_an_error_at_definition(module: object) -> None:
    """Not a KeyError in training."""
    made = module._made  # type: ignore[attr-defined]
    required = [
        p
        for p in inspect.signature(made).parameters.values()
        if p.default is inspect.Parameter.empty
    ]
    assert {"numpy", "tensorflow"} < {p.name for p in required}
    with pytest.raises(TypeError):
        made("half", "x / 2", *[lambda x: x / 2] * (len(required) - 3))


@pytest.mark.parametrize("name", sorted(COMBINERS))
def test_a_function_called_like_a_combiner_is_itself(name: str) -> None:
    session = Session()
    session.register(name, lambda a, b: 10 * a + b, inputs=2)
    session.add(f"0.5::p(a, b). 2::q(a, b). h(X, Y) :- p(X, Z), q(X, W), {name}(Z, W, Y).")
    assert session.query("h(a, Y)").weights == {("b",): pytest.approx(7.0)}


def test_an_aggregate_called_count_is_itself() -> None:
    session = Session()
    session.register("count", lambda rows: 3 * rows.sum(axis=-1), kind="aggregate")
    session.add("0.5::p(a, b). 2::p(a, c). h(X) :- p(X, Y), count(Y).")
    assert session.query("h(a)").weights == {(): 7.5}


@pytest.mark.parametrize("name", ["square_root", "logarithm", "inverse"])
def test_a_function_is_zero_where_it_has_no_value(name: str) -> None:
    session = Session()
    session.add(f"-4::p(a, b). 4::p(a, c). 0::p(a, d). h(X, Y) :- p(X, Y), {name}(Y).")
    answers = session.query("h(a, Y)").weights
    assert np.isfinite(list(answers.values())).all()
    assert ("d",) not in answers and (name == "inverse" or ("b",) not in answers)


def test_questions_do_not_import_tensorflow() -> None:
    names = ", ".join(f"{name}(Y)" for name in BUILTIN_FUNCTIONS)
    code = (
        "import sys; from neurallog_kernel import Session; s = Session();"
        f"s.add('p(a, b). h(X, Y) :- p(X, Y), {names}.'); s.query('h(a, Y)');"
        "s.sensitivity('h(a, b)'); assert 'tensorflow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
