"""Programs with the constructs of the original's examples, trained on the shell as they are."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from neurallog_kernel import Session

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def neurallog(*words: object, folder: Path) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "neurallog_kernel.cli", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


# -- iris ------------------------------------------------------------------------------------------


def write_iris(folder: Path) -> dict[str, str]:
    """The flowers as facts, 105 to learn from and 45 to be asked about; the classes of these."""
    data = load_iris()
    names = [str(name).removesuffix(" (cm)").replace(" ", "_") for name in data.feature_names]
    classes = [str(data.target_names[number]) for number in data.target]
    facts = [
        f"{name}(iris_{row}, {value})."
        for row, values in enumerate(data.data.tolist())
        for name, value in zip(names, values, strict=True)
    ]
    facts += [f"flower(iris_{row})." for row in range(len(classes))]
    (folder / "flowers.pl").write_text("\n".join(facts))
    parts = train_test_split(range(len(classes)), test_size=45, stratify=classes, random_state=1)
    for name, rows in zip(("train", "test"), parts, strict=True):
        listed = [
            f"{int(classes[row] == one)}::iris(iris_{row}, {one})."
            for row in rows
            for one in data.target_names
        ]
        (folder / f"{name}.pl").write_text("\n".join(listed))
    return {f"iris_{row}": classes[row] for row in parts[1]}


def best_classes(text: str) -> dict[str, str]:
    """The first class under each flower of an inference file: they are sorted, best first."""
    return dict(re.findall(r"^%% iris\((\w+), X\)\.\n(?:[\d.e-]+::)?iris\(\1, (\w+)\)", text, re.M))


def test_iris(tmp_path: Path) -> None:
    truth = write_iris(tmp_path)
    assert len(truth) == 45
    run = neurallog(
        *("train", "-p", HERE / "iris.pl", "flowers.pl", "-t", "train.pl", "-test", "test.pl"),
        *("-o", "out", "-li", "inference_", "-lp", "program.pl", "-v"),
        folder=tmp_path,
    )
    assert run.returncode == 0, run.stderr
    assert "Warning" not in run.stderr
    assert run.stderr.count("literal_negation_function:sparse has no effect") == 1, run.stderr
    found = best_classes((tmp_path / "out" / "inference_test_set.pl").read_text())
    right = sum(found[flower] == one for flower, one in truth.items())
    assert right >= 43
    accuracy = (tmp_path / "out" / "metric_accuracy.txt").read_text().split()
    assert float(accuracy[-1]) > 0.95
    learned = Session()
    learned.add((tmp_path / "out" / "program.pl").read_text())
    weights = learned.query("class_weight(U, C)").weights.values()
    assert len(weights) == 18 and max(map(abs, weights)) <= 8


# -- family ----------------------------------------------------------------------------------------


def write_family(folder: Path, generations: int = 4, couples: int = 6) -> None:
    """Made-up families: each couple has children who marry into the next one; the relations of one
    half of the people to learn from, of the others to look at and to test."""
    facts, parents, women = _families(generations, couples)
    (folder / "facts.pl").write_text("\n".join(facts))
    people = sorted({one for pair in parents for one in pair})
    children = {one: [c for p, c in parents if p == one] for one in people}
    grand = {one: {g for c in children[one] for g in children[c]} for one in people}
    siblings = {
        one: {s for p, c in parents if c == one for s in children[p]} - {one} for one in people
    }
    true = {
        "grandmother": {(a, g) for a in women for g in grand.get(a, ())},
        "grandfather": {(a, g) for a in people if a not in women for g in grand[a]},
        "aunt": {(a, n) for a in women for s in siblings.get(a, ()) for n in children[s]},
    }
    for number, name in enumerate(("train", "validation", "test")):
        mine = [one for place, one in enumerate(people) if place % 3 == number]
        (folder / f"{name}.pl").write_text("\n".join(_listed(true, mine, people)))


def _families(generations: int, couples: int) -> tuple[list[str], list[tuple[str, str]], set[str]]:
    parents: list[tuple[str, str]] = []
    women: set[str] = set()
    facts: list[str] = []
    for level in range(generations):
        for number in range(couples):
            wife, husband = f"w{level}_{number}", f"h{level}_{number}"
            women.add(wife)
            facts += [f"female({wife}).", f"male({husband}).", f"married({wife}, {husband})."]
            facts.append(f"married({husband}, {wife}).")
            if level + 1 < generations:
                nexts = [f"w{level + 1}_{number}", f"h{level + 1}_{(number + 1) % couples}"]
                parents += [(one, child) for one in (wife, husband) for child in nexts]
    return [*facts, *(f"parent({a}, {b})." for a, b in parents)], parents, women


def _listed(
    true: dict[str, set[tuple[str, str]]], subjects: Sequence[str], people: Sequence[str]
) -> Iterator[str]:
    """Every true pair; as false ones those of the other relations, and some more."""
    anything = set().union(*true.values())
    for relation, pairs in true.items():
        for subject in subjects:
            objects = sorted(b for a, b in pairs if a == subject)
            yield from (f"{relation}({subject}, {one})." for one in objects)
            near = sorted(b for a, b in anything - pairs if a == subject)
            far = [one for one in people if (subject, one) not in anything][: len(objects)]
            yield from (f"0::{relation}({subject}, {one})." for one in [*near, *far])


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess]:
    folder = tmp_path_factory.mktemp("family")
    write_family(folder)
    run = neurallog(
        *("train", "-p", HERE / "family.pl", "facts.pl", "-t", "train.pl"),
        *("-valid", "validation.pl", "-test", "test.pl"),
        *("-o", "out", "-li", "inference_", "-lm", "model", "-v"),
        folder=folder,
    )
    return folder / "out", run


def test_family(family: tuple[Path, subprocess.CompletedProcess]) -> None:
    out, run = family
    assert run.returncode == 0, run.stderr
    assert "Warning" not in run.stderr
    for setting in ("literal_negation_function:sparse", "allow_sparse"):
        assert run.stderr.count(f"{setting} has no effect") == 1, run.stderr
    expected = {f"inference_{name}_set.pl" for name in ("train", "validation", "test")}
    expected |= {f"best_{name}_set.pl" for name in ("train", "validation", "test")}
    assert expected | {"best_program.pl"} <= {path.name for path in out.iterdir()}


def figures(out: Path, name: str) -> list[float]:
    return [float(line) for line in (out / f"metric_{name}.txt").read_text().split()]


def test_the_callbacks_of_the_family(family: tuple[Path, subprocess.CompletedProcess]) -> None:
    """Ranks and area of the held-out relations, as often as the program asks for them, get better;
    the weights are those of the best epoch."""
    out, _ = family
    reciprocal = figures(out, "mean_reciprocal_rank_validation_set")
    area = figures(out, "roc_auc_held_out")
    assert len(reciprocal) == len(area) == 30
    assert area[-1] > 0.95 and max(reciprocal) > reciprocal[0]
    periodic = figures(out, "mean_rank_train_set")
    assert [place for place, value in enumerate(periodic, 1) if value == value] == [10, 20, 30]
    assert {"metric_top_k_rank_validation_set.txt"} <= {path.name for path in out.iterdir()}


def test_the_best_model_of_the_family_can_be_read(
    family: tuple[Path, subprocess.CompletedProcess],
) -> None:
    out, _ = family
    best = Session()
    best.add((out / "best_program.pl").read_text())
    ranks = best.evaluate("validation", ties="pessimistic", hits=(3,))
    expected = max(figures(out, "mean_reciprocal_rank_validation_set"))
    assert ranks["mrr_filtered"] == pytest.approx(expected, rel=1e-4)
    weights = {name: value for (name,), value in best.query("w(X)").weights.items()}
    assert weights["grandmother_female"] > weights["grandmother_male"]
    assert weights["grandfather_male"] > weights["grandfather_female"]
