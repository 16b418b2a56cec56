"""Program to next program: one change of a source or of the functions, whole or not at all."""

from neurallog_kernel.knowledge.update.update import (
    with_functions,
    with_source,
    with_source_as_before,
    without_source,
)

__all__ = ["with_functions", "with_source", "with_source_as_before", "without_source"]
