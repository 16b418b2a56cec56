"""The statements of DuckDB: errors are ours, and an interrupt stops each of them."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from neurallog_kernel.addresses import first_line
from neurallog_kernel.engines.dialects import DUCKDB
from neurallog_kernel.errors import BoundError, NeuralLogError, ParameterError, TableError
from neurallog_kernel.packages import needed
from neurallog_kernel.stoppable import Stoppable

SETTINGS = {
    "python_enable_replacements": "false",  # a table is never a variable of some Python frame
    "autoinstall_known_extensions": "false",  # nothing is fetched or loaded because of a name
    "autoload_known_extensions": "false",
}
_MEMORY = re.compile(r"\d+(\.\d+)?\s*([KMGT]i?)?B", re.IGNORECASE)

T = TypeVar("T")


class DuckDBStatements:
    """Runs the statements of one connection of the package duckdb, one after the other, and every
    other call of it in the same thread: a call that came back after the end of Python would abort
    the process."""

    def __init__(self, database: Any, address: str) -> None:
        self.database = database
        self.address = address
        self._aside = Stoppable(self._interrupt)

    def _interrupt(self) -> None:
        with suppress(needed("duckdb", "DuckDB", "tables").Error):  # it may be closed
            self.database.interrupt()

    def wait(self, work: Callable[[], T]) -> T:
        """The result of some calls of the database, which may take long."""
        with plainly(self.address):
            return self._aside(work)

    def register(self, name: str, table: Any) -> None:
        """Let statements read an Arrow table by a name."""
        self.wait(lambda: self.database.register(name, table))

    def unregister(self, name: str) -> None:
        self.wait(lambda: self.database.unregister(name))

    def teach(self, name: str, function: Callable[..., Any], inputs: int) -> None:
        """Let statements call a function of Arrow columns of numbers."""
        kinds = ["DOUBLE"] * inputs
        self.wait(
            lambda: self.database.create_function(name, function, kinds, "DOUBLE", type="arrow")
        )

    def run(self, text: str) -> None:
        self.wait(lambda: self.database.execute(text))

    def rows(self, text: str) -> list[tuple[Any, ...]]:
        return self.wait(lambda: self.database.execute(text).fetchall())

    def arrays(self, text: str) -> dict[str, Any]:
        """Its columns as arrays of NumPy."""
        return self.wait(lambda: self.database.execute(text).fetchnumpy())

    def table(self, text: str) -> Any:
        """An Arrow table."""
        return self.wait(lambda: self.database.sql(text).to_arrow_table())

    def batches(self, text: str, size: int) -> Iterator[Any]:
        """Arrow batches of so many rows, each when it is wanted."""
        reader = self.wait(lambda: self.database.sql(text).to_arrow_reader(size))
        while (batch := self.wait(lambda: next(reader, None))) is not None:
            yield batch

    def spill_aside(self) -> None:
        """What does not fit goes to a folder for temporary files, not to the one of the user. Each
        user has one: nobody can write into that of another."""
        user = getattr(os, "getuid", lambda: "user")()  # on Windows the folder above is the user's
        folder = DUCKDB.text_literal(f"{tempfile.gettempdir()}/neurallog-duckdb-{user}")
        self.run(f"SET temp_directory = {folder}")

    def limit_memory(self, memory: str | None) -> None:
        """Bound what DuckDB takes, as in `2GB`; beyond that it uses the disk."""
        if memory is None:
            return
        if not _MEMORY.fullmatch(memory.strip()):
            raise ParameterError(f"memory must be an amount such as 2GB, not {memory!r}")
        self.run(f"SET memory_limit = {DUCKDB.text_literal(memory.strip())}")


@contextmanager
def plainly(name: str) -> Iterator[None]:
    """Errors of the database as ours."""
    duckdb = needed("duckdb", "DuckDB", "tables")
    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except duckdb.ResourceInUseException as error:
        raise TableError(
            f"{name}: the file is already open in this process",
            hint="close the connection that made it, as in connection.close()",
        ) from error
    except duckdb.OutOfMemoryException as error:
        raise BoundError(
            f"{name}: {first_line(error)}",
            hint="give DuckDB more memory, as in memory='4GB', compute a score in more parts, "
            "or free some space on the disk",
        ) from error
    except (duckdb.Error, OSError) as error:
        if isinstance(error, NeuralLogError):
            raise
        raise TableError(f"{name}: {first_line(error)}", hint=_hint(error)) from error


def _hint(error: BaseException) -> str:
    text = str(error)
    if "closed" in text.lower():
        return "the connection is gone: connect again, and attach its tables again"
    if "No space left" in text or "File too large" in text:
        return "the disk is full: free some space; nothing was changed"
    near = re.search(r'Did you mean "([^"\n]+)"', text)
    return f"did you mean {near[1]}?" if near else ""
