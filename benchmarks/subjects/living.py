"""The living network in a real JupyterLab: from the cell to the picture, from a drag to answers."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.rows import Figure, Measured, Row, Settings, Skipped, Target, subject

ROWS = (
    Row(
        "live-slider",
        "a drag of a slider to new answers on the screen, WordNet's 462 rules",
        "",
        Target(100, "ms"),
    ),
    Row("live-slider-kernel", "the part of the kernel in it, processor time", ""),
    Row(
        "live-first-sight",
        "a cell that is run to the living network of 500 rules on the screen",
        "",
        Target(2, "s"),
    ),
    Row(
        "live-frames",
        "500 rules unfolded: the longest frame while the picture is pulled, zoomed and played",
        "",
        Target(100, "ms"),
    ),
)
QUESTION = "i_hypernym(s00066397, Y)"
WORDNET = """
from pathlib import Path
from benchmarks.subjects.explaining import _session
session = _session(Path({folder!r}))
"""
SHOW = "network = session.live({question!r})\nnetwork"
KERNEL = """
from benchmarks.measuring import Stopwatch
taken = []
for number in range({rounds}):
    watch = Stopwatch()
    network.move({name!r}, 0.3 + number / 97)
    taken.append(watch.read().processor)
network.let_go()
print(sorted(taken)[len(taken) // 2])
"""
MANY = """
from neurallog_kernel import Session
rules = [
    f"{0.1 + number / 999}::target(X, Y) :- r{number % 25}(X, Z), s{number % 20}(Z, Y)."
    for number in range(500)
]
facts = [f"r{r}(a, m{r}). s{s}(m{m}, t{s})." for r in range(25) for s in range(20) for m in [r]]
session = Session()
_ = session.add("\\n".join(facts)), session.add("\\n".join(rules))
"""
# When the slider was moved, and when the table with the answers was painted after that.
WATCH = """() => {
  const table = document.querySelector('.nll-answers');
  let moved = null;
  window.taken = [];
  document.addEventListener('input', () => (moved ??= performance.now()), true);
  new MutationObserver(() => requestAnimationFrame(() => setTimeout(() => {
    if (moved !== null) window.taken.push(performance.now() - moved);
    moved = null;
  }))).observe(table, { childList: true });
}"""
CARDS = """async (code) => {
  const begun = performance.now();
  const seen = new Promise((done) => {
    const look = () => document.querySelector('.nll-card .nll-total')?.textContent
      ? requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)))
      : setTimeout(look, 5);
    look();
  });
  window.jupyterapp.commands.execute('notebook:run-cell');
  return await seen;
}"""
# The milliseconds between two frames, from now on.
FRAMES = """() => {
  window.frames_taken = [];
  let before = null;
  const next = (now) => {
    if (before !== null) window.frames_taken.push(now - before);
    before = now;
    if (window.frames_taken) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}"""
PUT_CELL = """async (code) => {
  const app = window.jupyterapp;
  await app.commands.execute('notebook:insert-cell-below');
  app.shell.currentWidget.content.activeCell.model.sharedModel.setSource(code);
}"""


@subject("living", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    rounds = settings.rounds(40, 10)
    if wanted & {"live-slider", "live-slider-kernel"}:
        folder = settings.folder("wordnet").resolve()
        with _notebook() as notebook:
            notebook.run(_prepared(WORDNET.format(folder=str(folder))))
            notebook.run(SHOW.format(question=QUESTION))
            name, taken = _drag(notebook, rounds)
            printed = notebook.run(KERNEL.format(rounds=rounds, name=name))
        middle = statistics.median(taken)
        low, _, high = statistics.quantiles(taken, n=4)
        found = Figure(middle, "ms", middle / 1e3, low=low, high=high, rounds=len(taken))
        yield "live-slider", found
        processor = float(printed.split()[-1])
        yield "live-slider-kernel", Figure(1e3 * processor, "ms", processor, rounds=rounds)
    if "live-first-sight" in wanted:
        seconds = sorted(_first_sight() for _ in range(settings.rounds(5, 3)))
        middle = statistics.median(seconds)
        yield "live-first-sight", Figure(middle, "s", middle, rounds=len(seconds))
    if "live-frames" in wanted:
        with _notebook() as notebook:
            notebook.run(_prepared(MANY))
            notebook.run(SHOW.format(question="target(a, Y)"))
            page = notebook.page
            page.locator(".nll-unfold").first.click()
            page.wait_for_function("document.querySelectorAll('.nll-card.nll-rule').length > 30")
            page.locator(".nll-picture").scroll_into_view_if_needed()
            page.wait_for_timeout(500)  # what is drawn anew comes to rest
            longest = sorted(_longest_frame(notebook) for _ in range(settings.rounds(3, 1)))
        middle = statistics.median(longest)
        yield "live-frames", Figure(middle, "ms", middle / 1e3, rounds=len(longest))


def _longest_frame(notebook: Any) -> float:
    """Milliseconds, while a hand pulls the picture, zooms in and out and plays it."""
    page = notebook.page
    page.evaluate(FRAMES)
    box = page.locator(".nll-picture").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 12
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(40):
        page.mouse.move(x + 4 * step, y + 3 * (step % 20))
    page.mouse.up()
    for name in (*(".nll-out",) * 4, *(".nll-in",) * 6, ".nll-fit"):
        page.locator(name).click()
    page.locator(".nll-play").click()
    page.locator(".nll-play", has_text="play").wait_for()
    taken = page.evaluate("window.frames_taken.splice(0)")
    assert len(taken) > 60
    return max(taken)


def _drag(notebook: Any, rounds: int) -> tuple[str, list[float]]:
    """The mouse holds the thumb of the first slider and moves on when the answers have come."""
    page = notebook.page
    slider = page.locator(".nll-sliders input").first
    slider.scroll_into_view_if_needed()
    page.evaluate(WATCH)
    box = slider.bounding_box()
    name = slider.get_attribute("aria-label").removeprefix("weight of ")
    y = box["y"] + box["height"] / 2
    share = float(slider.evaluate("s => (s.value - s.min) / (s.max - s.min)"))
    page.mouse.move(box["x"] + box["width"] * share, y)
    page.mouse.down()
    for number in range(rounds):
        across = 0.2 + 0.6 * ((number * 7) % rounds) / rounds
        page.mouse.move(box["x"] + box["width"] * across, y)
        page.wait_for_function(f"window.taken.length > {number}")
    page.mouse.up()
    return name, page.evaluate("window.taken")


def _first_sight() -> float:
    with _notebook() as notebook:
        notebook.run(_prepared(MANY))
        notebook.page.evaluate(PUT_CELL, SHOW.format(question="target(a, Y)"))
        return notebook.page.evaluate(CARDS) / 1e3


def _prepared(code: str) -> str:
    """Code that finds this package, wherever the kernel was started."""
    here = str(Path(__file__).parents[2])
    return f"import sys\nsys.path.insert(0, {here!r})\n{code}"


@contextmanager
def _notebook() -> Iterator[Any]:
    """A new notebook in JupyterLab and Chromium, as the tests have it."""
    try:
        from tests.chromium import CHROMIUM, chromium, local_pages
        from tests.lab import Notebook, running_lab
    except ImportError as error:
        raise Skipped(f"the tests' browser is missing: {error}") from error
    if CHROMIUM is None:
        raise Skipped("no Chromium is installed")
    with (
        TemporaryDirectory(prefix="neurallog-lab-") as folder,
        running_lab(Path(folder)) as lab,
        chromium() as browser,
        local_pages(browser, 1360, 1000) as context,
    ):
        lab.write("living.ipynb", [])
        notebook = Notebook(context.new_page(), lab, "living.ipynb")
        notebook.wait_idle()
        notebook.command("application:toggle-left-area")
        yield notebook
