"""`python -m experiments baselines`: what a practitioner would fit instead, on columns of facts."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
import scipy.sparse as sp

from experiments.arguments import Arguments
from experiments.relational import Columns, Evidence, Labelled, evidence_of_training, pair_table


@dataclass(frozen=True)
class Task:
    """A target of the paper with the files that it is about."""

    name: str
    folder: str
    target: str
    arity: int
    folds: int = 0


TASKS = {
    task.name: task
    for task in (
        *(Task(f"cora-{t}", "cora", t, 2) for t in ("sameauthor", "samebib", "sametitle")),
        Task("cora-samevenue", "cora", "samevenue", 2),
        Task("uwcse", "uwcse", "advisedby", 2, 5),
        Task("yelp", "yelp", "mexican", 1, 5),
        Task("pakdd15", "pakdd15", "male", 1, 5),
    )
}


def tables(columns: Columns, train: Labelled, test: Labelled) -> tuple[np.ndarray, np.ndarray]:
    """Dense columns of both sets; no column of a training example knows its own label."""
    if len(train.names[0]) == 2:
        sizes = len(train.names)
        both = Labelled(train.names + test.names, np.concatenate([train.truth, test.truth]))
        whole = pair_table(columns, both)
        return whole[:sizes], whole[sizes:]
    first, second = ([name for (name,) in one.names] for one in (train, test))
    own, theirs = columns.bags(first), columns.bags(second)
    evidence = Evidence(own, train.truth)
    return (
        np.column_stack([columns.of_entities(first), evidence_of_training(own, train.truth)]),
        np.column_stack([columns.of_entities(second), evidence.table(theirs, len(second))]),
    )


def one_fold(data: Path, task: Task, fold: int) -> dict[str, float]:
    """ROC AUC of both models on the test examples."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.preprocessing import StandardScaler

    folder = data / task.folder
    division = folder / f"fold{fold}" if task.folds else folder
    columns = Columns([folder / "facts.pl"])
    train, test = (Labelled.read(division / f"{n}.pl", task.target) for n in ("train", "test"))
    x, y = tables(columns, train, test)
    scaler = StandardScaler().fit(x)
    straight, other = scaler.transform(x), scaler.transform(y)
    if task.arity == 1:  # single reviewers and items are columns too
        straight, other = (
            sp.hstack([table, *_aligned(columns, train, own)], format="csr")
            for table, own in ((straight, train), (other, test))
        )
    logistic = LogisticRegression(max_iter=2000, C=0.1).fit(straight, train.truth)
    boosting = HistGradientBoostingClassifier(class_weight="balanced", random_state=0).fit(
        x, train.truth
    )
    return {
        "logistic regression": float(roc_auc_score(test.truth, logistic.decision_function(other))),
        "gradient boosting": float(roc_auc_score(test.truth, boosting.predict_proba(y)[:, 1])),
    }


def _aligned(columns: Columns, train: Labelled, own: Labelled) -> Iterator[sp.csr_array]:
    """The bags that the training examples have, of some examples."""
    wanted = columns.bags([name for (name,) in train.names])
    found = columns.bags([name for (name,) in own.names])
    for name in wanted:
        yield found.get(name, sp.csr_array((len(own.names), len(columns.ids))))


def main(words: Sequence[str]) -> int:
    said = "Logistic regression and gradient boosting on columns made of the facts."
    options = Arguments("baselines", said, TASKS).chosen(words)
    print("| task (ROC AUC) | logistic regression | gradient boosting | processor seconds |")
    print("|---|---:|---:|---:|")
    for name in options.names:
        task = TASKS[name]
        began = process_time()
        try:
            found = [
                one_fold(options.data, task, fold)
                for fold in (range(1, task.folds + 1) if task.folds else [0])
            ]
        except OSError as error:
            print(f"{error}: name the folder with the datasets, --data FOLDER", file=sys.stderr)
            return 1
        means = [np.mean([one[model] for one in found]) for model in found[0]]
        seconds = process_time() - began
        print(f"| {name} | {means[0]:.4f} | {means[1]:.4f} | {seconds:.0f} |", flush=True)
    return 0
