"""Writes restaurants/: made-up restaurants, their guests and their reviews.

Every guest has a hidden taste: how much more often than others he goes to Mexican restaurants.
The tastes are in taste.csv, for the curious; no program reads them to learn.
`python make_restaurants.py` writes the same files every time.
"""

from __future__ import annotations

import math
import random
from pathlib import Path

FOLDER = Path(__file__).parent / "restaurants"
RESTAURANTS, GUESTS, VISITS = 150, 60, 11


def write(name: str, says: str, lines: list[str], comment: str = "%") -> None:
    text = "\n".join([f"{comment} {says} Written by make_restaurants.py.", *lines, ""])
    (FOLDER / name).write_text(text, encoding="utf-8")


def main() -> None:
    chance = random.Random(5)
    places = [f"r{number}" for number in range(1, RESTAURANTS + 1)]
    guests = [f"g{number}" for number in range(1, GUESTS + 1)]
    mexican = {place: chance.random() < 0.4 for place in places}
    fast = {place: chance.random() < (0.55 if mexican[place] else 0.35) for place in places}
    taste = {guest: chance.gauss(0, 1.1) for guest in guests}
    facts = [f"fast_food({place})." for place in places if fast[place]]
    for guest in guests:
        weights = [math.exp(taste[guest] if mexican[place] else 0) for place in places]
        visited = {chance.choices(places, weights)[0] for _ in range(VISITS)}
        facts += [f"reviewed({guest}, {place})." for place in sorted(visited)]
    write("facts.pl", "Made-up restaurants and reviews.", facts)
    chance.shuffle(places)
    for name, chosen in (("train", places[:90]), ("test", places[90:])):
        lines = [f"{'' if mexican[place] else '0::'}mexican({place})." for place in sorted(chosen)]
        write(f"{name}.pl", "Which restaurants are Mexican (weight 0: not).", lines)
    lines = ["guest,taste", *(f"{guest},{taste[guest]:.2f}" for guest in guests)]
    write("taste.csv", "The hidden tastes of the guests.", lines, "#")


if __name__ == "__main__":
    main()
