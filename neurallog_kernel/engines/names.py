"""Names for what is made in a user's database: no table or view of theirs has them."""

from __future__ import annotations

import re
import secrets

_RANDOM = re.compile(r"neurallog_[0-9a-f]{12}_")


def own_name(label: str) -> str:
    """A name that is another each time: two sessions in one database do not meet either."""
    return f"neurallog_{secrets.token_hex(6)}_{label}"


def without_random(text: str) -> str:
    """A statement as it is in every run.

    >>> without_random(f"SELECT {own_name('function_0')}(v)")
    'SELECT neurallog_function_0(v)'
    """
    return _RANDOM.sub("neurallog_", text)
