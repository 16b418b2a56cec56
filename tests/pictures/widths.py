"""The widths of the characters of DejaVu Sans: `python -m tests.pictures.widths` writes them anew.

The font is Matplotlib's and is read by fontTools, so that whoever only looks at pictures needs
neither of them (a hundred megabytes together with what they bring).
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from fontTools.ttLib import TTFont

from neurallog_kernel.pictures import metrics

HEAD = """\
# How wide each character of DejaVu Sans is, in 1/2048 of the size of the font. A line holds
# characters that follow each other: the code of the first, then the widths; 3x1200 is 1200 three
# times. Written by `python -m tests.pictures.widths`.
"""


def of_the_font() -> dict[int, int]:
    """By the code of the character, from the font itself."""
    matplotlib = find_spec("matplotlib")
    assert matplotlib is not None and matplotlib.origin is not None
    path = Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf" / "DejaVuSans.ttf"
    with TTFont(path, lazy=True) as font:
        advances = font["hmtx"].metrics
        return {code: advances[name][0] for code, name in sorted(font.getBestCmap().items())}


def written(widths: dict[int, int]) -> str:
    """The text that `metrics` reads."""
    lines: list[list[list[int]]] = []
    before = None
    for code, width in widths.items():
        if before is None or code != before + 1:
            lines.append([[code]])
        runs = lines[-1]
        if len(runs) > 1 and runs[-1][1] == width:
            runs[-1][0] += 1
        else:
            runs.append([1, width])
        before = code
    return HEAD + "".join(f"{_line(first[0], runs)}\n" for first, *runs in lines)


def _line(first: int, runs: list[list[int]]) -> str:
    told = [f"{times}x{width}" if times > 1 else str(width) for times, width in runs]
    return " ".join([f"{first:04X}:", *told])


if __name__ == "__main__":
    metrics.WIDTHS.write_text(written(of_the_font()), encoding="ascii")
