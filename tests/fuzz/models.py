"""Models: a damaged .nlz file, its digests made right again, is refused or works."""

from __future__ import annotations

import copy
import random
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from neurallog_kernel import Session
from neurallog_kernel.knowledge.learned import learned_block, learned_contents
from neurallog_kernel.knowledge.update import with_source
from neurallog_kernel.learning.history import History
from neurallog_kernel.learning.saving.archive import Archive, read_archive, write_archive
from neurallog_kernel.learning.saving.checkpoint import save
from tests.fuzz.kinds import Input, Kind
from tests.fuzz.mutating import mutated
from tests.fuzz.programs import allowed, look_at

_PROGRAM = """
parent(ann, bob). 0.5::parent(bob, cid). age(ann, 41). learn("w/1"). learn(near). near(ann, bob).
grandparent(X, Z) :- parent(X, Y), parent(Y, Z), w(one). example(grandparent, ann, cid).
example_set(test). mega_example(g, grandparent, bob, X). set_parameter(epochs, 3).
?- grandparent(ann, X).
"""
_VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2**31, 2**63, 10**400, 0.5, 1e308, "", "a", "p(a).", "\ud800"),
    *([], {}, [[]], {"a": 1}, ["a"], [None], "example_set(test). p(a, b).", "p(", "x" * 5000),
]
_STEPS = ("value", "value", "text", "drop", "array", "array", "numbers", "numbers", "bytes", "cut")


@cache
def _base() -> Archive:
    """A saved model with learned weights and a history, which no training had to make."""
    session = Session()
    session.add(_PROGRAM, source="family")
    session.add("0::grandparent(ann, bob).", source="examples", set="train")
    symbols = session._symbols
    one, ann, bob = symbols.intern(["one", "ann", "bob"])
    blocks = {
        ("w", 1): _learned(("w", 1), [[one]], [0.75]),
        ("near", 2): _learned(("near", 2), [[ann], [bob]], [0.25]),
    }
    program = with_source(session._program, learned_contents(blocks), symbols, strict=False)
    history = History({"loss": [0.5, 0.25]}, {"epochs": 2}, notes=("a note",))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "base.nlz"
        save(file, program, symbols, history, {"strict": False, "unnamed": 0})
        return read_archive(file)


def _learned(signature: tuple[str, int], entities: list[list[int]], weights: list[float]):
    columns = tuple(np.array(column, dtype=np.int32) for column in entities)
    return learned_block(signature, (False,) * signature[1], columns, (), np.array(weights))


def _make(chance: random.Random) -> Input:
    """The parts are steps of damage, each with a seed of its own."""
    steps = [
        [chance.choice(_STEPS), chance.randrange(1 << 30)] for _ in range(chance.randint(1, 4))
    ]
    return Input("models", steps, {})


def _run(given: Input) -> None:
    base = _base()
    manifest = {k: v for k, v in base.manifest.items() if k not in ("arrays", "digest")}
    manifest, arrays = copy.deepcopy(manifest), dict(base.arrays)
    for step, seed in given.parts:
        if step not in ("bytes", "cut"):
            _damage(step, random.Random(seed), manifest, arrays)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.nlz"
        try:
            write_archive(file, Archive(manifest, arrays))
        except (ValueError, TypeError):  # this cannot be written down, so nobody meets it
            return
        for step, seed in given.parts:
            if step in ("bytes", "cut"):
                _damage_bytes(step, random.Random(seed), file)
        allowed(lambda: look_at(Session.open(file)))
        session = Session()
        session.add(_PROGRAM)
        allowed(lambda: session.load_weights(file))
        look_at(session)


@np.errstate(all="ignore")  # a number that is too large for its array is one of the damages
def _damage(step: str, chance: random.Random, manifest: dict, arrays: dict) -> None:
    if step == "array":
        # not every array can become every other
        with suppress(ValueError, TypeError):
            _damage_array(chance, arrays)
    elif step == "numbers":
        name = chance.choice(list(arrays))
        array = np.array(arrays[name])
        if array.size and array.dtype.kind in "iuf":
            odd = (
                [-1, 0, 1, 127, 255] if array.dtype.kind in "iu" else [np.nan, np.inf, -1.0, 1e308]
            )
            value = chance.choice(odd)
            if array.dtype.kind != "u" or value >= 0:
                array.reshape(-1)[chance.randrange(array.size)] = value
        arrays[name] = array
    else:
        holder, key = _place(chance, manifest)
        if step == "drop":
            del holder[key]
        elif step == "text" and isinstance(holder[key], str):
            holder[key] = "".join(mutated(chance, holder[key], [_PROGRAM]))
        else:
            holder[key] = copy.deepcopy(chance.choice(_VALUES))


def _damage_array(chance: random.Random, arrays: dict) -> None:
    name = chance.choice(list(arrays))
    array = np.atleast_1d(arrays[name])
    match chance.randrange(8):
        case 0:
            del arrays[name]
        case 1:
            arrays[chance.choice(["x", "", "../x", "names/ends", name + "0"])] = array
        case 2:
            arrays[name] = array.astype(chance.choice(["f4", "i8", "u1", "?", "c16", "U4", "S3"]))
        case 3:
            arrays[name] = array[: chance.randint(0, len(array))]
        case 4:
            arrays[name] = np.concatenate([array, array])
        case 5:
            arrays[name] = array.reshape(1, *array.shape)
        case 6:
            arrays[name] = np.array(chance.choice([0, 1.5, "a", True]))
        case _:
            other = chance.choice(list(arrays))
            arrays[name], arrays[other] = arrays[other], array


def _place(chance: random.Random, manifest: dict) -> tuple[Any, Any]:
    """A random place of the JSON tree: a list or a dictionary, and an index or a key in it."""
    places = []
    queue: list[Any] = [manifest]
    while queue:
        holder = queue.pop()
        keys = holder if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            places.append((holder, key))
            if isinstance(holder[key], dict | list):
                queue.append(holder[key])
    return chance.choice(places) if places else (manifest, manifest.setdefault("x", "x"))


def _damage_bytes(step: str, chance: random.Random, file: Path) -> None:
    content = bytearray(file.read_bytes())
    if step == "cut":
        del content[chance.randint(0, len(content)) :]
    else:
        for _ in range(chance.randint(1, 8)):
            if content:
                content[chance.randrange(len(content))] = chance.randrange(256)
    file.write_bytes(bytes(content))


KIND = Kind("models", 8, _make, _run)
