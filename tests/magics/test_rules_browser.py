"""The live table of learned rules in JupyterLab: it moves, is clicked, and stays when saved."""

import re

import pytest

from tests.chromium import expect, needs_chromium
from tests.lab import Notebook
from tests.magics.test_rules import FACTS, RULE

pytestmark = [pytest.mark.browser, needs_chromium]
LOAD = "%load_ext neurallog_magics"
LEARN = "%neurallog learn_rules grandparent/2 --length 2 --budget 2s"
# so many relations without a pattern that the search goes on until somebody stops it
MANY = """import random
from neurallog_magics import session
chance = random.Random(5)
pairs = lambda number: [(chance.randrange(700), chance.randrange(700)) for _ in range(number)]
text = [f"r{r}(e{a}, e{b})." for r in range(20) for a, b in pairs(3000)]
text += [f"goal(e{a}, e{b})." for a, b in pairs(1000)]
change = session().add(" ".join(text))"""


def test_rows_are_ticked_explained_and_accepted_into_a_cell(page, lab):
    lab.write("learn.ipynb", [LOAD, f"%%neurallog\n{FACTS}", LEARN, "%neurallog program"])
    notebook = Notebook(page, lab, "learn.ipynb")
    notebook.wait_idle()
    notebook.run(0)
    notebook.run(1)
    notebook.run(2, RULE)
    rows = page.locator(".nlr-row")
    rows.filter(has_text=RULE).click()
    page.locator(".nlr-explain").click()
    panel = page.locator(".nlr-panel")
    expect(panel).to_contain_text("right:")
    expect(panel).to_contain_text("parent(ann, bob) [cell [2]:3]")

    tick_only(page, RULE)
    page.locator(".nlr-misses").click()
    expect(panel).to_contain_text("chosen rules reach all of 6 examples")

    expect(notebook.cells).to_have_count(4)
    page.locator(".nlr-accept").click()
    expect(notebook.cells).to_have_count(5)
    written = notebook.cell(3).locator(".cm-content")
    expect(written).to_have_text(re.compile(r"^%%neurallog[^:]*::[^:]*:-[^:]*$"))
    program = notebook.run(4, "parent(ann, bob).")
    assert "::grandparent" not in program  # nothing enters before the cell is run
    notebook.run(3, "+1 rule")
    notebook.run(4, "::grandparent")

    saved = notebook.save()
    outputs = saved["cells"][2]["outputs"]
    stills = [o["data"] for o in outputs if "text/html" in o.get("data", {})]
    assert len(stills) == 1
    assert RULE in "".join(stills[0]["text/plain"])

    lab.keep("again.ipynb", saved)
    again = Notebook(page, lab, "again.ipynb")  # another kernel: nothing lives there
    again.wait_idle()
    still = again.cell(2).locator(".nl-table")
    expect(still).to_contain_text(RULE)
    expect(still).to_contain_text("☑")
    expect(page.locator(".nlr")).to_have_count(0)
    shown = again.cell(2).locator(".jp-OutputArea-child").filter(visible=True)
    expect(shown).to_have_count(1)  # no message about a widget that is gone


def tick_only(page, rule: str) -> None:
    """Tick this row and no other; each tick goes to Python and comes back as another table."""
    rows = page.locator(".nlr-row")
    ticks = rows.locator("input").evaluate_all("ticks => ticks.map(tick => tick.checked)")
    wanted = [rule in text for text in rows.all_inner_texts()]
    for place, (ticked, want) in enumerate(zip(ticks, wanted, strict=True)):
        if ticked != want:
            rows.nth(place).locator("input").click()
            kept = sum(wanted[: place + 1]) + sum(ticks[place + 1 :])
            expect(page.locator(".nlr-title")).to_contain_text(re.compile(rf"\b{kept} kept"))
    assert sum(wanted) == 1


# whether the search ran at any time from now on; it may be over before somebody looks
WATCH = """() => {
  const table = document.querySelector('.nlr');
  const look = () => { window.ran ||= table.classList.contains('nlr-running'); };
  new MutationObserver(look).observe(table, { attributes: true });
}"""


def test_stop_keeps_the_best_so_far_and_more_time_goes_on(page, lab):
    learn = "%neurallog learn_rules goal/2 --budget 10m"
    lab.write("stop.ipynb", [LOAD, MANY, learn, "_.stopped, len(_) > 0"])
    notebook = Notebook(page, lab, "stop.ipynb")
    notebook.wait_idle()
    notebook.run(0)
    notebook.run(1)
    notebook.start(2)
    page.locator(".nlr-running .nlr-row").first.wait_for()
    expect(page.locator(".nlr-accept")).to_be_disabled()
    page.locator(".nlr-stop").click()
    said = notebook.finish(2, "not looked at: interrupted at paths of length")
    expect(page.locator(".nlr-running")).to_have_count(0)
    expect(page.locator(".nlr-row")).not_to_have_count(0)
    assert "Traceback" not in said
    notebook.run(3, "('interrupted', True)")
    counted = page.locator(".nlr-title").inner_text()
    page.evaluate(WATCH)
    page.locator(".nlr-more").click()
    page.wait_for_function("window.ran")
    expect(page.locator(".nlr-title")).not_to_have_text(counted)
    page.evaluate("document.querySelector('.nlr-stop').click()")  # if it is not over by itself
    expect(page.locator(".nlr-running")).to_have_count(0)
