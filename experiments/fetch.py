"""`python -m experiments fetch --from DIR`: the published files of the datasets, as NeuralLog text.

DIR is searched for the files of each dataset, in any subfolder; `SOURCES` says who publishes them.
Facts and examples are written in the layout that the experiments read, with the paper's settings.
The rules of each system stay with their authors: `theory.pl` is not written.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from neurallog_kernel import NeuralLogError, format_constant
from neurallog_kernel.writing import write_text

FOLDS = 5
CONFIG = """\
% The paper's settings (Section 5.1).
set_parameter(loss_function, mean_squared_error).
set_parameter(optimizer, adagrad).
set_parameter(epochs, 10).
set_parameter(recursion_depth, 1).
"""
Atom = tuple[str, ...]  # the predicate, then its arguments
Files = dict[str, Path]


@dataclass(frozen=True)
class Source:
    """A dataset: who publishes it, its files, and what makes text of them."""

    where: str
    files: tuple[str, ...]
    convert: Callable[[Files, np.random.Generator], dict[str, str]]
    note: str = ""


# -- reading --------------------------------------------------------------------------------------

_ATOM = re.compile(r"\s*([+-]?)(\w+)\(([^()]*)\)")


def read_atoms(path: Path) -> list[Atom]:
    """Atoms, one to a line, as Alchemy and RelNN write them."""
    return [atom for _, atom in _signed(path, _lines(path))]


def read_tabs(path: Path) -> list[Atom]:
    """Columns between tabs, the first of them the predicate, as TensorLog writes facts."""
    return [tuple(line.split("\t")) for line in _lines(path)]


def read_examples(path: Path) -> list[tuple[bool, Atom]]:
    """ProPPR's examples: a question, then its answers with + or - before them."""
    answers = (part for line in _lines(path) for part in line.split("\t")[1:])
    return [(sign != "-", atom) for sign, atom in _signed(path, answers)]


def read_triples(path: Path) -> list[Atom]:
    """Head, relation and tail between tabs."""
    found = [line.split("\t") for line in _lines(path)]
    wrong = next((row for row in found if len(row) != 3), None)
    if wrong is not None:
        raise NeuralLogError(f"{path}: {wrong} is no triple", hint="three columns between tabs")
    return [(relation.strip("_"), f"s{a}", f"s{b}") for a, relation, b in found]


def _lines(path: Path) -> Iterator[str]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise NeuralLogError(f"{path}: {error.strerror}") from error
    return (line.strip() for line in text.splitlines() if line.strip())


def _signed(path: Path, parts: Iterable[str]) -> Iterator[tuple[str, Atom]]:
    for part in parts:
        found = _ATOM.match(part)
        if found:
            yield found[1], (found[2], *(one.strip() for one in found[3].split(",")))
        elif part and not part.startswith(("//", "#", "%")):
            raise NeuralLogError(f"{path}: {part[:60]!r} is no atom", hint="as in p(a, b)")


# -- writing --------------------------------------------------------------------------------------


def program(atoms: Iterable[Atom]) -> str:
    """Facts as text, each once, in order."""
    return "".join(f"{_text(atom)}.\n" for atom in dict.fromkeys(atoms))


def examples(labelled: Iterable[tuple[bool, Atom]]) -> str:
    """Examples as text; one that is not so has the weight 0."""
    return "".join(f"{'' if true else '0.0::'}{_text(atom)}.\n" for true, atom in labelled)


def _text(atom: Atom) -> str:
    return f"{atom[0]}({', '.join(map(_constant, atom[1:]))})"


def _constant(name: str) -> str:
    return name if re.fullmatch(r"\d+(\.\d+)?", name) else format_constant(name)


def _small(atom: Atom) -> Atom:
    return tuple(part.lower() for part in atom)


def _in_folds(
    labelled: Sequence[tuple[bool, Atom]], chance: np.random.Generator
) -> Iterator[tuple[int, list[tuple[bool, Atom]], list[tuple[bool, Atom]]]]:
    """Fold, training and test; true and false examples in the same share."""
    place = np.empty(len(labelled), dtype=int)
    for label in (True, False):
        own = [i for i, (true, _) in enumerate(labelled) if true is label]
        place[chance.permutation(own)] = np.arange(len(own)) % FOLDS
    for fold in range(FOLDS):
        test = [one for i, one in enumerate(labelled) if place[i] == fold]
        yield fold + 1, [one for i, one in enumerate(labelled) if place[i] != fold], test


# -- the datasets ---------------------------------------------------------------------------------


def cora(files: Files, chance: np.random.Generator) -> dict[str, str]:
    facts = [*read_tabs(files["cora-core.cfacts"]), *read_tabs(files["cora-keywords.cfacts"])]
    pairs = [atom for atom in facts if len(atom) == 3 and not atom[0].endswith("inverse")]
    facts += [(f"{name}inverse", b, a) for name, a, b in pairs]
    parts = {f"{part}.pl": examples(read_examples(files[f"{part}.examples"])) for part in _PARTS}
    return {"facts.pl": program(facts), **parts}


def wordnet(files: Files, chance: np.random.Generator) -> dict[str, str]:
    """Three quarters of the training triples are facts, the others examples (the paper, 5.1)."""
    told = {part: read_triples(files[f"wordnet-mlj12-{part}.txt"]) for part in (*_PARTS, "valid")}
    train = told["train"]
    chosen = chance.permutation(len(train)) < len(train) // 4
    facts = [atom for atom, example in zip(train, chosen, strict=True) if not example]
    asked = {**told, "train": [atom for atom, one in zip(train, chosen, strict=True) if one]}
    known = {atom for part in told.values() for atom in part}
    names = sorted({name for atom in train for name in atom[1:]})
    return {"facts.pl": program(facts)} | {
        f"{part}.pl": examples(_with_corrupted(atoms, known, names, chance))
        for part, atoms in asked.items()
    }


def _with_corrupted(
    atoms: list[Atom], known: set[Atom], names: list[str], chance: np.random.Generator
) -> Iterator[tuple[bool, Atom]]:
    """Each triple, and two with another tail that no part of the data has."""
    for relation, head, tail in atoms:
        yield True, (f"i_{relation}", head, tail)
        for other in chance.choice(len(names), 2):
            if (relation, head, names[other]) not in known:
                yield False, (f"i_{relation}", head, names[other])


AREAS = ("ai", "graphics", "language", "systems", "theory")
UWCSE = {
    *("courselevel", "hasposition", "inphase", "professor", "projectmember", "publication"),
    *("samecourse", "sameperson", "sameproject", "student", "yearsinprogram"),
}


def uwcse(files: Files, chance: np.random.Generator) -> dict[str, str]:
    """A fold is an area: all pairs of its people are asked. A course in a season is one entity."""
    told = {area: [_small(atom) for atom in read_atoms(files[f"{area}.db"])] for area in AREAS}
    facts = [atom for area in AREAS for atom in told[area] if atom[0] in UWCSE]
    for name, course, person, season in (
        atom for area in AREAS for atom in told[area] if atom[0] in ("taughtby", "ta")
    ):
        key = f"{course}_{season}"
        facts += [(f"{name}2", key, person), ("hascourse", key, course)]
        facts.append(("hasseason", key, season))
    people = {area: _people(told[area]) for area in AREAS}
    texts = {"facts.pl": program(sorted(facts))}
    advised = {atom for area in AREAS for atom in told[area] if atom[0] == "advisedby"}
    for fold, area in enumerate(AREAS, start=1):
        rest = [name for other in AREAS if other != area for name in people[other]]
        texts[f"fold{fold}/train.pl"] = examples(_all_pairs(rest, advised))
        texts[f"fold{fold}/test.pl"] = examples(_all_pairs(people[area], advised))
    return texts


def _people(atoms: list[Atom]) -> list[str]:
    found = {name for atom in atoms for name in atom[1:] if re.fullmatch(r"person\d+", name)}
    return sorted(found, key=lambda name: int(name.removeprefix("person")))


def _all_pairs(people: list[str], advised: set[Atom]) -> list[tuple[bool, Atom]]:
    pairs: list[Atom] = [("advisedby", a, b) for a in people for b in people]
    return sorted(((pair in advised, pair) for pair in pairs), key=lambda one: not one[0])


def yelp(files: Files, chance: np.random.Generator) -> dict[str, str]:
    atoms = read_atoms(files["yelp_mc.db"])
    facts = [
        atom[:2] if atom[0] in ("ff", "sf") else atom
        for atom in atoms
        if atom[0] != "type" and (atom[0] not in ("ff", "sf") or atom[2] == "T")
    ]
    labelled = [(atom[2] == "M", ("mexican", atom[1])) for atom in atoms if atom[0] == "type"]
    texts = {"facts.pl": program(facts)}
    for fold, train, test in _in_folds(labelled, chance):
        texts |= {f"fold{fold}/train.pl": examples(train), f"fold{fold}/test.pl": examples(test)}
    return texts


def pakdd15(files: Files, chance: np.random.Generator) -> dict[str, str]:
    """The genders of training users are facts of a fold, too: rules look at who viewed the same."""
    atoms = [_small(atom) for atom in read_atoms(files["KDD15_123.db"])]
    renamed = {f"c{level}": f"category{level}" for level in (1, 2, 3)}
    facts = [(renamed.get(atom[0], atom[0]), *atom[1:]) for atom in atoms if atom[0] != "gender"]
    labelled = [(atom[2] == "male", ("male", atom[1])) for atom in atoms if atom[0] == "gender"]
    texts = {"facts.pl": program(facts)}
    for fold, train, test in _in_folds(labelled, chance):
        known = [(f"is_{'male' if true else 'female'}", atom[1]) for true, atom in train]
        texts |= {f"fold{fold}/train.pl": examples(train), f"fold{fold}/test.pl": examples(test)}
        texts[f"fold{fold}/facts.pl"] = program(known)
    return texts


_PARTS = ("train", "test")
DRAWN = "folds are drawn here: the paper's are not published"
SOURCES = {
    "cora": Source(
        "TensorLog, github.com/TeamCohen/TensorLog, datasets/cora",
        ("cora-core.cfacts", "cora-keywords.cfacts", "train.examples", "test.examples"),
        cora,
    ),
    "wordnet": Source(
        "WN18, the files wordnet-mlj12-*.txt of Bordes et al. (2013)",
        ("wordnet-mlj12-train.txt", "wordnet-mlj12-valid.txt", "wordnet-mlj12-test.txt"),
        wordnet,
        "the quarter of examples and the false ones are drawn here",
    ),
    "uwcse": Source(
        "Alchemy, alchemy.cs.washington.edu, data/uw-cse",
        tuple(f"{area}.db" for area in AREAS),
        uwcse,
    ),
    "yelp": Source("RelNN, github.com/Mehran-k/RelNN, datasets", ("yelp_mc.db",), yelp, DRAWN),
    "pakdd15": Source("RelNN, github.com/Mehran-k/RelNN", ("KDD15_123.db",), pakdd15, DRAWN),
}


# -- the command ----------------------------------------------------------------------------------


def fetch(source: Path, out: Path, names: Sequence[str], seed: int = 0) -> list[str]:
    """Convert what is there; a line for each dataset. A dataset is written whole or not at all."""
    if not source.is_dir():
        raise NeuralLogError(f"there is no folder {source}", hint="download the files into one")
    there = {path.name: path for path in sorted(source.rglob("*"), reverse=True) if path.is_file()}
    said = []
    for name in names:
        dataset = SOURCES[name]
        missing = [file for file in dataset.files if file not in there]
        if missing:
            said.append(f"{name}: missing {', '.join(missing)}; published by {dataset.where}")
            continue
        texts = dataset.convert(
            {file: there[file] for file in dataset.files}, np.random.default_rng(seed)
        )
        for file, text in {"config.pl": CONFIG, **texts}.items():
            target = out / name / file
            target.parent.mkdir(parents=True, exist_ok=True)
            write_text(target, text)
        counts = f"{texts['facts.pl'].count(chr(10)):,} facts"
        said.append("; ".join(filter(None, [f"{name}: {counts}", dataset.note])))
    return said


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m experiments fetch",
        description="Convert the published files of the paper's datasets.",
        epilog="published by:\n"
        + "\n".join(f"  {name:8} {one.where}" for name, one in SOURCES.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="which of them (all)")
    parser.add_argument("--from", dest="source", type=Path, required=True, metavar="DIR")
    parser.add_argument("--out", type=Path, default=Path("data"), help="folder to write to (data)")
    parser.add_argument("--seed", type=int, default=0, help="for what is drawn")
    options = parser.parse_args(words)
    for name in options.names:
        if name not in SOURCES:
            parser.error(f"there is no dataset {name}; there are {', '.join(SOURCES)}")
    try:
        said = fetch(options.source, options.out, options.names or list(SOURCES), options.seed)
    except NeuralLogError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(said))
    if all(": missing " in line for line in said):
        return 1
    print(
        f"Put a theory.pl beside each facts.pl, or learn the rules:\n"
        f"  python -m experiments learned uwcse --data {options.out}"
    )
    return 0
