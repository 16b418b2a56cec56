"""Paths that a file can have: what no system takes is one error, whoever opens the file."""

from __future__ import annotations

import os
from pathlib import Path

from neurallog_kernel.errors import LoadError


def path_of(path: str | Path) -> Path:
    """The path, if a file could have it.

    >>> path_of("a.csv").name
    'a.csv'
    """
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        pass
    except (OSError, ValueError) as error:  # too long; a zero byte or half a character
        reason = getattr(error, "strerror", None) or "no file can have this name"
        raise LoadError(f"{path}: {reason}") from error
    except TypeError as error:
        raise LoadError(f"a {type(path).__name__} is not the path of a file") from error
    return Path(path)
