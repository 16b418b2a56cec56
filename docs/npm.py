"""Files of an npm package: reveal.js for the slides of a course, viz.js for the playground."""

from __future__ import annotations

import json
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory


def unpack_npm(package: str, folder: Path, wanted: Callable[[PurePosixPath], bool]) -> None:
    """Put the files of a package that are wanted, by their path inside it, into a folder.

    npm has to be installed; `subprocess.CalledProcessError` says why it could not.
    """
    with TemporaryDirectory() as place:
        told = subprocess.run(
            ["npm", "pack", package, "--json", "--silent"],
            cwd=place,
            check=True,
            capture_output=True,
            text=True,
        )
        (packed,) = json.loads(told.stdout)
        with tarfile.open(Path(place) / packed["filename"]) as archive:
            for member in archive.getmembers():  # filter="data" came with Python 3.11.4
                inside = PurePosixPath(*PurePosixPath(member.name).parts[1:])
                content = archive.extractfile(member) if member.isfile() else None
                if content is None or ".." in inside.parts or not wanted(inside):
                    continue
                target = folder / inside
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content.read())
