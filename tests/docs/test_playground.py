"""The playground: recorded examples with the network off, the engine as a browser has it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from zipfile import ZipFile

import pytest

from docs.playground.build import (
    CORE,
    EngineMissing,
    engine_files,
    recorded_script,
    write_engine,
    write_packages,
    write_playground,
)
from docs.playground.engine import answer
from tests.chromium import chromium, expect, local_pages, needs_chromium

AS_IN_A_BROWSER = """
import json, subprocess, sys, threading

def refused(*arguments, **options):
    raise RuntimeError("a browser starts no thread and no program")

threading.Thread.start = subprocess.Popen = refused

class Refused:
    names = {"numpy", "scipy", "lark", "pygments", "graphviz", *sys.stdlib_module_names}
    names |= {"neurallog_kernel", "neurallog_magics", "playground_engine"}
    names -= {"sqlite3", "ssl", "lzma", "test", "tkinter"}  # Pyodide has them as extra packages

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in self.names and not top.startswith(("_", "cython")):
            raise ModuleNotFoundError(f"no {name} in a browser", name=name)

import numpy, scipy.sparse
sys.meta_path[:] = [Refused(), *(one for one in sys.meta_path if "editable" not in repr(one))]
for name in [name for name in sys.modules if name.partition(".")[0] in ("sqlite3", "ssl", "lzma")]:
    del sys.modules[name]
sys.path.insert(0, sys.argv[1])
from playground_engine import answer
print(json.dumps([answer(text) for text in json.loads(sys.stdin.read())]))
"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "playground"
    assert "recorded examples" in write_playground(folder)
    return folder / "index.html"


def recorded(page_file: Path) -> list[dict]:
    script = page_file.with_name("recorded.js").read_text(encoding="utf-8")
    return json.loads(script.splitlines()[0].partition("= ")[2].rstrip(";"))


def test_an_error_says_its_line():
    said = answer("p(a, b)\np(b, c).\n?- p(a, X).")
    assert said["line"] == 2 and "end the clause before it with a full stop" in said["error"]


def test_a_question_that_fails_leaves_the_others():
    said = answer("p(a, b).\n?- p(c, X).\n?- p(a, X).")["questions"]
    assert "unknown entity c" in said[0]["error"] and "p(a, b)" in said[1]["reasons"]


def test_a_name_is_never_markup():
    text = 'p("<img src=x>", b). q(X, Y) :- p(X, Y).\n?- q(X, b).'
    (question,) = answer(text)["questions"]
    pictures = [one["svg"] for one in question["pictures"]]
    for html in (question["answers"], *question["reasons"].values(), *pictures):
        assert "<img" not in html and "&lt;img" in html
    assert "<img" not in question["live"]


def test_the_engine_needs_numpy_and_scipy_alone(page_file, tmp_path):
    write_packages(tmp_path / "neurallog.zip")
    with ZipFile(tmp_path / "neurallog.zip") as archive:
        archive.extractall(tmp_path / "packages")
    (tmp_path / "packages" / "pygraphviz.py").unlink()  # it asks the browser
    shown = recorded(page_file)
    found = json.loads(
        subprocess.run(
            [sys.executable, "-I", "-c", AS_IN_A_BROWSER, str(tmp_path / "packages")],
            input=json.dumps([one["text"] for one in shown]),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )
    for example, here in zip(shown, found, strict=True):
        assert here["error"] == example["result"]["error"]
        for question, same in zip(here["questions"], example["result"]["questions"], strict=True):
            assert question["text"] == same["text"]
            assert question["reasons"] == same["reasons"]
            assert [one["text"] for one in question["pictures"]] == [
                one["text"] for one in same["pictures"]
            ]


def test_a_folder_without_numpy_is_refused(tmp_path):
    with pytest.raises(EngineMissing, match=r"no pyodide-lock\.json"):
        engine_files(tmp_path)
    entry = {"file_name": "numpy.whl", "depends": [], "sha256": "0"}
    packages = {"numpy": entry, "scipy": {**entry, "file_name": "scipy.whl", "depends": ["numpy"]}}
    (tmp_path / "pyodide-lock.json").write_text(json.dumps({"packages": packages}), "utf-8")
    with pytest.raises(EngineMissing, match=r"lacks numpy\.whl"):
        engine_files(tmp_path)
    (tmp_path / "numpy.whl").write_text("half of it", encoding="utf-8")
    with pytest.raises(EngineMissing, match=r"numpy\.whl is damaged"):
        engine_files(tmp_path)


# -- in a browser ---------------------------------------------------------------------------------


@pytest.mark.browser
@needs_chromium
def test_recorded_examples_play_with_the_network_off(page_file):
    asked: list[str] = []
    with chromium() as browser:
        context = browser.new_context(offline=True)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(page_file.as_uri())
        first = page.locator("#results article").first
        expect(first.locator("tr[data-nl-why]")).to_have_count(3)
        first.locator("tr[data-nl-why]", has_text="finn").click()
        expect(first.locator(".why")).to_contain_text("parent(cleo, finn)")
        expect(first.locator(".picture svg")).to_have_count(1)
        first.get_by_text("Play it: the living network").click()
        playing = first.frame_locator("iframe")
        expect(playing.get_by_text("play", exact=False).first).to_be_visible()
        page.select_option("#examples", label="a mistake")
        expect(page.locator("#results .error")).to_contain_text("a full stop")
        expect(page.locator("#colours .wrong")).to_have_text("parent(bob, cid).")

        page.fill("#program", "love(romeo, juliet).  % ♥\n?- love(romeo, X).")
        page.locator("#run").click()
        expect(page.locator("#results")).to_contain_text("make lab LIGHT=1")
        again = context.new_page()
        again.goto(page.url)
        expect(again.locator("#program")).to_have_value(page.input_value("#program"))
        context.close()
    assert asked and all(url.startswith(("file:", "about:")) for url in asked)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    handler.log_message = lambda *_: None  # type: ignore[attr-defined]
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.browser
@needs_chromium
def test_python_starts_in_the_browser_and_misses_numpy(tmp_path):
    """The npm package of Pyodide has Python; NumPy and SciPy for it are on no registry."""
    if shutil.which("npm") is None:
        pytest.skip("npm brings Pyodide and viz.js, and is not installed")
    packed = subprocess.run(
        ["npm", "pack", "pyodide@0.29.5", "--silent"], cwd=tmp_path, capture_output=True, text=True
    )
    if packed.returncode:
        pytest.skip("npm could not bring Pyodide")
    with tarfile.open(tmp_path / packed.stdout.strip().splitlines()[-1]) as archive:
        for member in filter(
            tarfile.TarInfo.isfile, archive
        ):  # extractall wants a filter, or none, by age
            target = tmp_path / member.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.extractfile(member).read())
    core = tmp_path / "package"
    with pytest.raises(EngineMissing, match="lacks numpy"):
        engine_files(core)
    folder = tmp_path / "site"
    write_playground(folder)
    files = [*(core / name for name in CORE), *core.glob("pyodide.asm.*")]
    version = write_engine(folder, files)
    (folder / "recorded.js").write_text(recorded_script(version), encoding="utf-8")
    with (
        served(folder) as address,
        chromium() as browser,
        local_pages(browser, 1280, 800) as context,
    ):
        page = context.new_page()
        page.goto(f"{address}/index.html")
        expect(page.locator("#status")).to_contain_text(
            "The engine did not start: numpy and scipy for Pyodide cannot be loaded"
        )
        expect(page.locator("#results article").first).to_contain_text("grandparent")
        drawn = page.evaluate(DRAW)
    assert drawn.startswith("<?xml") and "</svg>" in drawn


DRAW = """async () => {
  const { loadPyodide } = await import(new URL("pyodide/pyodide.mjs", location.href));
  const { instance } = await import(new URL("viz/dist/viz.js", location.href));
  const [python, viz] = [await loadPyodide(), await instance()];
  python.registerJsModule("neurallog_viz",
    { draw: (source, format, engine) => viz.renderString(source, { format, engine }) });
  const packed = await (await fetch("neurallog.zip")).arrayBuffer();
  python.unpackArchive(packed, "zip", { extractDir: "/neurallog" });
  return python.runPython(`
import sys
sys.path.insert(0, "/neurallog")
import pygraphviz
pygraphviz.AGraph(string="digraph { a -> b }").draw(format="svg", prog="dot").decode()
`);
}"""
