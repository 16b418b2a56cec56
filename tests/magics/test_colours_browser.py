"""The colours of a cell can be read in JupyterLab's light and dark themes."""

from __future__ import annotations

import pytest

from tests.chromium import needs_chromium
from tests.lab import Lab, Notebook

pytestmark = [pytest.mark.browser, needs_chromium]

PROGRAM = """%%neurallog
0.5::parent(ann, 'a b'). learn(w).
gp(X, Z) :- parent(X, Y), not old(Y), tanh(Z).
?- gp(ann, Who)."""

# each text of the first cell with the contrast between its colour and what it stands on
CONTRASTS = """() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map((v) => {
      const s = v / 255;
      return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
  };
  return [...document.querySelectorAll('.jp-CodeCell .cm-line span')].map((span) => {
    const [a, b] = [light(getComputedStyle(span).color), light(ground(span))];
    return [span.textContent, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  });
}"""


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_every_word_of_a_cell_can_be_read(page, lab: Lab, theme: str) -> None:
    lab.write("colours.ipynb", [PROGRAM])
    notebook = Notebook(page, lab, "colours.ipynb")
    notebook.command("apputils:change-theme", theme=theme)
    page.locator(f'[data-jp-theme-name="{theme}"]').first.wait_for(state="attached")
    notebook.until(lambda: "Who" in dict(page.evaluate(CONTRASTS)))
    faint = {text: round(found, 2) for text, found in page.evaluate(CONTRASTS) if found < 4}
    assert not faint
