"""How long a static picture of a rule takes, and the explorer's first sight of a large program."""

from __future__ import annotations

from benchmarks.measuring import median, once, repeat
from benchmarks.rows import Figure, Measured, Row, Settings, Target, subject
from neurallog_kernel import Session

FIGURE_1 = """
target(X, Y) :- p0(X, Z), p1(X, Z), p2(Z, Y), p3(X, V), p4(U, Y), p5(Z), w.
p0(a, b). p1(a, b). p2(b, d). p3(a, v). p4(u, d). p5(b). 0.8::w.
"""
KINDS = ("rule", "tree", "network")
ROWS = (
    *(Row(f"picture-{k}", f"a picture of Figure 1 as {k}", "", Target(100, "ms")) for k in KINDS),
    Row("explorer", "the explorer's first sight of WordNet's rules", "", Target(2, "s")),
)


@subject("pictures", ROWS)
def measure(settings: Settings, wanted: frozenset[str]) -> Measured:
    from neurallog_kernel.pictures.explorer import explore
    from neurallog_kernel.pictures.show import show

    session = Session()
    session.add(FIGURE_1)
    rounds = settings.rounds(25)
    for kind in KINDS:
        runs = repeat(lambda _, k=kind: show(session, "target/2", k)._repr_mimebundle_(), rounds)
        seconds = median(runs, "wall")
        yield f"picture-{kind}", Figure(1e3 * seconds, "ms", seconds, rounds=rounds)
    if "explorer" in wanted:
        folder = settings.folder("wordnet")
        large = Session()
        for name in ("facts.pl", "theory.pl"):
            large.load(folder / name)
        seconds = once(lambda: explore(large)).wall
        yield "explorer", Figure(seconds, "s", seconds)
