"""Addresses of databases: what they lead to, and what may be shown of them."""

from __future__ import annotations

import re

# a user and perhaps a password before the host: it may hold marks that should have been escaped
_SIGNED = re.compile(r"//(?:(?!/;)\S)*@")
_NAMES = "password|passwd|pwd|token|secret|key|auth|credential|signature|jwt"
_SECRET = re.compile(rf"((?:^|[?&;])[^=&;?]*(?:{_NAMES})[^=&;?]*=)[^&;]*", re.IGNORECASE)


def without_password(address: str) -> str:
    """The address without anything that lets somebody in: no user, no password, no token.

    >>> without_password("sc://ann:pa:ss@word@host:15002/;token=abc;user_id=7")
    'sc://host:15002/;token=...;user_id=7'
    >>> without_password("sc://ann:pa/ss?w#rd@host/;authorization=Bearer abc;user_id=a@b")
    'sc://host/;authorization=...;user_id=a@b'
    >>> without_password("duckdb:/home//ann@work/facts.duckdb")  # a file has no user
    'duckdb:/home//ann@work/facts.duckdb'
    """
    signed = not address.lower().startswith("duckdb:")
    return _SECRET.sub(r"\1...", _SIGNED.sub("//", address) if signed else address)


def scheme_of(address: str) -> str:
    """What stands before the colon; nothing if there is none.

    >>> scheme_of("duckdb:facts.duckdb"), scheme_of("facts.duckdb")
    ('duckdb', '')
    """
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):", address)  # one letter is a drive
    return found[1].lower() if found else ""


def first_line(error: BaseException) -> str:
    """What an error of a database says, in one line and without a password."""
    return without_password(str(error).strip().partition("\n")[0].strip()) or type(error).__name__
