"""Tables: a damaged file, pattern or map is refused by name, or its facts can be asked for."""

from __future__ import annotations

import random
import tempfile
from functools import cache
from pathlib import Path

from neurallog_kernel import Session
from tests.fuzz.kinds import Input, Kind, texts
from tests.fuzz.mutating import mutated
from tests.fuzz.programs import allowed, look_at, read_back

_PATTERNS = [
    *("likes(who, what)", "likes", "{what}(who, age)", "age(who, age: number)", "p(a, b, c)"),
    *(
        "likes(who: entity, age: entity)",
        "knows(subject, object)",
        "likes(who, what), age(who, age)",
    ),
]
_OPTIONS = [
    {},
    {"weight": "weight"},
    {"weight": 0.5, "missing": "error"},
    {"set": "train", "label": "weight"},
    {"split": [0.5, 0.25, 0.25], "seed": 3},
    {"set": "train", "negatives": 2},
    {"na": ["", "none"], "header": False},
    {"delimiter": ";"},
    {"names": "full"},
    {"split": "what"},
]


@cache
def _corpus() -> dict[str, str]:
    return texts("tables")


def _make(chance: random.Random) -> Input:
    corpus = _corpus()
    name = chance.choice(list(corpus))
    others = list(corpus.values())
    pattern = chance.choice([None, *_PATTERNS])
    if pattern is not None and chance.random() < 0.3:
        pattern = "".join(mutated(chance, pattern, _PATTERNS))
    fixed = {"name": name, "pattern": pattern, "options": chance.choice(_OPTIONS)}
    return Input("tables", mutated(chance, corpus[name], others), fixed)


def _run(given: Input) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in _corpus().items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        file = Path(folder) / given.fixed["name"]
        content = "".join(given.parts).encode("utf-8", "surrogatepass")
        if sum(content) % 7 == 0:  # now and then bytes that are no text
            content = content.replace(b"a", b"\xff", 1)
        file.write_bytes(content)
        session = Session()
        if file.suffix == ".toml":
            allowed(lambda: session.load_tables(file))
        else:
            options = {"pattern": given.fixed["pattern"], **given.fixed["options"]}
            allowed(lambda: session.load_table(str(file), **options))
        look_at(session)
        read_back(session.program())


KIND = Kind("tables", 8, _make, _run)
