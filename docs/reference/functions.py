"""The functions of the registry and of the algebra, each with its formula and what it gives."""

from __future__ import annotations

import numpy as np

from docs.reference.markdown import code, sections, table
from neurallog_kernel.answers import format_weight
from neurallog_kernel.functions import COMPARISONS, Function, Registry, Top
from neurallog_kernel.functions.combiners import COMBINERS, NEGATIONS
from neurallog_kernel.functions.combining import AGGREGATIONS, _choices
from neurallog_kernel.functions.function import FunctionKind

_ROW = np.array([[0.0, 1.0, 3.0]])
_POINTS = (-1.0, 0.0, 0.5, 2.0)
_KINDS = {
    FunctionKind.ELEMENTWISE: (
        "Element by element",
        "Applied to every entry of a vector. What a function makes of 0 matters: where it is not "
        "0, entities that nothing reached get that value too.",
    ),
    FunctionKind.ROWWISE: (
        "Along a row",
        "Computed over all entities of the type at once; shown for the row 0, 1, 3.",
    ),
    FunctionKind.AGGREGATE: (
        "Aggregates",
        "Make one number of a vector; shown for the row 0, 1, 3.",
    ),
}


def functions() -> str:
    """A table for each kind."""
    known = list(Registry())
    parts = []
    for kind, (title, said) in _KINDS.items():
        own = [function for function in known if function.kind is kind]
        rows = [[code(f.name), code(f.formula), *_values(f)] for f in own]
        parts += [f"### {title}", said, table(_header(kind), rows)]
    said = "Beside an attribute: `age(X, A), at_least(A, 50)`. They look at the value of a fact."
    rows = [[code(one.name), one.formula] for one in COMPARISONS.values()]
    parts += ["### Comparisons with a number", said, table(["name", "what it gives"], rows)]
    return sections(parts)


def _header(kind: FunctionKind) -> list[str]:
    if kind is FunctionKind.ELEMENTWISE:
        return ["name", "formula", *(f"at {format_weight(point)}" for point in _POINTS)]
    return ["name", "formula", "of 0, 1, 3"]


def _values(function: Function) -> list[str]:
    if function.kind is FunctionKind.ELEMENTWISE:
        return [_shown(function.numpy(np.array([point]))) for point in _POINTS]
    return [_shown(function.numpy(_ROW))]


def _shown(values: np.ndarray) -> str:
    numbers = np.ravel(values).tolist()
    return ", ".join("none" if np.isnan(n) else format_weight(n) for n in numbers)


def combining_functions() -> str:
    """What AND, OR, paths, any and negation can be set to."""
    rows = []
    for name, combine in COMBINERS.items():
        result = combine(np.array([0.8]), np.array([0.5]))
        rows.append([code(name), _shown(result)])
    best = Top(2).of(3).numpy(*map(np.array, ([0.8], [0.5], [0.2])))
    return sections(
        [
            table(("name", "0.8 and 0.5 give"), rows),
            "OR (`literal_combining_function`) can also be `top_5`, or any other number: the "
            "noisy-or, 1 - (1 - a)(1 - b)..., of the five largest parts. With `top_2`, the parts "
            f"0.8, 0.5 and 0.2 give {_shown(best)}: many weak rules do not add up to a strong one.",
            "`any_aggregation_function` takes "
            + ", ".join(map(code, sorted(AGGREGATIONS)))
            + " (those with `reduce_` look at zeros, too). `literal_negation_function` takes "
            + ", ".join(map(code, sorted(NEGATIONS)))
            + ".",
        ]
    )


def old_names() -> str:
    """The names of the original's programs that are accepted, and what they mean here."""
    settings: dict[tuple[str, str], list[str]] = {}
    for setting, choices in _choices().items():
        for old, new in choices.items():
            if old != new:
                settings.setdefault((old, new), []).append(setting)
    olds: dict[tuple[str, str], list[str]] = {}
    for (old, new), where in settings.items():
        place = "the combining functions" if len(where) > 1 else code(where[0])
        olds.setdefault((new, place), []).append(code(old))
    rows = [[", ".join(sorted(old)), code(new), place] for (new, place), old in olds.items()]
    return table(("in the original", "here", "for"), rows) + "\n"
