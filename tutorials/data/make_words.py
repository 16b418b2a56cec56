"""Writes words/: which of fifteen words belong together, by hand, split into train and test.

`python make_words.py` writes the same files every time.
"""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

FOLDER = Path(__file__).parent / "words"
GROUPS = (
    ("cat", "cow", "dog", "goat", "horse"),
    ("apple", "cherry", "fig", "pear", "plum"),
    ("drill", "hammer", "pliers", "saw", "wrench"),
)


def main() -> None:
    chance = random.Random(1)
    group = {word: place for place, words in enumerate(GROUPS) for word in words}
    pairs = list(combinations(sorted(group), 2))
    chance.shuffle(pairs)
    half = len(pairs) // 2
    for name, chosen in (("train", pairs[:half]), ("test", pairs[half:])):
        lines = ["% Weight 1: words of one group; 0: of different ones. Written by make_words.py."]
        for a, b in sorted(chosen, key=lambda pair: (group[pair[0]] != group[pair[1]], pair)):
            weight = "" if group[a] == group[b] else "0::"
            lines.append(f"{weight}similarity({a}, {b}).")
        (FOLDER / f"{name}.pl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
