"""Training on the paper's data sets: a later epoch, and everything before the first one."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.measuring import Seconds, Stopwatch, Turns, undisturbed
from benchmarks.original import OriginalWay, load_by_grammar
from benchmarks.rows import Measured, Row, Settings, faster, speed_up, subject
from neurallog_kernel import Session

BATCH = 32
SETTINGS = {"batch_size": BATCH, "learning_rate": 0.01, "seed": 1}
PORT = "the original's way, ported"


@dataclass(frozen=True)
class DataSet:
    """The files of one training, the design's targets and what the original took elsewhere."""

    name: str
    title: str
    folder: str  # of the examples, below the data set's
    epoch: float  # wanted: times as fast
    original_epoch: float  # seconds
    original_build: float
    steps: int | None = None  # of the port in a round; None for a whole epoch
    rounds: int = 7
    builds: int = 2

    def files(self, folder: Path) -> list[Path]:
        names = ["facts.pl", "theory.pl", "config.pl"]
        if self.folder != "." and (folder / self.folder / "facts.pl").exists():
            names.append(f"{self.folder}/facts.pl")
        return [folder / name for name in names]

    def examples(self, folder: Path) -> Path:
        return folder / self.folder / "train.pl"

    def texts(self, folder: Path) -> dict[str, str | None]:
        """Every text with the example set it is read into."""
        texts: dict[str, str | None] = dict.fromkeys(
            file.read_text(encoding="utf-8") for file in self.files(folder)
        )
        return texts | {self.examples(folder).read_text(encoding="utf-8"): "train"}

    def load(self, folder: Path) -> Session:
        session = Session()
        for file in self.files(folder):
            session.load(file)
        session.load(self.examples(folder), set="train")
        return session


DATA_SETS = (
    DataSet("uwcse", "UWCSE, fold 1", "fold1", 5, 0.045, 12, rounds=15, builds=3),
    DataSet("yelp", "Yelp, fold 1", "fold1", 20, 1.0, 9, steps=40),
    DataSet("cora", "Cora, the four targets together", ".", 20, 2.8, 18, steps=20),
    DataSet(
        "pakdd15",
        "PAKDD15, fold 1, true concepts",
        "fold1",
        50,
        87.0,
        20,
        steps=6,
        rounds=5,
        builds=1,
    ),
    DataSet("wordnet", "WordNet", ".", 1000, 660 * 5.6, 56, steps=2, rounds=3, builds=1),
)


def measure(data: DataSet, settings: Settings, wanted: frozenset[str]) -> Measured:
    """Ours runs its epochs; between two of them the port gets its turn."""
    from neurallog_kernel.network.tensorflow import keras

    folder = settings.folder(data.name)
    keras()
    warm_up()
    builds: tuple[list[Seconds], list[Seconds]] = ([], [])
    port = None
    for _ in range(1 if settings.quick else data.builds):
        builds[0].append(ours_to_first_batch(partial(data.load, folder)))
        session = data.load(folder)
        with undisturbed():
            watch = Stopwatch()
            load_by_grammar(data.texts(folder))
            port = OriginalWay(session, BATCH)
            port.run(1)
            builds[1].append(watch.read())
    build = Turns(tuple(builds[0]), tuple(builds[1]))
    yield f"build-{data.name}", speed_up(build)
    if f"epoch-{data.name}" in wanted and port is not None:
        rounds = settings.rounds(data.rounds, 3)
        taken = TurnsOfEpochs(lambda: port.run(data.steps), rounds)
        data.load(folder).train(epochs=10**6, callbacks=[taken], **SETTINGS)
        note = f"port timed on {data.steps} of {port.steps} steps" if data.steps else ""
        yield f"epoch-{data.name}", speed_up(taken.turns, note)


def ours_to_first_batch(load: Callable[[], Session], **options: object) -> Seconds:
    """From files to the first finished batch."""

    class First:
        taken: Seconds | None = None

        def on_batch(self, state) -> None:
            if self.taken is None:
                self.taken = watch.read()
            state.stop = True

    first = First()
    with undisturbed():
        watch = Stopwatch()
        load().train(epochs=10, callbacks=[first], **{**SETTINGS, **options})
    assert first.taken is not None
    return first.taken


class TurnsOfEpochs:
    """A callback of training: some of our epochs, then the other side's turn, and so on."""

    # Seconds of a round, about those of the other side: several epochs where one is short. A later
    # epoch comes after one of its own: what the other side left in the caches must count little.
    LEAST = 0.5

    def __init__(
        self, theirs: Callable[[], Seconds], rounds: int, clock: str = "processor"
    ) -> None:
        self._theirs, self._rounds, self._clock = theirs, rounds, clock
        self._ours: list[Seconds] = []
        self._others: list[Seconds] = []
        self._epochs, self._wanted, self._seen = 0, 1, 0
        self._watch = Stopwatch()

    def on_epoch(self, state) -> None:
        taken = self._watch.read()
        self._seen += 1
        self._epochs += 1
        if self._seen <= 2:  # the first was traced, the second tells how long an epoch is
            seconds = max(getattr(taken, self._clock), 1e-6)
            self._wanted = max(1, min(200, int(self.LEAST / seconds)))
            self._epochs = 0
        elif self._epochs >= self._wanted:
            self._ours.append(taken / self._epochs)
            self._others.append(self._theirs())
            self._epochs = 0
            state.stop = len(self._ours) >= self._rounds
        else:
            return
        self._resume()

    def _resume(self) -> None:
        gc.collect()
        self._watch = Stopwatch()

    @property
    def turns(self) -> Turns:
        return Turns(tuple(self._ours), tuple(self._others), self._clock)


def warm_up() -> None:
    """What TensorFlow and Keras do once in a process is nobody's cost."""
    session = Session()
    session.add("learn(w). p(a, b). h(X, Y) :- p(X, Y), w(k).", source="program")
    session.add("h(a, b).", source="examples", set="train")
    OriginalWay(session, 1).run()
    session.train(epochs=2)


def _register() -> None:
    for data in DATA_SETS:
        rows = (
            Row(
                f"epoch-{data.name}",
                f"a later epoch, {data.title}, batch {BATCH}",
                PORT,
                faster(data.epoch),
                "a later epoch",
                data.original_epoch,
            ),
            Row(
                f"build-{data.name}",
                f"files to the first batch, {data.title}",
                PORT,
                faster(10),
                "load and build before the first epoch",
                data.original_build,
            ),
        )
        slow = data.name in ("pakdd15", "wordnet")
        subject(data.name, rows, slow)(partial(measure, data))


_register()
