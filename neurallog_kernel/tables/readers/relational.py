"""Files of other systems: triples and statements, TensorLog and ProPPR, Alchemy and RelNN."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from neurallog_kernel.errors import TableError
from neurallog_kernel.tables.columns import Batch, OpenTable, Texts, values_of
from neurallog_kernel.tables.mapping import TableMap
from neurallog_kernel.tables.readers.texts import BATCH, delimited, lines_of, opened
from neurallog_kernel.tables.vocabulary import number_of

Atom = tuple[int, str, list[str], float]  # line, predicate, arguments, weight


def triples(path: Path, mapping: TableMap) -> OpenTable:
    """Head, relation and tail, separated by tabs, as knowledge-graph benchmarks ship them."""
    from dataclasses import replace

    names = mapping.columns or ("head", "relation", "tail")
    given = replace(mapping, columns=names, header=bool(mapping.header))
    table = delimited(path, given, "\t")
    return replace(table, pattern="{relation}(head, tail)", entities=True)


def statements(path: Path, mapping: TableMap) -> OpenTable:
    """Hyper-relational triples: subject, relation, object, and then pairs of a qualifier and its
    value. `born, ann, rome, in, 1970` is `born(ann, rome)` and `born_in(ann, rome, 1970)`."""

    def atoms() -> Iterator[Atom]:
        for line, fields in _fields(path, mapping, mapping.delimiter or _delimiter(path)):
            if len(fields) < 3 or len(fields) % 2 == 0:
                expected = "subject, relation, object, and pairs of qualifier and value"
                raise _bad(path, line, f"{len(fields)} columns", expected)
            subject, relation, other, *pairs = fields
            yield line, relation, [subject, other], 1.0
            for qualifier, value in zip(pairs[::2], pairs[1::2], strict=True):
                yield line, f"{relation}_{qualifier}", [subject, other, value], 1.0

    return _table(path, atoms, entities=True)


def _delimiter(path: Path) -> str:
    return "," if ".csv" in (suffix.lower() for suffix in path.suffixes) else "\t"


def cfacts(path: Path, mapping: TableMap) -> OpenTable:
    """TensorLog's and ProPPR's facts: predicate, arguments, and perhaps a weight."""

    def atoms() -> Iterator[Atom]:
        for line, fields in _fields(path, mapping):
            weight = number_of(fields[-1]) if len(fields) > 2 else None
            arguments = fields[1:] if weight is None else fields[1:-1]
            if not arguments:
                raise _bad(path, line, f"{len(fields)} columns", "predicate, arguments, weight")
            yield line, fields[0], arguments, 1.0 if weight is None else weight

    return _table(path, atoms, entities=True)


def proppr_examples(path: Path, mapping: TableMap) -> OpenTable:
    """ProPPR's examples, `q(a,Y)` and its answers `+q(a,b)` and `-q(a,c)`; and TensorLog's, which
    are the predicate, an input and its outputs."""

    def atoms() -> Iterator[Atom]:
        for line, fields in _fields(path, mapping):
            if "(" not in fields[0]:
                if len(fields) < 3:
                    raise _bad(path, line, f"{len(fields)} columns", "predicate, input, outputs")
                yield from ((line, fields[0], [fields[1], out], 1.0) for out in fields[2:])
                continue
            for answer in fields[1:]:
                sign, found = answer[:1], _ATOM.fullmatch(answer[1:])
                if sign not in ("+", "-") or found is None:
                    raise _bad(path, line, repr(answer[:40]), "answers such as +likes(ann,tea)")
                label = 1.0 if sign == "+" else 0.0
                yield line, found[1], _arguments(found[2]), label

    return _table(path, atoms, entities=True, example=True)


def alchemy(path: Path, mapping: TableMap) -> OpenTable:
    """Alchemy's database: `Friends(Ann, Bob)`, `!Smokes(Ann)` for what is false."""
    return _table(path, lambda: _ground_atoms(path, mapping), with_false=True)


def relnn(path: Path, mapping: TableMap) -> OpenTable:
    """RelNN's database: `rated(u1,m2)`; a last argument T or F says whether the rest is true."""

    def atoms() -> Iterator[Atom]:
        for line, predicate, arguments, weight in _ground_atoms(path, mapping):
            if len(arguments) > 1 and arguments[-1] in ("T", "F"):
                weight = weight if arguments[-1] == "T" else 0.0
                arguments = arguments[:-1]
            yield line, predicate, arguments, weight

    return _table(path, atoms, with_false=True)


# -- lines ----------------------------------------------------------------------------------------

_ARGUMENT = r"""(?:"(?:[^"\\]|\\.)*"|[^\s,()"]+)"""
_ATOM = re.compile(rf"\s*([\w$-]+)\s*\(\s*({_ARGUMENT}(?:\s*,\s*{_ARGUMENT})*)\s*\)\s*\.?\s*")
_SPLIT = re.compile(_ARGUMENT)
_GROUND = re.compile(r"\s*(!)?\s*(?:([\d.]+)\s+)?(.*)", re.DOTALL)


def _fields(
    path: Path, mapping: TableMap, delimiter: str = "\t"
) -> Iterator[tuple[int, list[str]]]:
    with opened(path, mapping) as stream:
        for line, text in enumerate(lines_of(stream, path), start=1):
            text = text.rstrip("\r\n")
            if text.strip() and not text.lstrip().startswith("#"):
                fields = [field.strip() for field in text.split(delimiter)]
                while len(fields) > 1 and not fields[-1]:
                    fields.pop()
                yield line, fields


def _ground_atoms(path: Path, mapping: TableMap) -> Iterator[Atom]:
    with opened(path, mapping) as stream:
        for line, text in enumerate(lines_of(stream, path), start=1):
            text = text.partition("//")[0].strip()
            if not text or text.startswith(("#", "%")):
                continue
            signs = _GROUND.fullmatch(text)
            assert signs is not None
            found = _ATOM.fullmatch(signs[3])
            if found is None:
                raise _bad(path, line, repr(text[:40]), "an atom such as Friends(Ann, Bob)")
            weight = number_of(signs[2]) if signs[2] else 1.0
            if weight is None:
                raise _bad(path, line, repr(signs[2][:40]), "a weight such as 0.5")
            yield line, found[1], _arguments(found[2]), 0.0 if signs[1] else weight


def _arguments(text: str) -> list[str]:
    return [
        re.sub(r"\\(.)", r"\1", one[1:-1]) if one.startswith('"') else one
        for one in _SPLIT.findall(text)
    ]


def _bad(path: Path, line: int, found: str, expected: str) -> TableError:
    return TableError(
        f"{path}, row {line} (line {line}): found {found}, expected {expected}",
        hint="the file may be cut off here" if found.count("(") > found.count(")") else "",
    )


def _table(
    path: Path,
    atoms: Callable[[], Iterator[Atom]],
    entities: bool = False,
    with_false: bool = False,
    example: bool = False,
) -> OpenTable:
    """A table of atoms, as wide as the widest of the first ones."""
    width = max((len(atom[2]) for atom in atoms()), default=1)
    columns = ("predicate", *(str(place + 1) for place in range(width)), "weight")

    def batches(wanted: Sequence[int]) -> Iterator[Batch]:
        stream, number = atoms(), 1
        while part := list(islice(stream, BATCH)):
            lines, predicates, arguments, weights = zip(*part, strict=True)
            columns = [
                Texts.of(predicates),
                *(
                    Texts.of(
                        [row[place] if place < len(row) else None for row in arguments],
                        readable=not entities,
                    )
                    for place in range(width)
                ),
                values_of(weights),
            ]
            made = tuple(columns[column] for column in wanted)
            yield Batch(made, number, np.array(lines, dtype=np.int32))
            number += len(part)

    return OpenTable(
        str(path),
        columns,
        batches,
        lines=True,
        pattern=f"{{predicate}}({', '.join(columns[1:-1])})",
        weight="weight",
        entities=entities,
        ragged=True,
        with_false=with_false,
        example=example,
    )
