"""Names of what is stored, each as of one version: a plan holds these, an engine looks them up."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from neurallog_kernel.knowledge.sources import Slot
from neurallog_kernel.language.syntax import Signature

ROWS = -1  # the place of a predicate's facts themselves


class TypeRef(NamedTuple):
    """The entities of a type: one of its slots, and a number that no other list of entities has.

    A type that gains or loses an entity has another number, so that what was computed for the old
    one is never taken for the new.
    """

    slot: Slot | None  # None: the type without entities
    stamp: int | tuple[int, ...]  # of the facts of a predicate: theirs, and those of their types


class FactForm(StrEnum):
    """The forms in which a plan reads the facts of a predicate."""

    MATRIX = "matrix"  # of a binary predicate, or from the rows of facts to a place
    DIAGONAL = "diagonal"  # of such a matrix
    VECTOR = "vector"  # of a unary predicate, an attribute's weights and values, a weight per row
    NUMBER = "number"  # the one fact of a predicate without entities


class Scan(NamedTuple):
    """Facts of a predicate: in which form, and the version in which they last changed.

    The same scan always reads the same facts; facts that were edited are another scan.
    """

    signature: Signature
    form: FactForm
    stamp: int
    # What stands behind facts of three and more arguments has a signature that no text can name:
    of: Signature | None = None  # the predicate
    places: tuple[int, ...] = ()  # a place (of a matrix), or those that agree (of a vector)
    values: bool = False  # of a vector: the numbers of the rows at a declared place,
    number: float | None = None  # or 1 where they are this number
