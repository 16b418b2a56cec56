"""What `explain` gives back: the tree of parts, as text and as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from neurallog_kernel.answers import format_weight
from neurallog_kernel.explain.parts import Part
from neurallog_kernel.explain.text import Line, grounding_text, lines_of, paths_text, render
from neurallog_kernel.functions import ADD
from neurallog_kernel.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd


_HALF = 0.5  # between true and false


@dataclass(frozen=True)
class Explanation(Tabular):
    """Why an answer has its weight. `part` is the tree; `before` is the weight with the facts that
    were left out (`without`), if any were. Of an ensemble `members` are the weights that its
    members give, and the tree is that of `member`, the nearest to their mean (1 is the first)."""

    query: str
    part: Part
    without: tuple[str, ...] = ()
    before: float | None = None
    members: tuple[float, ...] = ()
    member: int | None = None

    @property
    def weight(self) -> float:
        """The weight that is explained."""
        return self.part.value

    @property
    def rules(self) -> tuple[Part, ...]:
        """The rules that contribute, also inside others, in the order of the text."""
        return tuple(p for p in self.part.walk() if p.kind == "rule" and p.value != 0)

    @property
    def lines(self) -> Line:
        """The explanation line by line."""
        line = lines_of(self.part)
        text = line.text
        if self.part.kind != "answer":
            text = f"{self.query} = {format_weight(self.weight)}"
            line = Line(text, "", (lines_of(self.part),), self.weight)
        if self.members:
            return Line(self._of_members(), "", (line,))
        if self.before is None:
            return line
        gone = " and ".join(self.without)
        change = self.weight - self.before
        said = f"{line.text}  without {gone}; with it {format_weight(self.before)}"
        said += f" ({'+' if change > 0 else ''}{format_weight(change)})"
        return replace(line, text=said)

    def _of_members(self) -> str:
        """The mean, and which members agree: those on the same side of a half."""
        number = len(self.members)
        mean = sum(self.members) / number
        above = mean > _HALF
        agree = [i for i, one in enumerate(self.members, 1) if (one > _HALF) == above]
        others = [str(i) for i in range(1, number + 1) if i not in agree]
        side = "above" if above else "not above"
        said = f"{len(agree)} of {number} members agree that it is {side} {_HALF}"
        said += f" (not {', '.join(others)})" if others else ""
        return (
            f"{self.query} = {format_weight(mean)}, the mean of an ensemble; {said}; member "
            f"{self.member}, the nearest to the mean:"
        )

    def __str__(self) -> str:
        return render(self.lines)

    def __repr__(self) -> str:
        return str(self)

    def to_pandas(self) -> pd.DataFrame:
        """One row for each fact and grounding. The contributions of the rows with one `of` add up
        to its weight (where OR is a sum); those of `level` 0 to the answer."""
        import pandas as pd

        columns = ("level", "of", "rule", "path", "grounding", "contribution", "source")
        return pd.DataFrame(list(self._rows(self.part, 0, set())), columns=list(columns))

    def _rows(self, part: Part, level: int, seen: set[int]) -> Iterator[tuple]:
        if part.kind != "answer":
            yield (level, self.query, "", "", part.label, part.value, part.place)
            return
        if id(part.children) in seen:  # shared with a call that is listed already
            return
        seen.add(id(part.children))
        for child in part.children:
            if child.kind != "rule":
                yield (level, part.label, "", "", child.label, child.value, child.place)
                continue
            path = "" if child.dag is None else paths_text(child.dag)
            grounded = child.children if child.operation is ADD else (child,)
            for one in grounded or (child,):
                text = one.label if one.kind == "rest" else grounding_text(one)
                text = one.note if one is child and not child.children else text
                yield (level, part.label, child.label, path, text, one.value, child.place)
        for child in part.children:
            yield from self._rows_below(child, level, seen)

    def _rows_below(self, part: Part, level: int, seen: set[int]) -> Iterator[tuple]:
        for child in part.children:
            if child.kind == "answer":
                yield from self._rows(child, level + 1, seen)
            else:
                yield from self._rows_below(child, level, seen)
