"""Copies of the tutorials to work in: `python tutorials/copies.py my-tutorials`.

Running a notebook changes its file. In a copy nothing that git knows changes, so that a later pull
has nothing to clash with. What its reader has changed is never overwritten: the new version of such
a tutorial comes beside it.
"""

from __future__ import annotations

import json
import shutil
import sys
from hashlib import sha256
from pathlib import Path

TUTORIALS = Path(__file__).resolve().parent
BESIDE = ("data", "exercises", "solutions")
RECORD = ".copied.json"
"""In the folder of copies: of each tutorial the version that was copied last."""


def originals() -> list[Path]:
    """The notebooks, their data, and their exercises with solutions."""
    beside = [path for name in BESIDE for path in (TUTORIALS / name).rglob("*")]
    found = [path for path in beside if path.is_file() and "__pycache__" not in path.parts]
    return sorted([*TUTORIALS.glob("*.ipynb"), *found])


def bring_up_to_date(folder: Path) -> list[str]:
    """Copy what is new; the names of the new versions that came beside a reader's own."""
    record = folder / RECORD
    copied = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    beside = []
    for original in originals():
        name = original.relative_to(TUTORIALS).as_posix()
        version, before = _digest(original), copied.get(name)
        copy = folder / name
        if copy.exists() and version == before:
            continue
        if copy.exists() and _digest(copy) not in (before, version):
            copy = _free(copy)
            beside.append(copy.relative_to(folder).as_posix())
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(original, copy)
        copied[name] = version
    record.write_text(json.dumps(copied, indent=1), encoding="utf-8")
    return beside


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _free(path: Path) -> Path:
    """The first name of the kind `01_first_steps-2.ipynb` that nothing has."""
    number = 2
    while path.with_stem(f"{path.stem}-{number}").exists():
        number += 1
    return path.with_stem(f"{path.stem}-{number}")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    beside = bring_up_to_date(folder)
    print(f"The tutorials are copied to {folder}: work there, and git sees no change.")
    for name in beside:
        print(f"A newer version of one that you changed is beside it: {folder / name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
