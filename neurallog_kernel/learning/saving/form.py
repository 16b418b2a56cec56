"""The form of a saved model: what its manifest and its arrays must be before they are used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from neurallog_kernel.errors import CheckpointError
from neurallog_kernel.knowledge.blocks import row_keys
from neurallog_kernel.language.words import DIRECTIVES, is_name
from neurallog_kernel.learning.saving.archive import Archive


def check_form(path: object, archive: Archive) -> None:
    """Refuse a manifest in which something is of another kind than it should be."""
    wrong = _wrong(archive.manifest)
    if wrong:
        raise CheckpointError(f"{path} is not in the form of a saved model: {wrong}")


def _wrong(manifest: Mapping[str, Any]) -> str:
    session: Any = manifest.get("session")
    sources: Any = manifest.get("sources")
    learned: Any = manifest.get("learned")
    functions: Any = manifest.get("functions")
    if not _has(session, strict=bool, unnamed=int) or session["unnamed"] < 0:
        return "its session"
    if not _all(sources, name=str, text=str, examples=dict) or not _distinct(sources, "name"):
        return "its sources"
    if not all(_all_texts([*one["examples"], *one["examples"].values()]) for one in sources):
        return "its examples"
    tables = [table for one in sources for table in one.get("attached", [])]
    if not _all(tables, address=str, table=str, predicate=str, columns=list, duplicates=str):
        return "its attached tables"
    if not all(map(_is_attached, tables)):
        return "its attached tables"
    if not _all(learned, predicate=str, arity=int, numeric=list, shape=list, facts=int):
        return "what it learned"
    if not all(map(_is_learned, learned)) or not _distinct(learned, "predicate", "arity"):
        return "the predicates that it learned"
    rules: Any = manifest.get("rules", [])  # files from before rule weights were learned have none
    if not _all(rules, predicate=str, arity=int, rules=list):
        return "the rules that it learned"
    if not all(_all_texts(one["rules"]) for one in rules):
        return "the rules that it learned"
    if not _distinct(rules, "predicate", "arity"):
        return "the rules that it learned"
    members: Any = manifest.get("members", 0)  # files from before ensembles have none
    if type(members) is not int or members < 0:
        return "the members of its ensemble"
    if not _all(functions, name=str, kind=str, inputs=int, formula=str, variables=list):
        return "its functions"
    return "" if manifest.get("history") is None or _is_history(manifest["history"]) else "history"


def _is_attached(table: Mapping[str, Any]) -> bool:
    numeric = table.get("numeric")
    return (
        _all_texts(table["columns"])
        and isinstance(numeric, list)
        and len(numeric) == len(table["columns"]) > 0
        and all(isinstance(one, bool) for one in numeric)
        and type(table.get("weight")) in (str, float, int)
    )


def _is_learned(listed: Mapping[str, Any]) -> bool:
    name, numeric = listed["predicate"], listed["numeric"]
    whole = [listed["arity"], listed["facts"], *listed["shape"]]
    return (
        is_name(name)
        and name not in DIRECTIVES
        and all(type(number) is int and number >= 0 for number in whole)
        and all(isinstance(one, bool) for one in numeric)
        and len(numeric) == listed["arity"]
        and len(listed["shape"]) == numeric.count(False)
    )


def _is_history(history: Any) -> bool:
    return (
        _has(history, columns=list, settings=dict, interrupted=bool, stopped_early=bool)
        and _has(history, seconds=float | int, notes=list)
        and _all_texts([*history["columns"], *history["notes"], *history["settings"]])
        and all(v is None or isinstance(v, str | int | float) for v in history["settings"].values())
        and type(history.get("best_epoch")) in (int, type(None))
    )


def _has(thing: Any, **kinds: Any) -> bool:
    """Whether a JSON object has these keys with such values; a truth value is no number."""
    return isinstance(thing, dict) and all(
        isinstance(thing.get(key), kind) and (kind is bool or not isinstance(thing[key], bool))
        for key, kind in kinds.items()
    )


def _all(things: Any, **kinds: Any) -> bool:
    return isinstance(things, list) and all(_has(one, **kinds) for one in things)


def _all_texts(things: Sequence[Any]) -> bool:
    return all(isinstance(one, str) for one in things)


def _distinct(things: Sequence[Mapping[str, Any]], *keys: str) -> bool:
    return len({tuple(one[key] for key in keys) for one in things}) == len(things)


# -- arrays ---------------------------------------------------------------------------------------


def check_names(text: np.ndarray, ends: np.ndarray) -> str:
    """Why two arrays are no list of names; empty where they are one."""
    if text.dtype != np.uint8 or text.ndim != 1 or ends.dtype.kind not in "iu" or ends.ndim != 1:
        return "the names are of another type"
    steps = np.diff(ends, prepend=0)
    filled = int(ends[-1]) if len(ends) else 0
    return "" if filled == len(text) and (steps >= 0).all() else "the names do not fill their text"


def check_learned(
    weights: np.ndarray,
    entities: Sequence[np.ndarray],
    numbers: Sequence[np.ndarray],
    facts: int,
    names: int,
) -> str:
    """Why arrays are not the facts of a predicate; empty where they are."""
    arrays = (weights, *entities, *numbers)
    if any(array.shape != (facts,) for array in arrays):
        return f"{facts} facts are announced, and the arrays have another length"
    if any(array.dtype.kind != "f" for array in (weights, *numbers)):
        return "its weights or numbers are of another type"
    if not all(np.isfinite(array).all() for array in (weights, *numbers)):
        return "a weight or number is infinite or not a number"
    if any(column.dtype.kind not in "iu" for column in entities):
        return "its entities are of another type"
    if any(len(column) and (column.min() < 0 or column.max() >= names) for column in entities):
        return f"an entity is not among the {names} names of the file"
    keys = row_keys([column.astype(np.int32) for column in entities], facts)
    return "" if len(np.unique(keys)) == facts else "a fact is there twice"


def check_rule_weights(weights: np.ndarray, rules: int) -> str:
    """Why an array is not the weights of so many rules; empty where it is."""
    if weights.shape != (rules,) or weights.dtype.kind != "f":
        return f"{rules} rules are announced, and the array is another"
    return "" if np.isfinite(weights).all() else "a weight is infinite or not a number"


def check_history(table: np.ndarray, columns: int) -> str:
    """Why an array is not the table of a history; empty where it is."""
    sound = table.dtype.kind == "f" and table.ndim == 2 and len(table) == columns
    return "" if sound else "its history has another shape"
