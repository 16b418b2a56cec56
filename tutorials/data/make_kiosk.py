"""Writes kiosk/: a made-up season of an ice-cream kiosk, as tables.

A day sells out more often when it is warm but not too hot (best at 24 degrees) and when something
is on nearby; the beach pulls more than the market. `python make_kiosk.py` writes the same files
every time.
"""

from __future__ import annotations

import math
import random
from pathlib import Path

FOLDER = Path(__file__).parent / "kiosk"
PULL = {"beach": 3.0, "park": 1.0, "market": 0.0}


def main() -> None:
    chance = random.Random(3)
    days = ["# A made-up season. Written by make_kiosk.py.", "day,temperature,sold_out"]
    events = ["# What was on nearby. Written by make_kiosk.py.", "day,place,visitors"]
    for number in range(1, 161):
        day = f"day{number:03}"
        warmth = min(36.0, max(4.0, chance.gauss(21, 8)))
        score = 5 * math.exp(-(((warmth - 24) / 8) ** 2)) - 3.5
        for place, pull in PULL.items():
            if chance.random() < 0.3:
                visitors = chance.randrange(20, 400)
                events.append(f"{day},{place},{visitors}")
                score += pull if visitors >= 100 else 0.0
        sold_out = chance.random() < 1 / (1 + math.exp(-1.5 * score))
        days.append(f"{day},{warmth:.1f},{int(sold_out)}")
    for name, lines in (("days.csv", days), ("events.csv", events)):
        (FOLDER / name).write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
