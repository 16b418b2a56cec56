"""One small knowledge base, written for every door."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from neurallog_kernel import Session, format_constant, format_number

RULES = """
near(X, Z) :- likes(X, Y), likes(Y, Z).
known(X) :- likes(Y, X).
old(X) :- likes(X, Y), age(Y, A).
"""
QUERIES = ("likes(X, Y)", "age(X, A)", "near(X, Y)", "known(X)", "old(X)")
LIKES, AGE = "likes(who, whom: entity)", "age(who, years: number)"
Likes = list[tuple[str, str, float]]
Ages = list[tuple[str, float]]


@dataclass(frozen=True)
class Base:
    """Weighted pairs, and a number for some."""

    likes: Likes
    ages: Ages

    def text(self) -> str:
        """As a program, with quotes where names need them."""
        lines = [
            f"{format_number(w)}::likes({format_constant(a)}, {format_constant(b)})."
            for a, b, w in self.likes
        ]
        lines += [f"age({format_constant(a)}, {format_number(n)})." for a, n in self.ages]
        return "\n".join(lines)


def answers(session: Session) -> dict[tuple, float]:
    """What the session says to every question."""
    session.add(RULES, source="rules")
    return {
        (query, *names): weight
        for query in QUERIES
        for names, weight in session.query(query).weights.items()
    }


# -- strategies -----------------------------------------------------------------------------------

_WILD = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=8)
WILD = _WILD.filter(lambda name: name == name.strip()) | st.sampled_from(
    [
        "ann",
        "Bob",
        'say "hi"',
        "a, b",
        "O'Neil",
        "not",
        "in",
        "x;y",
        "7",
        "1e3",
        "%",
        "\\n",
        "ä",
        "X",
    ]
)
PLAIN = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)
WEIGHTS = st.sampled_from([1.0, 0.5, 0.25, 2.0, 0.1, 1e-3])
NUMBERS = st.floats(-1e6, 1e6).filter(lambda v: v == 0 or abs(v) > 1e-6).map(lambda v: v + 0.0)


@st.composite
def bases(draw: Any, names: st.SearchStrategy[str], weighted: bool = True) -> Base:
    """A knowledge base with these names; no fact twice."""
    few = draw(st.lists(names, min_size=2, max_size=5, unique=True))
    pairs = st.tuples(st.sampled_from(few), st.sampled_from(few))
    weights = WEIGHTS if weighted else st.just(1.0)
    likes = draw(st.dictionaries(pairs, weights, min_size=1, max_size=8))
    ages = draw(st.dictionaries(st.sampled_from(few), NUMBERS, min_size=1, max_size=4))
    return Base([(a, b, w) for (a, b), w in likes.items()], list(ages.items()))


# -- doors ----------------------------------------------------------------------------------------

Door = Callable[[Session, Base, Path], None]
FRAMES = (["who", "whom", "w"], ["who", "years"])


def _load(session: Session, likes: Any, ages: Any, **options: Any) -> None:
    session.load_table(likes, LIKES, weight="w", **options)
    session.load_table(ages, AGE, **options)


def tuples(session: Session, base: Base, folder: Path) -> None:
    session.load_table(base.likes, LIKES, weight="w", columns=FRAMES[0])
    session.load_table(iter(base.ages), AGE, columns=FRAMES[1])


def dictionaries(session: Session, base: Base, folder: Path) -> None:
    _load(session, *(_records(base)))


def _records(base: Base) -> tuple[list[dict], list[dict]]:
    likes = [dict(zip(FRAMES[0], row, strict=True)) for row in base.likes]
    return likes, [dict(zip(FRAMES[1], row, strict=True)) for row in base.ages]


def _pandas(base: Base) -> tuple[pd.DataFrame, pd.DataFrame]:
    return pd.DataFrame(base.likes, columns=FRAMES[0]), pd.DataFrame(base.ages, columns=FRAMES[1])


def pandas(session: Session, base: Base, folder: Path) -> None:
    _load(session, *_pandas(base))


def pandas_objects(session: Session, base: Base, folder: Path) -> None:
    _load(session, *(frame.astype(object) for frame in _pandas(base)))


def pandas_categories(session: Session, base: Base, folder: Path) -> None:
    likes, ages = _pandas(base)
    _load(session, likes.astype({"who": "category", "whom": "category"}), ages)


def polars(session: Session, base: Base, folder: Path) -> None:
    likes = pl.DataFrame(base.likes, schema=FRAMES[0], orient="row")
    _load(session, likes.lazy(), pl.DataFrame(base.ages, schema=FRAMES[1], orient="row"))


def _arrow(base: Base) -> tuple[pa.Table, pa.Table]:
    likes, ages = _records(base)
    return pa.Table.from_pylist(likes), pa.Table.from_pylist(ages)


def arrow(session: Session, base: Base, folder: Path) -> None:
    _load(session, *_arrow(base))


def parquet(session: Session, base: Base, folder: Path) -> None:
    for name, table in zip(("likes", "ages"), _arrow(base), strict=True):
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=2)
    _load(session, folder / "likes.parquet", str(folder / "ages.parquet"))


def csv(session: Session, base: Base, folder: Path) -> None:
    for name, frame in zip(("likes", "ages"), _pandas(base), strict=True):
        frame.to_csv(folder / f"{name}.csv", index=False, encoding="utf-8-sig")
    _load(session, folder / "likes.csv", folder / "ages.csv")


def csv_packed(session: Session, base: Base, folder: Path) -> None:
    for name, frame in zip(("likes", "ages"), _pandas(base), strict=True):
        text = frame.to_csv(index=False, sep=";", lineterminator="\r\n")
        (folder / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
    _load(session, folder / "likes.csv.gz", folder / "ages.csv.gz", delimiter=";")


def tsv(session: Session, base: Base, folder: Path) -> None:
    _tabs(folder / "likes.tsv", [FRAMES[0], *base.likes])
    _tabs(folder / "ages.tsv", [FRAMES[1], *base.ages])
    _load(session, folder / "likes.tsv", folder / "ages.tsv")


def _tabs(path: Path, rows: Sequence[Sequence[Any]]) -> None:
    lines = ("\t".join(v if isinstance(v, str) else repr(v) for v in row) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")


def json_lines(session: Session, base: Base, folder: Path) -> None:
    for name, records in zip(("likes", "ages"), _records(base), strict=True):
        text = "\n".join(map(json.dumps, records))
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    _load(session, folder / "likes.jsonl", folder / "ages.jsonl")


def json_arrays(session: Session, base: Base, folder: Path) -> None:
    (folder / "likes.ndjson").write_text("\n".join(map(json.dumps, base.likes)), encoding="utf-8")
    (folder / "ages.ndjson").write_text("\n".join(map(json.dumps, base.ages)), encoding="utf-8")
    session.load_table(folder / "likes.ndjson", LIKES, weight="w", columns=FRAMES[0])
    session.load_table(folder / "ages.ndjson", AGE, columns=FRAMES[1])


def sqlite(session: Session, base: Base, folder: Path) -> None:
    path = folder / "base.sqlite"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        fill(connection, base)
    _load(session, "likes", "SELECT who, years FROM ages", database=f"sqlite:///{path}")


def sqlite_connection(session: Session, base: Base, folder: Path) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        fill(connection, base)
        _load(session, "SELECT * FROM likes", "ages", database=connection)


def fill(connection: Any, base: Base, mark: str = "?") -> None:
    """Make the two tables in a database."""
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE likes (who text, whom text, w double precision)")
    cursor.execute("CREATE TABLE ages (who text, years double precision)")
    cursor.executemany(f"INSERT INTO likes VALUES ({mark}, {mark}, {mark})", base.likes)
    cursor.executemany(f"INSERT INTO ages VALUES ({mark}, {mark})", base.ages)
    cursor.close()


def duck_over_files(session: Session, base: Base, folder: Path) -> None:
    for name, table in zip(("likes", "ages"), _arrow(base), strict=True):
        pq.write_table(table, folder / f"{name}.parquet")
    _load(
        session,
        f"SELECT who, whom, w FROM '{folder}/likes.parquet'",
        f"from '{folder}/ages.parquet' select years, who",
    )


def duck_file(session: Session, base: Base, folder: Path) -> None:
    path = folder / "base.duckdb"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        fill(connection, base)
    _load(session, "likes", "ages", database=str(path))


def map_file(session: Session, base: Base, folder: Path) -> None:
    for name, frame in zip(("likes", "ages"), _pandas(base), strict=True):
        frame.to_csv(folder / f"{name}.csv", index=False)
    (folder / "map.toml").write_text(
        f'[likes]\nfile = "likes.csv"\npattern = "{LIKES}"\nweight = "w"\n'
        f'[ages]\nfile = "ages.csv"\npattern = "{AGE}"\n',
        encoding="utf-8",
    )
    session.load_tables(folder / "map.toml")


def relation_column(session: Session, base: Base, folder: Path) -> None:
    rows = [("likes", a, b, w) for a, b, w in base.likes]
    session.load_table(rows, "{r}(a, b)", weight="w", columns=("r", "a", "b", "w"))
    session.load_table(base.ages, AGE, columns=FRAMES[1])


WILD_DOORS: tuple[Door, ...] = (
    tuples,
    dictionaries,
    pandas,
    pandas_objects,
    pandas_categories,
    polars,
    arrow,
    parquet,
    csv,
    csv_packed,
    tsv,
    json_lines,
    json_arrays,
    sqlite,
    sqlite_connection,
    duck_over_files,
    duck_file,
    map_file,
    relation_column,
)

# -- formats of other systems, whose names are plain ----------------------------------------------

_IRI = "http://example.org/"


def n_triples(session: Session, base: Base, folder: Path) -> None:
    lines = [f"<{_IRI}{a}> <{_IRI}p#likes> <{_IRI}{b}> ." for a, b, _ in base.likes]
    double = "<http://www.w3.org/2001/XMLSchema#double>"
    lines += [f'<{_IRI}{a}> <{_IRI}p#age> "{n!r}"^^{double} .' for a, n in base.ages]
    (folder / "base.nt").write_text("\n".join(lines), encoding="utf-8")
    session.load_table(folder / "base.nt")


def turtle(session: Session, base: Base, folder: Path) -> None:
    lines = [f"@prefix : <{_IRI}> .", *(f":{a} :likes :{b} ." for a, b, _ in base.likes)]
    lines += [f":{a} :age {n:.20e} ." for a, n in base.ages]
    (folder / "base.ttl").write_text("\n".join(lines), encoding="utf-8")
    session.load_table(folder / "base.ttl")


def triples(session: Session, base: Base, folder: Path) -> None:
    _tabs(folder / "train.txt", [(a, "_likes", b) for a, b, _ in base.likes])
    session.load_table(folder / "train.txt")
    session.load_table(base.ages, AGE, columns=FRAMES[1])


def cfacts(session: Session, base: Base, folder: Path) -> None:
    rows = ["# likes", *(f"likes\t{a}\t{b}" for a, b, _ in base.likes)]
    (folder / "base.cfacts").write_text("\n".join(rows), encoding="utf-8")
    session.load_table(folder / "base.cfacts")
    session.load_table(base.ages, AGE, columns=FRAMES[1])


def relnn(session: Session, base: Base, folder: Path) -> None:
    rows = [f"likes({a},{b})" for a, b, _ in base.likes]
    rows += [f"age({a},{n!r})" for a, n in base.ages]
    (folder / "base.db").write_text("\n".join(rows), encoding="utf-8")
    session.load_table(folder / "base.db")


def alchemy(session: Session, base: Base, folder: Path) -> None:
    rows = ["// who likes whom", *(f'Likes("{a}", {b})' for a, b, _ in base.likes)]
    rows += [f"Age({a}, {n!r})" for a, n in base.ages]
    (folder / "alchemy.db").write_text("\n".join(rows), encoding="utf-8")
    session.load_table(folder / "alchemy.db")


PLAIN_DOORS: tuple[Door, ...] = (n_triples, turtle, triples, cfacts, relnn, alchemy)
