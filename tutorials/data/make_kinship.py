"""Writes kinship/: a made-up village over four generations, with gaps in its records.

The people and their names are invented. `python make_kinship.py` writes the same files every time.
"""

from __future__ import annotations

import random
from pathlib import Path

FOLDER = Path(__file__).parent / "kinship"
NAMES = """ada bert cleo dan eva finn gus hanna ida jon karl lena mila nils olga paul quinn rosa sam
tina ugo vera will xenia yann zoe abel bea carl dora emil fay gina hugo iris jana kurt lola max nora
otto pia ralf sofia tom ute viktor wanda xaver yara zeno alma boris cora"""

Pair = tuple[str, str]


def village(chance: random.Random) -> tuple[list[Pair], list[list[str]]]:
    """Couples, and the children of each couple, generation by generation."""
    names = iter(NAMES.split())
    couples = [(next(names), next(names)) for _ in range(3)]
    children: list[list[str]] = []
    open_couples = list(couples)
    for generation in range(3):
        young = []
        for _ in open_couples:
            born = [next(names) for _ in range(chance.choice([2, 2, 3]))]
            children.append(born)
            young += born
        if generation < 2:
            open_couples = [(one, next(names)) for one in young if chance.random() < 0.55]
            couples += open_couples
    return couples, children


def ancestors(couples: list[Pair], children: list[list[str]]) -> set[Pair]:
    """Every pair of a person and a descendant."""
    below = {p: born for pair, born in zip(couples, children, strict=True) for p in pair}

    def descendants(person: str) -> set[str]:
        born = below.get(person, [])
        return set(born).union(*(descendants(child) for child in born))

    return {(person, d) for person in below for d in descendants(person)}


def records(chance: random.Random, couples: list[Pair], children: list[list[str]]) -> list[Pair]:
    """What the parish wrote down: of many children one parent, of a few none."""
    written = []
    for pair, born in zip(couples, children, strict=True):
        for child in born:
            luck = chance.random()
            if luck < 0.08:
                continue
            known = [chance.choice(pair)] if luck < 0.45 else list(pair)
            written += [(parent, child) for parent in known]
    return written


def negatives(chance: random.Random, pairs: list[Pair], true: set[Pair]) -> list[Pair]:
    """For each pair about two people who are not descendants of its first one."""
    people = sorted({name for pair in true for name in pair})
    drawn = {(elder, chance.choice(people)) for elder, _ in pairs for _ in range(2)}
    return sorted(p for p in drawn if p not in true and p[0] != p[1])


def write(name: str, says: str, lines: list[str]) -> None:
    text = "\n".join([f"% {says} Written by make_kinship.py.", *lines, ""])
    (FOLDER / name).write_text(text, encoding="utf-8")


def main() -> None:
    chance = random.Random(4)
    couples, children = village(chance)
    true = ancestors(couples, children)
    facts = [f"married({a}, {b})." for pair in couples for a, b in (pair, pair[::-1])]
    facts += [f"parent({a}, {b})." for a, b in records(chance, couples, children)]
    siblings = [(a, b) for born in children for a in born for b in born if a != b]
    facts += [f"sibling({a}, {b})." for a, b in siblings]
    write("facts.pl", "A made-up village: what its records say.", facts)
    shuffled = sorted(true)
    chance.shuffle(shuffled)
    half = len(shuffled) // 2
    for name, pairs in (("train", shuffled[:half]), ("test", shuffled[half:])):
        lines = [f"ancestor({a}, {b})." for a, b in sorted(pairs)]
        lines += [f"0::ancestor({a}, {b})." for a, b in negatives(chance, pairs, true)]
        write(f"{name}.pl", "Who descends from whom; weight 0: does not.", lines)


if __name__ == "__main__":
    main()
