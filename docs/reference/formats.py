"""The formats of tables that can be read, by the ends of their names."""

from __future__ import annotations

from docs.reference.markdown import code, table
from neurallog_kernel.tables.readers.opening import FORMATS, SUFFIXES

KNOWN: dict[str, str] = {
    "csv": "comma-separated text; the delimiter can be said",
    "tsv": "the same with tabs",
    "jsonl": "a JSON object a line",
    "parquet": "Parquet, by pyarrow",
    "triples": "subject, predicate, object: a fact a line",
    "statements": "hyper-relational triples: subject, predicate, object, and pairs of a "
    "qualifier and its value (`born_in(ann, rome, 1970)`)",
    "rdf": "N-Triples, Turtle and other RDF; named graphs, and triples about triples",
    "sqlite": "a table of an SQLite file",
    "cfacts": "facts of TensorLog",
    "examples": "examples of ProPPR and TensorLog",
    "alchemy": "databases of Alchemy",
    "relnn": "data files of RelNN",
}
"""What each format is."""


def table_formats() -> str:
    """One row a format: its name, the ends of files' names that mean it, and what it is."""
    ends: dict[str, list[str]] = {name: [] for name in FORMATS}
    for suffix, name in SUFFIXES.items():
        ends[name].append(code(suffix))
    rows = [[code(name), ", ".join(ends[name]), KNOWN.get(name, "")] for name in FORMATS]
    return table(("format", "ends in", "what it is"), rows) + "\n"
