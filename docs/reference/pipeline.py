"""The picture of the architecture page; `python -m docs.reference.pipeline` writes it."""

from __future__ import annotations

from pathlib import Path

PICTURE = Path(__file__).parents[1] / "pipeline.svg"
WIDTH, HEIGHT = 150, 58  # of a box
COLUMNS = (10, 190, 370, 550, 730)
ROWS = (100, 190, 290, 380)

# Folder: column, row, colour (main or learn), what it makes.
BOXES = {
    "language": (0, 0, "main", "text → clauses"),
    "knowledge": (1, 0, "main", "clauses → program"),
    "rulegraph": (2, 0, "main", "rule → graph"),
    "plan": (3, 0, "main", "graphs → expressions"),
    "tables": (0, 1, "main", "tables → facts"),
    "functions": (1, 1, "main", "what a rule may call"),
    "export": (4, 1, "main", "→ files and models"),
    "profiling": (1, 2, "main", "a run → time, memory"),
    "evaluate": (2, 2, "main", "SciPy: questions"),
    "engines": (3, 2, "main", "SQL: large tables"),
    "network": (4, 2, "learn", "TensorFlow: training"),
    "pictures": (1, 3, "main", "numbers → pictures"),
    "explain": (2, 3, "main", "numbers → reasons"),
    "induction": (3, 3, "learn", "facts → rules"),
    "learning": (4, 3, "learn", "examples → weights"),
}

ARROWS = (
    "M85 56V98",
    "M625 56V98",
    "M160 129H188",
    "M340 129H368",
    "M520 129H548",
    "M110 190 206 160",
    "M265 190V160",
    "M700 129H805V188",
    "M590 158 470 288",
    "M620 158V288",
    "M650 158 746 288",
    "M370 319H342",
    "M445 348V378",
    "M370 409H342",
    "M805 348V378",
    "M520 330C540 365 560 365 578 378",
    "M805 438V466H175V143H188",
)
JOINS = ("M625 438V466",)  # a line into another, without a tip

NOTES = {  # text: where its middle is
    "a cell": (110, 82),
    "a question": (662, 82),
    "one plan, three engines": (435, 230),
    "learned weights and accepted rules are sources of the program again": (480, 484),
}

STYLE = """
.pipeline { color: var(--color-foreground-primary, #57606a); width: 100%; height: auto; font-family: system-ui, Helvetica, Arial, sans-serif; }
.pipeline rect { fill: none; stroke: currentColor; stroke-width: 1.2; }
.pipeline .main { stroke: #2f6fb3; stroke-width: 1.8; }
.pipeline .learn { stroke: #c2671c; stroke-width: 1.8; }
.pipeline .front { stroke-dasharray: 4 3; }
.pipeline text { fill: currentColor; font-size: 12px; text-anchor: middle; }
.pipeline .name { font-size: 13.5px; font-weight: 600; }
.pipeline .what { font-size: 11.5px; font-style: italic; paint-order: stroke; stroke: var(--color-background-primary, none); stroke-width: 4px; }
.pipeline path { fill: none; stroke: currentColor; stroke-width: 1.3; }
.pipeline .tip { fill: currentColor; stroke: none; }
"""  # noqa: E501

FRONT = (
    "remembers sources, plans and what changed; magics (the notebook) and cli (the shell) "
    "reach it through commands; course asks it"
)


def picture() -> str:
    """The SVG: its colours are those of the page, light or dark."""
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 890 496" role="img" '
            'aria-label="From text to numbers, folder by folder" class="pipeline">',
            f"<style>{STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>',
            '<rect class="front" x="10" y="10" width="870" height="46" rx="8"/>',
            '<text class="name" x="445" y="30">session</text>',
            f'<text x="445" y="47">{FRONT}</text>',
            *(f'<path d="{path}" marker-end="url(#tip)"/>' for path in ARROWS),
            *(f'<path d="{path}"/>' for path in JOINS),
            *(_box(name, *place) for name, place in BOXES.items()),
            *(
                f'<text class="what" x="{x}" y="{y}">{note}</text>'
                for note, (x, y) in NOTES.items()
            ),
            "</svg>",
            "",
        ]
    )


def _box(name: str, column: int, row: int, kind: str, makes: str) -> str:
    x, y = COLUMNS[column], ROWS[row]
    middle = x + WIDTH // 2
    return (
        f'<rect class="{kind}" x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8"/>'
        f'<text class="name" x="{middle}" y="{y + 24}">{name}</text>'
        f'<text x="{middle}" y="{y + 43}">{makes}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
