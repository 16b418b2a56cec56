"""The readers: one module for each format, and `open_table` to find the right one."""

from neurallog_kernel.tables.readers.opening import FORMATS, open_table

__all__ = ["FORMATS", "open_table"]
