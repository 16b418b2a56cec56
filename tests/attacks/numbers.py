"""Line 17: tables whose relations are called as directives are, and weights that are no numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from neurallog_kernel import DIRECTIVES, NeuralLogError, Session
from tests.attacks.corpus import Attack


def attacks() -> Iterator[Attack]:
    yield from _names()
    yield from _weights()
    yield from _overflows()


# -- names ----------------------------------------------------------------------------------------


def _names() -> Iterator[Attack]:
    """What the user writes is refused; what stands in a table stays data, under another name."""
    for word in sorted(DIRECTIVES):
        for name, pattern in {"a pattern": f"{word}(a, b)", "a bare pattern": word}.items():
            run = partial(_table, [("ann", "bob")], pattern, {"columns": ("a", "b")})
            yield Attack(17, f"{word} as {name}", run)
        run = partial(
            _table, [("ann", "bob")], f"{word}(a, b)", {"columns": ("a", "b"), "set": "train"}
        )
        yield Attack(17, f"{word} as a pattern of examples", run)
        yield Attack(17, f"{word} as an example", partial(_add, f"example({word}, ann, bob)."))
        text = f"mega_example(one, {word}, ann, bob)."
        yield Attack(17, f"{word} as a mega example", partial(_add, text))
        yield Attack(17, f"{word} as a learned predicate", partial(_add, f"learn({word})."))
        for name, given in _tables(word).items():
            yield Attack(17, f"{word} in {name}", partial(_stays_data, *given), refused=False)
            if "file" not in given[2]:
                options = {**given[2], "set": "train"}
                run = partial(_stays_data, given[0], given[1], options)
                yield Attack(17, f"{word} in {name}, as examples", run, refused=False)
        for file, text in _files(word).items():
            run = partial(_file, file, text)
            yield Attack(17, f"{word} in the file {file}", run, refused=False)
        template = f"p(ann). x_{word}(ann). {{r}}(X) :- x_{{r}}(X), p(X)."
        yield Attack(
            17, f"{word} as the head of a template", partial(_add, template), refused=False
        )


def _tables(word: str) -> dict[str, tuple[Any, Any, dict[str, Any]]]:
    rows = [{"r": word, "a": "optimizer", "b": "adam"}, {"r": "likes", "a": "ann", "b": "bob"}]
    return {
        "a column of relations": (rows, "{r}(a, b)", {}),
        "a column of relations of one place": (rows, "{r}(a)", {}),
        "the name of a column": ([{"id": "ann", word: "bob"}], None, {"key": "id"}),
    }


def _files(word: str) -> dict[str, str]:
    return {
        "t.nt": f"<http://x/a> <http://x/{word}> <http://x/b> .\n",
        "t.triples": f"optimizer\t{word}\tadam\n",
        "t.cfacts": f"{word}\tp\tq\n",
        "t.examples": f"{word}\tp\tq\n",
        "t.exam": f"{word}(p,X)\t+{word}(p,q)\n",
        "t.db": f"{word}(p,q)\n",
        "u.db": f"{word.capitalize()}(p,q)\n",
    }


def _add(text: str, folder: Path) -> None:
    session = Session()
    session.add("likes(ann, bob).")
    session.add(text)
    _reads_back(session, folder)


def _table(rows: Any, pattern: Any, options: dict[str, Any], folder: Path) -> None:
    session = Session()
    session.load_table(rows, pattern, **options)
    _reads_back(session, folder)


def _stays_data(rows: Any, pattern: Any, options: dict[str, Any], folder: Path) -> None:
    session = Session()
    loaded = session.load_table(rows, pattern, **options)
    assert loaded.renamed, "a relation has another name, and nothing says so"
    _reads_back(session, folder)


def _file(name: str, text: str, folder: Path) -> None:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    session = Session()
    session.load_table(path)
    _reads_back(session, folder)


def _reads_back(session: Session, folder: Path) -> None:
    """The text and the file of a session give the same session."""
    again = Session()
    try:
        again.add(session.program())
        session.save(folder / "saved.nlz")
        opened = Session.open(folder / "saved.nlz")
    except NeuralLogError as error:
        raise AssertionError(f"it does not read back: {error}") from error
    for one in (again, opened):
        assert one.settings() == session.settings()
        assert _facts(one) == _facts(session)
        assert len(list(one.examples())) == len(list(session.examples()))


def _facts(session: Session) -> list[str]:
    lines = session.program().splitlines()
    return sorted(line for line in lines if line and not line.startswith("%"))


# -- weights --------------------------------------------------------------------------------------

BAD = {"NaN": math.nan, "infinity": math.inf, "minus infinity": -math.inf}
_COLUMNS = {"columns": ("a", "b", "w")}


def _weights() -> Iterator[Attack]:
    for name, bad in BAD.items():
        rows = [("ann", "bob", 1.0)]
        for kind in (float, np.float64, np.float32, np.float16):
            options = {"weight": kind(bad), **_COLUMNS}
            run = partial(_table, rows, "p(a, b)", options)
            yield Attack(17, f"{name} as a {kind.__name__} for all weights", run)
        toml = f'[p]\nfile = "t.csv"\npattern = "p(a, b)"\nweight = {bad}\n'
        yield Attack(17, f"{name} as the weight in a map", partial(_map, toml))
        if math.isinf(bad):
            rows = [("ann", "bob", bad)]
            for options in ({"weight": "w"}, {"label": "w", "set": "train"}):
                run = partial(_table, rows, "p(a, b)", {**options, **_COLUMNS})
                yield Attack(17, f"{name} in a column of {next(iter(options))}s", run)
            run = partial(_table, rows, "p(a, w: number)", _COLUMNS)
            yield Attack(17, f"{name} in a column of numbers", run)
            text = "1e999" if bad > 0 else "-1e999"
            for line in (f"{text}::p(ann).", f"p(ann, {text}).", f"{text}::h(X) :- p(X)."):
                yield Attack(17, f"{line} as text", partial(_add, line))
            yield Attack(17, f"{text} as an example", partial(_add, f"{text}::example(p, ann)."))
            loop = f"for i in {text} do p(ann, {{i}}). done"
            yield Attack(17, f"{text} in a loop", partial(_add, loop))
            for file in (f"p\ta\tb\t{text}\n", f"{text} p(a,b)\n"):
                ending = "cfacts" if "\t" in file else "db"
                run = partial(_odd_file, f"t.{ending}", file)
                yield Attack(17, f"{text} as a weight in .{ending}", run)
            setting = f"set_parameter(initial_value, {text})."
            yield Attack(17, f"{setting}", partial(_add, setting))
    run = partial(_odd_file, "t.db", f"{'9' * 400} p(a,b)\n")
    yield Attack(17, "a weight of 400 digits in .db", run)
    yield Attack(17, "a weight of two points in .db", partial(_odd_file, "t.db", "1.2.3 p(a,b)\n"))


def _odd_file(name: str, text: str, folder: Path) -> None:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    form = "alchemy" if name.endswith(".db") else None
    Session().load_table(path, format=form)


def _map(text: str, folder: Path) -> None:
    (folder / "t.csv").write_text("a,b\nann,bob\n", encoding="utf-8")
    (folder / "map.toml").write_text(text, encoding="utf-8")
    Session().load_tables(folder / "map.toml")


# -- overflow -------------------------------------------------------------------------------------

_RULES = "learn(w). p(ann, bob). q(X, Y) :- p(X, Y), w(one). example(q, ann, bob)."


def _overflows() -> Iterator[Attack]:
    for name, text in {
        "a learned weight": "1e39::w(one).",
        "a fact": "1e39::p(ann, bob).",
        "an attribute": "size(ann, 1e39). q(X, Y) :- p(X, Y), size(Y, A), size(X, B).",
        "a label": "1e39::example(q, ann, bob).",
        "the weight of a rule": "1e39::q(X, Y) :- p(X, Y).",
        "an initial value": "set_parameter(initial_value, 1e39).",
    }.items():
        for epochs in (0, 2):
            yield Attack(
                17, f"{name} beyond float32, {epochs} epochs", partial(_train, text, epochs)
            )
    for name, options in {
        "a learning rate of 1e38": {"learning_rate": 1e38, "optimizer": "sgd", "epochs": 3},
        "a learning rate of 1e300": {"learning_rate": 1e300, "optimizer": "sgd", "epochs": 3},
    }.items():
        yield Attack(17, name, partial(_diverge, options), refused=False)


def _train(text: str, epochs: int, folder: Path) -> None:
    session = Session()
    session.add(_RULES)
    session.add(text)
    before = session.program()
    try:
        session.train(epochs=epochs)
    except Exception as error:
        assert "float32" in str(error), error
        assert session.program() == before
        raise


def _diverge(options: dict[str, Any], folder: Path) -> None:
    session = Session()
    session.add(_RULES)
    history = session.train(**options)
    assert "float32" in " ".join(history.notes), history.notes
    _reads_back(session, folder)
