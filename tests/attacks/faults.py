"""Line 22: files that are in the way, and odd values at every door."""

from __future__ import annotations

import datetime
import decimal
import json
import os
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from neurallog_kernel import NeuralLogError, Session
from tests.attacks.corpus import TURN, Attack, unreadable


def attacks() -> Iterator[Attack]:
    yield from _paths()
    yield from _json()
    yield from _rdf()
    yield from _duck()
    yield from _frames()
    yield from _maps()
    yield from _texts()
    yield from _seeds()
    yield from _shown()
    yield Attack(22, "saving to the null device", _null, refused=False)


# -- paths ----------------------------------------------------------------------------------------

PATHS = {
    "a zero byte": "a\0b",
    "a name of 300 characters": "x" * 300,
    "a path of 5000 characters": "x/" * 2500,
    "nothing": "",
    "a folder": ".",
    "a loop of links": "loop",
    "a file as a folder": "file/below",
    "half a character": "a\ud800",
}


def _paths() -> Iterator[Attack]:
    doors: dict[str, Callable[[Session, str], Any]] = {
        "load": lambda s, p: s.load(p + ".pl"),
        "load_table": lambda s, p: s.load_table(p + ".csv", "p(a, b)"),
        "load_table, packed": lambda s, p: s.load_table(p + ".csv.gz", "p(a, b)"),
        "load_table, RDF": lambda s, p: s.load_table(p + ".nt"),
        "load_table, Parquet": lambda s, p: s.load_table(p + ".parquet", "p(a, b)"),
        "load_table, SQLite": lambda s, p: s.load_table(p + ".sqlite", "p(a, b)"),
        "load_table, .db": lambda s, p: s.load_table(p + ".db"),
        "a database": lambda s, p: s.load_table("SELECT 1 AS a", "p(a)", database=p + ".sqlite"),
        "load_tables": lambda s, p: s.load_tables(p),
        "open": lambda s, p: Session.open(p),
        "load_weights": lambda s, p: s.load_weights(p),
        "save": lambda s, p: s.save(p),
        "save_program": lambda s, p: s.save_program(p),
        "save_table": lambda s, p: s.query("p(X)").save_table(p + ".csv"),
        "to_csv": lambda s, p: s.query("p(X)").to_csv(p),
        "to_json": lambda s, p: s.query("p(X)").to_json(p),
    }
    for name, path in PATHS.items():
        for door, run in doors.items():
            yield Attack(22, f"{name} ({door})", partial(_path, run, path), refused=False)


def _path(run: Callable[[Session, str], Any], path: str, folder: Path) -> None:
    (folder / "file").write_text("p(a).", encoding="utf-8")
    (folder / "loop").symlink_to("loop")
    session = Session()
    session.add("p(a).")
    run(session, path)


def _null(folder: Path) -> None:
    session = Session()
    session.add("p(a).")
    session.save(os.devnull)
    session.save_program(os.devnull)
    session.query("p(X)").to_csv(os.devnull)
    assert not Path(os.devnull).is_file()


# -- values ---------------------------------------------------------------------------------------


def _json() -> Iterator[Attack]:
    lines = {
        "deep": "[" * 100_000 + "]" * 100_000,
        "deep in an object": '{"a": ' * 100_000 + "1" + "}" * 100_000,
        "a long number": '{"a": ' + "9" * 10_000 + ', "b": "x"}',
        "NaN": '{"a": NaN, "b": "x"}',
        "infinity": '{"a": "x", "b": Infinity}',
        "half a character": '{"a": "\\ud800", "b": "x"}',
        "a zero": '{"a": "\\u0000", "b": "x"}',
        "a list": '{"a": [1], "b": "x"}',
        "nothing": "null",
        "a number": "12",
        "an empty list": "[]",
        "an empty object": "{}",
        "an empty key": '{"": 1}',
        "two kinds of lines": '{"a": 1, "b": 2}\n[1, 2]',
        "lists and objects": '[1, 2]\n{"a": 1, "b": 2}',
        "another width": "[1, 2]\n[1, 2, 3]",
        "a large exponent": '{"a": "x", "b": 1e999}',
        "a word of control": '{"a": "\\u001b[31m", "b": "x"}',
    }
    for name, text in lines.items():
        for pattern in ("p(a, b)", "p(a, b: number)", "p"):
            yield Attack(
                22, f"JSON: {name}, {pattern}", partial(_lines, text, pattern), refused=False
            )


def _lines(text: str, pattern: str, folder: Path) -> None:
    path = folder / "t.jsonl"
    path.write_text(text + "\n", encoding="utf-8")
    _usable(folder, path, pattern)


def _usable(folder: Path, table: Any, pattern: Any, **options: Any) -> None:
    """Load a table; what was taken can be asked, written and read again."""
    session = Session()
    session.load_table(table, pattern, **options)
    try:
        Session().add(session.program())
    except NeuralLogError as error:
        raise AssertionError(f"it does not read back: {error}") from error
    for status in session.predicates():
        name, _, arity = status.name.partition("/")
        places = ", ".join(f"X{place}" for place in range(int(arity)))
        found = session.query(f"{name}({places})")
        assert not unreadable(str(found)), unreadable(str(found))


def _rdf() -> Iterator[Attack]:
    typed = {
        "a text as an integer": '"abc"^^xsd:integer',
        "infinity": '"INF"^^xsd:double',
        "not a number": '"NaN"^^xsd:double',
        "a long number": f'"{"9" * 400}"^^xsd:integer',
        "an empty number": '""^^xsd:decimal',
        "a number with a line": '"1_000"^^xsd:int',
        "an empty text": '""',
        "a text with control": '"a\\u001Bb"',
        "a long text": f'"{"x" * 5000}"',
        "a blank node": "[]",
        "a collection": "(1 2 3)",
        "a deep collection": "(" * 5000 + ")" * 5000,
        "a deep blank node": "[ x:p " * 5000 + "1" + "]" * 5000,
        "a triple": "<<( x:a x:b x:c )>>",
        "a triple of triples": "<<( x:a x:b " * 2000 + "x:c" + " )>>" * 2000,
    }
    start = "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix x: <http://x.org/> .\n"
    for name, value in typed.items():
        text = f"{start}x:a x:p {value} .\n"
        yield Attack(22, f"RDF: {name}", partial(_turtle, text, "t.ttl"), refused=False)
    yield Attack(22, "RDF: deep JSON", partial(_turtle, '{"a":' * 100_000, "t.jsonld"))
    yield Attack(22, "RDF: rules", partial(_turtle, "{" * 10_000, "t.n3"))


def _turtle(text: str, name: str, folder: Path) -> None:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    _usable(folder, path, None, format="rdf")


def _duck() -> Iterator[Attack]:
    values = {
        "a huge integer": "170141183460469231731687303715884105727::HUGEINT",
        "a decimal": "1.5::DECIMAL(38, 10)",
        "an interval": "INTERVAL 3 DAYS",
        "bytes": "'\\xFF\\x00'::BLOB",
        "a UUID": "uuid()",
        "a time": "TIME '12:00:00'",
        "a time with a zone": "'12:00:00+02'::TIMETZ",
        "an infinite date": "'infinity'::DATE",
        "an infinite timestamp": "'-infinity'::TIMESTAMP",
        "an early date": "'5877642-06-25 (BC)'::DATE",
        "bits": "'1010'::BIT",
        "a choice": "'a'::ENUM('a', 'b')",
        "a list": "[1, 2]",
        "a structure": "{'a': 1}",
        "a map": "MAP {'a': 1}",
        "a union": "union_value(a := 1)",
        "NaN": "'nan'::DOUBLE",
        "infinity": "'inf'::DOUBLE",
        "nothing": "NULL",
        "JSON": "'{}'::JSON",
        "a zero": "chr(0)",
    }
    for name, value in values.items():
        for pattern in ("p(a, b)", "p(b, a)", "p(a, b: number)"):
            query = f"SELECT 'x' AS a, {value} AS b"
            run = partial(_usable, table=query, pattern=pattern)
            yield Attack(22, f"DuckDB: {name}, {pattern}", run, refused=False)


class _Silent:
    """An object without a text."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


ODD: dict[str, Callable[[], Any]] = {
    "a complex number": lambda: 1 + 2j,
    "bytes": lambda: b"\xff\x00",
    "a date": lambda: datetime.date(1, 1, 1),
    "a difference of times": lambda: datetime.timedelta(1),
    "a UUID": lambda: uuid.UUID(int=0),
    "a decimal NaN": lambda: decimal.Decimal("NaN"),
    "a decimal signal": lambda: decimal.Decimal("sNaN"),
    "a decimal infinity": lambda: decimal.Decimal("Infinity"),
    "a large decimal": lambda: decimal.Decimal("1e999999"),
    "a large integer": lambda: 10**5000,
    "a list": lambda: [1],
    "a set": lambda: {1},
    "a function": lambda: len,
    "a type": lambda: int,
    "an object without a text": _Silent,
    "half a character": lambda: "\ud800",
    "an array": lambda: np.array([1, 2]),
    "an array of nothing": lambda: np.array(1.5),
    "NaT": lambda: np.datetime64("NaT", "ns"),
    "a long double": lambda: np.longdouble("1e4000"),
    "true": lambda: True,
}


def _frames() -> Iterator[Attack]:
    for name, make in ODD.items():
        for kind in ("rows", "columns", "pandas", "series", "categories"):
            for pattern in ("p(a, b)", "p(b, a)", "p(a, b: number)"):
                run = partial(_frame, make, kind, pattern)
                yield Attack(22, f"{kind}: {name}, {pattern}", run, refused=False)
    for name, table in {
        "a text": lambda: "no such table",
        "a number": lambda: 7,
        "bytes": lambda: b"a,b",
        "nothing": lambda: None,
        "an empty list": list,
        "an empty dictionary": dict,
        "a list of nothing": lambda: [None],
        "rows of other widths": lambda: [(1, 2), (1,)],
        "rows of other kinds": lambda: [(1, 2), {"a": 1}],
        "columns that are no columns": lambda: {"a": 1},
        "an array of three axes": lambda: np.zeros((2, 2, 2)),
        "an array of one axis": lambda: np.zeros(3),
    }.items():
        yield Attack(22, f"{name} as a table", partial(_odd_table, table), refused=False)


def _odd_table(table: Callable[[], Any], folder: Path) -> None:
    _usable(folder, table(), "p(a, b)")


def _frame(make: Callable[[], Any], kind: str, pattern: str, folder: Path) -> None:
    import pandas as pd

    value = make()
    table: Any = [("x", value), ("y", value)]
    options: dict[str, Any] = {}
    if kind == "rows":
        options["columns"] = ("a", "b")
    elif kind == "columns":
        table = {"a": ["x", "y"], "b": [value, value]}
    elif kind == "pandas":
        table = pd.DataFrame({"a": ["x", "y"], "b": pd.Series([value, None], dtype=object)})
    elif kind == "series":
        table = pd.Series(
            [value, value], index=pd.Index(["x", "y"], name="a"), name="b", dtype=object
        )
    else:
        try:
            column = pd.Categorical([value, value])
        except Exception:
            return  # pandas has no such categories
        table = pd.DataFrame({"a": ["x", "y"], "b": column})
    _usable(folder, table, pattern, **options)


# -- maps -----------------------------------------------------------------------------------------


def _maps() -> Iterator[Attack]:
    odd = ("1", "1.5", "nan", '"x"', '""', "true", "[]", "[1]", '["a", "b"]', "{}", "-1", "1e400")
    for option in (
        *(
            "pattern",
            "key",
            "weight",
            "label",
            "set",
            "split",
            "seed",
            "negatives",
            "missing",
            "na",
        ),
        *("longest", "format", "columns", "header", "delimiter", "database", "unpacked", "names"),
        *("file", "nothing"),
    ):
        for value in (*odd, "2026-01-01", "[[1]]", "{a = 1}"):
            yield Attack(22, f"a map: {option} = {value}", partial(_option, option, value), False)
    for name, text in {
        "nothing": "",
        "no section": "a = 1",
        "a list of sections": "[[p]]\na = 1",
        "not TOML": "[p\n",
        "deep": "[p]\nfile = " + "[" * 5000 + "]" * 5000,
        "bytes": "\udcff",
    }.items():
        yield Attack(22, f"a map: {name}", partial(_whole_map, text))


def _option(option: str, value: str, folder: Path) -> None:
    lines = {"file": '"t.csv"', "pattern": '"p(a, b)"', option: value}
    if option == "key":
        del lines["pattern"]
    text = "[p]\n" + "\n".join(f"{name} = {one}" for name, one in lines.items())
    _whole_map(text, folder)


def _whole_map(text: str, folder: Path) -> None:
    (folder / "t.csv").write_text("a,b\nx,y\nz,w\n", encoding="utf-8")
    (folder / "map.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    Session().load_tables(folder / "map.toml")


# -- program text ---------------------------------------------------------------------------------

TRAINED = "learn(w). p(ann, bob). p(ann, cid). q(X, Y) :- p(X, Y), w(one). example(q, ann, bob)."


def _texts() -> Iterator[Attack]:
    for text in (
        "t_1(a). t_2(a). h(X) :- t_{i}(X), g({i}).",
        "t_1(a). g(b). h(X) :- t_{i}(X), g({i}).",
        "t_1(a). g(1). h(X) :- t_{i}(X), g({i}).",
        "t_1e999(a). h(X) :- t_{i}(X), g({i}).",
        "t_1(a). t_b(a). h(X) :- t_{i}(X), g({i}).",
        "t_1(a). h({i}) :- t_{i}(X).",
        "t_1(a). h(X, {i}) :- t_{i}(X), k({i}, {i}).",
    ):
        yield Attack(22, text, partial(_text, text), refused=False)
    for value in ("abc", "-1", "0", "[1, 2]", '"True"', '""'):
        text = f"set_parameter(learning_rate, {value})."
        yield Attack(22, text, partial(_text, text))


def _text(text: str, folder: Path) -> None:
    session = Session()
    session.add(text)
    session.query("h(X)")


def _trained(text: str, options: dict[str, Any], folder: Path) -> None:
    session = Session()
    session.add(TRAINED)
    session.add(text)
    session.train(**{"epochs": 1, **options})
    again = Session()
    again.add(session.program())


def _seeds() -> Iterator[Attack]:
    for seed in (-1, 1.5, "x", None, [1], 2**70, True, float("nan")):
        refused = seed != 2**70
        if refused:
            yield Attack(22, f"train(seed={seed!r})", partial(_trained, "", {"seed": seed}))
        yield Attack(22, f"sample_negatives(seed={seed!r})", partial(_negatives, seed), refused)
        if seed is not None:
            run = partial(_usable, table=[("a", "b")], pattern="p(a, b)", seed=seed, set="train")
            yield Attack(22, f"load_table(seed={seed!r})", run, seed != 2**70)


def _negatives(seed: Any, folder: Path) -> None:
    session = Session()
    session.add("p(a, b). p(c, d). p(e, f).")
    session.add("p(a, b). p(c, d).", source="t", set="train")
    session.sample_negatives("train", seed=seed)


# -- what is shown --------------------------------------------------------------------------------


def _shown() -> Iterator[Attack]:
    for name, mark in {
        "a control character": "\x1b[31m",
        "a bell": "\x07",
        "a carriage return": "\r",
        "a new line": "\n",
        "a C1 character": "\x9b",
        "a mark that turns": TURN[7],
        "an isolate": TURN[9],
        "a line separator": "\u2028",
        "half a character": "\ud800",
        "a long name": "x" * 100_000,
    }.items():
        text = json.dumps(f"a{mark}b", ensure_ascii=False)
        written = f'"{mark.join("ab")}"' if mark not in "\r\n" else text
        for door, run in {
            "an unknown entity": partial(_ask, f"p({written})"),
            "an answer": partial(_ask, "p(X)"),
            "a predicate": partial(_ask, f"p{mark}(X)"),
            "a source": partial(_source, f"a{mark}b"),
            "an unknown source": partial(_remove, f"a{mark}b"),
            "a file": partial(_load, f"a{mark}b.pl"),
            "a column": partial(_column, f"a{mark}b"),
        }.items():
            yield Attack(22, f"{door} with {name}", partial(run, f"a{mark}b"), refused=False)


def _ask(question: str, name: str, folder: Path) -> None:
    session = Session()
    session.load_table([(name,), ("z",)], "p(a)", longest=None)
    found = session.query(question)
    assert not unreadable(str(found)), unreadable(str(found))


def _source(source: str, name: str, folder: Path) -> None:
    session = Session()
    session.add("p(a).", source=source)
    notices = session.add("p(a, 1). p(b). 0.5::p(b).", source=source).notices
    assert not any(map(unreadable, map(str, notices)))
    session.add("p(a, b).", source=source + "2")


def _remove(source: str, name: str, folder: Path) -> None:
    Session().remove(source)


def _load(path: str, name: str, folder: Path) -> None:
    Session().load(path)


def _column(column: str, name: str, folder: Path) -> None:
    Session().load_table([{column: "x"}], "p(other, columns)")
