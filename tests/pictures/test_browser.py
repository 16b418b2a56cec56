"""The explorer and the pictures as their reader sees them: a real JupyterLab in a real Chromium."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import pytest

from tests.chromium import expect, needs_chromium
from tests.pictures.paper import FACTS, FIGURE_1

DATA = Path(os.environ.get("NEURALLOG_DATA", Path(__file__).parents[3] / "shared" / "data"))

pytestmark = [
    pytest.mark.browser,
    needs_chromium,
]

PREPARE = f"""
from neurallog_kernel import Session
from neurallog_kernel.pictures.show import show
from neurallog_magics.display.pictures import register_formatters
register_formatters(get_ipython())
s = Session()
s.add('''{FACTS}''')
s.add('''{FIGURE_1}''')
s.add("learn(p3).")
show(s, "target/2")
"""

FAKE_TRAINING = """
import time, types
import numpy as np
watch = explorer.watch()
state = types.SimpleNamespace(epoch=0, epochs=6, logs={}, learned=0.1)
state.weights = lambda: {("w", 0): np.array([state.learned]), ("p3", 2): np.array([1.0, 0.5])}
watch.on_begin(state)
for epoch in range(1, 7):
    time.sleep(0.3)
    state.learned += 0.15
    watch.on_batch(state)
    state.epoch, state.logs = epoch, {"loss": 1 / epoch, "roc_auc": 0.5 + epoch / 20}
    watch.on_epoch(state)
watch.on_end(state)
"""


@pytest.fixture(scope="module")
def notebook(open_notebook):
    """A notebook that shows Figure 1 and explores it."""
    notebook = open_notebook("explore.ipynb")
    notebook.run(PREPARE)
    notebook.run("explorer = s.explore('target/2', query='target(a, Y)'); explorer")
    notebook.page.locator(".nlx-dag svg").wait_for()
    return notebook


def part(name: str, pane: str = "dag") -> str:
    return f'.nlx-{pane} g[data-id="{name}"]'


def wait_for_lit(page, pane: str, *names: str) -> None:
    """Wait until these parts of a picture are lit and no others."""
    page.wait_for_function(
        """([pane, names]) => {
          const lit = [...document.querySelectorAll(`.nlx-${pane} g.nlx-lit`)];
          return lit.map(g => g.dataset.id).sort().join(' ') === names.sort().join(' ');
        }""",
        arg=[pane, list(names)],
    )


def wait_for_text(page, selector: str, text: str) -> None:
    page.locator(selector, has_text=text).first.wait_for()


def test_the_static_picture_has_hover_text_and_the_theme_s_ink(notebook):
    page = notebook.page
    picture = page.locator(".jp-OutputArea-output > div svg.nl-svg").first
    title = picture.locator('g[data-id="e1"] title')
    expect(title).to_contain_text("matrix 1 × 2, 2 facts, weights 0.5 to 1")
    expect(page.locator(".jp-RenderedHTML pre")).to_have_count(0)  # the text has made room


def test_a_click_reaches_python(notebook):
    page = notebook.page
    page.locator(f"{part('e1')} text").first.click()
    wait_for_text(page, ".nlx-panel h4", "p1(X, Z)")
    rows = page.locator(".nlx-panel table").last.locator("tr")
    expect(rows).to_have_text([re.compile(r"^a, b\s*1$"), re.compile(r"^a, c\s*0\.5$")])
    assert notebook.run("print(explorer.clicked)").strip() == "['e1']"


def test_hovering_links_the_two_views(notebook):
    page = notebook.page
    page.locator(f"{part('s-t3', 'tree')} text").first.hover()
    wait_for_lit(page, "dag", "e0", "e2", "e5", "n0", "n1", "n2")
    page.locator(f"{part('e4')} text").first.hover()
    wait_for_lit(page, "dag", "e4")
    expect(page.locator(".nlx-tree g.nlx-lit")).to_have_count(1)
    page.locator(".nlx-said").hover()
    expect(page.locator("g.nlx-lit")).to_have_count(0)


def test_the_keyboard_does_what_the_mouse_does(notebook):
    page = notebook.page
    page.locator(part("n0")).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("!['n0', undefined].includes(document.activeElement.dataset.id)")
    focused = page.evaluate("document.activeElement.dataset.id")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "name => document.querySelector('.nlx-panel').dataset.for === name", arg=focused
    )
    page.keyboard.press("Home")
    page.wait_for_function("document.activeElement.dataset.id === 'n0'")
    picture = page.locator(".nlx-dag svg")
    before = picture.get_attribute("viewBox")
    page.keyboard.press("+")
    expect(picture).not_to_have_attribute("viewBox", before)
    page.keyboard.press("0")
    expect(picture).to_have_attribute("viewBox", before)


def test_stepping_through_shows_the_evaluator_s_numbers(notebook):
    page = notebook.page
    page.locator(".nlx-first").click()
    expect(page.locator(".nlx-dag .nlx-number")).to_have_count(0)
    expected = json.loads(
        notebook.run(
            "import json\n"
            "trace = s.inspect().trace(s.rules('target/2')[0].rule, 1, {0: 'a'})\n"
            "print(json.dumps({str(k): [v.top, v.total, v.count] for k, v in"
            " [*((n.name, v) for n, v in trace.nodes.items()),"
            " *((e.literal, v) for e, v in trace.edges.items())]}))"
        )
    )
    asked = "[[k[0], w] for k, w in s.query('target(a, Y)').weights.items()]"
    answer = dict(json.loads(notebook.run(f"print(json.dumps({asked}))")))
    labels = {"n0": "X", "n3": "V", "n1": "Z", "n4": "U", "n2": "Y"}
    labels |= {"e0": "p0(X, Z)", "e1": "p1(X, Z)", "e2": "p2(Z, Y)", "e3": "p3(X, V)"}
    labels |= {"e4": "p4(U, Y)"}
    seen: dict[str, str] = {}
    for step in range(13):
        page.locator(".nlx-next").click()
        page.locator(f'.nlx[data-step="{step}"]').wait_for()
        for box in page.locator(".nlx-dag .nlx-number").all():
            seen.setdefault(
                box.get_attribute("data-for"), "\n".join(box.locator("text").all_text_contents())
            )
    assert set(labels) <= set(seen)
    for name, label in labels.items():
        top, total, count = expected[label]
        if name.startswith("n"):
            assert seen[name] == "\n".join(f"{n} {w:.4g}" for n, w in top)
        else:
            many = "1 entry" if count == 1 else f"{count} entries"
            assert seen[name] == f"{many}, sum {total:.4g}"
    page.locator(".nlx-next").click()  # the last step: the rule's result
    expect(page.locator(".nlx-said")).to_contain_text("the rule gives d 1, e 0.25")
    result = page.locator('.nlx-dag .nlx-number.nlx-result[data-for="n2"] text').all_text_contents()
    assert {n: float(w) for n, w in (line.split() for line in result)} == pytest.approx(answer)


def test_another_question_and_another_direction(notebook):
    page = notebook.page
    page.locator(".nlx-output").select_option(label="X")
    field = page.locator('input[aria-label="entity for Y"]')
    field.fill("e")
    field.press("Tab")
    wait_for_text(page, ".nlx-said", "target(X, e)")
    assert notebook.run("print(explorer.choice['given'])").strip() == "[None, 'e']"
    page.locator(".nlx-output").select_option(label="Y")
    wait_for_text(page, ".nlx-said", "target(a, Y)")


def test_training_changes_widths_and_labels_without_a_new_layout(notebook):
    page = notebook.page
    page.evaluate("window.before = document.querySelector('.nlx-dag svg')")
    notebook.run(FAKE_TRAINING)
    page.wait_for_function("document.querySelector('.nlx-training').dataset.phase === 'end'")
    assert page.evaluate("window.before === document.querySelector('.nlx-dag svg')")
    label = page.locator(f"{part('e6')} text")
    expect(label).to_have_text("× ◆ w 1")
    expect(page.locator(f"{part('e3')} text").first).to_have_text("◆ p3(X, V) 0.75")
    width = "element => parseFloat(getComputedStyle(element).strokeWidth)"
    late = page.locator(f"{part('b-e6')} path").evaluate(width)
    expect(page.locator(".nlc-chart")).to_have_count(2)  # a loss and a metric
    page.locator(".nlx-slider").evaluate(
        "slider => { slider.value = 0; slider.dispatchEvent(new Event('input')); }"
    )
    expect(label).to_have_text("× ◆ w 0.1")
    early = page.locator(f"{part('b-e6')} path").evaluate(width)
    assert early < late
    expect(page.locator(".nlx-epoch")).to_contain_text("0 of 6")


def test_pictures_can_be_saved_as_files(notebook, tmp_path):
    page = notebook.page
    for name, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with page.expect_download() as saved:
            page.locator(f".nlx-{name}").click()
        path = tmp_path / f"rule.{name}"
        saved.value.save_as(path)
        assert path.read_bytes().startswith(start)


CONTRAST = """(selector) => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const read = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, under, more = 1) => top.slice(0, 3).map((c, i) =>
    c * top[3] * more + under[i] * (1 - top[3] * more));
  const paper = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = read(getComputedStyle(e).backgroundColor);
      if (colour[3] > 0.99) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const light = (rgb) => {
    const linear = (c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
    const [r, g, b] = rgb.map(c => linear(c / 255));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  return [...document.querySelectorAll(selector)].filter(e => e.textContent.trim()).map(e => {
    const style = getComputedStyle(e);
    let faint = 1;
    for (let p = e; p; p = p.parentElement) faint *= Number(getComputedStyle(p).opacity);
    const ground = paper(e);
    const colour = read(e.namespaceURI.endsWith('svg') ? style.fill : style.color);
    const ink = over(colour, ground, faint);
    const [low, high] = [light(ink), light(ground)].sort((a, b) => a - b);
    return [e.textContent, (high + .05) / (low + .05)];
  });
}"""


# what was under the pointer, and the theme, change little by little
SETTLED = "() => Promise.all(document.getAnimations().map(one => one.finished.catch(() => null)))"


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_every_theme_is_legible(notebook, theme):
    page = notebook.page
    notebook.command("apputils:change-theme", theme=theme)
    page.locator(f'[data-jp-theme-name="{theme}"]').first.wait_for(state="attached")
    page.locator(".nlx-said").hover()
    expect(page.locator("g.nlx-lit")).to_have_count(0)
    page.evaluate(SETTLED)
    found = page.evaluate(CONTRAST, ".nl-svg text, .nlx button, .nlx-said, .nlx-panel p")
    assert len(found) > 40
    faint = [(text, round(contrast, 1)) for text, contrast in found if contrast < 4.5]
    assert faint == []


def test_a_saved_notebook_shows_the_last_state(notebook, open_notebook):
    page = notebook.page
    page.locator(".nlx-last").click()
    last = page.locator(".nlx-dag .nlx-number").count()

    def still() -> dict:
        outputs = [o for cell in notebook.save()["cells"] for o in cell.get("outputs", [])]
        data = [output.get("data", {}) for output in outputs]
        (found,) = [d for d in data if "nl-still" in "".join(d.get("text/html", ""))]
        return found

    # the browser sends its picture when nothing changes any more: the numbers of the last step
    number = re.compile(r'class="nlx-number[ "]')
    notebook.until(lambda: len(number.findall("".join(still()["image/svg+xml"]))) == last)
    assert "the rule gives" in "".join(still()["text/plain"])

    again = open_notebook("again.ipynb", notebook.save())
    again.page.locator(".jp-OutputArea-output svg.nl-svg .nlx-number").first.wait_for()
    message = again.page.get_by_text("Error displaying widget")
    message.wait_for(state="attached")  # JupyterLab says it, and the picture hides it
    expect(message).to_be_hidden()


def test_an_untrusted_notebook_shows_images_and_the_text(notebook, open_notebook):
    saved = json.loads(notebook.path.read_text())
    for cell in saved["cells"]:  # changed by somebody else: no signature fits any more
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("image/svg+xml", None)
    page = open_notebook("untrusted.ipynb", saved).page
    image = page.locator(".jp-RenderedHTML img[src^='data:image/svg']").first
    image.wait_for()
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    page.locator(".jp-RenderedHTML summary", has_text="as text").first.click()
    page.locator(".jp-RenderedHTML pre", has_text="Y (output) = Z").first.wait_for()
    expect(page.get_by_text("Error displaying widget")).to_have_count(0)
    expect(page.locator(".jp-OutputArea-output svg.nl-svg")).to_have_count(0)


def test_nbconvert_keeps_the_pictures(notebook):
    nbconvert = pytest.importorskip("nbconvert")
    page, _ = nbconvert.HTMLExporter().from_filename(str(notebook.path))
    assert "Error displaying widget" not in page
    assert re.search(r"nl-still-\w+", page)
    assert "nlx-number" in page


@pytest.mark.skipif(
    not (DATA / "wordnet" / "theory.pl").exists(), reason="the WordNet data is not there"
)
def test_a_large_program_opens_and_stays_responsive(open_notebook):
    notebook = open_notebook("large.ipynb")
    folder = Path(DATA / "wordnet").resolve()
    notebook.run(
        "from neurallog_kernel import Session\n"
        "import neurallog_kernel.pictures.explorer.widget\n"
        "s = Session()\n"
        f"for name in ('facts.pl', 'theory.pl'): s.load({str(folder)!r} + '/' + name)"
    )
    page = notebook.page
    started = time.monotonic()
    notebook.run("explorer = s.explore()\nexplorer")
    page.locator(".nlx-dag svg").wait_for()
    opened = time.monotonic() - started
    expect(page.locator(".nlx-predicate option")).to_have_count(36)
    started = time.monotonic()
    page.locator(".nlx-predicate").select_option(index=7)
    page.wait_for_function("document.querySelector('.nlx-rule').options.length > 1")
    changed = time.monotonic() - started
    print(f"462 rules: open in {opened:.2f} s, another predicate in {changed:.2f} s")
