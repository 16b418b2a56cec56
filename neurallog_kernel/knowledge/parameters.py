"""The settings of a program, looked up by the name of a parameter and by predicate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from neurallog_kernel.language.syntax import ParameterValue, Signature

DEFAULTS: Mapping[str, ParameterValue] = MappingProxyType(
    {
        "recursion_depth": 1.0,
        "question_budget": 1e9,
        "and_combining_function": "multiply",
        "path_combining_function": "multiply",
        "edge_combining_function": "multiply",
        "literal_combining_function": "add",
        "literal_negation_function": "complement",
        "any_aggregation_function": "sum",
        "attributes_combine_function": "multiply",
        "weighted_attribute_combining_function": "multiply",
    }
)


@dataclass(frozen=True, eq=False)
class Parameters:
    """All settings of a program; a predicate's own go before the global ones."""

    everywhere: Mapping[tuple[str, ...], ParameterValue] = field(default_factory=dict)
    own: Mapping[tuple[str, int | None], Mapping[tuple[str, ...], ParameterValue]] = field(
        default_factory=dict
    )

    def get(self, name: str, predicate: Signature | None = None) -> ParameterValue | None:
        """The value of a parameter for a predicate, else the global one, else the default."""
        path = (name,)
        if predicate is not None:
            for owner in (predicate, (predicate[0], None)):
                table = self.own.get(owner)
                if table is not None and path in table:
                    return table[path]
        found = self.everywhere.get(path)
        return DEFAULTS.get(name) if found is None else found

    def own_value(self, name: str, predicate: Signature) -> ParameterValue | None:
        """What is set for a predicate and not for all; with its arity goes before without."""
        for owner in (predicate, (predicate[0], None)):
            found = self.own.get(owner, {}).get((name,))
            if found is not None:
                return found
        return None

    def below(
        self, name: str, predicate: Signature | None = None
    ) -> Mapping[tuple[str, ...], ParameterValue]:
        """What is set below a name: `set_parameter(optimizer, config, learning_rate, 0.1)`."""
        found: dict[tuple[str, ...], ParameterValue] = {}
        tables = [self.everywhere]
        if predicate is not None:
            tables += [self.own.get((predicate[0], None), {}), self.own.get(predicate, {})]
        for table in tables:
            for path, value in table.items():
                if path[0] == name and len(path) > 1:
                    found[path[1:]] = value
        return found

    def said(
        self, name: str, predicate: Signature | None = None
    ) -> Mapping[tuple[str, ...], ParameterValue]:
        """All that is set of a name, by the rest of its path, by the nearest who says something:
        the predicate with its arity, without, or the program."""
        owners = () if predicate is None else (predicate, (predicate[0], None))
        for table in (*(self.own.get(owner, {}) for owner in owners), self.everywhere):
            found = {path[1:]: value for path, value in table.items() if path[0] == name}
            if found:
                return found
        return {}

    @cached_property
    def names(self) -> frozenset[str]:
        """The parameters that are set at all."""
        tables = (self.everywhere, *self.own.values())
        return frozenset(path[0] for table in tables for path in table)

    def same_as(self, other: Parameters) -> bool:
        return self.everywhere == other.everywhere and self.own == other.own
