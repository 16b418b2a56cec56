"""Saving a session: its program source by source, what was learned, and the last training."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from neurallog_kernel.functions import BUILTIN_FUNCTIONS, Function
from neurallog_kernel.knowledge.attached import AttachedTable
from neurallog_kernel.knowledge.learned import LEARNED, members_of
from neurallog_kernel.knowledge.listing import contents_as_text
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.rule_weights import as_stated
from neurallog_kernel.knowledge.sources import ContentsBuilder, SourceContents
from neurallog_kernel.knowledge.symbols import SymbolTable, distinct
from neurallog_kernel.language import parse
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.history import History
from neurallog_kernel.learning.saving.archive import Archive, write_archive

_PACKAGES = ("neurallog", "numpy", "scipy", "tensorflow", "keras")


def save(
    path: str | Path,
    program: Program,
    symbols: SymbolTable,
    history: History | None,
    session: Mapping[str, Any],
    texts: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Write a session to one file; `session` are its own plain values, `texts` what its users
    wrote."""
    sources = source_list(program, symbols, texts)
    write_archive(path, file_contents(program, symbols, history, session, sources))


def source_list(
    program: Program, symbols: SymbolTable, texts: Mapping[str, str] = MappingProxyType({})
) -> list[dict[str, Any]]:
    """What the sources say, one by one: in the words of its user where there are any, so that
    lines and comments are those of the file or the cell; else as it is printed."""
    written = [u for u in program.sources.values() if u.source != LEARNED]
    return [_source(u, symbols, texts.get(u.source)) for u in written]


def file_contents(
    program: Program,
    symbols: SymbolTable,
    history: History | None,
    session: Mapping[str, Any],
    sources: Sequence[Mapping[str, Any]],
) -> Archive:
    """All that a file holds of a session."""
    arrays: dict[str, np.ndarray] = {}
    manifest: dict[str, Any] = {
        "packages": _packages(),
        "session": dict(session),
        "sources": sources,
        "learned": _save_learned(program, symbols, arrays),
        "rules": _save_rules(program, arrays),
        "members": _save_members(program, arrays),
        "functions": [
            _save_function(number, function, arrays)
            for number, function in enumerate(used_functions(program))
        ],
        "history": _save_history(history, arrays),
    }
    return Archive(manifest, arrays)


def _packages() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _source(contents: SourceContents, symbols: SymbolTable, own: str | None) -> dict[str, Any]:
    text, examples = contents_as_text(contents, symbols)
    if own is not None and _says(own, contents.source, symbols) == (text, examples):
        text, examples = own, {}
    saved: dict[str, Any] = {"name": contents.source, "text": text, "examples": examples}
    if contents.attached:
        saved["attached"] = [_attached(table) for table in contents.attached.values()]
    return saved


def _says(text: str, source: str, symbols: SymbolTable) -> tuple[str, dict[str, str]]:
    """What a text says by itself: less than its source, if a table or a set was given with it."""
    builder = ContentsBuilder(source, symbols)
    builder.add(parse(text, source), None)
    return contents_as_text(builder.build(), symbols)


def _attached(table: AttachedTable) -> dict[str, Any]:
    """A table by its name and where it is: no password is in an address."""
    return {
        "address": table.address,
        "table": table.table,
        "predicate": table.signature[0],
        "columns": list(table.columns),
        "numeric": list(table.numeric),
        "weight": table.weight,
        "duplicates": table.duplicates.value,
    }


def _save_learned(
    program: Program, symbols: SymbolTable, arrays: dict[str, np.ndarray]
) -> list[dict[str, Any]]:
    """Each predicate's weights, with its entities as places in one list of names."""
    contents = program.sources.get(LEARNED)
    blocks = list(contents.facts.values()) if contents else []
    used = [column for block in blocks for column in block.entities]
    known = distinct(np.concatenate(used)) if used else np.zeros(0, dtype=np.int32)
    _save_names(symbols.names(known.tolist()), arrays)
    listed = []
    for number, block in enumerate(blocks):
        arrays[f"learned/{number}/weights"] = block.weights
        for place, column in enumerate(block.entities):
            places = np.searchsorted(known, column).astype(np.int32)
            arrays[f"learned/{number}/entities{place}"] = places
        for place, column in enumerate(block.numbers):
            arrays[f"learned/{number}/numbers{place}"] = column
        listed.append(
            {
                "predicate": block.signature[0],
                "arity": block.signature[1],
                "numeric": list(block.numeric),
                "shape": type_sizes(program, block.signature, block.numeric),
                "facts": len(block),
            }
        )
    return listed


def _save_rules(program: Program, arrays: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    """The learned weights of each predicate's rules; a rule goes by its text."""
    contents = program.sources.get(LEARNED)
    listed = []
    for number, (signature, weights) in enumerate(
        contents.rule_weights.items() if contents else ()
    ):
        keys = program.definition(signature).rule_keys
        texts = {key: format_clause(as_stated(rule)) for rule, key in keys.items()}
        arrays[f"rules/{number}/weights"] = np.array(list(weights.values()), dtype=np.float64)
        name, arity = signature
        listed.append({"predicate": name, "arity": arity, "rules": [texts[key] for key in weights]})
    return listed


def _save_members(program: Program, arrays: dict[str, np.ndarray]) -> int:
    """The weights of each member of an ensemble, for the same facts and rules; how many there
    are."""
    members = members_of(program)
    for number, member in enumerate(members):
        for place, block in enumerate(member.facts.values()):
            arrays[f"members/{number}/learned/{place}"] = block.weights
        for place, weights in enumerate(member.rule_weights.values()):
            values = np.array(list(weights.values()), dtype=np.float64)
            arrays[f"members/{number}/rules/{place}"] = values
    return len(members)


def _save_names(names: Sequence[str], arrays: dict[str, np.ndarray]) -> None:
    encoded = [name.encode("utf-8", "surrogatepass") for name in names]
    arrays["names/text"] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    arrays["names/ends"] = np.cumsum([len(name) for name in encoded], dtype=np.int64)


def type_sizes(program: Program, signature: Signature, numeric: Sequence[bool]) -> list[int]:
    """The sizes of the types at the places that hold entities."""
    return [
        len(program.entity_type((*signature, place)))
        for place, number in enumerate(numeric)
        if not number
    ]


def used_functions(program: Program) -> list[Function]:
    """The registered functions that the program's answers depend on."""
    found = {
        function.name: function
        for rule in program.rules()
        for literal in rule.body
        if (function := program.function(literal.signature)) is not None
    }
    for function in program.registry:
        if function.name in _named_in_parameters(program):
            found[function.name] = function
    return [f for f in found.values() if BUILTIN_FUNCTIONS.get(f.name) is not f]


def _named_in_parameters(program: Program) -> set[str]:
    values = (getattr(d, "value", None) for u in program.sources.values() for d in u.directives)
    return {value for value in values if isinstance(value, str)}


def _save_function(place: int, function: Function, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    variables = list(getattr(function.model, "variables", ()))
    values = function.variables or variables
    for number, value in enumerate(values):
        arrays[f"functions/{place}/{number}"] = np.asarray(value)
    return {
        "name": function.name,
        "kind": function.kind.value,
        "inputs": function.inputs,
        "formula": function.formula,
        "input_shape": _input_shape(function.model) if variables else None,
        "variables": [str(getattr(v, "path", v.name)) for v in variables],
    }


def _input_shape(model: Any) -> list[int | None] | None:
    config = model.get_build_config() if hasattr(model, "get_build_config") else None
    shape = (config or {}).get("input_shape")
    return list(shape) if isinstance(shape, list | tuple) else None


def _save_history(history: History | None, arrays: dict[str, np.ndarray]) -> dict[str, Any] | None:
    if history is None:
        return None
    table = np.full((len(history.logs), history.epochs), np.nan)
    for row, values in enumerate(history.logs.values()):
        table[row, : len(values)] = values
    arrays["history"] = table
    return {
        "columns": list(history.logs),
        "settings": {k: v for k, v in history.settings.items() if _is_plain(v)},
        "interrupted": history.interrupted,
        "stopped_early": history.stopped_early,
        "best_epoch": history.best_epoch,
        "seconds": float(history.seconds),
        "notes": list(history.notes),
    }


def _is_plain(value: Any) -> bool:
    if isinstance(value, float):
        return bool(np.isfinite(value))
    return value is None or isinstance(value, str | int)
