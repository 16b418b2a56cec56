"""Pictures of every view of the notebook, to be looked at: `python -m tests.magics.gallery DIR`.

Each view of three programs is shown in JupyterLab, light, dark and narrow, and in Notebook 7, in a
real Chromium, and kept as a PNG file named after program, view and look.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.chromium import chromium, local_pages, until
from tests.lab import Lab, Notebook, running_lab

TUTORIALS = Path(__file__).parents[2] / "tutorials"
WIDE, NARROW, HEIGHT = 1360, 700, 2200
LOOKS = ("light", "dark", "narrow", "notebook7")
RECURSIVE = [
    "%load_ext neurallog_magics",
    """%%neurallog --name family
parent(ann, bob). parent(bob, cid). 0.8::parent(cid, dan). 0.5::parent(dan, eve).
0.9::parent(ann, flo). parent(flo, gus). 0.6::parent(gus, eve).
learn_rule_weights("ancestor/2").
ancestor(X, Y) :- parent(X, Y).
ancestor(X, Z) :- parent(X, Y), ancestor(Y, Z).""",
    """%%examples
ancestor(ann, bob). ancestor(ann, cid). ancestor(bob, dan). 0.2::ancestor(ann, eve).""",
    "%neurallog train --epochs 20 --learning-rate 0.02 --optimizer adam --seed 1",
]


@dataclass(frozen=True)
class Program:
    """A program with the cells that make it, and what is asked of it."""

    name: str
    cells: tuple[str, ...]
    question: str
    answer: str  # that is explained
    predicate: str
    train: str


def tutorial(name: str) -> tuple[str, ...]:
    """The code cells of a tutorial before its living network."""
    saved = json.loads(next(TUTORIALS.glob(f"{name}_*.ipynb")).read_text("utf-8"))
    code = ["".join(c["source"]) for c in saved["cells"] if c["cell_type"] == "code"]
    last = next(place for place, text in enumerate(code) if text.startswith("%neurallog live"))
    return tuple(code[:last])


def programs() -> tuple[Program, ...]:
    fast = "--optimizer adam --learning-rate 0.03 --seed 3"
    return (
        Program(
            "mlp",
            tutorial("05"),
            "species(f138, Which)",
            "species(f138, virginica)",
            "score/2",
            f"--epochs 4000 --batch-size 16 --examples train --validation test {fast}",
        ),
        Program(
            "restaurants",
            tutorial("08"),
            "mexican(r45)",
            "mexican(r45)",
            "crowd_sum/1",
            f"--epochs 4000 --batch-size 30 --examples train --validation test {fast}",
        ),
        Program(
            "recursive",
            tuple(RECURSIVE),
            "ancestor(ann, Who)",
            "ancestor(ann, cid)",
            "ancestor/2",
            f"--epochs 40000 {fast}",
        ),
    )


# -- a page ----------------------------------------------------------------------------------------


def last_output(notebook: Notebook) -> Any:
    return notebook.cells.last.locator(".jp-Cell-outputArea")


@dataclass
class Camera:
    """Takes what a page shows in each of its looks."""

    folder: Path
    notebook: Notebook
    program: Program
    looks: tuple[str, ...]
    views: frozenset[str]

    def take(self, view: str, element: Any) -> None:
        if self.views and view not in self.views:
            return
        for look in self.looks:
            self._look(look)
            element.scroll_into_view_if_needed()
            self.notebook.page.wait_for_timeout(600)  # what moves comes to rest
            path = self.folder / f"{self.program.name}-{view}-{look}.png"
            element.screenshot(path=path)
            print(path, flush=True)
        self._look(self.looks[0])

    def _look(self, look: str) -> None:
        page = self.notebook.page
        width = NARROW if look == "narrow" else WIDE
        if page.viewport_size["width"] != width:
            page.set_viewport_size({"width": width, "height": HEIGHT})
        theme = "JupyterLab Dark" if look == "dark" else "JupyterLab Light"
        if page.evaluate("document.body.dataset.jpThemeName") != theme:
            self.notebook.command("apputils:change-theme", theme=theme)
            page.locator(f'[data-jp-theme-name="{theme}"]').first.wait_for(state="attached")


# -- the views -------------------------------------------------------------------------------------

View = Callable[[Camera], None]


def living(camera: Camera) -> None:
    """The living network: still, playing, backwards, moved, explained, from near."""
    notebook, page = camera.notebook, camera.notebook.page
    notebook.run(f"%neurallog live {camera.program.question}")
    root = page.locator(".nll").last
    root.locator(".nll-card").first.wait_for()
    camera.take("live", root)
    steps = int(root.locator(".nll-timeline").get_attribute("max"))
    for _ in range(steps // 2 + 1):
        root.locator(".nll-next").click()
    camera.take("live-playing", root)
    root.locator(".nll-all").click()
    root.locator(".nll-slope-view").click()
    for _ in range(steps // 2 + 1):
        root.locator(".nll-previous").click()
    camera.take("live-backwards", root)
    root.locator(".nll-values").click()
    root.locator(".nll-all").click()
    slider = root.locator(".nll-sliders input").first
    before = slider.input_value()
    slider.evaluate(
        "s => { s.value = Number(s.min) + 0.9 * (s.max - s.min);"
        " s.dispatchEvent(new Event('input')); }"
    )
    until(page, lambda: slider.input_value() != before)
    root.locator(".nll-let-go").wait_for()
    camera.take("live-sliders", root)
    root.locator(".nll-let-go").click()
    root.locator(".nll-why > summary").click()
    root.locator(".nll-line").first.wait_for()
    what = root.locator(".nll-what-if")
    if what.is_visible():
        what.click()
        until(page, lambda: root.locator(".nll-changes").inner_text() not in ("", "looking …"))
    camera.take("live-why", root)
    root.locator(".nll-why > summary").click()
    rule = root.locator(".nll-card.nll-rule.nll-opens").first
    rule.dblclick(position={"x": 12, "y": 8})
    near = root.locator(".nll-close")
    near.locator(".nlx-dag svg").wait_for()
    near.locator(".nlx-last").click()
    camera.take("closeup", near)


def explorer(camera: Camera) -> None:
    notebook = camera.notebook
    notebook.run(f"%neurallog explore {camera.program.predicate}")
    root = last_output(notebook).locator(".nlx").first
    root.locator(".nlx-dag svg").wait_for()
    for _ in range(3):
        root.locator(".nlx-next").click()
    camera.take("explorer", root)


def training(camera: Camera) -> None:
    """A training that runs, as its cell and the living network above it show it."""
    notebook, page = camera.notebook, camera.notebook.page
    notebook.run(f"%neurallog live {camera.program.question}")
    network = page.locator(".nll").last
    network.locator(".nll-card").first.wait_for()
    page.evaluate(
        """async (code) => {
          const app = window.jupyterapp;
          const content = app.shell.currentWidget.content;
          content.activeCellIndex = content.widgets.length - 1;
          await app.commands.execute('notebook:insert-cell-below');
          content.activeCell.model.sharedModel.setSource(code);
          app.commands.execute('notebook:run-cell');
        }""",
        f"%neurallog train {camera.program.train}",
    )
    output = last_output(notebook)
    output.locator(".nlc-chart polyline").first.wait_for()
    page.wait_for_timeout(2000)
    camera.take("training", output)
    camera.take("live-training", network)
    page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.interrupt()")
    until(page, lambda: "Interrupted" in output.inner_text() or "Trained" in output.inner_text())
    camera.take("trained", output)


def runs(camera: Camera) -> None:
    notebook, page = camera.notebook, camera.notebook.page
    notebook.run("%neurallog runs")
    root = page.locator(".nlr").last
    root.locator("tbody tr").first.wait_for()
    camera.take("runs", root)
    ticks = root.locator('input[type="checkbox"]')
    for place in range(2):
        ticks.nth(place).check()
    root.locator(".nlr-moves tr").first.wait_for()
    camera.take("runs-compared", root)


def outputs(camera: Camera) -> None:
    """What commands answer as tables and pictures."""
    program = camera.program
    name = program.predicate.split("/")[0]
    commands = {
        "answers": f"?- {program.question}.",
        "yes": f"?- {program.answer}.",
        "all-answers": f"?- {name}({'X' if program.predicate.endswith('1') else 'X, Y'}).",
        "explain": f"explain {program.answer}",
        "explain-draw": f"explain --draw {program.answer}",
        "change": f"explain --change {program.answer}",
        "sensitivity": f"sensitivity {program.answer}",
        "diff": "diff --since training",
        "show": f"show {program.predicate}",
        "network": f"show {program.predicate} --kind network",
        "xray": f"xray {program.question}",
        "status": "status",
        "rules": "rules",
    }
    for view, command in commands.items():
        if camera.views and view not in camera.views:
            continue
        camera.notebook.run(f"%neurallog {command}")
        output = last_output(camera.notebook)
        output.locator(".jp-OutputArea-output").first.wait_for()
        camera.take(view, output)


def welcome(folder: Path, lab: Lab, page: Any) -> None:
    """The first page of `make lab`."""
    from tutorials.welcome import write_page

    write_page(lab.folder)
    for original in TUTORIALS.glob("*.ipynb"):
        shutil.copy(original, lab.folder)
    page.goto(f"{lab.address}/lab?token={lab.token}&reset")
    page.locator(".nlw").wait_for()
    page.frame_locator(".nlw iframe").locator(".nll-card").first.wait_for()
    for look, width in (("light", WIDE), ("dark", WIDE), ("narrow", NARROW)):
        theme = "JupyterLab Dark" if look == "dark" else "JupyterLab Light"
        page.evaluate(
            "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme
        )
        page.set_viewport_size({"width": width, "height": 1100})
        page.wait_for_timeout(1500)
        path = folder / f"welcome-{look}.png"
        page.screenshot(path=path)
        print(path, flush=True)


def alone(camera: Camera) -> None:
    """The self-contained files with the network off, played, on a screen and on a phone."""
    program, folder = camera.program, camera.notebook.path.parent
    camera.notebook.run(f"%neurallog live --html live.html {program.question}")
    camera.notebook.run(f"%neurallog explore --html explore.html {program.predicate}")
    browser = camera.notebook.page.context.browser
    for look, width, height in (("light", 1200, 900), ("dark", 1200, 900), ("phone", 390, 844)):
        for name, step in (("live", ".nll-next"), ("explore", ".nlx-back")):
            context = browser.new_context(
                offline=True,
                viewport={"width": width, "height": height},
                color_scheme="dark" if look == "dark" else "light",
            )
            page = context.new_page()
            page.goto((folder / f"{name}.html").as_uri())
            page.locator(".nlx").first.wait_for()
            for _ in range(2):
                page.locator(step).click()
            page.wait_for_timeout(500)
            path = camera.folder / f"{program.name}-alone-{name}-{look}.png"
            page.screenshot(path=path, full_page=True)
            print(path, flush=True)
            context.close()


VIEWS: tuple[View, ...] = (outputs, living, explorer, training, runs, alone)


# -- all of it -------------------------------------------------------------------------------------


@contextmanager
def opened(lab: Lab, browser: Any, program: Program, seven: bool) -> Iterator[Notebook]:
    """A notebook in which the program has run."""
    name = f"{program.name}{'-7' if seven else ''}.ipynb"
    lab.write(name, [])
    with local_pages(browser, WIDE, HEIGHT) as context:
        page = context.new_page()
        notebook = Notebook(page, lab, name, seven=seven)
        notebook.wait_idle()
        if not seven:
            notebook.command("application:toggle-left-area")
        for cell in program.cells:
            notebook.run(cell)
        yield notebook


def main(given: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.magics.gallery", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--look", action="append", choices=LOOKS)
    parser.add_argument("--program", action="append")
    parser.add_argument("--view", action="append", default=[], help="a view, or a group of views")
    options = parser.parse_args(given)
    looks = tuple(options.look or LOOKS)
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    groups = {view.__name__: view for view in VIEWS}
    named = [groups[name] for name in options.view if name in groups]
    wanted = frozenset(name for name in options.view if name not in groups)
    with (
        TemporaryDirectory(prefix="neurallog-gallery-") as place,
        running_lab(Path(place)) as lab,
        chromium() as browser,
    ):
        shutil.copytree(TUTORIALS / "data", lab.folder / "data")
        for program in programs():
            if options.program and program.name not in options.program:
                continue
            for seven in (False, True):
                seen = tuple(one for one in looks if (one == "notebook7") == seven)
                if not seen:
                    continue
                with opened(lab, browser, program, seven) as notebook:
                    camera = Camera(folder, notebook, program, seen, wanted)
                    for view in named or VIEWS:
                        if view is not alone or not seven:
                            view(camera)
        if not options.program and not options.view:
            with local_pages(browser, WIDE, 1100) as context:
                welcome(folder, lab, context.new_page())


if __name__ == "__main__":
    main()
