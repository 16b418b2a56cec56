"""`python -m experiments revised`: two rules of UWCSE's theory removed, and learned again."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from experiments.arguments import Arguments
from neurallog_kernel import NeuralLogError, Session

HEAD = "advisedby/2"
LEAST = 0.001  # what a row must add on training examples to be taken
MOST = 3  # rows that are taken


def theory(data: Path) -> list[str]:
    """The rules for the target itself, each with weight 1: without learning they give 0.95."""
    text = (data / "uwcse" / "theory.pl").read_text("utf-8")
    bodies = re.findall(r"^advisedby_sum\(X1, X2\) :- (.*), w\(w\d\)\.$", text, re.MULTILINE)
    return [f"advisedby(X1, X2) :- {body}." for body in bodies]


def opened(data: Path, fold: int, rules: Sequence[str]) -> Session:
    session = Session()
    session.load(data / "uwcse" / "facts.pl")
    session.load(data / "uwcse" / f"fold{fold}" / "train.pl", set="train")
    session.load(data / "uwcse" / f"fold{fold}" / "test.pl", set="test")
    session.add("\n".join(rules), source="theory")
    return session


def area(session: Session, name: str) -> float:
    return session.evaluate(name, ranks=False)["roc_auc"]


def worst_pair(data: Path, fold: int, rules: Sequence[str]) -> tuple[int, int]:
    """The two rules without which the training examples are ordered worst."""
    session = opened(data, fold, rules)
    found = {}
    for pair in combinations(range(len(rules)), 2):
        left = [rule for number, rule in enumerate(rules) if number not in pair]
        session.add("\n".join(left), source="theory")
        found[pair] = area(session, "train")
    return min(found, key=lambda pair: found[pair])


def mended(session: Session) -> list[str]:
    """Take the rows that `revise` finds best, one after the other."""
    table = session.learn_rules(HEAD, set="train", budget=20)
    table.untick(*table.ticked)
    taken: list[int] = []
    while len(taken) < MOST:
        rows = [one for one in table.revise() if one.what.startswith("with row ")]
        if not rows or rows[0].difference < LEAST:
            break
        taken.append(int(rows[0].what.rsplit(" ", 1)[1]))
        table.tick(taken[-1])
    if taken:
        table.accept(taken, source="mended")
    return [table[number].text for number in taken]


def main(words: Sequence[str]) -> int:
    said = "Remove the two most useful rules of UWCSE's theory, and mend it."
    parser = Arguments("revised", said)
    parser.add_argument("--folds", type=int, nargs="*", default=[1, 2, 3, 4, 5])
    options = parser.chosen(words)
    figures = []
    try:
        rules = theory(options.data)
        for fold in options.folds:
            pair = worst_pair(options.data, fold, rules)
            whole = area(opened(options.data, fold, rules), "test")
            left = [rule for number, rule in enumerate(rules) if number not in pair]
            session = opened(options.data, fold, left)
            without = area(session, "test")
            taken = mended(session)
            figures.append((whole, without, area(session, "test")))
            print(
                "fold {}: theory {:.4f}, without rules {} and {} {:.4f}, mended {:.4f}: {}".format(
                    fold, whole, pair[0] + 1, pair[1] + 1, without, figures[-1][2], " ".join(taken)
                ),
                flush=True,
            )
    except (NeuralLogError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    means = np.mean(figures, axis=0)
    print("revised: theory {:.4f}, without two rules {:.4f}, mended {:.4f}".format(*means))
    return 0
