"""What stands for an entity in the tables of a database: its index, or its name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Keys:
    """The keys of a type. `everyone` is a SELECT of all of them as q. `numbers`: the first key and
    the one after the last, where keys are whole numbers; None: they are texts."""

    everyone: str
    size: int
    numbers: tuple[int, int] | None = None

    def condition(self, part: int, parts: int) -> str:
        """What says that a key {q} belongs to a part (counted from 0) of all questions."""
        if parts == 1:
            return ""
        if self.numbers is None:
            low, high = (_share(0x10000, one, parts) for one in (part, part + 1))
            code = "substr(md5({q}), 1, 4)"
            return f"{code} >= '{low:04x}'" + (
                "" if part + 1 == parts else f" AND {code} < '{high:04x}'"
            )
        first, end = self.numbers
        low, high = (first + _share(end - first, one, parts) for one in (part, part + 1))
        return f"{{q}} >= {low} AND {{q}} < {high}"


def _share(total: int, part: int, parts: int) -> int:
    return total * part // parts


def index_keys(size: int) -> Keys:
    """Keys that are the indexes of a type's entities."""
    return Keys(f"SELECT q FROM range(0, {size}) AS t(q)", size, (0, size))
