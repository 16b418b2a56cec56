"""What a predicate is in a program: a relation, an attribute, a number, a function, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from neurallog_kernel.language.syntax import Signature


class Role(Enum):
    """The part a predicate plays."""

    RELATION = "relation"  # entities only: a matrix, a vector or a scalar, facts and rules
    ATTRIBUTE = "attribute"  # one entity, its owner, and one number
    NUMERIC = "numeric"  # numbers only
    FUNCTION = "function"  # from the registry
    COMPARISON = "comparison"  # of an attribute with a number: at_least, at_most
    EMPTY = "empty"  # nothing is known of it: all zero


Roles: TypeAlias = Callable[[Signature], Role]
Numeric: TypeAlias = tuple[bool, ...]  # for each place, whether it holds a number


def role_of_places(numeric: Numeric) -> Role:
    """The role of a predicate with these places."""
    if not any(numeric):
        return Role.RELATION
    if all(numeric):
        return Role.NUMERIC
    return Role.ATTRIBUTE if len(numeric) == 2 else Role.RELATION  # numbers of its rows


def owner_place(numeric: Numeric) -> int:
    """The place of an attribute that holds the owner."""
    return numeric.index(False)
