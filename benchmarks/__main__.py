"""`python -m benchmarks`: every row against its target, one table and one plot."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

from benchmarks import plot, report, results, subjects  # noqa: F401  (subjects registers the rows)
from benchmarks.measuring import PINNED
from benchmarks.results import Result, Run
from benchmarks.rows import SUBJECTS, Settings, all_rows, chosen
from neurallog_kernel.errors import did_you_mean

HERE = Path(__file__).resolve().parent
PATIENCE = 1800  # seconds for one subject; four times that with --large
EXAMPLES = """examples:
  python -m benchmarks                            everything; writes benchmarks/RESULTS.*
  python -m benchmarks --quick                    everything, smaller and fewer: minutes
  python -m benchmarks epoch-cora growth          a row, and all rows whose names begin so
  python -m benchmarks --large engines            also with 100 million facts in DuckDB
  python -m benchmarks --into benchmarks/RESULTS.json epoch-cora   a row of the table, again
  python -m benchmarks --compare benchmarks/RESULTS.json query     and how the figures moved
  python -m benchmarks --compare old.json --with new.json          two runs that are done
"""


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure every row against its peer and its target.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="rows or how they begin (all)")
    parser.add_argument("--list", action="store_true", help="the rows with their targets")
    parser.add_argument("--quick", action="store_true", help="smaller bases and fewer rounds")
    parser.add_argument("--large", action="store_true", help="with what takes an hour")
    parser.add_argument("--repeat", type=float, default=1.0, help="a factor on the rounds (1)")
    folder = os.environ.get("NEURALLOG_DATA", HERE.parents[1] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(folder), help="folder of the data sets")
    parser.add_argument("--out", type=Path, help="folder to write to")
    parser.add_argument(
        "--into", type=Path, metavar="OLD.json", help="put the rows into the table of this run"
    )
    parser.add_argument("--compare", type=Path, metavar="OLD.json", help="show what moved since")
    parser.add_argument("--with", type=Path, dest="other", metavar="NEW.json", help="do not run")
    parser.add_argument("--verbose", action="store_true", help="show what the processes print")
    return parser


def main(words: Sequence[str] | None = None) -> int:
    parser = make_parser()
    options = parser.parse_args(words)
    if options.list:
        print(listing(options.names))
        return 0
    if options.other is not None and options.compare is None:
        parser.error("--with NEW.json needs --compare OLD.json")
    for file in (options.compare, options.other, options.into):
        if file is not None and not file.is_file():
            parser.error(f"{file}: there is no such file")
    old = results.read(options.compare) if options.compare else None
    if options.other is not None and old is not None:
        print(report.comparison(old, results.read(options.other)))
        return 0
    tasks = _tasks(parser, options.names)
    run = measure(tasks, options)
    if options.into is not None:
        put_into(options.into, run)
    else:
        write(run, options, complete=len(run.results) == len(all_rows()))
    if old is not None:
        print("\n" + report.comparison(old, run))
    return 1 if any(one.failed for one in run.results) else 0


def _tasks(parser: argparse.ArgumentParser, names: Sequence[str]) -> dict[str, frozenset[str]]:
    try:
        return dict(chosen(names))
    except KeyError as error:
        (word,) = error.args
        known = [*SUBJECTS, *all_rows()]
        parser.error(f"unknown: {word}; {did_you_mean(word, known) or 'see --list'}")


def listing(names: Sequence[str]) -> str:
    """The rows with their targets, and the line of the design that each stands for."""
    wanted = {row for rows in chosen(names).values() for row in rows}
    lines = []
    for row in all_rows().values():
        if row.name in wanted:
            against = f" against {row.against}" if row.against else ""
            target = f" ({row.target})" if row.target else ""
            lines.append(f"{row.name:<28} {row.work}{against}{target}")
    return "\n".join(lines)


# -- running ---------------------------------------------------------------------------------------


def measure(tasks: dict[str, frozenset[str]], options: argparse.Namespace) -> Run:
    """Run the subjects one after the other, and show each row as soon as it is known."""
    settings = Settings(options.data, options.quick, options.repeat, options.large)
    started = perf_counter()
    found: list[Result] = []
    print(report.heading(), flush=True)
    for name, wanted in tasks.items():
        leave_out = options.quick and not options.names and SUBJECTS[name].slow
        found_here = (
            _left_out(name)
            if leave_out
            else in_own_process(name, wanted, settings, options.verbose)
        )
        for result in found_here:
            found.append(result)
            print(report.line(result), flush=True)
    taken = perf_counter() - started
    ordered = results.in_order(found)
    run = Run(ordered, results.today(), results.machine(), options.quick, taken)
    print("\n".join(filter(None, (report.growth_verdict(run), report.summary(run)))))
    return run


def _left_out(name: str) -> list[Result]:
    reason = "takes too long for --quick; name it to measure it"
    return [Result(row, skipped=reason) for row in SUBJECTS[name].rows]


def in_own_process(
    name: str, wanted: frozenset[str], settings: Settings, verbose: bool = False
) -> Iterator[Result]:
    """The results of one subject: figures as they come, then the reason for each row without."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report"
        file.touch()
        task = {
            "subject": name,
            "rows": sorted(wanted),
            "data": str(settings.data.resolve()),
            "quick": settings.quick,
            "repeat": settings.repeat,
            "large": settings.large,
            "report": str(file),
        }
        ended = _run(task, verbose)
        told = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    rows = all_rows()
    done = {one["row"]: results.figure_from_json(one["figure"]) for one in told if "row" in one}
    skipped = next((one["skipped"] for one in told if "skipped" in one), "")
    failed = next((one["failed"] for one in told if "failed" in one), ended)
    for row in SUBJECTS[name].rows:
        if row.name in done:
            yield Result(rows[row.name], done[row.name])
        elif row.name in wanted:
            yield Result(rows[row.name], skipped=skipped, failed="" if skipped else failed)


def _run(task: dict[str, object], verbose: bool) -> str:
    """Start the process, wait for it, and say why it ended if it did not end well."""
    output = None if verbose else subprocess.DEVNULL
    command = [sys.executable, "-m", "benchmarks.worker", json.dumps(task)]
    environment = {**os.environ, **PINNED}
    patience = PATIENCE * (4 if task["large"] else 1)
    try:
        code = subprocess.run(
            command,
            cwd=HERE.parent,
            env=environment,
            stdout=output,
            stderr=output,
            timeout=patience,
        ).returncode
    except subprocess.TimeoutExpired:
        return f"stopped after {patience} s"
    return f"the process ended with {code}" if code else "no figure was given"


# -- writing ---------------------------------------------------------------------------------------


def write(run: Run, options: argparse.Namespace, complete: bool) -> None:
    """Only a full run replaces what the project shows."""
    published = complete and not options.quick
    out = options.out or (HERE if published else Path("results"))
    _write_files(run, out, "RESULTS" if published else "benchmarks")


def put_into(file: Path, run: Run) -> None:
    """The rows of a run, in the place of those of an earlier one."""
    _write_files(results.merged(results.read(file), run), file.parent, file.stem)


def _write_files(run: Run, out: Path, stem: str) -> None:
    """The table, the plot and the figures."""
    out.mkdir(parents=True, exist_ok=True)
    results.write(run, out / f"{stem}.json")
    text = report.markdown(run).replace("RESULTS.svg", f"{stem}.svg")
    (out / f"{stem}.md").write_text(text, encoding="utf-8")
    files = [out / f"{stem}.md", out / f"{stem}.json"]
    if plot.draw(run, out / f"{stem}.svg"):
        files.append(out / f"{stem}.svg")
    print("wrote " + ", ".join(str(file) for file in files))


if __name__ == "__main__":
    sys.exit(main())
