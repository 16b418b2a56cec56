"""Addresses of databases: what they lead to, and what may be shown of them."""

from __future__ import annotations

import re

_HOST = r"(?:\[[0-9A-Fa-f:.%]*\]|[\w.-]*)(?::\d{0,5})?"
_SERVER = re.compile(
    rf"//(?P<user>.*@)?(?P<host>{_HOST}(?:,{_HOST})*)(?P<more>[/?#;].*)?", re.DOTALL
)
_SIGNED = re.compile(r"//(?:(?!/;)\S)*@")  # a user and perhaps a password before a host
_LED = re.compile(r"[^/\s]*:(?![\\/])\S*@")  # the same with no scheme; C:\ is a drive
_NAMES = "password|passwd|pwd|token|secret|key|auth|credential|signature|sig|jwt"
_SECRET = re.compile(
    rf"((?:^|[?&;\s])[^=&;?\s]*(?:{_NAMES})[^=&;?\s]*=).*", re.IGNORECASE | re.DOTALL
)

_BARE = re.compile(r"\?(?:[^/?]*&)?[^/?&=.]+(?:&[^/?]*)?$")  # what has no name; ? is a mark too


def without_password(address: str) -> str:
    """The address without anything that lets somebody in. Of a server only what is surely its host
    is shown: a password may hold any mark, escaped or not.

    >>> without_password("sc://host:15002/;token=abc;user_id=ann@work")
    'sc://host:15002/...'
    >>> without_password("sc://ann:pa/;ss?w rd@host:15002/;token=abc")
    'sc://host:15002/...'
    >>> without_password("sc://host:pass"), without_password("postgres:ann:pass@host")
    ('sc://...', 'postgres:...')
    >>> without_password("duckdb:/home//ann@work/facts.duckdb")  # a file has no user
    'duckdb:/home//ann@work/facts.duckdb'
    >>> without_password("postgresql//ann:pass@host/db"), without_password("a:pass@host/db")
    ('postgresql//host/db', 'host/db')
    """
    scheme = scheme_of(address)
    if not scheme:
        return _SECRET.sub(r"\1...", _LED.sub("", address))
    rest = address[len(scheme) + 1 :]
    if scheme == "duckdb":
        return f"duckdb:{without_password(rest)}"
    if not rest.startswith("//"):
        return f"{scheme}:..."
    head, mark, _ = rest.partition("/;") if scheme == "sc" else (rest, "", "")
    found = _SERVER.fullmatch(head)
    if mark and (found is None or found["more"]):  # no parameters: the mark is in the password
        found = _SERVER.fullmatch(rest)
    if found is None:
        return f"{scheme}://..."
    hidden = mark or found["more"] not in (None, "/")
    return f"{scheme}://{found['host']}" + ("/..." if hidden else "")


def in_words_of_others(text: str) -> str:
    """What an error of a database says, without what looks like a password.

    >>> in_words_of_others("no route to sc://ann:pass@host; token=abc")
    'no route to sc://host; token=...'
    """
    return _SECRET.sub(r"\1...", _SIGNED.sub("//", text))


def holds_password(place: str) -> bool:
    """Whether the place of a file has a user or what looks like a password.

    >>> holds_password("s3://key:secret@bucket/a.parquet"), holds_password("s3://bucket/a@b.parquet")
    (True, False)
    >>> holds_password("https://host/a.parquet?sig=abc"), holds_password("data/key=1/a.parquet")
    (True, False)
    >>> holds_password("az://box/a.parquet?abc"), holds_password("az://box/a?.parquet")
    (True, False)
    """
    server = re.search(r"(?:://|^[A-Za-z][A-Za-z0-9+.-]+:(?!//))(?P<user>[^/]*@)?", place)
    if server is None:
        return False
    return bool(server["user"] or _SECRET.search(place) or _BARE.search(place))


def scheme_of(address: str) -> str:
    """What stands before the colon; nothing if there is none.

    >>> scheme_of("duckdb:facts.duckdb"), scheme_of("facts.duckdb")
    ('duckdb', '')
    """
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):", address)  # one letter is a drive
    return found[1].lower() if found else ""


def first_line(error: BaseException) -> str:
    """What an error of a database says, in one line and without a password."""
    return in_words_of_others(str(error).strip().partition("\n")[0].strip()) or type(error).__name__
