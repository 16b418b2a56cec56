"""`make test` on other machines, played on this one: `python -m tests.machines [ROW ...]`.

Each condition is one difference: no fonts, another user, a path with a blank. A row is one of them
or several, joined with `+`; without a row those of `TABLE` are run: every condition occurs there.
A table at the end says what passed; the whole output of a row is in the folder of logs. Rows that
change place, user or Python work in a new clone of the last commit and install everything there;
the others work in this one. What a row needs and this machine lacks is said in its place. Linux.
"""

from __future__ import annotations

import argparse
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.chromium import BROWSERS

ROOT = Path(__file__).parents[1]
NO_FONTS = '<?xml version="1.0"?><fontconfig></fontconfig>\n'
BUSY = 20
"""Processes that do nothing else than keep the machine busy."""


class Missing(Exception):
    """What a row needs is not on this machine."""


@dataclass
class Run:
    """How one row is run."""

    folder: Path  # for whatever it needs, removed afterwards
    place: Path = ROOT
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    settings: list[str] = field(default_factory=list)  # of make
    user: str | None = None
    clone_to: Path | None = None  # where it works, if not in this clone


def plain(run: Run) -> None:
    """This machine as it is."""


def no_fonts(run: Run) -> None:
    (run.folder / "fonts.conf").write_text(NO_FONTS, encoding="utf-8")
    run.environment["FONTCONFIG_FILE"] = str(run.folder / "fonts.conf")


def no_chromium(run: Run) -> None:
    """A PATH with everything but the browsers."""
    programs = run.folder / "bin"
    programs.mkdir()
    for folder in map(Path, run.environment["PATH"].split(os.pathsep)):
        for program in sorted(folder.iterdir()) if folder.is_dir() else ():
            if program.name not in BROWSERS and not os.path.lexists(programs / program.name):
                (programs / program.name).symlink_to(program)
    run.environment["PATH"] = str(programs)


def no_home(run: Run) -> None:
    """A home that not even root can write to."""
    run.environment["HOME"] = "/sys"


def language_c(run: Run) -> None:
    run.environment |= {"LANG": "C", "LC_ALL": "C"}


def language_turkish(run: Run) -> None:
    """Where the small form of I is not i."""
    if shutil.which("localedef") is None:
        raise Missing("localedef is not installed")
    made = ["localedef", "-i", "tr_TR", "-f", "UTF-8", str(run.folder / "tr_TR.UTF-8")]
    if subprocess.run(made, capture_output=True).returncode:
        raise Missing("the description of tr_TR is not installed (Debian: locales)")
    run.environment |= {"LOCPATH": str(run.folder), "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"}


def busy(run: Run) -> None:
    """A load of twenty; the processes are started by `_kept_busy`."""


def odd_path(run: Run) -> None:
    run.clone_to = run.folder / "a path with an ümlaut" / "neurallog"


def other_user(run: Run) -> None:
    """Somebody who is not root, with a home of their own."""
    if os.geteuid() != 0:
        raise Missing("only root can become somebody else")
    home = run.folder / "home"
    home.mkdir()
    run.clone_to = run.clone_to or run.folder / "neurallog"
    run.user = "nobody"
    run.environment |= {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "USER": run.user}


def _python(minor: int) -> Callable[[Run], None]:
    def row(run: Run) -> None:
        name = f"python3.{minor}"
        near = sorted(Path(sys.base_prefix).parent.glob(f"3.{minor}.*/bin/{name}"))  # pyenv's way
        for candidate in (shutil.which(name), *near):
            if candidate and not subprocess.run([candidate, "-V"], capture_output=True).returncode:
                run.clone_to = run.clone_to or run.folder / "neurallog"
                run.settings.append(f"PYTHON={candidate}")
                return
        raise Missing(f"{name} is not installed")

    return row


def wheel(run: Run) -> None:
    """An empty environment with the wheel and what it asks for: see `_commands`."""
    run.clone_to = run.folder / "neurallog"


CONDITIONS: dict[str, Callable[[Run], None]] = {
    "plain": plain,
    "odd-path": odd_path,
    "other-user": other_user,
    "no-home": no_home,
    "no-fonts": no_fonts,
    "no-chromium": no_chromium,
    "c": language_c,
    "turkish": language_turkish,
    "busy": busy,
    "python3.11": _python(11),
    "python3.12": _python(12),
    "python3.13": _python(13),
    "wheel": wheel,
}
"""In the order in which several are made: a later one may change what an earlier one set."""

TABLE = (
    "other-user+odd-path+no-home+no-fonts+no-chromium+c",
    "turkish+python3.13",
    "busy+python3.12",
    "wheel",
)


def _make(names: list[str], run: Run) -> None:
    """All conditions of a row."""
    for name in sorted(names, key=list(CONDITIONS).index):
        CONDITIONS[name](run)
    if run.clone_to is not None:
        _clone(run, run.clone_to)
    if run.user is not None:
        who = pwd.getpwnam(run.user)
        run.folder.chmod(0o755)
        for path in (run.folder, *run.folder.rglob("*")):
            os.chown(path, who.pw_uid, who.pw_gid, follow_symlinks=False)


def _clone(run: Run, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["git", "clone", "--quiet", str(ROOT), str(place)], capture_output=True)
    if done.returncode:
        raise Missing(f"git could not clone: {done.stderr.decode().strip()}")
    run.place = place


@contextmanager
def _kept_busy(count: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(count):
            child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(child.wait)
            stack.callback(child.kill)
        yield


def _commands(names: list[str], run: Run, pytest_args: str, times: int) -> list[list[str]]:
    if "wheel" not in names:
        return [["make", "test", f"PYTEST_ARGS={pytest_args}", *run.settings]] * times
    place = run.folder / "empty"
    python = str(place / "bin" / "python")
    asked = f"neurallog[learning,tables,notebook] @ {run.place.as_uri()}"  # pip builds the wheel
    return [
        [sys.executable, "-m", "venv", str(place)],
        [python, "-m", "pip", "install", "--quiet", asked],
        [sys.executable, "-m", "tests.installed", python],
    ]


def try_row(row: str, log: Path, pytest_args: str, times: int) -> str:
    """Run a row, so many times, and say how it ended."""
    names = row.split("+")
    with tempfile.TemporaryDirectory(prefix="neurallog-row-") as folder:
        run = Run(Path(folder))
        try:
            _make(names, run)
        except Missing as reason:
            return f"not tried: {reason}"
        place = ROOT if "wheel" in names else run.place
        somebody = {"user": run.user, "group": pwd.getpwnam(run.user).pw_gid} if run.user else {}
        with log.open("w", encoding="utf-8") as said, _kept_busy(BUSY if "busy" in names else 0):
            for words in _commands(names, run, pytest_args, times):
                done = subprocess.run(
                    words,
                    cwd=place,
                    env=run.environment,
                    stdout=said,
                    stderr=subprocess.STDOUT,
                    extra_groups=[] if run.user else None,
                    **somebody,
                )
                if done.returncode:
                    break
    told = log.read_text(encoding="utf-8", errors="replace")
    counts = re.findall(r"^=* ?(\d+ (?:passed|failed).*?) in [\d.]+s", told, flags=re.MULTILINE)
    verdict = "failed" if done.returncode else "passed"
    return ": ".join([verdict, "; ".join(counts)] if counts else [verdict])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.machines", description=__doc__)
    parser.add_argument(
        "rows",
        nargs="*",
        metavar="ROW",
        help=f"of {', '.join(CONDITIONS)}, joined with +; by default {', '.join(TABLE)}",
    )
    parser.add_argument("--logs", type=Path, default=Path(tempfile.gettempdir(), "neurallog-rows"))
    parser.add_argument("--times", type=int, default=1, help="how often in the same place")
    parser.add_argument("--pytest-args", default="", help="as in make test PYTEST_ARGS=...")
    options = parser.parse_args()
    rows = options.rows or TABLE
    unknown = [name for row in rows for name in row.split("+") if name not in CONDITIONS]
    if unknown:
        parser.error(f"no condition {unknown[0]}; there are {', '.join(CONDITIONS)}")
    options.logs.mkdir(parents=True, exist_ok=True)
    table = []
    for row in rows:
        started = time.monotonic()
        ended = try_row(row, options.logs / f"{row}.log", options.pytest_args, options.times)
        table.append(f"{row:12} {(time.monotonic() - started) / 60:5.1f} min  {ended}")
        print(table[-1], flush=True)
    print(f"\nlogs in {options.logs}\n" + "\n".join(table))
    return int(any("failed" in line for line in table))


if __name__ == "__main__":
    sys.exit(main())
