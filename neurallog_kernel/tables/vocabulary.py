"""The names of one load: each has one code, whatever column and batch it is in."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language.words import is_predicate
from neurallog_kernel.tables.columns import MISSING, Texts

_NUMBER = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_NOT_A_NUMBER = {"nan", "na", "n/a", "null", "none"}


class Bad(Exception):
    """A name that cannot be one: which code of the batch, and why."""

    def __init__(self, code: int, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.code, self.why, self.hint = code, why, hint


class Vocabulary:
    """Names of entities; numbers that a text file holds are here too until it is known that they
    are numbers. Where that cannot be, the names are `shared`: their codes are the session's."""

    def __init__(
        self, na: Sequence[str], longest: int | None, shared: SymbolTable | None = None
    ) -> None:
        self.shared = shared is not None
        self._table = SymbolTable() if shared is None else shared
        self._na = frozenset(("", *na))
        self._longest = longest

    def __len__(self) -> int:
        return len(self._table)

    def codes(self, texts: Texts) -> np.ndarray:
        """The code of each row, `MISSING` where there is no name."""
        names = texts.names
        self._check(names)
        known = self._table.intern(names)
        if not self._na.isdisjoint(names):
            known[[place for place, name in enumerate(names) if name in self._na]] = MISSING
        return np.append(known, np.int32(MISSING))[texts.codes]

    def names(self, codes: np.ndarray) -> list[str]:
        return self._table.names(codes.tolist())

    def name(self, code: int) -> str:
        return self._table.name(code)

    def knows(self, name: str) -> bool:
        return self._table.find(name) is not None

    def _check(self, names: Sequence[str]) -> None:
        if self._longest is not None and max(map(len, names), default=0) > self._longest:
            code = next(i for i, name in enumerate(names) if len(name) > self._longest)
            raise Bad(
                code,
                f"a name of {len(names[code])} characters, which begins {names[code][:30]!r}",
                f"a quote left open? If it is a name: longest={len(names[code])}, or longest=None",
            )
        try:
            "\n".join(names).encode("utf-8")
        except UnicodeEncodeError:
            code = next(i for i, name in enumerate(names) if not _is_sound(name))
            shown = _bytes(names[code])[:40]
            raise Bad(code, f"not UTF-8 text: {shown!r}", "save the file as UTF-8") from None


def _bytes(name: str) -> bytes:
    """What stood in a file; half a character that came another way, as UTF-8 would have it."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogatepass")


def _is_sound(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def number_of(text: str) -> float | None:
    """The number that a text is; NaN for the usual words for none, None for other texts.

    >>> number_of("1e3"), number_of("NaN"), number_of("one"), number_of("1_000")
    (1000.0, nan, None, None)
    """
    if _NUMBER.fullmatch(text):
        return float(text)
    return float("nan") if text.strip().lower() in _NOT_A_NUMBER else None


def predicate_name(text: str) -> str:
    """A name for a predicate that is near to a text.

    >>> predicate_name("_has_part"), predicate_name("/people/person/born-in"), predicate_name("2nd")
    ('has_part', 'people_person_born-in', 'p_2nd')
    >>> predicate_name("learn")  # a word of the language, which would not stay data
    'p_learn'
    """
    if is_predicate(text):
        return text
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", text).strip("_-")
    name = name[:1].lower() + name[1:]
    return name if is_predicate(name) else f"p_{name}"
