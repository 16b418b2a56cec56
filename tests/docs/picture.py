"""Pictures of the README and of the page on magics: a notebook and a living network in a real
JupyterLab, in a light and in a dark window.

`python -m tests.docs.picture` writes docs/notebook-light.png, docs/live-light.png, and dark ones.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from tests.chromium import chromium
from tests.lab import Notebook, running_lab

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FILMS = ROOT / "tutorials" / "04_learning_weights.ipynb"
QUESTION = "likes(pia, Film)"
CELLS = [
    "%load_ext neurallog_magics",
    """%%neurallog
friend(ann, bob).    0.6::friend(ann, cleo).
likes(bob, jazz).    0.5::likes(bob, folk).
likes(cleo, jazz).   likes(cleo, rock).

learn(w).            0.9::w(taste).
suggest(X, Z) :- friend(X, Y), likes(Y, Z), w(taste).

?- suggest(ann, What).""",
    "%neurallog show suggest/2",
    "%neurallog explain suggest(ann, jazz)",
]
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
CLEAN = """
#jp-top-panel, #jp-left-stack, .jp-SideBar, .jp-Toolbar, #jp-bottom-panel, #jp-menu-panel,
.lm-TabBar, .jp-cell-toolbar, .jp-Notebook-footer, .jp-InputArea-prompt-run,
.jp-Collapser { display: none !important }
.jp-WindowedPanel-outer { scrollbar-width: none }
.jp-Notebook { padding: 0 !important }
"""


def take() -> None:
    """Run the notebooks once and photograph them in each theme."""
    with tempfile.TemporaryDirectory() as folder, running_lab(Path(folder)) as lab:
        lab.write("picture.ipynb", CELLS)
        lab.write("films.ipynb", films())
        shutil.copytree(FILMS.parent / "data", lab.folder / "data")
        settings = Path(folder) / "config/lab/user-settings/@jupyterlab/apputils-extension"
        settings.mkdir(parents=True)
        (settings / "themes.jupyterlab-settings").write_text('{"adaptive-theme": true}')
        with chromium() as browser:
            window = {"width": 1080, "height": 1100}
            page = browser.new_page(viewport=window, device_scale_factor=2)
            notebook = Notebook(page, lab, "picture.ipynb")
            notebook.wait_idle()
            for place in range(len(CELLS)):
                notebook.run(place)
            page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
            notebook.cell(0).locator(".jp-InputPrompt").click()  # no cell of the picture
            for name in THEMES:
                _photograph(notebook, name)
            page = browser.new_page(viewport={"width": 1280, "height": 1300})
            _photograph_network(Notebook(page, lab, "films.ipynb"))


def films() -> list[str]:
    """The cells of tutorial 04 until its program is trained."""
    cells = json.loads(FILMS.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    trained = next(place for place, text in enumerate(code) if text.startswith("%neurallog train"))
    return code[: trained + 1]


def _photograph_network(notebook: Notebook) -> None:
    page = notebook.page
    notebook.wait_idle()
    notebook.command("application:toggle-left-area")
    for place in range(len(films())):
        notebook.run(place)
    notebook.run(f"%neurallog live {QUESTION}")
    network = page.locator(".nll").last
    network.locator(".nll-why > summary").click()
    network.locator(".nll-line").first.wait_for()
    for name, theme in THEMES.items():
        page.emulate_media(color_scheme=name)
        page.locator(f'[data-jp-theme-name="{theme}"]').first.wait_for(state="attached")
        network.scroll_into_view_if_needed()
        page.mouse.move(0, 0)
        page.wait_for_timeout(1000)  # transitions
        network.screenshot(path=DOCS / f"live-{name}.png")


def _photograph(notebook: Notebook, name: str) -> None:
    page, theme = notebook.page, THEMES[name]
    page.emulate_media(color_scheme=name)
    page.locator(f'[data-jp-theme-name="{theme}"]').first.wait_for(state="attached")
    clean = page.add_style_tag(content=CLEAN)
    page.keyboard.press("Escape")
    page.mouse.move(0, 0)
    page.wait_for_timeout(1000)  # transitions
    boxes = [notebook.cell(place).bounding_box() for place in (1, len(CELLS) - 1)]
    first, last = boxes
    page.screenshot(
        path=DOCS / f"notebook-{name}.png",
        clip={
            "x": first["x"],
            "y": first["y"] + 4,  # below the line around the selected cell
            "width": first["width"],
            "height": last["y"] + last["height"] - first["y"] - 4,
        },
    )
    clean.evaluate("element => element.remove()")


if __name__ == "__main__":
    take()
