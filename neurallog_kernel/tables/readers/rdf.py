"""RDF (N-Triples, Turtle, N-Quads, TriG, RDF/XML), through pyoxigraph."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from neurallog_kernel.tables.columns import Batch, Numbers, Table, TableError, Texts, Values
from neurallog_kernel.tables.mapping import TableMap
from neurallog_kernel.tables.readers.extras import needed
from neurallog_kernel.tables.readers.texts import opened_bytes
from neurallog_kernel.tables.vocabulary import number_of

BATCH = 100_000
_XSD = "http://www.w3.org/2001/XMLSchema#"
_NUMERIC = {
    _XSD + kind
    for kind in (
        *("integer", "decimal", "double", "float", "int", "long", "short", "byte"),
        *("nonNegativeInteger", "positiveInteger", "negativeInteger", "nonPositiveInteger"),
        *("unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte"),
    )
}
_COLUMNS = ("subject", "predicate", "object")


def rdf(path: Path, mapping: TableMap) -> Table:
    """The triples of an RDF file. IRIs go by their last part, or in full with `names="full"`;
    numbers are attributes, other literals are names."""
    ox = needed("pyoxigraph", f"{path}: RDF")
    form = _format(ox, path)
    with opened_bytes(path, mapping):
        pass  # what cannot be opened is said at once

    def batches(wanted: Sequence[int]) -> Iterator[Batch]:
        names = _Names(path, mapping.names)
        number = 1
        with opened_bytes(path, mapping) as file:
            source = _WithoutEntities(file, path) if form == ox.RdfFormat.RDF_XML else file
            stream = _triples(ox, source, path, form)
            while part := list(islice(stream, BATCH)):
                yield from _batches(ox, part, number, names, wanted)
                number += len(part)

    return Table(str(path), _COLUMNS, batches, pattern="{predicate}(subject, object)")


_FORMATS = {
    ".nt": "N_TRIPLES",
    ".ttl": "TURTLE",
    ".nq": "N_QUADS",
    ".trig": "TRIG",
    **dict.fromkeys((".rdf", ".owl", ".xml"), "RDF_XML"),
}


def _format(ox: Any, path: Path) -> Any:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    last = suffixes[-2:-1] if suffixes[-1:] == [".gz"] else suffixes[-1:]
    if not last or last[0] not in _FORMATS:
        raise TableError(
            f"{path}: the end of the name does not tell which RDF it is",
            hint=f"rename it to end in {', '.join(_FORMATS)}, or one of them and .gz",
        )
    return getattr(ox.RdfFormat, _FORMATS[last[0]])


class _WithoutEntities:
    """The bytes of an XML file as a parser may see them. A few entities that stand for others can
    stand for more text than memory holds, so a file that declares any is refused. The parser
    reads UTF-8 only, in which the declaration is always these bytes."""

    def __init__(self, file: Any, path: Path) -> None:
        self._file, self._path, self._end = file, path, b""

    def read(self, size: int = -1) -> bytes:
        found = self._file.read(size)
        seen = self._end + found.lower()
        if b"<!entity" in seen:
            raise TableError(
                f"{self._path}: it declares XML entities, which can unpack to fill the memory",
                hint="write the texts out where the entities stand, or save it as Turtle (.ttl)",
            )
        if b"\0" in found:
            raise TableError(f"{self._path}: not UTF-8 text", hint="save the file as UTF-8")
        self._end = seen[-7:]
        return found


def _triples(ox: Any, file: Any, path: Path, form: Any) -> Iterator[Any]:
    try:
        yield from ox.parse(input=file, format=form, base_iri="file:///")
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        where = f", row {line} (line {line}), column {error.offset}" if line else ""  # type: ignore[union-attr]
        what = getattr(error, "msg", None) or str(error)
        raise TableError(
            f"{path}{where}: not RDF: {what}",
            hint="the file may be cut off here" if "end" in str(what).lower() else "",
        ) from None
    except MemoryError:  # the parser's own bound, of a few megabytes
        raise TableError(f"{path}: not RDF: a word of it is longer than any word") from None


def _batches(
    ox: Any, triples: list[Any], number: int, names: _Names, wanted: Sequence[int]
) -> Iterator[Batch]:
    """The triples about numbers and the others apart: a column is of one kind."""
    rows = np.arange(number, number + len(triples), dtype=np.int32)
    numeric = np.array([_is_number(ox, triple.object) for triple in triples])
    for chosen in (np.flatnonzero(~numeric), np.flatnonzero(numeric)):
        if not len(chosen):
            continue
        part = [triples[row] for row in chosen.tolist()]
        objects: Values
        if numeric[chosen[0]]:
            objects = Numbers(np.array([names.number(triple.object) for triple in part]))
        else:
            objects = Texts.of([names.of(ox, triple.object) for triple in part])
        columns: tuple[Values, ...] = (
            Texts.of([names.of(ox, triple.subject) for triple in part]),
            Texts.of([names.of(ox, triple.predicate) for triple in part]),
            objects,
        )
        yield Batch(tuple(columns[column] for column in wanted), number, rows=rows[chosen])


def _is_number(ox: Any, term: Any) -> bool:
    return isinstance(term, ox.Literal) and term.datatype.value in _NUMERIC


class _Names:
    """Names of IRIs; two that would have one name are an error, not one entity."""

    def __init__(self, path: Path, kind: str) -> None:
        self.path = path
        self.full = kind == "full"
        self._names: dict[str, str] = {}  # by IRI
        self._owners: dict[str, str] = {}  # by name

    def number(self, literal: Any) -> float:
        found = number_of(literal.value)
        if found is None and literal.value.strip().upper() in ("INF", "+INF", "-INF"):
            found = float(literal.value)
        if found is None:
            kind = literal.datatype.value.rpartition("#")[2]
            raise TableError(f"{self.path}: {literal.value!r} is called a number ({kind})")
        return found

    def of(self, ox: Any, term: Any) -> str:
        if isinstance(term, ox.Literal):
            return term.value
        if not isinstance(term, ox.NamedNode):
            return str(term)
        iri = term.value
        name = self._names.get(iri)
        if name is None:
            name = iri if self.full else _last_part(iri)
            owner = self._owners.setdefault(name, iri)
            if owner != iri:
                raise TableError(
                    f"{self.path}: <{owner}> and <{iri}> would both be called {name}",
                    hint='names="full" uses whole IRIs',
                )
            self._names[iri] = name
        return name


def _last_part(iri: str) -> str:
    """The part of an IRI that people use as its name.

    >>> _last_part("http://example.org/people#ann"), _last_part("urn:isbn:123")
    ('ann', '123')
    """
    return re.split(r"[#/:]", iri.rstrip("#/"))[-1] or iri
