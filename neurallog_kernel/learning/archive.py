"""One file of arrays and a JSON manifest: written whole or not at all, read without running it."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neurallog_kernel.errors import CheckpointError, LoadError
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


def read_archive(path: str | Path) -> Archive:
    """Read and check the file; whatever is wrong with it is a `CheckpointError`."""
    file = Path(path)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise LoadError(f"{file}: {error.strerror or 'cannot be read'}") from error
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as source:
            if _MANIFEST not in source.namelist():
                raise CheckpointError(f"{file} is not a saved NeuralLog model")
            manifest = json.loads(source.read(_MANIFEST))
            _check_manifest(file, manifest)
            arrays = {
                name: _array(file, name, source.read(f"{name}.npy"), listed)
                for name, listed in manifest["arrays"].items()
            }
    except CheckpointError:
        raise
    except zipfile.BadZipFile as error:
        known = content[:2] == b"PK"
        what = "is damaged or cut short" if known else "is not a saved NeuralLog model"
        raise CheckpointError(f"{file} {what}", hint=_DAMAGED if known else "") from error
    except Exception as error:  # a bad file can break zip, zlib, JSON and NumPy in any way
        raise CheckpointError(f"{file} is damaged", hint=_DAMAGED) from error
    return Archive(manifest, arrays)


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
    array = np.load(io.BytesIO(content), allow_pickle=False)
    if list(array.shape) != listed["shape"] or array.dtype.str != listed["dtype"]:
        raise CheckpointError(
            f"{file}: {name} has shape {list(array.shape)}, and the manifest says {listed['shape']}"
        )
    return array
