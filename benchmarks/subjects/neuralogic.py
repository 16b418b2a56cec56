"""PyNeuraLogic on the same rules, facts and examples: grounding, and an epoch once all is warm.

Both sides compute the weighted number of proofs and learn a weight for each rule; the outputs are
compared before anything is timed. Its engine is Java with threads of its own, so the clock on the
wall counts here, for both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.bases import SIX_RULES, Base, example_text, examples, random_base
from benchmarks.measuring import Seconds, Stopwatch, Turns, once, undisturbed
from benchmarks.rows import Measured, Row, Settings, Skipped, faster, speed_up, subject
from benchmarks.subjects.epochs import TurnsOfEpochs, ours_to_first_batch
from neurallog_kernel import Session

LINE = "PyNeuraLogic, same rules"
PEER = "PyNeuraLogic"
FACTS = 5_000
ROWS = (
    Row("neuralogic-grounding", "grounding 6 rules, 5 k facts", PEER, faster(1000), LINE),
    Row("neuralogic-epoch", "a warm epoch of these, batch 32", PEER, faster(1), LINE),
    Row("neuralogic-setup", "loaded facts to the first batch", PEER),
)
WEIGHTS = {
    "direct": 0.3,
    "two": 0.5,
    "other_two": 0.2,
    "sideways": 0.4,
    "shared": 0.1,
    "three": 0.6,
}
OPTIONS = {"batch_size": 32, "optimizer": "sgd", "learning_rate": 0.0001, "unlisted": "unknown"}


@subject("neuralogic", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    _require()
    from neurallog_kernel.network.tensorflow import keras

    keras()
    facts = 1_000 if settings.quick else FACTS
    note = f"{facts:,} facts" if settings.quick else ""
    base = random_base(facts // 10, facts)
    pairs = examples(base, facts // 10)
    _load(base, pairs).train(epochs=1, **OPTIONS)  # what TensorFlow does once in a process
    peer = Peer(base, pairs)
    ours = [_grounding(_load(base, pairs)) for _ in range(3)]
    taken = once(peer.ground)
    ours += [_grounding(_load(base, pairs)) for _ in range(3)]
    yield "neuralogic-grounding", speed_up(Turns(tuple(ours), (taken,) * len(ours), "wall"), note)
    built = once(peer.build)
    _check_same(_load(base, pairs), peer, pairs)
    first = [ours_to_first_batch(lambda: _load(base, pairs), **OPTIONS) for _ in range(3)]
    whole = Seconds(taken.wall + built.wall, taken.processor + built.processor)
    yield "neuralogic-setup", speed_up(Turns(tuple(first), (whole,) * 3, "wall"), note)
    peer.epochs(100)  # the Java compiler needs them
    turns = TurnsOfEpochs(lambda: peer.epochs(20), settings.rounds(15), "wall")
    _load(base, pairs).train(epochs=10**6, callbacks=[turns], seed=1, **OPTIONS)
    yield "neuralogic-epoch", speed_up(turns.turns, note)


def _require() -> None:
    try:
        import jpype
        import neuralogic  # noqa: F401
    except ImportError:
        raise Skipped("PyNeuraLogic is not installed: pip install 'neurallog[bench]'") from None
    try:
        jpype.getDefaultJVMPath()
    except jpype.JVMNotFoundException:
        raise Skipped("PyNeuraLogic needs Java, and none was found") from None


def _load(base: Base, pairs: np.ndarray) -> Session:
    session = Session()
    weights = "".join(f"{value}::w({name}).\n" for name, value in WEIGHTS.items())
    session.add(base.text() + SIX_RULES + weights, source="program")
    session.add(example_text(pairs), source="examples", set="train")
    return session


def _grounding(session: Session) -> Seconds:
    """From the loaded program to where the first step could be taken."""

    class AtTheStart:
        taken: Seconds

        def on_begin(self, state) -> None:
            self.taken = watch.read()
            state.stop = True

    start = AtTheStart()
    with undisturbed():
        watch = Stopwatch()
        session.train(epochs=1, callbacks=[start], **OPTIONS)
    return start.taken


class Peer:
    """The same rules for PyNeuraLogic: a sum over groundings, times a weight a rule."""

    def __init__(self, base: Base, pairs: np.ndarray) -> None:
        from neuralogic.core import R, Settings
        from neuralogic.dataset import Dataset
        from neuralogic.nn import MSE, SGD

        facts = [
            R.get(name)(f"e{a}", f"e{b}")
            for name, found in base.pairs.items()
            for a, b in found.tolist()
        ]
        queries = [
            R.h(f"e{a}", f"e{b}")[float(1 - i % 2)] for i, (a, b) in enumerate(pairs.tolist())
        ]
        self.dataset = Dataset()
        self.dataset.add(queries, facts)
        self.model = _model()
        self.model.build(Settings(optimizer=SGD(lr=0.0001), error_function=MSE()))

    def ground(self) -> None:
        self.grounded = self.model.ground(self.dataset, batch_size=32)

    def build(self) -> None:
        self.built = self.model.build_dataset(self.grounded, batch_size=32)

    def outputs(self) -> list[float]:
        return [float(value) for value in self.model.test(self.built)]

    def epochs(self, number: int) -> Seconds:
        """What one of so many took."""
        watch = Stopwatch()
        self.model.train(self.built, epochs=number)
        return watch.read() / number


def _model() -> Any:
    from neuralogic.core import Aggregation, Combination, Metadata, Model, R, Transformation, V

    X, Y, Z, A, B = V.X, V.Y, V.Z, V.A, V.B
    bodies = {
        "direct": (R.p(X, Y),),
        "two": (R.p(X, Z), R.q(Z, Y)),
        "other_two": (R.q(X, Z), R.r(Z, Y)),
        "sideways": (R.p(Z, X), R.q(Z, Y)),
        "shared": (R.r(X, Z), R.q(Y, Z)),
        "three": (R.p(X, A), R.q(A, B), R.r(B, Y)),
    }
    proofs = Metadata(
        transformation=Transformation.IDENTITY,
        combination=Combination.PRODUCT,
        aggregation=Aggregation.SUM,
    )
    model = Model()
    for name, body in bodies.items():
        model += (R.h(X, Y)[WEIGHTS[name]] <= body) | proofs
    model += R.h / 2 | Metadata(transformation=Transformation.IDENTITY, combination=Combination.SUM)
    return model


def _check_same(session: Session, peer: Peer, pairs: np.ndarray) -> None:
    """The peer gives what we give, or there is nothing to compare."""
    theirs = peer.outputs()
    for (a, b), found in list(zip(pairs.tolist(), theirs, strict=True))[:50]:
        ours = session.query(f"h(e{a}, e{b})").weights
        value = next(iter(ours.values()), 0.0)
        if abs(value - found) > 1e-4 * max(1.0, abs(value)):
            raise AssertionError(f"h(e{a}, e{b}): ours {value}, PyNeuraLogic {found}")
