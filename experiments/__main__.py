"""`python -m experiments`: run the paper's experiments and write one table."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from experiments import baselines, ensembles, fetch, learned, links, noise, report, revised
from experiments.arguments import Arguments
from experiments.paper import BY_NAME, Experiment
from experiments.running import Journal, Run, folds, one_run
from experiments.selecting import best, select
from experiments.sequences.running import main as sequences
from experiments.settings import RUNS, candidates
from neurallog_kernel import NeuralLogError

EXAMPLES = """examples:
  python -m experiments                          everything, ten runs each
  python -m experiments yelp uwcse --runs 2      two experiments, two runs
  python -m experiments --table                  the table of the runs that are done
  python -m experiments select yelp              compare settings on held-out training examples
  python -m experiments sequences --runs 2       a sequence labeller beside others, on own sentences
  python -m experiments learned uwcse            the paper's tasks without a hand-written rule
  python -m experiments revised                  two rules removed from UWCSE's theory
  python -m experiments fetch --from DIR         convert the published files of the datasets
  python -m experiments baselines                what tables of columns give on the same tasks
  python -m experiments ensembles yelp           ten seeds that answer together
  python -m experiments noise                    how much the drawing of WordNet's negatives changes
  python -m experiments links umls --wheel FILE  learn rules from triples and rank missing links
"""


_OWN = {
    "sequences": sequences,
    "learned": learned.main,
    "revised": revised.main,
    "fetch": fetch.main,
    "baselines": baselines.main,
    "ensembles": ensembles.main,
    "noise": noise.main,
    "links": links.main,
}


def make_parser() -> Arguments:
    parser = Arguments(
        "",
        "Run the paper's experiments and write one table.",
        BY_NAME,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--runs", type=int, default=None, help=f"default: {RUNS}; select: 1")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time (1)")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder to write to")
    parser.add_argument("--table", action="store_true", help="only write the table again")
    return parser


def main(words: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if words is None else list(words)
    if words and words[0] in _OWN:
        return _OWN[words[0]](words[1:])
    selecting = bool(words) and words[0] == "select"
    parser = make_parser()
    options = parser.chosen(words[1:] if selecting else words)
    chosen = [BY_NAME[name] for name in options.names]
    try:
        if selecting:
            _select(options.data, chosen, options.runs or 1)
        else:
            _run(options, chosen)
    except NeuralLogError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


# -- running --------------------------------------------------------------------------------------


def _run(options: argparse.Namespace, chosen: Sequence[Experiment]) -> None:
    options.out.mkdir(parents=True, exist_ok=True)
    journal = Journal(options.out / "runs.jsonl")
    if not options.table:
        done = {(run.experiment, run.fold, run.run) for run in journal.runs()}
        todo = [task for task in _tasks(chosen, options.runs or RUNS) if _key(task) not in done]
        for number, run in enumerate(_results(options.data, todo, options.jobs), start=1):
            journal.add(run)
            shown = ", ".join(f"{name} {value:.4f}" for name, value in run.values.items())
            place = f"fold {run.fold}, " if run.fold else ""
            print(f"[{number}/{len(todo)}] {place}run {run.run}: {shown}", flush=True)
    rows = report.rows_of(journal.runs())
    print("\n" + report.markdown(rows))
    for file in report.write(rows, options.out):
        print(file)


Task = tuple[Experiment, int, int]


def _tasks(chosen: Sequence[Experiment], runs: int) -> Iterator[Task]:
    """The first run of everything comes first: a stopped experiment still has a table."""
    for run in range(1, runs + 1):
        for experiment in chosen:
            for fold in folds(experiment):
                yield experiment, fold, run


def _key(task: Task) -> tuple[str, int, int]:
    return task[0].name, task[1], task[2]


def _results(data: Path, todo: Sequence[Task], jobs: int) -> Iterator[Run]:
    if jobs <= 1:
        for experiment, fold, run in todo:
            yield one_run(data, experiment, fold, run)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        yield from pool.map(one_run, [data] * len(todo), *zip(*todo, strict=True))


# -- choosing settings ----------------------------------------------------------------------------


def _select(data: Path, chosen: Sequence[Experiment], seeds: int) -> None:
    for experiment in chosen:
        tried = []
        for one in select(data, experiment, candidates(experiment.name), seeds):
            tried.append(one)
            fold = f"fold {one.fold}: " if one.fold else ""
            print(f"{experiment.name}: {fold}{one.setting}: {one.mean:.4f}", flush=True)
        for fold, winner in best(tried).items():
            place = f" of fold {fold}" if fold else ""
            print(f"{experiment.name}: best{place}: {winner.setting}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
