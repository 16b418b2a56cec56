"""Writes institute/: a made-up research institute as tables, and a list of who advises whom.

Nobody wrote down why someone advises someone. The script did it so: the head of a group advises its
members who came in the last four years, and whoever wrote a paper with a newcomer often advises
them, too; a few advise for no reason at all. `python make_institute.py` writes the same files every
time.
"""

from __future__ import annotations

import random
from pathlib import Path

FOLDER = Path(__file__).parent / "institute"
NAMES = """ada bert cleo dan eva finn gus hanna ida jon karl lena mila nils olga paul quinn rosa sam
tina ugo vera will xenia yann zoe abel bea carl dora emil fay gina hugo iris jana kurt lola max nora
otto pia ralf sofia tom ute viktor wanda xaver yara zeno alma boris cora"""
GROUPS = ("logic", "robots", "vision", "speech", "graphs", "proofs")

Pair = tuple[str, str]


def staff(chance: random.Random) -> tuple[dict[str, str], list[Pair], dict[str, int]]:
    """The head of each group, the members, and for how many years everyone is here."""
    names = NAMES.split()
    heads = dict(zip(GROUPS, names, strict=False))
    members: list[Pair] = []
    years = {head: chance.randint(9, 20) for head in heads.values()}
    for name in names[len(GROUPS) :]:
        years[name] = chance.randint(1, 8)
        members.append((name, chance.choice(GROUPS)))
    return heads, members, years


def papers(chance: random.Random, members: list[Pair], heads: dict[str, str]) -> list[Pair]:
    """Who wrote which paper: mostly people of one group."""
    written: list[Pair] = []
    for number in range(1, 41):
        group = chance.choice(GROUPS)
        inside = [name for name, own in members if own == group] + [heads[group]]
        authors = chance.sample(inside, min(len(inside), chance.choice([1, 2, 2, 3])))
        if chance.random() < 0.25:
            authors.append(chance.choice([name for name, own in members if own != group]))
        written += [(name, f"paper{number:02}") for name in authors]
    return written


def advice(
    chance: random.Random,
    heads: dict[str, str],
    members: list[Pair],
    years: dict[str, int],
    written: list[Pair],
) -> set[Pair]:
    """Who advises whom."""
    found: set[Pair] = set()
    for name, group in members:
        if years[name] <= 4 and chance.random() < 0.9:
            found.add((heads[group], name))
    by_paper: dict[str, list[str]] = {}
    for name, paper in written:
        by_paper.setdefault(paper, []).append(name)
    for authors in by_paper.values():
        for one in authors:
            for other in authors:
                if years[one] > 4 >= years[other] and chance.random() < 0.6:
                    found.add((one, other))
    everyone = sorted(years)
    found |= {(chance.choice(everyone), chance.choice(everyone)) for _ in range(4)}
    return {pair for pair in found if pair[0] != pair[1]}


def main() -> None:
    chance = random.Random(12)
    heads, members, years = staff(chance)
    written = papers(chance, members, heads)
    advises = advice(chance, heads, members, years, written)
    FOLDER.mkdir(exist_ok=True)
    tables = {
        "heads": ("head,group", [(head, group) for group, head in heads.items()]),
        "members": ("person,group", members),
        "papers": ("person,paper", written),
        "years": ("person,years", list(years.items())),
        "advises": ("adviser,person", sorted(advises)),
    }
    for name, (columns, rows) in tables.items():
        lines = ["# A made-up institute. Written by make_institute.py.", columns]
        lines += [",".join(map(str, row)) for row in rows]
        (FOLDER / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
