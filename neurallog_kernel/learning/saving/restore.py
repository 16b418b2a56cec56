"""Opening a saved session: everything is checked before it is used, and nothing is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from neurallog_kernel.engines.reading import SqlReader
from neurallog_kernel.errors import CheckpointError, NeuralLogError
from neurallog_kernel.functions import BUILTIN_FUNCTIONS, Registry
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.learned import LEARNED, learned_block, learned_contents
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.rule_weights import RuleKey, RuleWeights, rule_key
from neurallog_kernel.knowledge.sources import ContentsBuilder, SourceContents
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.update import with_functions, with_source, with_source_as_before
from neurallog_kernel.language import parse
from neurallog_kernel.language.syntax import Rule, Signature
from neurallog_kernel.learning.history import History
from neurallog_kernel.learning.runs import Run, opened_runs
from neurallog_kernel.learning.saving.archive import Archive, read_archive
from neurallog_kernel.learning.saving.attachments import Readers
from neurallog_kernel.learning.saving.checkpoint import type_sizes
from neurallog_kernel.learning.saving.form import (
    check_form,
    check_history,
    check_learned,
    check_names,
    check_rule_weights,
)
from neurallog_kernel.unpacking import TIMES


@dataclass(frozen=True)
class SavedSession:
    """What a file gives back."""

    program: Program
    texts: Mapping[str, str]
    history: History | None
    strict: bool
    unnamed: int
    runs: tuple[Run, ...] = ()
    reader: SqlReader | None = None  # of its attached tables


def open_saved(
    path: str | Path,
    symbols: SymbolTable,
    functions: Mapping[str, Any],
    unpacked: int | None = TIMES,
    connect: Any = None,
) -> SavedSession:
    """The program of a file, with its learned weights and those of the functions given again. Its
    attached tables are looked for where they were, or in the database that is given."""
    archive = read_archive(path, unpacked)
    check_form(path, archive)
    with well_formed(path):
        given = _given(path, archive, Registry(), functions)
        readers = Readers(path, connect)
        listed = archive.manifest["sources"]
        program, texts = _sources(listed, Program(given), symbols, readers)
        registry = _with_saved_variables(path, archive, given)
        program = _with_learned(path, archive, program, registry, symbols, exact=True)
        history = history_of(path, archive)
        kept = archive.manifest["session"]
        strict, unnamed = bool(kept["strict"]), int(kept["unnamed"])
        runs = opened_runs(kept.get("runs", ()), program, symbols)
    return SavedSession(program, texts, history, strict, unnamed, runs, readers.last)


def load_weights(
    path: str | Path,
    program: Program,
    symbols: SymbolTable,
    functions: Mapping[str, Any],
    unpacked: int | None = TIMES,
) -> Program:
    """The program with the weights that a file holds for its predicates and functions."""
    archive = read_archive(path, unpacked)
    check_form(path, archive)
    with well_formed(path):
        given = _given(path, archive, program.registry, functions)
        registry = _with_saved_variables(path, archive, given)
        return _with_learned(path, archive, program, registry, symbols, exact=False)


@contextmanager
def well_formed(path: str | Path) -> Iterator[None]:
    """Inside, a manifest of another form shows as a `CheckpointError`."""
    try:
        yield
    except NeuralLogError:
        raise
    except Exception as error:  # JSON values of any other shape break anything
        raise CheckpointError(f"{path} is not in the form of a saved model") from error


def _sources(
    listed: Sequence[Mapping[str, Any]],
    program: Program,
    symbols: SymbolTable,
    readers: Readers,
) -> tuple[Program, dict[str, str]]:
    """Add the sources, each at its place. One that needs a later one waits for it: the order of
    their places is not always the order in which they were written."""
    order = [source["name"] for source in listed]
    waiting = [(s["name"], s["text"], s["examples"]) for s in listed]
    attached = {s["name"]: readers.tables(s) for s in listed if s.get("attached")}
    texts = {name: text for name, text, examples in waiting if text and not examples}
    while waiting:
        failed, first_error = [], None
        for source, text, examples in waiting:
            try:
                contents = attached.get(source) or _contents(source, text, examples, symbols)
                program = with_source_as_before(program, source, contents, order, symbols)
            except NeuralLogError as error:
                failed.append((source, text, examples))
                first_error = first_error or error.with_text(text)
        if first_error is not None and len(failed) == len(waiting):
            raise first_error
        waiting = failed
    return program, texts


def _contents(
    source: str, text: str, examples: Mapping[str, str], symbols: SymbolTable
) -> SourceContents:
    builder = ContentsBuilder(source, symbols)
    builder.add(parse(text, source), None)
    for name, atoms in examples.items():
        builder.add(parse(atoms, source), name)
    return builder.build()


def _with_learned(
    path: str | Path,
    archive: Archive,
    program: Program,
    registry: Registry,
    symbols: SymbolTable,
    exact: bool,
) -> Program:
    names = _names(path, archive)
    blocks: dict[Signature, Block] = {}
    for number, listed in enumerate(archive.manifest["learned"]):
        signature = (str(listed["predicate"]), int(listed["arity"]))
        numeric = tuple(bool(n) for n in listed["numeric"])
        prefix = f"learned/{number}/"
        weights = archive.arrays[prefix + "weights"]
        columns = [archive.arrays[f"{prefix}entities{i}"] for i in range(numeric.count(False))]
        numbers = [archive.arrays[f"{prefix}numbers{i}"] for i in range(numeric.count(True))]
        reason = check_learned(weights, columns, numbers, listed["facts"], len(names))
        reason = reason or _difference(program, signature, numeric, listed, exact)
        entities: tuple[np.ndarray, ...] = ()
        if not reason:
            found = ([names[i] for i in column.tolist()] for column in columns)
            entities = tuple(map(symbols.intern, found))
            reason = _stranger(program, signature, numeric, entities, symbols)
        if reason:
            raise CheckpointError(
                f"{path}: the weights of {signature[0]}/{signature[1]} do not fit: {reason}"
            )
        values = tuple(column.astype(np.float64) for column in numbers)
        blocks[signature] = learned_block(signature, numeric, entities, values, weights)
    contents = learned_contents(blocks, _learned_rules(path, archive, program))
    contents = _with_members(path, archive, contents)
    if not contents.signatures:
        return with_functions(program, registry, symbols)
    return with_source(program, contents, symbols, strict=False, registry=registry)


def _with_members(path: str | Path, archive: Archive, first: SourceContents) -> SourceContents:
    """What was learned with the members of an ensemble, which have weights for the same facts."""
    members = []
    for number in range(archive.manifest.get("members", 0)):
        facts: dict[Signature, Block] = {}
        for place, (signature, block) in enumerate(first.facts.items()):
            weights = archive.arrays[f"members/{number}/learned/{place}"]
            _refuse(path, check_rule_weights(weights, len(block)))
            facts[signature] = replace(block, weights=weights.astype(np.float64))
        rules: dict[Signature, RuleWeights] = {}
        for place, (signature, known) in enumerate(first.rule_weights.items()):
            weights = archive.arrays[f"members/{number}/rules/{place}"]
            _refuse(path, check_rule_weights(weights, len(known)))
            rules[signature] = dict(zip(known, weights.tolist(), strict=True))
        members.append(learned_contents(facts, rules))
    return replace(first, members=tuple(members))


def _learned_rules(
    path: str | Path, archive: Archive, program: Program
) -> dict[Signature, RuleWeights]:
    """The weights of the rules by what names these; each must be a rule of the program."""
    found: dict[Signature, RuleWeights] = {}
    for number, listed in enumerate(archive.manifest.get("rules", [])):
        signature = (str(listed["predicate"]), int(listed["arity"]))
        name = f"{signature[0]}/{signature[1]}"
        weights = archive.arrays[f"rules/{number}/weights"]
        reason = check_rule_weights(weights, len(listed["rules"]))
        if not reason and signature not in program.learned_rules:
            reason = "the program does not learn them"
        keys = _keys_of(listed["rules"])
        known = set(program.definition(signature).rule_keys.values())
        strange = (t for t, key in zip(listed["rules"], keys, strict=False) if key not in known)
        if not reason and len(keys) != len(listed["rules"]):
            reason = "not all of them are rules"
        elif not reason and (first := next(strange, None)) is not None:
            reason = f"the program has no rule {first}"
        if reason:
            raise CheckpointError(
                f"{path}: the weights of the rules of {name} do not fit: {reason}"
            )
        found[signature] = dict(zip(keys, weights.tolist(), strict=True))
    return found


def _keys_of(texts: Sequence[str]) -> list[RuleKey]:
    """What names the rules of some texts; nothing if one cannot be read."""
    try:
        clauses = parse("\n".join(texts), LEARNED)
    except NeuralLogError:
        return []
    return [rule_key(clause) for clause in clauses if isinstance(clause, Rule)]


def _names(path: str | Path, archive: Archive) -> list[str]:
    content, marks = archive.arrays["names/text"], archive.arrays["names/ends"]
    _refuse(path, check_names(content, marks))
    text, ends = content.tobytes(), marks.tolist()
    starts = [0, *ends]
    return [text[a:b].decode("utf-8", "surrogatepass") for a, b in zip(starts, ends, strict=False)]


def _difference(
    program: Program,
    signature: Signature,
    numeric: tuple[bool, ...],
    listed: Mapping[str, Any],
    exact: bool,
) -> str:
    if len(numeric) != signature[1]:
        return "it has another number of places"
    if signature not in program.learnables:
        same = [f"{n}/{a}" for n, a in program.definitions if n == signature[0]]
        return "the program does not learn it" + (f" (it has {', '.join(same)})" if same else "")
    known = program.stored_as_numbers(signature)
    if program.definition(signature).facts and known != numeric:
        return "a place holds numbers in one and entities in the other"
    shape = type_sizes(program, signature, numeric)
    saved = [int(size) for size in listed["shape"]]
    if exact and shape != saved:
        return f"the file has shape {saved}, and the program {shape}"
    return ""


def _stranger(
    program: Program,
    signature: Signature,
    numeric: tuple[bool, ...],
    entities: Sequence[np.ndarray],
    symbols: SymbolTable,
) -> str:
    """The first entity that the program does not know at its place."""
    places = [place for place, number in enumerate(numeric) if not number]
    for place, column in zip(places, entities, strict=True):
        kind = program.entity_type((*signature, place))
        unknown = column[kind.positions(column) < 0]
        if len(unknown):
            return f"{symbols.name(int(unknown[0]))} is not among its {len(kind)} entities"
    return ""


def _given(
    path: str | Path, archive: Archive, registry: Registry, given: Mapping[str, Any]
) -> Registry:
    """The functions with those that are given again; all that the file needs must be there."""
    listed = archive.manifest["functions"]
    for name, function in given.items():
        saved = next((f for f in listed if f["name"] == name), None)
        options = {key: saved[key] for key in ("kind", "inputs", "formula")} if saved else {}
        registry = registry.registered(name, function, **options)
    own = {f.name for f in registry if BUILTIN_FUNCTIONS.get(f.name) is not f}
    missing = [f["name"] for f in listed if f["name"] not in own]
    if missing:
        example = ", ".join(f'"{name}": ...' for name in missing)
        raise CheckpointError(
            f"{path} needs the registered function{'s'[: len(missing) > 1]} {', '.join(missing)}",
            hint=f"functions are Python and are not saved: open it with functions={{{example}}}",
        )
    return registry


def _with_saved_variables(path: str | Path, archive: Archive, registry: Registry) -> Registry:
    """The functions with the variables of the file."""
    found: dict[str, tuple[np.ndarray, ...]] = {}
    for place, saved in enumerate(archive.manifest["functions"]):
        numbers = range(len(saved["variables"]))
        arrays = tuple(archive.arrays[f"functions/{place}/{number}"] for number in numbers)
        if arrays:
            _check_variables(path, saved, registry[saved["name"]].model, arrays)
            found[saved["name"]] = arrays
    return registry.with_variables(found)


def _check_variables(
    path: str | Path, saved: Mapping[str, Any], model: Any, arrays: Sequence[np.ndarray]
) -> None:
    shape = saved["input_shape"]
    if model is not None and not getattr(model, "built", True) and shape is not None:
        model.build(tuple(None if size is None else int(size) for size in shape))
    variables = list(getattr(model, "variables", ()))
    here, there = ([tuple(v.shape) for v in side] for side in (variables, arrays))
    if here != there:
        raise CheckpointError(
            f"{path}: the variables of the function {saved['name']} do not fit: the file has "
            f"shapes {there}, and the function {here}"
        )
    if not all(np.isfinite(array).all() for array in arrays):
        raise CheckpointError(
            f"{path}: a variable of the function {saved['name']} is infinite or not a number"
        )


def _refuse(path: str | Path, reason: str) -> None:
    if reason:
        raise CheckpointError(f"{path} is not in the form of a saved model: {reason}")


def history_of(path: str | Path, archive: Archive) -> History | None:
    saved = archive.manifest["history"]
    if saved is None:
        return None
    table = archive.arrays["history"]
    _refuse(path, check_history(table, len(saved["columns"])))
    return History(
        dict(_columns(saved["columns"], table)),
        dict(saved["settings"]),
        bool(saved["interrupted"]),
        bool(saved["stopped_early"]),
        saved["best_epoch"],
        float(saved["seconds"]),
        tuple(saved["notes"]),
    )


def _columns(names: Sequence[str], table: np.ndarray) -> Iterator[tuple[str, list[float]]]:
    for name, values in zip(names, table, strict=True):
        yield str(name), values.tolist()
