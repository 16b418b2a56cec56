"""What the pages need of Sphinx: parts made from code, the tutorials, formulas without a CDN."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from docs.reference import PARTS

ROOT = Path(__file__).parents[2]
_LINKS = {  # from a tutorial to a file of the project: the page that has it
    "../experiments/RESULTS.md": "../measurements.md",
    "../README.md": "../index.md",
    "../docs/": "../",
}
_CELLS = ("%%neurallog", "%%examples")


class FromCode(SphinxDirective):
    """A part of the page that is made from the code: `{from-code} functions`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        make = PARTS.get(self.arguments[0])
        if make is None:
            known = ", ".join(PARTS)
            raise self.error(f"there is no part {self.arguments[0]}; known: {known}")
        return self.parse_text_to_nodes(make(), allow_section_headings=True)


def copy_tutorials(app: Sphinx) -> None:
    """The notebooks, as they are saved, beside the pages: Sphinx reads one folder only."""
    target = Path(app.srcdir) / "tutorials"
    target.mkdir(exist_ok=True)
    wanted = {path.name: path for path in sorted((ROOT / "tutorials").glob("*.ipynb"))}
    for old in target.glob("*.ipynb"):
        if old.name not in wanted:
            old.unlink()
    for name, path in wanted.items():
        text = path.read_text(encoding="utf-8")
        for there, here in _LINKS.items():
            text = text.replace(f"]({there}", f"]({here}")
        (target / name).write_text(text, encoding="utf-8")


def colour_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Each cell has the colours of its language, whatever the kernel of its notebook is."""
    for node in doctree.findall(nodes.literal_block):
        lines = node.astext().splitlines() or [""]
        if lines[0].startswith("%%python"):
            node["language"] = "ipython3"
        elif lines[0].startswith(_CELLS) or all(line.startswith("%neurallog") for line in lines):
            node["language"] = "neurallog"


def _mathml(translator: Any, node: Any, display: str) -> None:
    math = latex2mathml.tex2mathml(node.astext(), as_block=display == "block")
    translator.body.append(math)
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("from-code", FromCode)
    app.connect("builder-inited", copy_tutorials)
    app.connect("doctree-read", colour_cells)
    # Browsers draw MathML themselves; Sphinx's own way would fetch MathJax from a CDN.
    app.add_html_math_renderer(
        "mathml",
        (lambda self, node: _mathml(self, node, "inline"), None),
        (lambda self, node: _mathml(self, node, "block"), None),
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
