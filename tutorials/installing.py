"""Install with pip, and say what is being fetched: `python tutorials/installing.py '.[notebook]'`.

Only the standard library is there when it runs.
"""

from __future__ import annotations

import re
import subprocess
import sys

HEAVY = "TensorFlow alone is several hundred megabytes"
LIGHT = "JupyterLab, SciPy and Graphviz are 700 megabytes"


def install(what: str) -> int:
    """One line for each package that comes, and all that pip said if it fails."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install"]
    command += ["--progress-bar", "off", "--editable", what]
    if not _learns(what):  # Python compiles what is used when it is used: a fifth is saved
        command.append("--no-compile")
    said: list[str] = []
    print(f"  This takes minutes the first time: {HEAVY if _learns(what) else LIGHT}.")
    with subprocess.Popen(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            said.append(line)
            _tell(line)
    if pip.returncode:
        print("".join(said[-40:]), file=sys.stderr)
    return pip.returncode


def _learns(what: str) -> bool:
    return "learning" in what or "all" in what


def _tell(line: str) -> None:
    found = re.match(r"Collecting ([\w.-]+)", line)
    if found:
        print(f"  {found[1]}", flush=True)
    elif line.startswith("Installing collected packages"):
        print(f"  putting {line.count(',') + 1} packages in place", flush=True)


if __name__ == "__main__":
    sys.exit(install(sys.argv[1]))
