"""Line 16: XML that defines entities, archives and packed files that unpack to more than memory
holds, saved models whose digests are right and whose contents are wrong."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from neurallog_kernel import Session
from tests.attacks.corpus import Attack


def attacks() -> Iterator[Attack]:
    yield from _xml()
    yield from _packed()
    yield from _archives()
    yield from _contents()


# -- XML ------------------------------------------------------------------------------------------

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"


def laughs(levels: int = 9, encoding: str = "utf-8", kind: str = "DOCTYPE", mark: str = "") -> str:
    """RDF/XML in which an entity stands for ten of the one before it."""
    nested = "".join(
        f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' if n else '<!ENTITY a0 "ha">'
        for n in range(levels + 1)
    )
    return (
        f'<?xml version="1.0" encoding="{encoding}"?>{mark}<!{kind} rdf:RDF [{nested}]>'
        f'<rdf:RDF xmlns:rdf="{_RDF}" xmlns:x="http://x.org/"><rdf:Description rdf:about="http://x.org/a">'
        f"<x:p>&a{levels};</x:p></rdf:Description></rdf:RDF>"
    )


def _xml() -> Iterator[Attack]:
    texts = {
        "nested entities": laughs().encode(),
        "nested entities, deeper": laughs(40).encode(),
        "an entity that holds itself": laughs(1).replace("&a0;", "&a1;").encode(),
        "one entity": laughs(0).encode(),
        "a doctype in small letters": laughs(kind="doctype").encode(),
        "entities after a comment": laughs(mark="<!-- a > b -->").encode(),
        "entities behind 200,000 spaces": laughs(mark=" " * 200_000).encode(),
        "entities with a byte order mark": b"\xef\xbb\xbf" + laughs().encode(),
        "entities in UTF-16": laughs(encoding="utf-16").encode("utf-16"),
        "entities in UTF-16 without a mark": laughs(encoding="utf-16le").encode("utf-16-le"),
        "entities in UTF-32": laughs(encoding="utf-32").encode("utf-32"),
        "entities in UTF-7": laughs(encoding="utf-7").encode("utf-7"),
        "entities in ISO-2022-JP": laughs(encoding="iso-2022-jp")
        .replace("<!ENTITY", "<!\x1b(BENTITY")
        .encode(),
        "a file as an entity": laughs(0).replace('a0 "ha"', 'a0 SYSTEM "/etc/passwd"').encode(),
        "a parameter entity": laughs(0).replace("a0", "% a0", 1).encode(),
    }
    for name, content in texts.items():
        for ending in (".rdf", ".rdf.gz", ".xml", ".owl", ".owl.gz"):
            yield Attack(16, f"{name} ({ending})", partial(_load_rdf, content, ending))


def _load_rdf(content: bytes, ending: str, folder: Path) -> None:
    path = folder / f"data{ending}"
    path.write_bytes(gzip.compress(content) if ending.endswith(".gz") else content)
    Session().load_table(path, format="rdf")


# -- packed files ---------------------------------------------------------------------------------

_BOMB = 192 << 20  # bytes


def gzip_bomb(path: Path, start: bytes, content: bytes, lies: bool = False) -> None:
    """A .gz that unpacks to `content` again and again after `start`. One whole in all, or, where it
    `lies`, of many parts: then the size at its end is that of the last part."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    block = content * ((1 << 20) // len(content))
    if lies:
        part = gzip.compress(block * 8, 1)
        path.write_bytes(gzip.compress(start) + part * (_BOMB >> 23))
        return
    with path.open("wb") as file:
        file.write(packer.compress(start))
        for _ in range(_BOMB >> 20):
            file.write(packer.compress(block))
        file.write(packer.flush())


def _packed() -> Iterator[Attack]:
    contents = {
        "one long line": (b"a,b\n", b"a", "t.csv.gz", True),
        "one long quoted field": (b'a,b\n"', b"a" * 1023 + b"\n", "t.csv.gz", True),
        "many equal rows": (b"a,b\n", b"x,y\n", "t.csv.gz", False),
        "one long header": (b"a", b"b", "t.csv.gz", True),
        "one long tab separated line": (b"a\tb\n", b"a", "t.tsv.gz", True),
        "one long JSON line": (b'{"a": "', b"a", "t.jsonl.gz", True),
        "one deep JSON line": (b"", b"[", "t.jsonl.gz", True),
        "one long atom": (b"p(", b"a", "t.db.gz", True),
        "one long comment": (b"#", b"#", "t.cfacts.gz", True),
        "triples": (b"", b"a\tb\tc\n", "t.triples.gz", False),
        "RDF": (b'<http://x/a> <http://x/b> "', b"a", "t.nt.gz", True),
    }
    for name, (start, content, file, lies) in contents.items():
        yield Attack(16, f"a packed file of {name}", partial(_bomb, start, content, file, False))
        if lies:
            run = partial(_bomb, start, content, file, True)
            yield Attack(16, f"a packed file of {name}, with a wrong size", run)


def _bomb(start: bytes, content: bytes, name: str, lies: bool, folder: Path) -> None:
    path = folder / name
    gzip_bomb(path, start, content, lies)
    if ".db." in name:
        Session().load_table(path, format="alchemy")
    elif ".csv" in name or ".tsv" in name or ".jsonl" in name:
        Session().load_table(path, "p(a, b)")
    else:
        Session().load_table(path)


# -- archives -------------------------------------------------------------------------------------


def model(folder: Path) -> Path:
    """A saved session with learned weights, made without training."""
    session = Session()
    session.add('learn(w). learn("near/2"). p(ann, bob). h(X, Y) :- p(X, Y), near(X, Y), w(one).')
    path = folder / "model.nlz"
    session.save(path)
    change(path, _learned)
    return path


def _learned(manifest: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    arrays["names/text"] = np.frombuffer(b"annbobone", dtype=np.uint8)
    arrays["names/ends"] = np.array([3, 6, 9])
    arrays["learned/0/weights"] = np.array([0.25])
    arrays["learned/0/entities0"] = np.array([2], dtype=np.int32)
    arrays["learned/1/weights"] = np.array([0.5])
    arrays["learned/1/entities0"] = np.array([0], dtype=np.int32)
    arrays["learned/1/entities1"] = np.array([1], dtype=np.int32)
    manifest["learned"] = [
        {"predicate": "w", "arity": 1, "numeric": [False], "shape": [1], "facts": 1},
        {"predicate": "near", "arity": 2, "numeric": [False, False], "shape": [1, 1], "facts": 1},
    ]
    arrays["history"] = np.array([[0.5, 0.25]])
    manifest["history"] = {
        "columns": ["loss"],
        "settings": {"epochs": 2},
        "interrupted": False,
        "stopped_early": False,
        "best_epoch": None,
        "seconds": 1.0,
        "notes": [],
    }


Changing = Callable[[dict[str, Any], dict[str, np.ndarray]], None]


def change(path: Path, changing: Changing) -> None:
    """Rewrite a saved model, with digests that are right."""
    with zipfile.ZipFile(path) as source:
        manifest = json.loads(source.read("manifest.json"))
        arrays = {
            name: np.load(io.BytesIO(source.read(f"{name}.npy"))) for name in manifest["arrays"]
        }
    del manifest["arrays"], manifest["digest"]
    changing(manifest, arrays)
    write(path, manifest, {name: npy(array) for name, array in arrays.items()})


def npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array, order="C"), allow_pickle=True)
    return stream.getvalue()


def write(path: Path, manifest: dict[str, Any], contents: dict[str, bytes]) -> None:
    """A model of these parts with digests that are right."""
    listed = {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in contents.items():
            target.writestr(f"{name}.npy", content)
            shape, dtype = _header(content)
            digest = hashlib.sha256(content).hexdigest()
            listed[name] = {"shape": shape, "dtype": dtype, "sha256": digest}
        target.writestr("manifest.json", json.dumps(sealed(manifest, listed)))


def sealed(manifest: dict[str, Any], listed: dict[str, Any]) -> dict[str, Any]:
    """The manifest with its arrays and its digest."""
    whole = {**manifest, "arrays": listed}
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"))
    return {**whole, "digest": hashlib.sha256(text.encode()).hexdigest()}


def _header(content: bytes) -> tuple[list[int], str]:
    stream = io.BytesIO(content)
    np.lib.format.read_magic(stream)
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    return list(shape), dtype.str


def _archives() -> Iterator[Attack]:
    yield Attack(16, "the model that the others are made of", _sound, refused=False)
    for name, damage in {
        "a manifest of a gigabyte": _large_manifest,
        "an array of a gigabyte": partial(_large_array, "history"),
        "an array of a gigabyte that nothing needs": partial(_large_array, "more"),
        "an array whose header promises a terabyte": _tall_header,
        "an array in a packing of 4 GB of memory": _other_packing,
        "a model nested in itself": _nested,
        "a model behind a pipe that never ends": _endless,
    }.items():
        for door in ("open", "load_weights"):
            refused = name != "an array of a gigabyte that nothing needs" and not (
                name == "an array of a gigabyte" and door == "load_weights"
            )
            run = partial(_door, door, damage)
            yield Attack(16, f"{name} ({door})", run, refused)


def _door(door: str, damage: Callable[[Path], Path | None], folder: Path) -> None:
    path = model(folder)
    path = damage(path) or path
    if door == "open":
        Session.open(path)
    else:
        _weights_from(path)


def _weights_from(path: Path) -> Session:
    session = Session()
    session.add('learn(w). learn("near/2"). p(ann, bob). h(X, Y) :- p(X, Y), near(X, Y), w(one).')
    before = session.program()
    try:
        session.load_weights(path)
    except Exception:
        assert session.program() == before, "weights that were refused are in the program"
        raise
    return session


def _sound(folder: Path) -> None:
    path = model(folder)
    assert Session.open(path).query("h(ann, bob)").weights == {(): 0.125}
    assert _weights_from(path).query("h(ann, bob)").weights == {(): 0.125}


def _parts(path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    with zipfile.ZipFile(path) as source:
        manifest = json.loads(source.read("manifest.json"))
        contents = {name: source.read(f"{name}.npy") for name in manifest["arrays"]}
    return manifest, contents


def _large_manifest(path: Path) -> None:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target,
        target.open("manifest.json", "w") as stream,
    ):
        stream.write(b"[")
        for _ in range(_BOMB >> 20):
            stream.write(b" " * (1 << 20))


def _large_array(name: str, path: Path) -> None:
    manifest, contents = _parts(path)
    listed = dict(manifest.pop("arrays"))
    del manifest["digest"]
    header = io.BytesIO()
    shape = (1, _BOMB >> 3)
    form = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, form)
    digest = hashlib.sha256(header.getvalue())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for other, content in contents.items():
            if other != name:
                target.writestr(f"{other}.npy", content)
        with target.open(f"{name}.npy", "w") as stream:
            stream.write(header.getvalue())
            block = b"\0" * (1 << 20)
            for _ in range(_BOMB >> 20):
                stream.write(block)
                digest.update(block)
        listed[name] = {"shape": list(shape), "dtype": "<f8", "sha256": digest.hexdigest()}
        target.writestr("manifest.json", json.dumps(sealed(manifest, listed)))


def _tall_header(path: Path) -> None:
    manifest, contents = _parts(path)
    del manifest["arrays"], manifest["digest"]
    stream = io.BytesIO()
    form = {"descr": "<f8", "fortran_order": False, "shape": (1 << 37,)}
    np.lib.format.write_array_header_1_0(stream, form)
    contents["learned/0/weights"] = stream.getvalue() + b"\0" * 80
    write(path, manifest, contents)


def _other_packing(path: Path) -> None:
    manifest, contents = _parts(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as target:
        target.writestr("manifest.json", json.dumps(manifest))
        for name, content in contents.items():
            target.writestr(f"{name}.npy", content)


def _nested(path: Path) -> None:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "a") as target:
        warnings.simplefilter("ignore")  # of a second member of that name, which is the point
        target.writestr("manifest.json", path.read_bytes())


def _endless(path: Path) -> Path:
    return Path("/dev/zero")


# -- contents that do not belong together ---------------------------------------------------------

_ODD: tuple[Any, ...] = (None, -1, 1.5, 1 << 70, "x", [], {}, [1], True, "\u202e")


def _contents() -> Iterator[Attack]:
    """Every value of the manifest replaced by others, every array by others."""
    for name, changing, refused in _changes():
        for door in ("open", "load_weights"):
            run = partial(_changed, door, changing)
            yield Attack(16, f"{name} ({door})", run, refused and door == "open")


def _changed(door: str, changing: Changing, folder: Path) -> None:
    path = model(folder)
    change(path, changing)
    opened = Session.open(path) if door == "open" else _weights_from(path)
    _is_whole(opened, folder)


def _is_whole(session: Session, folder: Path) -> None:
    """What was taken can be asked, written, read, saved and opened again."""
    answers = session.query("h(X, Y)").weights
    assert all(np.isfinite(weight) for weight in answers.values()), answers
    again = Session()
    again.add(session.program())
    assert again.query("h(X, Y)").weights == answers
    session.save(folder / "again.nlz")
    opened = Session.open(folder / "again.nlz")
    assert opened.query("h(X, Y)").weights == answers
    str(opened.history), repr(opened), list(opened.examples())


def _changes() -> Iterator[tuple[str, Changing, bool]]:
    arrays = {
        "names/text": [np.zeros(9), np.array([[97]], np.uint8), np.full(9, 255, np.uint8)],
        "names/ends": [
            np.array([-3, 6, 9]),
            np.array([9, 6, 3]),
            np.array([3, 6, 900]),
            np.array([3.0, 6.0, 9.0]),
            np.array([3, 6]),
        ],
        "learned/0/weights": [
            np.array([np.nan]),
            np.array([np.inf]),
            np.array([-np.inf]),
            np.array([[0.5]]),
            np.array(0.5),
            np.array([0.5, 0.5]),
            np.array([0.5 + 1j]),
            np.array([b"x"]),
            np.array(["2026-01-01"], "datetime64[D]"),
            np.array([True]),
        ],
        "learned/1/entities0": [
            np.array([-1], np.int32),
            np.array([-3], np.int64),
            np.array([3], np.int32),
            np.array([1 << 40]),
            np.array([0.0]),
            np.array([[0]]),
            np.array([], np.int32),
            np.array([False]),
        ],
        "history": [np.zeros(2), np.zeros((2, 2)), np.zeros((0, 0)), np.array([[b"x"]])],
    }
    for name, others in arrays.items():
        for number, other in enumerate(others):
            yield f"{name} as {number}", partial(_set_array, name, other), True
        yield f"no {name}", partial(_set_array, name, None), True
    yield "a fact learned twice", _twice, True
    yield "a predicate learned twice", _learned_twice, True
    yield "an array of objects", _objects, True
    for path in _PLACES:
        for odd in _ODD:
            yield f"{'/'.join(map(str, path))} as {odd!r}", partial(_set, path, odd), False
        yield f"no {'/'.join(map(str, path))}", partial(_set, path, KeyError), False


_PLACES: tuple[tuple[str | int, ...], ...] = (
    ("session",),
    ("session", "strict"),
    ("session", "unnamed"),
    ("sources",),
    ("sources", 0),
    ("sources", 0, "name"),
    ("sources", 0, "text"),
    ("sources", 0, "examples"),
    ("learned",),
    ("learned", 0),
    ("learned", 0, "predicate"),
    ("learned", 0, "arity"),
    ("learned", 0, "numeric"),
    ("learned", 0, "shape"),
    ("learned", 0, "facts"),
    ("functions",),
    ("history",),
    ("history", "columns"),
    ("history", "settings"),
    ("history", "best_epoch"),
    ("history", "seconds"),
    ("history", "notes"),
)


def _set(path: tuple[str | int, ...], value: Any, manifest: Any, arrays: Any) -> None:
    for step in path[:-1]:
        manifest = manifest[step]
    if value is KeyError:
        del manifest[path[-1]]
    else:
        manifest[path[-1]] = value


def _set_array(name: str, value: np.ndarray | None, manifest: Any, arrays: Any) -> None:
    if value is None:
        del arrays[name]
    else:
        arrays[name] = value


def _twice(manifest: Any, arrays: Any) -> None:
    arrays["learned/0/weights"] = np.array([0.25, 0.75])
    arrays["learned/0/entities0"] = np.array([2, 2], np.int32)
    manifest["learned"][0]["facts"] = 2


def _learned_twice(manifest: Any, arrays: Any) -> None:
    arrays["learned/2/weights"] = np.array([0.75])
    arrays["learned/2/entities0"] = np.array([2], np.int32)
    manifest["learned"].append(manifest["learned"][0])


def _objects(manifest: Any, arrays: Any) -> None:
    arrays["history"] = np.array([[0.5, None]], dtype=object)
