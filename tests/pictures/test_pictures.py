"""Static pictures: what is in them, that data never becomes markup, and what happens without
Graphviz."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.pictures import render as rendering
from neurallog_kernel.pictures.dot import dot_source
from neurallog_kernel.pictures.draw import draw
from neurallog_kernel.pictures.drawing import Drawing
from neurallog_kernel.pictures.model import Mark, Picture, shorten
from neurallog_kernel.pictures.show import show
from neurallog_kernel.pictures.svg import svg
from neurallog_kernel.pictures.tree import tree_picture
from neurallog_magics.display.pictures import register_formatters
from tests.pictures.paper import FACTS, FIGURE_1

DOCS = Path(__file__).parents[2] / "docs"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def session() -> Session:
    session = Session()
    session.add(FACTS, source="facts")
    session.add(FIGURE_1, source="rule")
    return session


def groups(text: str) -> dict[str, ET.Element]:
    """The parts of an SVG picture by their names."""
    root = ET.fromstring(text)
    return {g.get("data-id"): g for g in root.iter(f"{SVG}g") if g.get("data-id")}


def texts(text: str) -> list[str]:
    return ["".join(t.itertext()).strip() for t in ET.fromstring(text).iter(f"{SVG}text")]


# -- Figure 1 -------------------------------------------------------------------------------------


def test_figure_1_has_the_paper_s_terms_and_literals(session):
    picture = show(session, "target/2").picture
    terms = {m.label: m.kind for m in picture.marks}
    assert terms == {
        "X": "input",
        "V": "term",
        "Z": "term",
        "Y": "output",
        "U": "term",
        "w": "ground",
    }
    names = {m.id: m.label for m in picture.marks}
    drawn = {(names[a.start], a.label, names[a.end], a.kind) for a in picture.arrows}
    assert drawn == {
        ("X", "p0(X, Z)", "Z", "literal"),
        ("X", "p1(X, Z)", "Z", "literal"),
        ("Z", "p2(Z, Y)", "Y", "literal"),
        ("X", "p3(X, V)", "V", "literal"),
        ("U", "p4(U, Y)", "Y", "literal"),
        ("Z", "p5(Z)", "Z", "loop"),
        ("V", "any(V, Y)", "Y", "any"),
        ("X", "any(X, U)", "U", "any"),
        ("Y", "", "w", "beside"),
    }


def test_figure_1_has_the_paper_s_paths(session):
    picture = show(session, "target/2", "tree").picture
    names = {m.id: m.label for m in picture.marks}
    after = {a.start: [] for a in picture.arrows}
    for arrow in picture.arrows:
        after[arrow.start].append(arrow)

    def paths(at):
        if at not in after:
            return [names[at]]
        return [f"{names[at]} {a.label} {rest}" for a in after[at] for rest in paths(a.end)]

    assert paths("t0") == [
        "X p0 Z p5 Z p2 Y",
        "X p1 Z p5 Z p2 Y",
        "X p3 V any Y",
        "X any U p4 Y",
    ]


def test_a_learned_literal_is_marked_by_more_than_colour(session):
    text = show(session, "target/2").svg
    assert "× ◆ w" in texts(text)
    assert "◆ learned" in texts(text)
    session.add("learn(p3).", source="learn")
    text = show(session, "target/2").svg
    assert "◆ p3(X, V)" in texts(text)
    assert "nl-learned" in groups(text)["e3"].get("class")


def test_hover_text_has_shape_facts_and_weights(session):
    found = groups(show(session, "target/2").svg)
    hover = found["e1"].find(f"{SVG}title").text
    assert hover == "p1(X, Z)\np1/2: matrix 1 × 2, 2 facts, weights 0.5 to 1"
    assert found["n0"].find(f"{SVG}title").text == "X: an input"


def test_any_place_can_be_the_output(session):
    terms = {m.label: m.kind for m in show(session, "target/2", output=0).picture.marks}
    assert (terms["X"], terms["Y"]) == ("output", "input")


def test_the_picture_in_the_readme_is_the_one_we_draw():
    session = Session()
    session.load(DOCS / "figure1.pl")
    for kind, name in (("rule", "figure1.svg"), ("tree", "figure1-paths.svg")):
        kept = (DOCS / name).read_text(encoding="utf-8")
        assert kept == show(session, "target/2", kind).svg


def test_the_words_of_an_inner_loop_stand_over_the_outer_loops():
    session = Session()
    session.add("a(x). b(x). p(x, y). h(X, Y) :- a(X), b(X), tanh(X), p(X, Y), tanh(Y), relu(Y).")
    drawn = ET.fromstring(svg(show(session, "h/2").picture))
    order = [
        "".join(group.find(f"{SVG}text").itertext())
        for group in drawn.iter(f"{SVG}g")
        if "edge" in group.get("class").split()
    ]
    assert [word for word in order if word.endswith("(X)")] == ["tanh(X)", "b(X)", "a(X)"]
    assert [word for word in order if word.endswith("(Y)")] == ["relu(Y)", "tanh(Y)"]


# -- networks and types ---------------------------------------------------------------------------


def test_recursion_is_unfolded_and_shared_parts_are_drawn_once():
    session = Session()
    session.add("next(a, b). next(b, c). set_parameter(recursion_depth, 2).")
    session.add("far(X, Y) :- next(X, Y). far(X, Y) :- next(X, Z), far(Z, Y).")
    picture = show(session, "far/2", "network").picture
    kinds = [(m.kind, m.label.partition("\n")[0]) for m in picture.marks]
    assert kinds.count(("literal", "far(·, ?)")) == 3  # depth 2: opened three times
    assert kinds.count(("beyond", "far(·, ?) = 0")) == 1
    assert kinds.count(("facts", "next")) == 1
    assert kinds.count(("literal", "next(·, ?)")) == 1


def test_what_will_be_learned_is_marked_before_it_has_facts():
    session = Session()
    session.add("p(a, b). learn(w). q(X, Y) :- p(X, Y), w(q).")
    marks = {m.label: m.learned for m in show(session, "q/2", "network").picture.marks}
    assert marks["w\nno facts yet"] and not marks["p\n1 fact"]


def test_a_large_network_is_cut_and_says_so():
    session = Session()
    lines = [f"p{i}(a, b). q(X, Y) :- p{i}(X, Y)." for i in range(100)]
    session.add("\n".join(lines))
    drawing = show(session, "q/2", "network")
    assert "and 90 more rules" in [m.label for m in drawing.picture.marks]
    assert drawing.picture.left_out == "showing 10 of 100 rules of q/2"
    assert "showing 10 of 100 rules of q/2" in str(drawing)
    assert any("showing 10 of 100 rules of q/2" in t for t in texts(drawing.svg))


def test_a_deep_network_is_cut_and_says_so():
    session = Session()
    session.add("p0(a, b).")
    session.add("\n".join(f"p{i + 1}(X, Y) :- p{i}(X, Y)." for i in range(40)))
    drawing = show(session, "p40/2", "network")
    assert len(drawing.picture.marks) == 60
    assert drawing.picture.left_out.startswith("showing 60 of ")


def test_the_type_map_counts(session):
    drawing = show(session)
    assert "p1/2 (2)" in " ".join(texts(drawing.svg))
    assert "2 entities" in str(drawing)


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("p0/2",), "facts only"),
        (("target/2:2",), "has 1 rules"),
        (("target/2", "sculpture"), "unknown picture"),
        (("tarqet/2",), "unknown predicate"),
        ((None, "network"), "needs a predicate"),
    ],
)
def test_a_mistake_is_explained(session, arguments, said):
    with pytest.raises(NeuralLogError, match=said):
        show(session, *arguments)


# -- text from data -------------------------------------------------------------------------------

NASTY = [
    '"><script>alert(1)</script>',
    "<b>bold</b>",
    "<<table><tr><td>x</td></tr></table>>",
    "back\\nslash \\l \\G \\N {|}",
    'it\'s & "quoted" &amp; &#60;',
    "漢字 — ünïcødé 🜁",
    "right\u202eleft\u0000\u0007",
    "line\nbreak",
    "x" * 200,
]


@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_a_label_is_never_markup(name):
    session = Session()
    quoted = "'" + name.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"
    try:
        session.add(
            f"likes({quoted}, b). fan(X) :- likes({quoted}, X). all(X, {quoted}) :- fan(X)."
        )
    except NeuralLogError:
        pytest.skip("the language does not take this name")
    for target, kind in (("fan", "rule"), ("fan", "tree"), ("all", "rule"), (None, None)):
        drawing = show(session, target, kind)
        root = ET.fromstring(drawing.svg)
        assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {
            *("svg", "style", "g", "title", "text", "polygon", "path", "ellipse", "polyline")
        }
        assert "href" not in drawing.svg
        assert max(map(len, texts(drawing.svg))) <= 120
        page = drawing._repr_mimebundle_()["text/html"]
        assert "<script>alert" not in page and "</script>" not in page[:-9]


@pytest.mark.parametrize("kind", ["input", "output", "term", "ground", "literal", "facts"])
@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_every_sort_of_mark_shows_the_text_itself(kind, name):
    label = shorten(name)
    drawn = svg(Picture("rule", name, (Mark("n0", label, kind, label),), ()))
    shown = " ".join(texts(drawn))
    assert " ".join(label.split()) in " ".join(shown.split())
    assert groups(drawn)["n0"].find(f"{SVG}title").text == label


def test_labels_are_cut():
    assert len(shorten("y" * 200)) == 40
    assert shorten("y" * 200).endswith("…")


# -- the ways to draw -----------------------------------------------------------------------------


def test_pygraphviz_needs_no_program_and_prints_nothing():
    code = (
        "from neurallog_kernel import Session\n"
        "from neurallog_kernel.pictures.show import show\n"
        "s = Session(); s.add('p(a, b). q(X, Y) :- p(X, Y).')\n"
        "assert show(s, 'q/2').svg.startswith('<svg')\n"
    )
    environment = {**os.environ, "PATH": "", "FONTCONFIG_FILE": "nowhere.conf"}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment)
    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")


WITHOUT = """
import sys
for name in ("graphviz", "pygraphviz", "anywidget", "IPython"):
    sys.modules[name] = None
from neurallog_kernel import MissingPackageError, Session
from neurallog_kernel.cli import main
s = Session()
s.load("family.pl")
try:
    s.explore()
except MissingPackageError as error:
    print(error.message, "|", error.hint)
for name in ("a.txt", "a.svg"):
    print(main(["draw", "family.pl", "--target", "q/2", "-o", name]))
"""


def test_without_the_notebook_packages_text_is_drawn_and_the_rest_says_what_to_install(tmp_path):
    (tmp_path / "family.pl").write_text("p(a, b). q(X, Y) :- p(X, Y).")
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.stdout.splitlines() == [
        "the explorer needs the package anywidget, which is not installed | "
        "install it with: pip install 'neurallog[notebook]'",
        "a.txt",
        "0",
        "1",
    ]
    assert "a .svg picture needs the package graphviz" in run.stderr
    assert "p(X, Y)" in (tmp_path / "a.txt").read_text()


def test_without_graphviz_there_is_the_text(session, monkeypatch):
    monkeypatch.setattr(rendering, "_in_process", lambda source, form: None)
    monkeypatch.setattr(rendering.shutil, "which", lambda name: None)
    drawing = show(session, "target/2")
    assert drawing._repr_mimebundle_() == {"text/plain": str(drawing)}
    assert "p0(X, Z)" in str(drawing)


def test_the_program_is_asked_when_the_library_is_missing(session, monkeypatch):
    asked = []
    monkeypatch.setattr(rendering, "_in_process", lambda source, form: None)
    monkeypatch.setattr(rendering, "_by_program", lambda *given: asked.append(given))
    assert show(session, "target/2").svg is None
    assert asked


@pytest.mark.parametrize(
    ("ending", "start"),
    [
        ("svg", b"<svg"),
        ("png", b"\x89PNG"),
        ("pdf", b"%PDF"),
        ("dot", b"digraph"),
        ("txt", b"targ"),
    ],
)
def test_draw_writes_files(session, tmp_path, ending, start):
    path = draw(session, "target/2", "rule", tmp_path / f"picture.{ending}")
    assert path.read_bytes().startswith(start)


def test_draw_writes_a_file_for_each_rule(session, tmp_path):
    session.add("target(X, Y) :- p2(X, Y).", source="more")
    draw(session, "target/2", "rule", tmp_path / "t.dot")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t-2.dot", "t.dot"]


def test_draw_refuses_an_ending_it_does_not_know(session, tmp_path):
    with pytest.raises(NeuralLogError, match=r"cannot draw a \.gif file"):
        draw(session, "target/2", "rule", tmp_path / "t.gif")


# -- objects --------------------------------------------------------------------------------------


def test_the_objects_show_themselves(session):
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    register_formatters(shell)
    rule = session.rules("target/2")[0]
    layer = session.inspect().layer(("target", 2))
    for thing in (rule, rule.dag, rule.path_tree, layer):
        data, _ = shell.display_formatter.format(thing)
        assert {"image/svg+xml", "text/html", "text/plain"} <= set(data)
        assert data["image/svg+xml"].startswith("<svg")


def test_the_same_picture_gives_the_same_source(session):
    assert dot_source(show(session, "target/2").picture) == show(session, "target/2").dot
    assert isinstance(show(session, "target/2"), Drawing)


def test_a_step_of_the_tree_names_all_terms_of_a_literal_with_three() -> None:
    session = Session()
    session.add("gave(ann, bob, book). got(Y, T) :- gave(_, Y, T). near(X, Y) :- got(X, Y).")
    (rule,) = session.rules("got/2")
    (arrow,) = tree_picture(rule.path_tree).arrows
    assert arrow.label == "gave(_, Y, T)"
    (rule,) = session.rules("near/2")
    (arrow,) = tree_picture(rule.path_tree).arrows
    assert arrow.label == "got"
