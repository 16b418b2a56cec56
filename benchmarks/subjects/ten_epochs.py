"""Ten epochs with everything before them, on a made-up base with even degrees and one with hubs."""

from __future__ import annotations

from functools import partial

from benchmarks.bases import SIX_RULES, example_text, examples, random_base
from benchmarks.measuring import Seconds, Stopwatch, Turns, once, undisturbed
from benchmarks.original import OriginalWay, load_by_grammar
from benchmarks.rows import Measured, Row, Settings, faster, speed_up, subject
from benchmarks.subjects.epochs import PORT, warm_up
from neurallog_kernel import Session

ENTITIES, FACTS, EXAMPLES, BATCH, EPOCHS = 5_000, 50_000, 5_000, 256, 10
KINDS = {"uniform": ("even degrees", 0.0, 20), "hubs": ("hubs, Zipf 0.8", 0.8, 8)}


def measure(kind: str, settings: Settings, wanted: frozenset[str]) -> Measured:
    from neurallog_kernel.network.tensorflow import keras

    keras()
    warm_up()
    base = random_base(ENTITIES, FACTS, zipf=KINDS[kind][1])
    program, labelled = base.text() + SIX_RULES, example_text(examples(base, EXAMPLES))

    def load() -> Session:
        session = Session()
        session.add(program, source="program")
        session.add(labelled, source="examples", set="train")
        return session

    def ours() -> None:
        options = {"optimizer": "adagrad", "learning_rate": 0.01, "seed": 1}
        load().train(epochs=EPOCHS, batch_size=BATCH, **options)

    def theirs() -> Seconds:
        session = load()  # the port has no parser: the grammar stands for the original's
        with undisturbed():
            watch = Stopwatch()
            load_by_grammar({program: None, labelled: "train"})
            port = OriginalWay(session, BATCH)
            port.run(1)
            before = watch.read()
            epochs = [port.run() for _ in range(2 if settings.quick else EPOCHS)]
        scale = EPOCHS / len(epochs)
        return Seconds(
            before.wall + scale * sum(e.wall for e in epochs),
            before.processor + scale * sum(e.processor for e in epochs),
        )

    before, taken, after = [once(ours) for _ in range(2)], theirs(), [once(ours) for _ in range(2)]
    mine = (*before, *after)
    note = "port timed on 2 of 10 epochs" if settings.quick else ""
    yield f"ten-epochs-{kind}", speed_up(Turns(mine, (taken,) * len(mine)), note)


def _register() -> None:
    for kind, (title, _, wanted) in KINDS.items():
        row = Row(
            f"ten-epochs-{kind}",
            f"text to ten epochs, {ENTITIES // 1000} k entities, {FACTS // 1000} k facts, {title}",
            PORT,
            faster(wanted),
            "ten epochs, set-up included",
        )
        subject(f"ten-epochs-{kind}", [row], slow=True)(partial(measure, kind))


_register()
