"""`python -m docs.playground FOLDER [--pyodide DIR]`: the playground in FOLDER/playground.

The examples are recorded. With a Pyodide release in DIR, which has NumPy and SciPy for the browser,
its files are put beside the page, and the page runs any program. Without, nothing is fetched.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from docs.playground.build import EngineMissing, write_playground


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m docs.playground", description=__doc__)
    words.add_argument("folder", type=Path)
    words.add_argument("--pyodide", type=Path, metavar="DIR", default=None)
    asked = words.parse_args()
    try:
        said = write_playground(asked.folder / "playground", asked.pyodide)
    except EngineMissing as error:
        print(error)
        return 1
    print(said)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
