"""Packages that only some parts need, and what to install where one is missing."""

from __future__ import annotations

import importlib
from typing import Any

from neurallog_kernel.errors import NeuralLogError


class MissingPackageError(NeuralLogError, ImportError):
    """A package that this needs is not installed."""

    kind = "missing_package"


def missing(package: str, what: str, extra: str) -> MissingPackageError:
    """The error for something that needs a package; `extra` is what installs it."""
    return MissingPackageError(
        f"{what} needs the package {package}, which is not installed",
        hint=f"install it with: pip install 'neurallog[{extra}]'",
    )


def needed(module: str, what: str, extra: str) -> Any:
    """The module, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise missing(module.partition(".")[0], what, extra) from error


def there_is(module: str) -> Any:
    """The module where it is installed, else None."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None
