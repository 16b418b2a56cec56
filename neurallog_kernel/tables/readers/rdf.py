"""RDF (N-Triples, Turtle, N-Quads, TriG, RDF/XML), through pyoxigraph."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from neurallog_kernel.errors import TableError
from neurallog_kernel.packages import needed
from neurallog_kernel.tables.columns import (
    MISSING,
    Batch,
    ColumnValues,
    NumberColumn,
    OpenTable,
    Texts,
    text_of,
)
from neurallog_kernel.tables.mapping import TableMap
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
_GRAPH, _VALUE = "graph", "value"
_DEFAULT_GRAPH = "default"
_REIFIES = "http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies"


def rdf(path: Path, mapping: TableMap) -> OpenTable:
    """The triples of an RDF file. IRIs go by their last part, or in full with `names="full"`;
    numbers are attributes, other literals are names.

    The graph of a triple is a column of its own, where the format has graphs. A triple about a
    triple, `<< :ann :works :acme >> :since 2020`, is `works_since(ann, acme, 2020)`: its predicate
    joins the two, and its object is in the column `value`.
    """
    ox = needed("pyoxigraph", f"{path}: RDF", "tables")
    form = _format(ox, path)
    graphs = form in (ox.RdfFormat.N_QUADS, ox.RdfFormat.TRIG)
    columns = (*_COLUMNS, *([_GRAPH] if graphs else []), _VALUE)
    with opened_bytes(path, mapping):
        pass  # what cannot be opened is said at once

    def batches(wanted: Sequence[int]) -> Iterator[Batch]:
        names = _IriNames(path, mapping.names)
        number = 1
        with opened_bytes(path, mapping) as file:
            source = _WithoutEntities(file, path) if form == ox.RdfFormat.RDF_XML else file
            stream = _annotated(ox, _triples(ox, source, path, form))
            while part := list(islice(stream, BATCH)):
                for batch in _batches(ox, part, number, names):
                    if not batch.about or len(columns) - 1 in wanted:
                        yield batch.of([columns[column] for column in wanted])
                number += len(part)

    pattern = "{predicate}(subject, object, value)"
    return OpenTable(str(path), columns, batches, pattern=pattern, ragged=True)


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


@dataclass(frozen=True)
class _Statement:
    """A triple, or what is said `about` one."""

    triple: Any
    about: Any = None


def _annotated(ox: Any, triples: Iterator[Any]) -> Iterator[_Statement]:
    """Triples, and with those about a triple the one that they are about. Such a triple is the
    subject itself, or has been given a name (RDF 1.2) by a triple that is no fact."""
    named: dict[Any, Any] = {}
    for triple in triples:
        if triple.predicate.value == _REIFIES and isinstance(triple.object, ox.Triple):
            named[triple.subject] = triple.object
        elif isinstance(triple.subject, ox.Triple):
            yield _Statement(triple, triple.subject)
        else:
            yield _Statement(triple, named.get(triple.subject) if named else None)


@dataclass(frozen=True)
class _RowsOfKind:
    """Some rows of one kind, by the names of the columns."""

    columns: Mapping[str, ColumnValues]
    number: int
    rows: np.ndarray
    about: bool = False  # whether they say something about triples

    def of(self, wanted: Sequence[str]) -> Batch:
        return Batch(tuple(self.columns[name] for name in wanted), self.number, rows=self.rows)


def _batches(
    ox: Any, statements: list[_Statement], number: int, names: _IriNames
) -> Iterator[_RowsOfKind]:
    """The triples about numbers, those about triples and the others apart: a column is of one
    kind."""
    rows = np.arange(number, number + len(statements), dtype=np.int32)
    kinds = np.array([_kind(ox, one) for one in statements])
    for kind in (_PLAIN, _NUMBER, _ABOUT):
        chosen = np.flatnonzero(kinds == kind)
        if not len(chosen):
            continue
        part = [statements[row] for row in chosen.tolist()]
        graphs = [names.graph(ox, one.triple) for one in part]
        columns = {_GRAPH: Texts.of(graphs), **_columns(ox, part, kind, names)}
        yield _RowsOfKind(columns, number, rows[chosen], about=kind == _ABOUT)


_PLAIN, _NUMBER, _ABOUT = range(3)


def _kind(ox: Any, one: _Statement) -> int:
    if one.about is not None:
        return _ABOUT
    return _NUMBER if _is_number(ox, one.triple.object) else _PLAIN


def _columns(
    ox: Any, part: list[_Statement], kind: int, names: _IriNames
) -> dict[str, ColumnValues]:
    if kind == _ABOUT:
        relations = [
            f"{names.of(ox, one.about.predicate)}_{names.of(ox, one.triple.predicate)}"
            for one in part
        ]
        return {
            "subject": Texts.of([names.of(ox, one.about.subject) for one in part]),
            "predicate": Texts.of(relations),
            "object": Texts.of([names.as_name(ox, one.about.object) for one in part]),
            _VALUE: Texts.of([names.as_name(ox, one.triple.object) for one in part]),
        }
    objects: ColumnValues
    if kind == _NUMBER:
        objects = NumberColumn(np.array([names.number(one.triple.object) for one in part]))
    else:
        objects = Texts.of([names.of(ox, one.triple.object) for one in part])
    return {
        "subject": Texts.of([names.of(ox, one.triple.subject) for one in part]),
        "predicate": Texts.of([names.of(ox, one.triple.predicate) for one in part]),
        "object": objects,
        _VALUE: Texts(np.full(len(part), MISSING, dtype=np.int32), ()),
    }


def _is_number(ox: Any, term: Any) -> bool:
    return isinstance(term, ox.Literal) and term.datatype.value in _NUMERIC


class _IriNames:
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
            raise TableError(
                f"{self.path}: {literal.value!r} is declared as a number ({kind}), and is not one"
            )
        return found

    def graph(self, ox: Any, triple: Any) -> str:
        name = getattr(triple, "graph_name", None)
        known = name is not None and not isinstance(name, ox.DefaultGraph)
        return self.of(ox, name) if known else _DEFAULT_GRAPH

    def as_name(self, ox: Any, term: Any) -> str:
        """The name of a term; a number is called by its shortest text."""
        return text_of(self.number(term)) if _is_number(ox, term) else self.of(ox, term)

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
