"""The parts of the reference pages that are made from the code, as Markdown."""

from __future__ import annotations

from collections.abc import Callable

from docs.reference.api import python_api
from docs.reference.benchmarks import benchmarks
from docs.reference.commands import cell_magics, command_line, line_commands, notebook_settings
from docs.reference.errors import error_kinds
from docs.reference.formats import table_formats
from docs.reference.functions import combining_functions, functions, old_names
from docs.reference.notices import findings, notices
from docs.reference.parameters import network_parameters, train_options, training_parameters
from docs.reference.tutorials import tutorial_table

PARTS: dict[str, Callable[[], str]] = {
    "cell-magics": cell_magics,
    "line-commands": line_commands,
    "notebook-settings": notebook_settings,
    "command-line": command_line,
    "functions": functions,
    "combining-functions": combining_functions,
    "old-names": old_names,
    "network-parameters": network_parameters,
    "training-parameters": training_parameters,
    "train-options": train_options,
    "errors": error_kinds,
    "notices": notices,
    "findings": findings,
    "benchmarks": benchmarks,
    "python-api": python_api,
    "tutorials": tutorial_table,
    "table-formats": table_formats,
}
"""What `{from-code} NAME` puts into a page."""
