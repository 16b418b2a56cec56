"""Memory that was freed stays with the process, so that the next step does not ask for it again.

A step of training makes and frees the same large arrays as the step before. The C library of Linux
gives freed memory back to the system, which hands it out again page by page and cleared: two fifths
of a step of Cora. It keeps arrays up to the size of the largest one that it has seen freed, and
twice as much free memory as that, but counts none above 32 megabytes.
"""

from __future__ import annotations

import numpy as np

LARGEST = 31 << 20  # bytes; with what the library adds to them still below its limit


def keep_freed_memory() -> None:
    """Show the C library a large array that is freed. It is never written to, so it takes no
    memory; elsewhere than on Linux nothing changes."""
    np.empty(LARGEST, np.uint8)
