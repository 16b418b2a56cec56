"""The pictures of the live table of rules: found, explained, revised, accepted.

`python -m tests.docs.rules_pictures` writes docs/rules-1-light.png and so on, in a real JupyterLab.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from tests.chromium import chromium
from tests.docs.picture import CLEAN, DOCS, THEMES
from tests.lab import Lab, Notebook, running_lab

INSTITUTE = Path(__file__).parents[2] / "tutorials/data/institute"
SETTING_UP = """
import pandas as pd
from neurallog_magics import session

patterns = {"heads": "leads(head, group)", "members": "member(person, group)",
            "years": "years(person, years)", "papers": "wrote(person, paper)"}
for name, pattern in patterns.items():
    table = pd.read_csv(f"FOLDER/{name}.csv", comment="#")
    loaded = session().load_table(table, pattern, source=f"{name}.csv")
advises = pd.read_csv("FOLDER/advises.csv", comment="#")
loaded = session().load_table(
    advises,
    "advises(adviser, person)",
    split={"train": 0.7, "test": 0.3},
    seed=1,
    source="advises.csv",
)
"""
LOAD = "%load_ext neurallog_magics"
LEARN = "%neurallog learn_rules advises/2 --budget 10s --length 2"


def take() -> None:
    """Run the notebook in each theme and photograph the cell of the table."""
    with tempfile.TemporaryDirectory() as folder, running_lab(Path(folder)) as lab:
        settings = Path(folder) / "config/lab/user-settings/@jupyterlab/apputils-extension"
        settings.mkdir(parents=True)
        (settings / "themes.jupyterlab-settings").write_text('{"adaptive-theme": true}')
        with chromium() as browser:
            for theme in THEMES:
                window = {"width": 1080, "height": 1300}
                page = browser.new_page(viewport=window, device_scale_factor=2)
                page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
                _deciding(page, lab, theme)
                page.close()


def _opened(page: Any, lab: Lab, name: str) -> Notebook:
    lab.write(name, [LOAD, SETTING_UP.replace("FOLDER", str(INSTITUTE)), LEARN])
    notebook = Notebook(page, lab, name)
    notebook.wait_idle()
    notebook.run(0)
    notebook.run(1)
    page.locator(f'[data-jp-theme-name="{THEMES[_theme(page)]}"]').first.wait_for(state="attached")
    return notebook


def _theme(page: Any) -> str:
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    return "dark" if dark else "light"


def _deciding(page: Any, lab: Lab, theme: str) -> None:
    notebook = _opened(page, lab, f"deciding-{theme}.ipynb")
    notebook.run(2)
    _photograph(notebook, 2, 2, f"rules-1-{theme}.png")
    page.locator(".nlr-row").first.click()
    page.locator(".nlr-explain").click()
    page.locator(".nlr-panel").get_by_text("right:").wait_for()
    _photograph(notebook, 2, 2, f"rules-2-{theme}.png")
    page.locator(".nlr-revise").click()
    page.locator(".nlr-panel").get_by_text("ROC AUC").wait_for()
    _photograph(notebook, 2, 2, f"rules-3-{theme}.png")
    page.locator(".nlr-row input").last.uncheck()
    page.locator(".nlr-accept").click()
    notebook.cell(3).wait_for()
    notebook.run(3)
    page.evaluate("document.querySelector('.nlr-panel').textContent = ''")
    _photograph(notebook, 2, 3, f"rules-4-{theme}.png")


def _photograph(notebook: Notebook, first: int, last: int, name: str) -> None:
    page = notebook.page
    clean = page.add_style_tag(content=CLEAN)
    page.mouse.move(0, 0)
    notebook.cell(first).scroll_into_view_if_needed()
    page.wait_for_timeout(400)  # transitions
    top, bottom = (notebook.cell(place).bounding_box() for place in (first, last))
    page.screenshot(
        path=DOCS / name,
        clip={
            "x": top["x"],
            "y": top["y"],
            "width": top["width"],
            "height": bottom["y"] + bottom["height"] - top["y"],
        },
    )
    clean.evaluate("style => style.remove()")


if __name__ == "__main__":
    take()
