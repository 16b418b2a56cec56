"""The living network on the screen: a slider that is dragged, a play, a page without a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurallog_kernel import Session
from neurallog_kernel.pictures.live.layout import page_height
from tests.chromium import expect, needs_chromium, until
from tests.pictures.test_live import FACTS, RULES

pytestmark = [pytest.mark.browser, needs_chromium]

PREPARE = f"""
from neurallog_kernel import Session
s = Session()
s.add('''{FACTS}''', source="facts")
s.add('''{RULES}''', source="rules")
network = s.live("grandparent(ann, Who)")
network
"""


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook("live.ipynb")
    notebook.run(PREPARE)
    notebook.page.locator(".nll-picture svg").wait_for()
    return notebook


ANSWERS = """() => Object.fromEntries([...document.querySelectorAll('.nll-answers tr')].map(row => [
  row.querySelector('.nll-name')?.innerText, row.querySelector('.nll-weight')?.innerText]))"""


def wait_for_answers(page, wanted: dict[str, str]) -> None:
    """Wait until the table shows these and no others."""
    until(page, lambda: page.evaluate(ANSWERS) == wanted)


def expected() -> dict[str, str]:
    """What the session would answer, written as the page writes numbers."""
    session = Session()
    session.add(FACTS, source="facts")
    session.add(RULES, source="rules")
    found = session.query("grandparent(ann, Who)").weights
    return {key[0]: f"{weight:.4g}" for key, weight in found.items()}


def test_the_answers_are_those_of_the_session(notebook):
    wait_for_answers(notebook.page, expected())
    root = notebook.page.locator('.nll-card[data-id="q"] .nll-total')
    expect(root).to_have_text("2.2")  # the sum of all answers


# every step with its number of lit and of faint cards: a step may be over before somebody looks
RECORD = """() => {
  window.steps = [];
  const said = document.querySelector('.nll-said');
  const count = (kind) => document.querySelectorAll(`.nll-card.${kind}`).length;
  const look = () => window.steps.push([said.textContent, count('nll-now'), count('nll-future')]);
  new MutationObserver(look).observe(said, { childList: true });
}"""
# the pause button, if the play is not over by itself
PAUSE = """(name) => {
  const play = document.querySelector(name);
  if (play.textContent.includes('pause')) play.click();
}"""


def test_playing_lights_one_level_after_the_other(notebook):
    page = notebook.page
    page.evaluate(RECORD)
    page.locator(".nll-play").click()
    until(page, lambda: page.evaluate("window.steps.length") >= 2)
    page.evaluate(PAUSE, ".nll-play")
    first, second = page.evaluate("window.steps.slice(0, 2)")
    assert first[0].startswith("step 1 of ") and second[0].startswith("step 2 of ")
    assert first[1] > 0 and second[1] > 0  # some cards are lit
    assert first[2] > second[2]  # fewer are still to come
    expect(page.locator(".nll-play")).to_contain_text("play")
    page.locator(".nll-all").click()
    expect(page.locator(".nll-card.nll-now")).to_have_count(0)
    page.locator(".nll-next").click()
    expect(page.locator(".nll-said")).to_contain_text("step 1 of")
    expect(page.locator(".nll-card.nll-future")).not_to_have_count(0)


def test_playing_back_shows_slopes_on_the_cards(notebook):
    page = notebook.page
    page.evaluate(RECORD)
    page.locator(".nll-back").click()
    until(page, lambda: "per unit of" in str(page.evaluate("window.steps")))
    page.evaluate(PAUSE, ".nll-back")
    root = page.locator('.nll-card[data-id="q"]')
    expect(root.locator(".nll-total")).to_have_text("1")  # what the best answer carries
    page.locator(".nll-values").click()
    page.locator(".nll-all").click()
    expect(root.locator(".nll-total")).to_have_text("2.2")


def test_another_answer_is_followed_by_a_click(notebook):
    page = notebook.page
    page.locator(".nll-answers tr", has_text="dan").click()
    page.locator(".nll-answers tr.nll-about", has_text="dan").wait_for()
    page.locator(".nll-slider .nll-name", has_text="parent(eve, dan)").wait_for()
    page.locator(".nll-answers tr", has_text="cid").click()
    page.locator(".nll-answers tr.nll-about", has_text="cid").wait_for()


def test_a_double_click_shows_the_rule_from_near(notebook):
    page = notebook.page
    page.locator('.nll-card[data-id="q"]').dblclick()
    near = page.locator(".nll-close")
    near.locator(".nlx-dag svg").wait_for()
    near.locator(".nlx-tree svg").wait_for()
    expect(near.locator("figcaption")).to_have_count(3)  # graph, paths, groundings
    expect(near.locator('input[aria-label="entity for X"]')).to_have_value("ann")
    expect(near.locator(".nlx-way code")).to_have_text(
        ["Y = bob: parent(ann, bob) 1 × parent(bob, cid) 1"]
    )
    near.locator(".nll-close-button").click()
    expect(near).to_be_hidden()


def test_a_dragged_weight_changes_the_answers_and_let_go_gives_it_back(notebook):
    page = notebook.page
    before = page.evaluate(ANSWERS)
    slider = page.locator('.nll-sliders input[aria-label="weight of parent(ann, bob)"]')
    slider.focus()
    slider.press("Home")  # to the lowest weight
    expect(page.locator(".nll-answers .nll-name")).to_have_text(["dan"])
    said = notebook.run("print(s.query('grandparent(ann, cid)').weights, network.moved)")
    assert "{(): 1.0} {'parent(ann, bob)': 0" in said
    page.locator(".nll-let-go").click()
    wait_for_answers(page, before)


def test_the_other_effects_follow_while_a_slider_has_the_focus(notebook):
    page = notebook.page
    before = page.evaluate(ANSWERS)
    slider = page.locator('.nll-sliders input[aria-label="weight of parent(ann, bob)"]')
    other = page.locator(".nll-slider", has_text="parent(bob, cid)").locator(".nll-slope")
    expect(other).to_have_attribute("title", "changes the answer by 1 per unit")
    slider.focus()
    slider.press("Home")
    expect(other).to_have_attribute("title", "changes the answer by 0 per unit")
    expect(slider).to_be_focused()
    page.locator(".nll-let-go").click()
    expect(other).to_have_attribute("title", "changes the answer by 1 per unit")
    wait_for_answers(page, before)


def test_a_slider_that_changes_nothing_can_be_moved_again(notebook):
    page = notebook.page
    before = page.evaluate(ANSWERS)
    slider = page.locator('.nll-sliders input[aria-label="weight of parent(ann, bob)"]')
    slider.focus()
    for _ in range(2):  # the second time the numbers are what they were
        slider.dispatch_event("input")
    slider.press("Home")
    expect(page.locator(".nll-answers .nll-name")).to_have_text(["dan"])
    page.locator(".nll-let-go").click()
    wait_for_answers(page, before)


def test_a_number_of_the_explanation_is_dragged(notebook):
    page = notebook.page
    before = page.evaluate(ANSWERS)
    page.locator(".nll-why > summary").click()
    number = page.locator('.nll-scrub[aria-label="weight of parent(ann, bob)"]')
    number.scroll_into_view_if_needed()
    box = number.bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] - 23, box["y"] + 5, steps=5)  # a hundredth of 1 for each pixel
    expect(number).to_have_text("0.75")
    page.mouse.up()
    page.locator(".nll-answers tr", has_text="cid").locator(
        ".nll-weight", has_text="0.75"
    ).wait_for()
    expect(page.locator(".nll-line .nll-weight").first).to_have_text("0.75")
    page.locator(".nll-let-go").click()
    wait_for_answers(page, before)
    expect(number).to_have_text("1")


def test_another_question_is_typed(notebook):
    page = notebook.page
    question = page.locator(".nll-question")
    question.fill("nosuch(ann, Who)")
    question.press("Enter")
    page.locator(".nll-error", has_text="unknown predicate").wait_for()
    question.fill("knows(ann, Who)")
    question.press("Enter")
    page.locator(".nll-answers .nll-name", has_text="bob").wait_for()
    expect(page.locator(".nll-error")).to_have_text("")


def test_a_reopened_notebook_plays_without_its_kernel(notebook, open_notebook):
    saved = notebook.save()
    page = open_notebook("reopened.ipynb", saved).page
    inside = page.frame_locator("iframe[title=played]")
    for name, weight in expected().items():
        row = inside.locator(".nll-answers tr", has_text=name)
        expect(row.locator(".nll-weight")).to_have_text(weight)
    inside.locator(".nll-next").click()
    expect(inside.locator(".nll-said")).to_contain_text("step 1 of")
    inside.locator(".nll-why > summary").click()
    expect(inside.locator(".nll-line").first).to_contain_text("grandparent(ann, cid)")


def test_a_kept_page_has_the_colours_of_the_theme(notebook, open_notebook):
    saved = notebook.save()
    reopened = open_notebook("colours.ipynb", saved)
    network = reopened.page.frame_locator("iframe[title=played]").locator(".nll")
    for theme, scheme in (("Dark", "dark"), ("Light", "light")):
        reopened.command("apputils:change-theme", theme=f"JupyterLab {theme}")
        expect(network).to_have_css("color-scheme", scheme)


def test_a_page_plays_without_kernel_and_network(tmp_path: Path, browser):
    session = Session()
    session.add(FACTS, source="facts")
    session.add(RULES, source="rules")
    file = tmp_path / "live.html"
    session.live("grandparent(ann, Who)").write_html(file)
    context = browser.new_context(offline=True)
    try:
        page = context.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
        page.goto(file.as_uri())
        page.evaluate(RECORD)
        page.locator(".nll-play").click()
        until(page, lambda: page.evaluate("window.steps.length") >= 2)
        wait_for_answers(page, expected())
        expect(page.locator(".nll-sliders input").first).to_be_disabled()
        page.locator(".nll-all").click()
        page.locator('.nll-card[data-id="q"]').dblclick()
        page.locator(".nll-close .nlx-dag svg").wait_for()
        assert wrong == []
    finally:
        context.close()


def test_a_double_click_at_the_end_of_a_page_is_not_moved_away(tmp_path: Path, browser):
    """The first click lists the weights of one card: a shorter list must not pull the page up."""
    session = Session()
    session.add(FACTS, source="facts")
    session.add(RULES, source="rules")
    file = tmp_path / "live.html"
    session.live("grandparent(ann, Who)").write_html(file)
    context = browser.new_context(offline=True, viewport={"width": 700, "height": 420})
    try:
        page = context.new_page()
        page.goto(file.as_uri())
        page.locator(".nll-card").first.wait_for()
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        card = page.locator('.nll-card[data-id="q"]').bounding_box()
        assert card["y"] > 0
        page.mouse.dblclick(card["x"] + 12, card["y"] + 8)
        page.locator(".nll-close .nlx-dag svg").wait_for()
        assert page.evaluate("getSelection().toString()") == ""
    finally:
        context.close()


@pytest.mark.parametrize("question", ["grandparent(ann, Who)", "knows(ann, Who)"])
def test_a_saved_page_is_as_high_as_what_it_shows(tmp_path: Path, browser, question: str):
    session = Session()
    session.add(FACTS, source="facts")
    session.add(RULES, source="rules")
    file = tmp_path / "live.html"
    network = session.live(question)
    network.write_html(file)
    context = browser.new_context(offline=True, viewport={"width": 1100, "height": 600})
    try:
        page = context.new_page()
        page.goto(file.as_uri())
        page.locator(".nll-card").first.wait_for()
        shown = page.evaluate("document.body.getBoundingClientRect().bottom")
        assert 0 <= page_height(network.scene) - shown < 200  # room for a closer look
    finally:
        context.close()


IN_SIGHT = """() => {
  const frame = document.querySelector('.nll-picture').getBoundingClientRect();
  return [...document.querySelectorAll('.nll-card.nll-now')].some((card) => {
    const box = card.getBoundingClientRect();
    return box.right > frame.left + 20 && box.left < frame.right - 20;
  });
}"""


def test_on_a_phone_the_play_stays_in_sight(tmp_path: Path, browser):
    session = Session()
    session.add(FACTS, source="facts")
    session.add(RULES, source="rules")
    file = tmp_path / "live.html"
    session.live("knows(ann, Who)").write_html(file)
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 844})
    try:
        page = context.new_page()
        page.goto(file.as_uri())
        frame = page.locator(".nll-picture").bounding_box()
        assert frame["height"] > 200  # more than the one card that is in sight at first
        steps = int(page.locator(".nll-timeline").get_attribute("max")) + 1
        for number in range(steps):
            page.locator(".nll-next").click()
            expect(page.locator(".nll-said")).to_contain_text(f"step {number + 1} of {steps}")
            assert page.evaluate(IN_SIGHT)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    finally:
        context.close()


FAR = "f(a, b). g1(b, c). g2(c, d). g3(d, e). g4(e, k). p1(X, Z) :- f(X, Y), g1(Y, Z)." + "".join(
    f"p{n}(X, Z) :- p{n - 1}(X, Y), g{n}(Y, Z)." for n in (2, 3, 4)
)
LIT = """() => {
  const frame = document.querySelector('.nll-picture').getBoundingClientRect();
  const inside = (box) => box.left >= frame.left && box.right <= frame.right;
  const lit = [...document.querySelectorAll('.nll-card.nll-now')];
  return lit.filter((card) => inside(card.getBoundingClientRect())).length;
}"""


def test_what_is_lit_at_both_ends_of_a_wide_network_is_in_sight(tmp_path: Path, browser):
    session = Session()
    session.add(FAR, source="far")
    file = tmp_path / "far.html"
    session.live("p4(a, Y)").write_html(file)
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 844})
    try:
        page = context.new_page()
        page.goto(file.as_uri())
        page.locator(".nll-next").click()
        expect(page.locator(".nll-said")).to_contain_text("step 1 of")
        expect(page.locator(".nll-card.nll-now")).to_have_count(5)  # in four columns
        until(page, lambda: page.evaluate(LIT) >= 2)
    finally:
        context.close()


def test_on_the_whole_screen_the_arrow_keys_play(tmp_path: Path, browser):
    session = Session()
    session.add(FACTS, source="facts")
    session.add(RULES, source="rules")
    file = tmp_path / "live.html"
    session.live("grandparent(ann, Who)").write_html(file)
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 720})
    try:
        page = context.new_page()
        page.goto(file.as_uri())
        picture = page.locator(".nll-picture")
        scale = "document.querySelector('.nll-picture').style.getPropertyValue('--scale')"
        small = float(page.evaluate(scale))
        page.locator(".nll-full").click()
        expect(page.locator(".nll-full")).to_have_text("leave")
        until(page, lambda: float(page.evaluate(scale)) > small)  # for those who sit far away
        box = picture.bounding_box()
        assert box["y"] + box["height"] <= 720
        page.keyboard.press("ArrowRight")
        expect(page.locator(".nll-said")).to_contain_text("step 1 of")
        page.keyboard.press("PageDown")
        expect(page.locator(".nll-said")).to_contain_text("step 2 of")
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".nll-said")).to_contain_text("step 1 of")
        page.locator(".nll-full").click()
        expect(page.locator(".nll-full")).to_have_text("full screen")
        page.keyboard.press("ArrowRight")  # not ours any more
        expect(page.locator(".nll-said")).to_contain_text("step 1 of")
    finally:
        context.close()


def test_a_moved_weight_is_written_into_its_cell(open_notebook):
    notebook = open_notebook("written.ipynb")
    page = notebook.page
    notebook.run("%load_ext neurallog_magics")
    notebook.run(
        "%%neurallog\nlikes(ann, tea). 0.5::likes(ann, milk).\ndrinks(X, Y) :- likes(X, Y)."
    )
    notebook.run("%neurallog live drinks(ann, Y)")
    slider = page.locator('.nll-sliders input[aria-label="weight of likes(ann, tea)"]')
    slider.focus()
    slider.press("Home")
    slider.press("ArrowRight")  # a two-hundredth of the way from 0 to 2
    wait_for_answers(page, {"milk": "0.5", "tea": "0.01"})
    page.locator(".nll-write").click()
    program = page.locator(".jp-CodeCell .cm-content", has_text="drinks(X, Y)")
    expect(program).to_contain_text("0.01::likes(ann, tea). 0.5::likes(ann, milk).")
    expect(page.locator(".nll-write")).to_be_hidden()
    said = notebook.run(
        "import neurallog_magics\nprint(neurallog_magics.session().query('drinks(ann, Y)').weights)"
    )
    assert "{('milk',): 0.5, ('tea',): 0.01}" in said


def test_every_change_is_on_the_screen_and_a_kernel_that_is_gone_is_said(open_notebook):
    notebook = open_notebook("followed.ipynb")
    page = notebook.page
    notebook.run("%load_ext neurallog_magics")
    notebook.run("%%neurallog --name likes\nlikes(ann, tea). 0.5::likes(ann, milk).")
    notebook.run("%neurallog live likes(ann, Y)")
    wait_for_answers(page, {"tea": "1", "milk": "0.5"})
    notebook.run("%%neurallog --name likes\n0.25::likes(ann, tea). 0.5::likes(ann, milk).")
    wait_for_answers(page, {"milk": "0.5", "tea": "0.25"})
    notebook.run("%neurallog undo")
    wait_for_answers(page, {"tea": "1", "milk": "0.5"})
    notebook.run("%neurallog reset")
    expect(page.locator(".nll-error")).to_contain_text("before its last change")
    notebook.run("%neurallog undo")
    expect(page.locator(".nll-error")).to_be_empty()
    page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    expect(page.locator(".nll-error")).to_contain_text("run the cell again")
    expect(page.locator(".nll-sliders input").first).to_be_disabled()


HEBREW = "\u05e9\u05dc\u05d5\u05dd"
NAMES = f"""likes('<img src=x onerror=alert(1)>', '</script>').
0.5::likes('<img src=x onerror=alert(1)>', '{HEBREW}')."""


def test_names_are_text_whatever_is_in_them(tmp_path: Path, browser):
    session = Session()
    session.add(f"{NAMES}\nwants(X, Y) :- likes(X, Y).", source="names")
    file = tmp_path / "names.html"
    session.live("wants('<img src=x onerror=alert(1)>', Y)").write_html(file)
    context = browser.new_context(offline=True)
    try:
        page = context.new_page()
        said: list[str] = []
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(file.as_uri())
        page.locator(".nll-next").click()
        page.locator(".nll-why > summary").click()
        wait_for_answers(page, {"</script>": "1", HEBREW: "0.5"})
        quoted = page.locator(".nll-reason bdi").first
        expect(quoted).to_have_text('"<img src=x onerror=alert(1)>"')
        expect(page.locator(".nll-said")).to_contain_text(f"\u2068{HEBREW}\u2069 0.5")
        assert (said, page.locator("img").count()) == ([], 0)
    finally:
        context.close()
