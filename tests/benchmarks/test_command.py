"""`python -m benchmarks`: its rows, its table, its files. Nothing here looks at the clock."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks import plot, report, results, subjects  # noqa: F401
from benchmarks.fitting import fit
from benchmarks.results import Result, Run
from benchmarks.rows import SUBJECTS, Figure, Row, Settings, Skipped, Target, all_rows, chosen

ROOT = Path(__file__).parents[2]

# The table of what is to be reached, line by line: how its rows begin, and how many of them.
REACH = {
    "a later epoch": {"epoch-uwcse": 5, "epoch-yelp": 20, "epoch-cora": 20}
    | {"epoch-pakdd15": 50, "epoch-wordnet": 1000},
    "load and build before the first epoch": dict.fromkeys(
        ("build-uwcse", "build-yelp", "build-cora", "build-pakdd15", "build-wordnet"), 10
    ),
    "parse and load 106 k facts": {"parse-seconds": 1, "parse-ratio": 50},
    "ten epochs, set-up included": {"ten-epochs-uniform": 20, "ten-epochs-hubs": 8},
    "PyNeuraLogic, same rules": {"neuralogic-grounding": 1000, "neuralogic-epoch": 1},
    "add one rule to 1,000": {"add-rule": 50},
    "independent of the number of unrelated rules": {"add-rule-unrelated": 1.5},
    "single query against hand-written SciPy": {"query-two-10k": 1.5, "query-three-200k": 1.5},
    "1 M entities, 10 M facts": {"large-load": 60, "large-query": 100, "large-bytes": 24},
    "`%load_ext` to first answer": {"first-answer": 1},
    "cost growth": {"growth-facts-load": 1.1, "growth-entities": 0.1},
}


@pytest.mark.parametrize("line", REACH)
def test_every_line_of_the_design_has_its_rows(line):
    rows = {row.name: row for row in all_rows().values() if row.design == line}
    assert REACH[line].items() <= {n: r.target.value for n, r in rows.items() if r.target}.items()


def test_every_growth_has_time_and_memory():
    names = {name for name in all_rows() if name.startswith("growth-")}
    assert names
    assert {f"{n}-memory" for n in names if not n.endswith("-memory")} == {
        n for n in names if n.endswith("-memory")
    }
    for size in ("facts", "entities", "rules", "batch", "depth"):
        assert any(name.startswith(f"growth-{size}") for name in names)


def test_a_row_says_its_unit_by_its_target():
    for row in all_rows().values():
        assert row.work
        if row.target is not None and row.target.unit.startswith("×"):
            assert row.against, f"{row.name} is a ratio against nobody"


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        (["epoch-cora"], {"epoch-cora"}),
        (["cora"], {"epoch-cora", "build-cora"}),
        (["add-rule"], {"add-rule", "add-rule-same", "add-rule-unrelated"}),
        (["parse", "epoch-cora"], {"parse-seconds", "parse-ratio", "epoch-cora"}),
    ],
)
def test_rows_are_chosen_by_name(words, rows):
    assert set().union(*chosen(words).values()) == rows


def test_all_rows_are_chosen_by_no_name():
    assert set().union(*chosen([]).values()) == set(all_rows())


def test_an_unknown_name_is_an_error_with_a_hint(capsys):
    with pytest.raises(SystemExit) as stopped:
        command.main(["epoch-corra"])
    assert stopped.value.code == 2
    assert "epoch-cora" in capsys.readouterr().err


def test_list_lists_and_measures_nothing():
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--list"], capture_output=True, text=True, cwd=ROOT
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert [line.split()[0] for line in run.stdout.splitlines()] == list(all_rows())


def test_the_library_of_the_peers_is_not_needed():
    heavy = {"problog", "neuralogic", "jpype", "tensorflow"}
    code = f"import sys, benchmarks.__main__; print({heavy} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.stdout.strip() == "set()"


# -- a process of its own --------------------------------------------------------------------------


def test_a_row_without_its_data_is_skipped_with_the_reason(tmp_path):
    settings = Settings(tmp_path, quick=True)
    with pytest.raises(Skipped, match="no data set cora"):
        settings.folder("cora")
    found = list(command.in_own_process("cora", frozenset({"epoch-cora"}), settings))
    assert [(one.row.name, one.verdict) for one in found] == [("epoch-cora", "skipped")]
    assert "--data" in found[0].skipped


def test_a_measured_row_comes_back_from_its_process(tmp_path):
    settings = Settings(tmp_path, quick=True, repeat=0.1)
    wanted = frozenset({"problog-two"} if _has("problog") else {"add-rule"})
    (name,) = (s.name for s in SUBJECTS.values() if wanted <= {r.name for r in s.rows})
    (found,) = command.in_own_process(name, wanted, settings)
    assert found.figure is not None, found.failed
    assert found.figure.value > 0


def _has(package: str) -> bool:
    from importlib.util import find_spec

    return find_spec(package) is not None


def test_a_process_that_fails_is_told_apart_from_a_skipped_one(tmp_path):
    (tmp_path / "wordnet").mkdir()  # a data set without its files
    (found, *_) = command.in_own_process(
        "wordnet", frozenset({"epoch-wordnet"}), Settings(tmp_path)
    )
    assert found.verdict == "failed"
    assert "facts.pl" in found.failed


def test_quick_leaves_out_what_is_slow_unless_it_is_named(tmp_path, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(command, "in_own_process", lambda name, *_: asked.append(name) or [])
    for words in (["--quick"], ["--quick", "soak"]):
        options = command.make_parser().parse_args(words)
        run = command.measure(dict(chosen(options.names)), options)
        left_out = {one.row.name for one in run.results if "--quick" in one.skipped}
        assert ("soak-train" in left_out) == (not options.names)
    assert asked[-1] == "soak"
    assert "wordnet" not in asked


# -- the report ------------------------------------------------------------------------------------


@pytest.fixture
def run() -> Run:
    """One row of every kind."""
    rows = all_rows()
    sizes = [10, 100, 1_000, 10_000]
    growth = Figure(1.02, "exponent", note="± 0.01", growth=fit(sizes, [2.0 * s for s in sizes]))
    return Run(
        (
            Result(rows["epoch-cora"], Figure(25.0, "× as fast", 0.1, 2.5, 24.0, 26.0, rounds=7)),
            Result(rows["query-two-10k"], Figure(1.9, "× the time", 2e-4, 1e-4)),
            Result(rows["large-load"], Figure(42.0, "s", 42.0)),
            Result(rows["large-process"], Figure(80.0, "bytes a fact")),
            Result(rows["growth-facts-load"], growth),
            Result(rows["epoch-yelp"], skipped="there is no data set yelp"),
            Result(rows["neuralogic-epoch"], failed="the process ended with -9"),
        ),
        "2026-01-02",
        {"Linux": "on 2 cores", "Python": "3.13.0"},
        seconds=120.0,
    )


def test_verdicts(run):
    verdicts = [one.verdict for one in run.results]
    assert verdicts == ["pass", "short", "pass", "-", "pass", "skipped", "failed"]


def test_the_original_measured_elsewhere_is_no_part_of_the_verdict(run):
    cora = run.results[0]
    assert cora.original == pytest.approx(28.0)
    slower = Result(cora.row, Figure(19.0, "× as fast", 1e-6, 1.9e-5))
    assert slower.original > 1e6
    assert slower.verdict == "short"
    assert slower.remark == "pass by the original's own time"
    assert cora.remark == ""


def test_the_table_has_every_row_with_target_and_verdict(run):
    text = report.markdown(run)
    table = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(table) == 1 + len(run.results)
    assert len({line.count("|") for line in table}) == 1
    cora = next(line for line in table if "epoch-cora" in line)
    for part in ("25 × as fast", "[24, 26]", "≥ 20", "pass", "100 ms", "2.5 s", "(28×)"):
        assert part in cora
    assert "**short**" in next(line for line in table if "query-two-10k" in line)
    assert "there is no data set yelp" in text
    assert "2026-01-02" in text and "2 cores" in text


def test_growth_is_judged_in_one_sentence(run):
    assert report.growth_verdict(run).endswith("pass.")
    assert "Nothing grows faster" in report.markdown(run)
    steep = Figure(1.5, "exponent", growth=fit([1, 10, 100], [1, 30, 1000]))
    worse = Run((Result(all_rows()["growth-rules-load"], steep),), run.date, run.machine)
    assert report.growth_verdict(worse).endswith("growth-rules-load: short.")
    assert report.growth_verdict(Run((), run.date, run.machine)) == ""


def test_the_terminal_has_the_same(run):
    lines = [report.line(one) for one in run.results]
    assert "pass" in lines[0] and "short" in lines[1]
    assert lines[5].endswith("skipped: there is no data set yelp")
    assert lines[6].endswith("failed: the process ended with -9")
    assert "3 pass" in report.summary(run)


def test_the_picture_is_readable_and_the_same_every_time(run, tmp_path):
    pytest.importorskip("matplotlib")
    first, second = tmp_path / "first.svg", tmp_path / "second.svg"
    assert plot.draw(run, first) and plot.draw(run, second)
    assert first.read_bytes() == second.read_bytes()
    texts = "".join(ElementTree.parse(first).getroot().itertext())
    for part in ("epoch-cora", "25 × as fast", "facts-load"):
        assert part in texts


def test_nothing_to_draw_draws_nothing(run, tmp_path):
    empty = Run(run.results[5:], run.date, run.machine)
    assert not plot.draw(empty, tmp_path / "none.svg")
    assert not list(tmp_path.iterdir())


def test_a_run_is_read_back_as_it_was_written(run, tmp_path):
    file = tmp_path / "run.json"
    results.write(run, file)
    assert results.read(file) == run


def test_a_row_that_is_measured_again_replaces_its_figure_in_the_table(run, tmp_path, monkeypatch):
    file = tmp_path / "RESULTS.json"
    results.write(run, file)
    newer = Result(all_rows()["query-two-10k"], Figure(1.1, "× the time", 1.1e-4, 1e-4))
    monkeypatch.setattr(command, "in_own_process", lambda *_: [newer])
    assert command.main(["query-two-10k", "--into", str(file)]) == 0
    now = results.read(file)
    assert {one.row.name: one for one in now.results} == {
        one.row.name: newer if one.row.name == "query-two-10k" else one for one in run.results
    }
    table = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "full run of 2 minutes; 1 rows measured again" in table
    assert "1.1 × the time" in table and "1.9 × the time" not in table


def test_what_a_machine_is_called_stays_there():
    import getpass
    import socket

    text = json.dumps(results.machine())
    assert socket.gethostname() not in text
    assert str(Path.home()) not in text
    assert f"{getpass.getuser()}@" not in text


def test_two_runs_are_compared(run, tmp_path, capsys):
    rows = all_rows()
    moved = Run(
        (
            Result(rows["epoch-cora"], Figure(15.0, "× as fast", 0.1, 1.5)),
            Result(rows["query-two-10k"], Figure(1.995, "× the time", 2e-4, 1e-4)),
        ),
        "2026-01-03",
        {},
    )
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    results.write(run, old)
    results.write(moved, new)
    assert command.main(["--compare", str(old), "--with", str(new)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "-40% *" in lines[1] and "pass -> short" in lines[1]
    assert "+5%" in lines[2] and "*" not in lines[2]
    assert lines[-1] == "1 of 2 moved by more than 20%"


def test_a_file_to_compare_with_must_be_there(tmp_path, capsys):
    with pytest.raises(SystemExit):
        command.main(["--compare", str(tmp_path / "none.json")])
    assert "no such file" in capsys.readouterr().err


def test_rows_are_registered_once():
    from benchmarks.rows import subject

    with pytest.raises(ValueError, match="registered twice"):
        subject("another", [Row("epoch-cora", "again", "", Target(1, "s"))])(lambda *_: iter(()))
    assert "another" not in SUBJECTS


def test_only_a_full_run_replaces_the_published_table(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    published = {p.name: p.read_bytes() for p in (ROOT / "benchmarks").glob("RESULTS.*")}
    options = command.make_parser().parse_args(["--quick"])
    command.write(run, options, complete=True)
    assert {p.name for p in (tmp_path / "results").iterdir()} >= {
        "benchmarks.md",
        "benchmarks.json",
    }
    now = {p.name: p.read_bytes() for p in (ROOT / "benchmarks").glob("RESULTS.*")}
    assert now == published
