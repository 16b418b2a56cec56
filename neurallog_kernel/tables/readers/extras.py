"""Packages that only some readers need, and what to install where one is missing."""

from __future__ import annotations

import importlib
from typing import Any

from neurallog_kernel.errors import NeuralLogError


class MissingPackageError(NeuralLogError, ImportError):
    """A package that this needs is not installed."""

    kind = "missing_package"


def needed(module: str, what: str) -> Any:
    """The module, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingPackageError(
            f"{what} needs the package {package}, which is not installed",
            hint="install it with: pip install 'neurallog[tables]'",
        ) from error


def there_is(module: str) -> Any:
    """The module where it is installed, else None."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None
