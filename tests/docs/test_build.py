"""The pages build without a warning, ask nothing of another machine, and fit: screen and paper."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chromium import chromium, local_pages, needs_chromium

ROOT = Path(__file__).parents[2]
LOADED = re.compile(
    r"<(?:script|img|link|iframe|source)\b[^>]*?(?:src|href)=\"((?:https?:)?//[^\"]+)"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The built pages."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-E", "-W", "--keep-going", "-q", "-b", "html"]
    built = subprocess.run(
        [*command, "-d", folder / "doctrees", ROOT / "docs", folder / "html"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert built.returncode == 0, built.stderr
    return folder / "html"


def test_every_page_and_every_tutorial_is_there(site):
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert pages <= {path.stem for path in site.glob("*.html")}
    notebooks = {path.stem for path in (ROOT / "tutorials").glob("*.ipynb")}
    assert {path.stem for path in (site / "tutorials").glob("*.html")} == notebooks


def test_nothing_is_loaded_from_elsewhere(site):
    found = {
        (page.name, address)
        for page in site.rglob("*.html")
        for address in LOADED.findall(page.read_text(encoding="utf-8"))
    }
    assert found == set()


@pytest.mark.browser
@needs_chromium
@pytest.mark.parametrize("width", [1280, 400])
def test_pages_fit_the_window_and_stay_on_this_machine(site, width):
    wrong = []
    with chromium() as browser, local_pages(browser, width, 900) as context:
        page = context.new_page()
        for path in sorted(site.rglob("*.html")):
            page.goto(path.as_uri())
            whole = page.evaluate("document.documentElement.scrollWidth")
            text = page.locator("article").bounding_box()["width"]
            if whole > width or text < min(300, width * 0.75):
                wrong.append((path.name, whole, text))
    assert wrong == []


@pytest.mark.browser
@needs_chromium
def test_the_cheat_sheet_is_one_page_of_paper(site, tmp_path):
    with chromium() as browser, local_pages(browser, 1280, 900) as context:
        page = context.new_page()
        page.goto((site / "cheatsheet.html").as_uri())
        paper = page.pdf(prefer_css_page_size=True)
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 726, "height": 1055})  # A4 within its margins
        cut = page.evaluate(
            "[...document.querySelectorAll('.cheat pre')]"
            ".filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText)"
        )
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) == 1
    assert cut == []
