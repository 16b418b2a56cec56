"""The table of runs on the screen: two are ticked, one is gone back to."""

from __future__ import annotations

import pytest

from tests.chromium import expect, needs_chromium

pytest.importorskip("tensorflow")
pytestmark = [pytest.mark.browser, needs_chromium]

PREPARE = """
from neurallog_kernel import Session
from neurallog_kernel.pictures.runs.widget import RunsView
s = Session()
s.add("p(a, b). p(b, c). p(a, c). learn(w). q(X, Y) :- p(X, Y), w(k). example(q, a, b).")
s.train(epochs=3, learning_rate=0.1)
first = s.query("q(a, b)").weight
s.train(epochs=6, learning_rate=0.3)
second = s.query("q(a, b)").weight
RunsView(s)
"""


def test_two_runs_are_compared_and_one_is_taken_again(open_notebook):
    notebook = open_notebook("runs.ipynb")
    notebook.run(PREPARE)
    page = notebook.page
    table = page.locator(".nlr-table tbody tr")
    expect(table).to_have_count(2)
    for number in (1, 2):
        page.locator(f'input[aria-label="compare run {number}"]').check()
    expect(page.locator(".nlr-moves tr")).not_to_have_count(0)
    expect(page.locator(".nlc-chart")).to_have_count(1)  # the loss of both
    expect(page.locator(".nlc-line")).to_have_count(2)
    expect(page.locator(".nlr-dumbbell")).to_have_count(1)
    weights = notebook.run("print(f'{first:.4g} {second:.4g}')").split()
    expect(page.locator(".nlr-moves .nlr-number")).to_contain_text([*weights])
    page.locator(".nlr-table tbody tr", has_text="0.1").first.locator(".nlr-back").click()
    expect(page.locator(".nlr-said")).to_contain_text("run 1 again")
    assert notebook.run("print(s.query('q(a, b)').weight == first)").strip() == "True"
