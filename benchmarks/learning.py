"""Training: an epoch of each dataset against the original's way of computing, in the same run.

    python -m benchmarks.learning [--data DIR] [NAME ...]

The baseline is timed on a few batches after its first, and scaled to an epoch; ours is the median
of whole epochs after the first. Building is from the loaded program to the first finished batch.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks._original_way import OriginalWay
from neurallog_kernel import Session
from neurallog_kernel.knowledge.update import with_unit
from neurallog_kernel.learning.batches import RowPlan
from neurallog_kernel.learning.initial import initial_unit
from neurallog_kernel.learning.train import TrainOptions, decide, make_trainer
from neurallog_kernel.network.parameters import Parameters
from neurallog_kernel.network.tensorflow import keras, tensorflow

SETS = {
    "uwcse": (("facts.pl", "theory.pl", "config.pl"), "fold1/train.pl", 5, 12.0),
    "yelp": (("facts.pl", "theory.pl", "config.pl"), "fold1/train.pl", 20, 9.0),
    "cora": (("facts.pl", "theory.pl", "config.pl"), "train.pl", 20, 18.0),
    "pakdd15": (
        ("facts.pl", "fold1/facts.pl", "theory.pl", "config.pl"),
        "fold1/train.pl",
        50,
        20.0,
    ),
    "wordnet": (("facts.pl", "theory.pl", "config.pl"), "train.pl", 1000, 56.0),
}  # files, examples, wanted ratio of an epoch, the original's seconds before its first epoch
BATCH = 32


def loaded(folder: Path, name: str) -> Session:
    files, examples, _, _ = SETS[name]
    session = Session()
    for file in files:
        session.load(folder / name / file)
    session.load(folder / name / examples, set="train")
    return session


def ours(session: Session, epochs: int) -> tuple[float, float]:
    """Seconds to build (first batch included) and of a later epoch."""
    seconds: list[float] = []

    class Clock:
        def on_begin(self, state) -> None:
            self.begun = perf_counter()

        def on_batch(self, state) -> None:
            if not seconds:
                seconds.append(perf_counter() - started)

    clock = Clock()
    started = perf_counter()
    history = session.train(
        epochs=epochs, batch_size=BATCH, learning_rate=0.01, seed=1, callbacks=[clock]
    )
    ends = np.array(history.logs["seconds"])
    return seconds[0], float(np.median(np.diff(ends)))


def original(session: Session, steps: int) -> float:
    """Seconds of an epoch the original's way, from a few batches."""
    program = session._program
    planner = session._planner
    start = with_unit(
        program, initial_unit(program, planner.relations, 1), planner.symbols, strict=False
    )
    options = TrainOptions(batch_size=BATCH, learning_rate=0.01, seed=1)
    plan = decide(start, options)
    trainer = make_trainer(start, planner, session._executor, plan)
    values = Parameters(start, planner.relations, "float32").values()
    port = OriginalWay(values, 0.01)
    targets = [
        (t, o.layer.result)
        for t, o in zip(trainer.objective.targets, trainer.objective.outputs, strict=True)
    ]
    rows = RowPlan([t for t, _ in targets], BATCH)
    step = port.trainer(targets)
    batches = [b.order for b in rows.batches(None)]
    starts = [b.starts for b in rows.batches(None)]
    times = []
    for number in range(min(rows.count, steps + 1)):
        batch = []
        for place, (target, _) in enumerate(targets):
            first, last = starts[place][number], starts[place][number + 1]
            # TensorFlow's sparse product does not survive a batch without rows
            chosen = batches[place][first : max(last, first + 1)]
            chosen = chosen if len(chosen) else batches[place][:1]
            batch.append((tensorflow().constant(chosen), _labels(target, chosen)))
        begun = perf_counter()
        step(batch).numpy()
        times.append(perf_counter() - begun)
    return float(np.median(times[1:])) * rows.count


def _labels(target, chosen: np.ndarray):
    place = np.full(len(target.keys), -1)
    place[chosen] = np.arange(len(chosen))
    dense = np.zeros((len(chosen), target.size), dtype="float32")
    here = place[target.rows] >= 0
    dense[place[target.rows[here]], target.outputs[here]] = target.labels[here]
    return tensorflow().constant(dense)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    here = Path(__file__).resolve().parent.parent
    default = os.environ.get("NEURALLOG_DATA", str(here.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("names", nargs="*", default=list(SETS))
    given = parser.parse_args()
    keras()
    print(
        f"{'dataset':9} {'original way':>13} {'ours':>9} {'ratio':>8} {'wanted':>7}  {'build':>7}"
    )
    for name in given.names or SETS:
        if not (given.data / name).is_dir():
            print(f"{name:9} skipped: no {given.data / name}")
            continue
        session = loaded(given.data, name)
        slow = original(session, given.steps)
        build, fast = ours(loaded(given.data, name), given.epochs)
        wanted = SETS[name][2]
        ratio = slow / fast
        verdict = "reached" if ratio >= wanted else "short"
        figures = f"{slow:11.3f} s {fast:7.4f} s {ratio:8.1f} {wanted:7}  {build:5.2f} s"
        print(f"{name:9} {figures}  {verdict}")


if __name__ == "__main__":
    main()
