"""A training that several processes share: what the session that leads it gives the workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from neurallog_kernel.arguments import a_text

if TYPE_CHECKING:
    from neurallog_kernel.learning.sharing.workers import Workers


@contextmanager
def shared_with(
    session: Any, options: Mapping[str, Any], checkpoint: object
) -> Iterator[Workers | None]:
    """The workers that the options name, each with the session as it is now; None without any. They
    are asked before TensorFlow starts."""
    given = options.get("workers")
    if given is None:
        yield None
        return
    from neurallog_kernel.learning.sharing.checks import addresses_of, check_sent
    from neurallog_kernel.learning.sharing.workers import Workers

    a_text("workers", given)
    addresses = addresses_of(given)
    check_sent(session._program)
    with closing(Workers(addresses, checkpoint)) as workers:
        with TemporaryDirectory(prefix="neurallog-shared-") as folder:
            file = Path(folder, "session.nlz")
            session.save(file)
            workers.begin(file.read_bytes(), options)
        yield workers
