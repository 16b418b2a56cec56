"""Pictures are the same whatever fonts a machine has, and their words fit in a reader's font."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path

import pytest

from neurallog_kernel import Session
from neurallog_kernel.pictures.metrics import WIDTHS, width
from neurallog_kernel.pictures.model import Arrow, Mark, Picture
from neurallog_kernel.pictures.show import show
from neurallog_kernel.pictures.svg import svg
from neurallog_kernel.pictures.xray import xrays
from tests.chromium import chromium, needs_chromium
from tests.pictures.paper import FACTS, FIGURE_1
from tests.pictures.widths import of_the_font, written

MATPLOTLIB = find_spec("matplotlib")
assert MATPLOTLIB is not None and MATPLOTLIB.origin is not None
SVG = "{http://www.w3.org/2000/svg}"
BROUGHT = Path(MATPLOTLIB.origin).parent / "mpl-data" / "fonts" / "ttf"
PROGRAM = f"""{FACTS}{FIGURE_1}
learn(w).
0.4028::w(director).
age(a, 3). half(X, Y) :- p0(X, Y), age(X, N), tanh(X), w(director).
"""


def drawn() -> str:
    """One picture of every kind, with every kind of mark and arrow."""
    session = Session()
    session.add(PROGRAM)
    pictures = [show(session, name, kind) for name in ("target/2", "half/2") for kind in KINDS]
    texts = [picture.svg for picture in (*pictures, show(session))]
    texts += [svg(picture) for picture in xrays(session, "target(a, Y)")]
    return "\n".join(texts)


KINDS = ("rule", "tree", "network")


# -- the same bytes -------------------------------------------------------------------------------


def with_fonts(folder: Path, names: list[str]) -> str:
    """What a process draws that finds these fonts and no others."""
    fonts = folder / "fonts"
    fonts.mkdir()
    for name in names:
        (fonts / name).write_bytes((BROUGHT / name).read_bytes())
    settings = folder / "fonts.conf"
    settings.write_text(
        f'<?xml version="1.0"?><fontconfig><dir>{fonts}</dir>'
        f"<cachedir>{folder / 'cache'}</cachedir></fontconfig>",
        encoding="utf-8",
    )
    code = "import sys; from tests.pictures.test_fonts import drawn; sys.stdout.write(drawn())"
    environment = {**os.environ, "FONTCONFIG_FILE": str(settings), "PYTHONUTF8": "1"}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment)
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout.decode()


@pytest.mark.parametrize(
    "names",
    [[], ["DejaVuSans.ttf"], ["STIXGeneral.ttf"]],  # the last one is narrow and has serifs
    ids=["no font", "the measured font", "another font"],
)
def test_the_fonts_of_the_machine_change_nothing(tmp_path, names):
    assert with_fonts(tmp_path, names) == drawn()


def test_the_table_of_widths_is_that_of_the_font():
    assert WIDTHS.read_text(encoding="ascii") == written(of_the_font())


def test_a_width_is_the_font_s_own():
    assert width("iiii", 10) < width("WWWW", 10) / 2
    assert width("0.4028", 20) == pytest.approx(2 * width("0.4028", 10))
    assert width("漢", 10) > width("W", 10)


# -- captions -------------------------------------------------------------------------------------


def sizes(text: str) -> tuple[float, float]:
    root = ET.fromstring(text)
    return float(root.get("width", 0)), float(root.get("height", 0))


def test_a_caption_wraps_and_leaves_the_picture_its_size():
    marks = tuple(Mark(f"n{i}", f"V{i}", "term") for i in range(6))
    arrows = tuple(Arrow(f"e{i}", f"n{i}", f"n{i + 1}", "likes(X, Y)") for i in range(5))
    title = " ".join(["a rule of many words"] * 12)
    bare, said = (svg(Picture("rule", text, marks, arrows)) for text in ("", title))
    assert bare is not None and said is not None
    assert sizes(said)[0] == sizes(bare)[0]
    assert sizes(said)[1] > sizes(bare)[1]
    lines = [text.text or "" for text in ET.fromstring(said).iterfind(f"./{SVG}g/{SVG}text")]
    assert len(lines) > 1 and " ".join(lines) == title  # no word is cut


def test_no_caption_makes_a_small_picture_wide():
    word = svg(Picture("rule", "w" * 200, (Mark("n0", "X", "term"),), ()))
    assert word is not None
    assert sizes(word)[0] <= 500


# -- words in their boxes -------------------------------------------------------------------------

FACES = {
    "the measured font": ("DejaVuSans.ttf", 100),
    "as wide as Verdana": ("DejaVuSans.ttf", 106),
    "a font with serifs": ("DejaVuSerif.ttf", 100),
    "a narrow font": ("STIXGeneral.ttf", 100),
}

OUTSIDE = """async () => {
  await document.fonts.load('13px Chosen');
  await document.fonts.ready;
  if (!document.fonts.check('13px Chosen')) return ['the font is missing'];
  const found = [];
  const box = (element) => {
    const r = element.getBoundingClientRect();
    return [r.left, r.top, r.right, r.bottom];
  };
  const inside = (inner, outer) => inner[0] >= outer[0] - .6 && inner[2] <= outer[2] + .6 &&
    (inner[1] + inner[3]) / 2 >= outer[1] && (inner[1] + inner[3]) / 2 <= outer[3];
  let seen = 0;
  for (const svg of document.querySelectorAll('svg.nl-svg')) {
    for (const text of svg.querySelectorAll('text')) {
      seen += 1;
      const said = text.textContent;
      if (!inside(box(text), box(svg))) found.push(`${said}: outside the picture`);
      const group = text.parentElement;
      if (group.classList.contains('graph')) continue;
      const shapes = [...group.querySelectorAll('ellipse, polygon, path')];
      const shape = group.classList.contains('edge') ? shapes.at(-1) : shapes[0];
      if (!inside(box(text), box(shape))) found.push(`${said}: outside its box`);
      if (shape.localName !== 'ellipse') continue;
      const [l, t, r, b] = box(shape);
      const [x, y] = [(l + r) / 2, (t + b) / 2];
      const inner = box(text);
      const size = Number(text.getAttribute('font-size')) * 4 / 3;
      for (const place of [0, 2]) {  // the ends of the line, at the height of its letters
        const dx = (inner[place] - x) / (r - x);
        const dy = (Math.abs((inner[1] + inner[3]) / 2 - y) + size * .3) / (b - y);
        if (Math.hypot(dx, dy) > 1) found.push(`${said}: outside its ellipse`);
      }
    }
  }
  return seen > 100 ? found : [`only ${seen} texts`];
}"""


@pytest.mark.browser
@needs_chromium
def test_no_text_leaves_its_box_in_any_of_these_fonts():
    pytest.importorskip("playwright")
    pictures = drawn()
    assert 'font-family: "DejaVu Sans"' in pictures
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 3000, "height": 1000})
        for name, (file, adjusted) in FACES.items():
            face = base64.b64encode((BROUGHT / file).read_bytes()).decode()
            page.set_content(
                "<!DOCTYPE html><style>@font-face { font-family: Chosen; "
                f"src: url(data:font/ttf;base64,{face}); size-adjust: {adjusted}% }}"
                "</style>" + pictures.replace('"DejaVu Sans"', "Chosen")
            )
            assert (name, page.evaluate(OUTSIDE)) == (name, [])
