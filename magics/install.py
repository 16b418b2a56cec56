"""Kernel and colours for an editable install: `python -m neurallog_magics.install`.

A wheel brings both as data files. An editable install (`pip install -e .`) leaves them out, so
`make lab` and `make test` run this once; whoever installs another way from a clone runs it by hand.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
PLACES = {
    "kernelspec": "kernels/neurallog",
    "labextension/built": "labextensions/neurallog-jupyterlab",
}
NBCONVERT = "jupyter_nbconvert_config.json"  # colours %%neurallog cells in a page


def install(prefix: Path) -> list[Path]:
    """Copy both into an environment; gives the folders that were made."""
    made = []
    for source, place in PLACES.items():
        target = prefix / "share" / "jupyter" / place
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(HERE / source, target)
        made.append(target)
    settings = prefix / "etc" / "jupyter"
    settings.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "nbconvert" / NBCONVERT, settings / NBCONVERT)
    return [*made, settings]


if __name__ == "__main__":
    if not (HERE / "kernelspec").is_dir():
        sys.exit("This NeuralLog was installed from a wheel, which brought its kernel with it.")
    install(Path(sys.prefix))
