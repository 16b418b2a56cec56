"""The facts of a session as columns, to be copied into a database."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from neurallog_kernel.knowledge.references import FactForm, Scan, TypeRef
from neurallog_kernel.knowledge.relations import live_blocks
from neurallog_kernel.knowledge.storage import Storage


def columns_of(storage: Storage, scan: Scan) -> dict[str, np.ndarray]:
    """(a, b, w) of a relation, (e, w) of a vector, (e, w, n) of an attribute: n is its number."""
    return _vector(storage, scan) if scan.form is FactForm.VECTOR else _matrix(storage, scan)


def names_of(storage: Storage, ref: TypeRef) -> list[str]:
    """The names of a type, in the order of its indexes."""
    return storage.symbols.names(storage.entities(ref).members.tolist())


def stated(storage: Storage, scan: Scan) -> dict[str, Any] | None:
    """The facts that the program states beside an attached table, by name; None if it states none.
    A fact counts as its last source says."""
    program, signature = storage.program, scan.signature
    blocks = [one for one in live_blocks(program.definition(signature).facts) if len(one[0])]
    if not blocks:
        return None
    numeric = program.numeric(signature)
    columns = ("e",) if numeric.count(False) == 1 else ("a", "b")
    made: dict[str, Any] = {name: [] for name in columns}
    weights, numbers = [], []
    for block, mask in blocks:
        take = slice(None) if mask is None else mask
        for name, symbols in zip(columns, block.entities, strict=True):
            made[name] += storage.symbols.names(symbols[take].tolist())
        weights.append(block.weights[take])
        numbers += [column[take] for column in block.numbers]
    made["w"] = np.concatenate(weights)
    return {**made, "n": np.concatenate(numbers)} if numbers else made


def table_name(scan: Scan) -> str:
    """What the table of a scan is called: its predicate."""
    name, arity = scan.of or scan.signature
    places = ", ".join(str(place + 1) for place in scan.places)
    return f"{name}/{arity}" + (f" at {places}" if places else "")


def _vector(storage: Storage, scan: Scan) -> dict[str, np.ndarray]:
    facts = storage.vector(scan)
    columns = {"e": facts.indexes.astype(np.int64), "w": facts.weights}
    return columns if facts.values is None else {**columns, "n": facts.values}


def _matrix(storage: Storage, scan: Scan) -> dict[str, np.ndarray]:
    parts = storage.relation(scan).matrices(False)
    rows = [np.repeat(np.arange(p.shape[0]), np.diff(p.starts)) for p in parts]
    columns = [part.columns.astype(np.int64) for part in parts]
    empty = np.zeros(0, dtype=np.int64)
    return {
        "a": np.concatenate([empty, *rows]),
        "b": np.concatenate([empty, *columns]),
        "w": np.concatenate([np.zeros(0), *(part.weights for part in parts)]),
    }


def digest(contents: Iterable[Any]) -> str:
    """A short text that is another for other contents: arrays, texts, or lists of texts."""
    found = hashlib.blake2b(digest_size=16)
    for one in contents:
        text = "\0".join(one) if isinstance(one, list) else one
        part = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        data = np.ascontiguousarray(part).data if isinstance(part, np.ndarray) else part
        found.update(len(part).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()
