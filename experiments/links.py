"""`python -m experiments links`: learn rules from a graph of triples and rank the missing links."""

from __future__ import annotations

import argparse
import re
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time

import numpy as np
import scipy.sparse as sp

from neurallog_kernel import NeuralLogError, Session, format_constant
from neurallog_kernel.induction.aggregation import UNTRAINED, scores, untrained
from neurallog_kernel.induction.columns import Columns
from neurallog_kernel.induction.fitting import fit_weights
from neurallog_kernel.induction.gate import Ranked
from neurallog_kernel.induction.learner import RuleLearner
from neurallog_kernel.induction.options import LearnOptions
from neurallog_kernel.induction.worth import joined, only
from neurallog_kernel.learning.figures.ranks import TiedRanks

FEW_RULES = (25, 100)
PARTS = ("train", "valid", "test")
IN_WHEEL = {"umls": "umls", "kinship": "kinships", "nations": "nations"}
Triple = tuple[str, str, str]
EXAMPLES = """examples:
  pip download --no-deps pykeen                       the three small graphs are inside the wheel
  python -m experiments links umls nations kinship --wheel pykeen-*.whl
  python -m experiments links path/to/folder          train.txt, valid.txt, test.txt: triples
"""


@dataclass(frozen=True)
class Setting:
    """How a graph is learned: the same for all, but for what a graph is too small for."""

    length: int = 3
    kept: int = 1000
    strength: float = 1.0
    budget: float = 60.0
    constants: bool = False


SETTINGS = {"kinship": Setting(kept=1500)}


@dataclass
class Graph:
    """The triples of the three parts, with predicates that the language can name."""

    name: str
    parts: dict[str, list[Triple]]
    names: dict[str, str] = field(default_factory=dict)  # of relations, in the program

    def __post_init__(self) -> None:
        for relation in sorted({r for part in self.parts.values() for _, r, _ in part}):
            plain = re.sub(r"\W", "_", relation.strip("/").lower()) or "r"
            plain = plain if plain[0].isalpha() and plain.isascii() else f"r_{plain}"
            while plain in self.names.values():
                plain += "_"
            self.names[relation] = plain

    def program(self) -> str:
        return "".join(
            f"{self.names[r]}({format_constant(a)}, {format_constant(b)}).\n"
            for a, r, b in self.parts["train"]
        )


def read(name: str, wheel: Path | None) -> Graph:
    """A graph of the wheel, or the folder of that name."""
    if name in IN_WHEEL:
        if wheel is None:
            raise NeuralLogError(
                f"{name} is inside the wheel of pykeen",
                hint="run: pip download --no-deps pykeen, and give the file with --wheel",
            )
        with zipfile.ZipFile(wheel) as opened:
            texts = {
                part: opened.read(f"pykeen/datasets/{IN_WHEEL[name]}/{part}.txt").decode()
                for part in PARTS
            }
    else:
        try:
            texts = {part: (Path(name) / f"{part}.txt").read_text("utf-8") for part in PARTS}
        except OSError as error:
            hint = f"a folder with {', '.join(f'{p}.txt' for p in PARTS)}, or {', '.join(IN_WHEEL)}"
            raise NeuralLogError(f"{error.filename}: {error.strerror}", hint=hint) from error
    return Graph(Path(name).name, {part: _triples(text, part) for part, text in texts.items()})


def _triples(text: str, part: str) -> list[Triple]:
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("\t") if "\t" in line else line.split()
        if len(words) != 3:
            raise NeuralLogError(f"{part}.txt, line {number}: not a triple: {line!r}")
        found.append((words[0], words[1], words[2]))
    return found


# -- learning and ranking -------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """What a graph gave."""

    name: str
    ranks: TiedRanks
    rules: int
    candidates: int
    mining: float  # processor seconds
    fitting: float
    ways: dict[str, int]  # how many heads chose which aggregation
    compared: dict[str, float] = field(default_factory=dict)  # MRR of other ways, and of few rules

    def __str__(self) -> str:
        ways = ", ".join(f"{way} {number}" for way, number in self.ways.items())
        said = (
            f"{self.name}: {self.ranks.text()}; {self.rules} rules of {self.candidates}; "
            f"mining {self.mining:.1f} s, weights {self.fitting:.1f} s; heads by way: {ways}"
        )
        return "\n  ".join([said, *(f"{way}: {mrr:.4f}" for way, mrr in self.compared.items())])


def run(
    graph: Graph, setting: Setting, part: str = "test", seed: int = 0, compare: bool = False
) -> Result:
    """Learn from the training triples and rank those of a part, filtered by all known ones: for the
    validation triples the test triples are not known."""
    session = Session()
    session.add(graph.program())
    named = sorted({f"{graph.names[r]}/2" for _, r, _ in graph.parts["train"]})
    options = LearnOptions(
        length=setting.length,
        kept=setting.kept,
        shown=setting.kept,  # all rules rank
        budget=setting.budget,
        seed=seed,
        constants=tuple(named) if setting.constants else (),
    )
    began = process_time()
    learner = RuleLearner(session._evaluator, options, fit_weights, setting.strength)
    for _ in learner.search_only():
        pass
    mined = process_time()
    learner.refit()
    fitted = process_time()
    ranks = rank(graph, learner, part, learner.ranked)
    found = list(learner.ranked.values())
    ways: dict[str, int] = {}
    for one in found:
        ways[one.way] = ways.get(one.way, 0) + 1
    rules = sum(len(one.kept) for one in found)
    candidates = sum(len(one.judged.found) for one in found)
    compared = _compared(graph, learner, part) if compare else {}
    seconds = (mined - began, fitted - mined)
    return Result(graph.name, ranks, rules, candidates, *seconds, ways, compared)


def _compared(graph: Graph, learner: RuleLearner, part: str) -> dict[str, float]:
    """The MRR with one way that needs no training for all heads, and with few rules of each."""
    found = {}
    for way in UNTRAINED:
        own = {
            n: replace(one, weights=untrained(one.judged, one.judged.counts())[way], way=way)
            for n, one in learner.ranked.items()
            if one.judged.found
        }
        found[way] = rank(graph, learner, part, own).mrr
    for most in FEW_RULES:
        few = {
            n: replace(one, weights=only(one.weights, joined(one.columns()[:most])))
            for n, one in learner.ranked.items()
        }
        found[f"at most {most} rules of each head"] = rank(graph, learner, part, few).mrr
    return found


def rank(graph: Graph, learner: RuleLearner, part: str, ranked: Mapping[int, Ranked]) -> TiedRanks:
    """The place of each triple of a part among all entities, asked in both directions."""
    places = {learner.graph.name(i): i for i in range(learner.graph.size)}
    heads = {head.signature[0]: number for number, head in enumerate(learner.heads)}
    known: dict[str, list[tuple[int, int]]] = {}
    # whoever chooses settings on validation triples must not know the test triples
    for one in PARTS if part == "test" else PARTS[:2]:
        for a, r, b in graph.parts[one]:
            if a in places and b in places:
                known.setdefault(graph.names[r], []).append((places[a], places[b]))
    ranks = TiedRanks()
    asked: dict[str, list[Triple]] = {}
    for triple in graph.parts[part]:
        asked.setdefault(graph.names[triple[1]], []).append(triple)
    for name, triples in asked.items():
        inside = [(places[a], places[b]) for a, _, b in triples if a in places and b in places]
        ranks.add_unknown(2 * (len(triples) - len(inside)), learner.graph.size)
        found = ranked.get(heads.get(name, -1))
        pairs = np.array(inside).reshape(-1, 2)
        truth = np.array(known[name]).reshape(-1, 2)
        for place in (0, 1):
            _rank_side(ranks, learner, found, pairs, truth, place)
    return ranks


def _rank_side(
    ranks: TiedRanks,
    learner: RuleLearner,
    found: Ranked | None,
    pairs: np.ndarray,
    truth: np.ndarray,
    place: int,
) -> None:
    """Ask for the argument beside `place`."""
    size = learner.graph.size
    asked = np.unique(pairs[:, place])
    values = np.zeros((len(asked), size))
    if found is not None and len(found.kept):
        values = answers(learner, found, asked, place)
    for given, answer in zip(pairs[:, place], pairs[:, 1 - place], strict=True):
        row = values[np.searchsorted(asked, given)]
        others = np.ones(size, dtype=bool)
        others[truth[truth[:, place] == given][:, 1 - place]] = False
        ranks.add(float(row[int(answer)]), row[others])


def answers(learner: RuleLearner, found: Ranked, asked: np.ndarray, place: int) -> np.ndarray:
    """A row of scores for each entity asked for at a place."""
    graph, size = learner.graph, learner.graph.size
    kept = found.kept
    bodies = [found.judged.found[n].body for n in kept]
    if place == 1:
        bodies = [body.turned(graph) for body in bodies]
    columns = Columns(graph, asked)
    parts = [columns.holds(body).reshape((1, -1)).tocsr() for body in bodies]
    matrix = sp.csr_array(sp.vstack(parts, format="csr").T)
    values = scores(matrix, found.weights[kept], found.way).reshape(len(asked), size)
    if found.judged.head.is_irreflexive:
        values[np.arange(len(asked)), asked] = -np.inf
    return values


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m experiments links",
        description="Learn rules from a graph of triples and rank the missing links.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="+", metavar="GRAPH", help="a folder, or umls, kinship, ...")
    parser.add_argument("--wheel", type=Path, help="the wheel of pykeen")
    parser.add_argument("--part", choices=PARTS[1:], default="test", help="what is ranked (test)")
    parser.add_argument("--length", type=int, help="literals of a path")
    parser.add_argument("--kept", type=int, help="candidates of a head that are weighed")
    parser.add_argument("--strength", type=float, help="of the L1 penalty")
    parser.add_argument("--budget", type=float, help="seconds for mining")
    parser.add_argument(
        "--constants", action=argparse.BooleanOptionalAction, help="rules about single entities"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--compare", action="store_true", help="also without training, and with few rules"
    )
    options = parser.parse_args(words)
    try:
        for name in options.names:
            setting = SETTINGS.get(name, Setting())
            given = {
                key: value
                for key in ("length", "kept", "strength", "budget", "constants")
                if (value := getattr(options, key)) is not None
            }
            setting = Setting(**{**vars(setting), **given})
            graph = read(name, options.wheel)
            print(
                run(graph, setting, options.part, options.seed, options.compare),
                flush=True,
            )
    except NeuralLogError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
