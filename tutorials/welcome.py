"""The first page of `make lab`: a network that plays, and tutorials whose pictures are shown.

`python tutorials/welcome.py my-tutorials`, after `copies.py`. JupyterLab shows what a notebook was
saved with only if it trusts it: the copies that are as we ship them are signed, and no others.
"""

from __future__ import annotations

import sys
from pathlib import Path

TUTORIALS = Path(__file__).resolve().parent
PROGRAM = """
parent(ann, bob). 0.8::parent(ann, eve). parent(bob, cid). 0.4::parent(bob, gus). parent(eve, dan).
0.9::adopted(eve, gus).
child(X, Y) :- parent(X, Y).
0.7::child(X, Y) :- adopted(X, Y).
grandparent(X, Z) :- child(X, Y), child(Y, Z).
"""


def trust(folder: Path) -> int:
    """Sign the copies that nobody has changed; how many there are."""
    import nbformat
    from nbformat.sign import NotebookNotary

    notary = NotebookNotary()
    signed = 0
    for original in sorted(TUTORIALS.glob("*.ipynb")):
        copy = folder / original.name
        if copy.exists() and copy.read_bytes() == original.read_bytes():
            notary.sign(nbformat.read(copy, as_version=4))
            signed += 1
    return signed


def write_page(folder: Path) -> None:
    """The network that the first page shows."""
    from neurallog_kernel import Session

    session = Session()
    session.add(PROGRAM, source="welcome")
    session.live("grandparent(ann, Who)").write_html(folder / "welcome.html")


def main(folder: Path) -> None:
    try:
        trust(folder)
        write_page(folder)
    except (ImportError, OSError) as error:  # JupyterLab opens without them
        print(f"The first page is left out: {error}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
