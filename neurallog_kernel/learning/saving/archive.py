"""One file of arrays and a JSON manifest: written whole or not at all, read without running it."""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neurallog_kernel.errors import CheckpointError, LoadError
from neurallog_kernel.paths import path_of
from neurallog_kernel.unpacking import TIMES, check_regular, most, too_much
from neurallog_kernel.writing import whole_file

FORMAT = "neurallog model"
VERSION = 1
_MANIFEST = "manifest.json"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # equal models are equal files
_DAMAGED = "copy or save it again: a part of it was lost or changed"


@dataclass(frozen=True)
class Archive:
    """What a file holds: a manifest of plain JSON values, and arrays by name."""

    manifest: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray]


# -- writing --------------------------------------------------------------------------------------


def write_archive(path: str | Path, archive: Archive) -> None:
    """Write the file, whole or not at all."""
    with whole_file(path) as stream:
        _write(stream, archive)


def _write(stream: Any, archive: Archive) -> None:
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target:
        listed = {}
        for name, array in archive.arrays.items():
            content = _npy(array)
            listed[name] = {
                "shape": list(array.shape),
                "dtype": array.dtype.str,
                "sha256": hashlib.sha256(content).hexdigest(),
            }
            _member(target, f"{name}.npy", content)
        manifest = {"format": FORMAT, "version": VERSION, **archive.manifest, "arrays": listed}
        manifest["digest"] = _digest(manifest)
        text = json.dumps(manifest, indent=1, allow_nan=False)
        _member(target, _MANIFEST, text.encode("ascii"))


def _member(target: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    target.writestr(info, content)


def _npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array, order="C"), allow_pickle=False)
    return stream.getvalue()


def _digest(manifest: Mapping[str, Any]) -> str:
    """Of everything but the digest itself."""
    rest = {key: value for key, value in manifest.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


# -- reading --------------------------------------------------------------------------------------


def read_archive(path: str | Path, unpacked: int | None = TIMES) -> Archive:
    """Read and check the file; whatever is wrong with it is a `CheckpointError`. An array is read
    when it is asked for. The whole may unpack to `unpacked` times its size."""
    file = path_of(path)
    content = _content(file)
    with _sound(file, content):
        source = zipfile.ZipFile(io.BytesIO(content))
        sizes = {info.filename: info for info in source.infolist()}
        if _MANIFEST not in sizes:
            raise CheckpointError(f"{file} is not a saved NeuralLog model")
        allowed = most(len(content), unpacked)
        _check_size(file, [sizes[_MANIFEST]], allowed)
        manifest = json.loads(source.read(_MANIFEST))
        _check_manifest(file, manifest)
        return Archive(manifest, _Arrays(file, content, source, sizes, manifest["arrays"], allowed))


def _content(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            check_regular(stream, file)
            return stream.read()
    except LoadError:
        raise
    except OSError as error:
        raise LoadError(f"{file}: {error.strerror or 'cannot be read'}") from error


@contextmanager
def _sound(file: Path, content: bytes) -> Iterator[None]:
    """Inside, a bad file is a `CheckpointError`."""
    try:
        yield
    except LoadError:
        raise
    except zipfile.BadZipFile as error:
        known = content[:2] == b"PK"
        what = "is damaged or cut short" if known else "is not a saved NeuralLog model"
        raise CheckpointError(f"{file} {what}", hint=_DAMAGED if known else "") from error
    except Exception as error:  # a bad file can break zip, zlib, JSON and NumPy in any way
        raise CheckpointError(f"{file} is damaged", hint=_DAMAGED) from error


def _check_size(file: Path, members: Sequence[zipfile.ZipInfo], allowed: int | None) -> None:
    """Before anything is unpacked; zipfile never unpacks more than the size it is told here."""
    if any(one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for one in members):
        raise CheckpointError(f"{file} is not packed as saved models are")
    if allowed is not None and sum(one.file_size for one in members) > allowed:
        raise too_much(file, allowed, "unpacked=1000 (times its size), or None")


class _Arrays(Mapping[str, np.ndarray]):
    """The arrays of a file by name, each read and checked when it is asked for."""

    def __init__(
        self,
        file: Path,
        content: bytes,
        source: zipfile.ZipFile,
        sizes: Mapping[str, zipfile.ZipInfo],
        listed: Mapping[str, Any],
        allowed: int | None,
    ) -> None:
        self._file, self._content, self._source = file, content, source
        self._sizes, self._listed, self._allowed = sizes, listed, allowed
        self._read: dict[str, zipfile.ZipInfo] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        listed = self._listed[name]
        with _sound(self._file, self._content):
            self._read[name] = self._sizes[f"{name}.npy"]
            _check_size(self._file, list(self._read.values()), self._allowed)
            return _array(self._file, name, self._source.read(f"{name}.npy"), listed)

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)


def _check_manifest(file: Path, manifest: Any) -> None:
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CheckpointError(f"{file} is not a saved NeuralLog model")
    version = manifest.get("version")
    if version != VERSION:
        raise CheckpointError(
            f"{file} has version {version} of the format, and this NeuralLog reads {VERSION}",
            hint="open it with the release that saved it, or with a newer one",
        )
    if manifest.get("digest") != _digest(manifest):
        raise CheckpointError(f"{file} is damaged: its manifest was changed", hint=_DAMAGED)


def _array(file: Path, name: str, content: bytes, listed: Mapping[str, Any]) -> np.ndarray:
    if hashlib.sha256(content).hexdigest() != listed["sha256"]:
        raise CheckpointError(f"{file} is damaged: {name} was changed", hint=_DAMAGED)
    shape, dtype, start = _header(content)
    if list(shape) != listed["shape"] or dtype.str != listed["dtype"]:
        raise CheckpointError(
            f"{file}: {name} has shape {list(shape)}, and the manifest says {listed['shape']}"
        )
    if dtype.kind not in "biuf" or len(content) - start != dtype.itemsize * math.prod(shape):
        raise CheckpointError(
            f"{file} is damaged: {name} is not an array of numbers", hint=_DAMAGED
        )
    return np.frombuffer(content, dtype, offset=start).reshape(shape)


def _header(content: bytes) -> tuple[tuple[int, ...], np.dtype, int]:
    """The shape and type that an array announces, and where its numbers begin."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    shape, fortran, dtype = read[version](stream)
    if fortran and len(shape) > 1:
        raise ValueError("another order of the numbers")
    return shape, dtype, stream.tell()
