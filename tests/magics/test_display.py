"""What is shown: tables, bars, notes and curves; escaped, aligned and cut."""

import re
from base64 import b64decode
from types import SimpleNamespace

import pytest
from pygments import highlight
from pygments.formatters import HtmlFormatter

from neurallog_kernel import Session
from neurallog_kernel.commands import Note, Table
from neurallog_magics.display.curves import TrainingFigure, picture
from neurallog_magics.display.notes import note_html
from neurallog_magics.display.tables import answers_table, table_html
from neurallog_magics.lexer import NeuralLogLexer
from neurallog_magics.training import LiveOutput

NASTY = '<img src=x onerror="alert(1)">&'


def test_answers_are_aligned_and_cut():
    s = Session()
    s.add("".join(f"{1 / (i + 1)}::p(a, n{i:03})." for i in range(80)))
    table = answers_table(s.query("p(a, X)"))
    lines = str(table).splitlines()
    assert lines[0] == "?- p(a, X)."
    assert lines[1] == "  X      weight"
    assert lines[3] == "  n001      0.5"
    assert lines[-1] == "  … 30 more"
    assert len(lines) == 53
    html = table_html(table)
    assert html.count("<tr") == 51
    assert "… 30 more" in html


def test_bars_compare_between_tables():
    half = table_html(Table(("x", "#weight"), [("a", "0.5")], bars=[0.5]))
    assert "width:50.0%" in half
    large = table_html(Table(("x", "#weight"), [("a", "4"), ("b", "-2")], bars=[4.0, -2.0]))
    assert "width:50.0%;margin-left:50.0%" in large  # to the right of the line at zero
    assert 'nl-negative" style="width:25.0%;margin-left:25.0%' in large  # to the left of it
    odd = table_html(Table(("x",), [("a",), ("b",)], bars=[float("nan"), float("inf")]))
    assert "nan" not in odd


def test_everything_from_data_is_escaped():
    s = Session()
    quoted = NASTY.replace('"', '\\"')
    s.add(f'p(a, "{quoted}"). q("{quoted}", 3).')
    shown = [
        table_html(answers_table(s.query("p(a, X)"))),
        table_html(Table((NASTY,), [(NASTY,)], title=NASTY, note=NASTY)),
        note_html(Note(NASTY, (NASTY,))),
        picture(NASTY, {NASTY: [1.0], f"val_{NASTY}": [2.0]}),
        TrainingFigure("done", 1, 1, 1, 1, 0.1, {NASTY: (1.0,)})._repr_html_(),
    ]
    for html in shown:
        ours = re.search(r'<img alt="[^"<>]*" src="data:image/svg\+xml;base64,([^"]*)"/>', html)
        inside = b64decode(ours[1]).decode() if ours else ""
        html = html.replace(ours[0], "") if ours else html
        assert "<img" not in html + inside
        assert "&lt;img" in html + inside


def test_ground_and_empty_answers():
    s = Session()
    s.add("p(a, b). p(b, a). p(c, c). q(X, Z) :- p(X, Y), r(Y, Z). r(c, c).")
    assert str(answers_table(s.query("p(a, b)"))) == "?- p(a, b).  1"
    assert str(answers_table(s.query("q(a, X)"))) == "?- q(a, X).  no answer"


def test_a_frame_tells_where_the_training_is():
    running = TrainingFigure(
        "training", 3, 10, 5, 20, 1.25, {"loss": (0.5, 0.25), "val_loss": (0.6, 0.4)}
    )
    assert str(running) == (
        "Training at epoch 3 of 10, batch 5 of 20, 1.2 s, about 3 s to go, loss 0.25, val_loss 0.4"
    )
    html = running._repr_html_()
    image = b64decode(re.search(r'base64,([^"]+)"', html)[1]).decode()
    assert image.count("<polyline") == 2
    assert image.count("stroke-dasharray") == 1  # validation
    assert '"curves": {"loss": [0.5, 0.25], "val_loss": [0.6, 0.4]}' in html
    assert running._repr_svg_() is None
    stopped = TrainingFigure("interrupted", 3, 10, 0, 20, 1.0, {"loss": (0.5,)})
    assert str(stopped).endswith("To go on: %neurallog train --resume --epochs 7")
    assert stopped._repr_svg_().count("<svg") == 2


def test_curves_survive_what_is_not_finite():
    assert picture("loss", {"loss": [float("nan"), float("inf")]}) == ""
    assert "nan" not in picture("loss", {"loss": [1.0, float("nan"), 2.0]})
    assert picture("loss", {"loss": [1.0] * 5000}).count(",") < 1000


def test_updates_are_throttled(monkeypatch):
    clock, put = [100.0], []
    monkeypatch.setattr("neurallog_magics.training.time.monotonic", lambda: clock[0])
    monkeypatch.setattr("neurallog_magics.training.display", lambda *_, **__: handle)
    handle = SimpleNamespace(update=put.append)
    output = LiveOutput(updates=4.0, live=True)
    history = SimpleNamespace(logs={"loss": [1.0], "seconds": [0.1]}, epochs=1000, seconds=10.0)
    output.start()
    for step in range(1000):  # ten seconds
        clock[0] = 100.0 + step / 100
        output.on_epoch(SimpleNamespace(epoch=step, epochs=1000, history=history))
    assert 35 <= len(put) <= 41
    output.finish(history)
    assert put[-1].stage == "done"
    assert set(put[-1].curves) == {"loss"}


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("p(X) :- q(X).", ['<span class="nv">X</span>', '<span class="nf">p</span>']),
        ("0.5::p(a). % note", ['<span class="m">0.5</span>', '<span class="c1">% note</span>']),
        ("for i in a do p_{i}(b). done", ['<span class="k">for</span>', "done"]),
        ("learn(p).", ['<span class="kd">learn</span>']),
        ("%%neurallog --name x\np(a).", ['<span class="gh">%%neurallog --name x</span>']),
    ],
)
def test_the_lexer_colours(text, spans):
    html = highlight(text, NeuralLogLexer(), HtmlFormatter())
    for span in spans:
        assert span in html
    assert 'class="err"' not in html


@pytest.mark.parametrize("weight", ["10000000000000000", "0.123456", "1234.5", "12"])
def test_a_weight_is_written_one_way(weight):
    session = Session()
    session.add(f"{weight}::p(a).")
    answers = session.query("p(X)")
    assert answers_table(answers).rows[0][-1] == str(answers).split()[-1]
