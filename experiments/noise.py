"""`python -m experiments noise`: how much the drawing of WordNet's false test pairs changes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from experiments.arguments import Arguments
from experiments.data import prepare
from experiments.paper import BY_NAME
from experiments.running import figures

_DRAWN = "drawn"


def main(words: Sequence[str]) -> int:
    parser = Arguments(
        "noise",
        "The same weights (all 1) on the true test pairs of WordNet, with false ones "
        "drawn anew, two for each subject as in the paper.",
    )
    parser.add_argument("--draws", type=int, default=10)
    options = parser.chosen(words)
    experiment = BY_NAME["wordnet"]
    session = prepare(options.data, experiment, 0)
    session.add("set_parameter(initial_value, 1.0).", source="setting")
    session.train(epochs=0)
    print("the paper's draw:", _shown(figures(session, experiment, "test")), flush=True)
    text = (options.data / "wordnet" / "test.pl").read_text(encoding="utf-8")
    true = [line for line in text.splitlines() if not line.startswith(("0.0::", "0::"))]
    session.add("\n".join(true), source="true pairs", set=_DRAWN)
    found = []
    for seed in range(options.draws):
        session.sample_negatives(_DRAWN, number=2, seed=seed, source="false pairs")
        found.append(figures(session, experiment, _DRAWN))
        print(f"draw {seed}:", _shown(found[-1]), flush=True)
    for name in found[0]:
        values = [one[name] for one in found]
        deviation = np.std(values, ddof=1) if len(values) > 1 else 0.0
        print(f"{name}: {np.mean(values):.4f}, deviation {deviation:.4f}")
    return 0


def _shown(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.4f}" for name, value in values.items())
