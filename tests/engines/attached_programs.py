"""Generated programs whose facts are split at random between the text and tables of DuckDB."""

from __future__ import annotations

import duckdb

from neurallog_kernel import Session
from neurallog_kernel.knowledge.describe import stated_atom
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import Constant, Fact, Literal, Number
from tests.programs import Drawn, ProgramText


def facts_of(session: Session) -> dict[tuple[str, int], dict[Literal, float]]:
    """The facts of a session by predicate; of equal ones the last."""
    found: dict[tuple[str, int], dict[Literal, float]] = {}
    for signature, definition in session._program.definitions.items():
        for block in definition.facts:
            for row in block.text_order().tolist():
                atom = stated_atom(block, row, session._symbols)
                key = Literal(atom.predicate, tuple(t for t in atom.terms))
                found.setdefault(signature, {})[key] = float(block.weights[row])
    return found


def split(text: ProgramText, choices: Drawn) -> tuple[Session, Session]:
    """The program with all facts in its text, and the same with some in tables, some in both."""
    whole = Session()
    whole.add(str(text), source="program")
    stated: list[str] = []
    database = duckdb.connect()
    attached = Session()
    attached.connect(database)
    for signature, facts in facts_of(whole).items():
        numeric = whole._program.numeric(signature)
        wide_numbers = signature[1] > 2 and any(numeric)  # a table has names there
        if not signature[1] or all(numeric) or wide_numbers or choices.chance(30):
            stated += [_text(atom, weight) for atom, weight in facts.items()]
            continue
        rows = []
        for atom, weight in facts.items():
            where = choices.pick(["text", "table", "table", "both"])
            if where != "table":
                stated.append(_text(atom, weight))
            if where != "text":
                rows.append((*map(_value, atom.terms), 0.7 if where == "both" else weight))
        name = f'{signature[0]} "{signature[1]}"'
        columns = [f"c{p} {'DOUBLE' if n else 'VARCHAR'}" for p, n in enumerate(numeric)]
        quoted = '"' + name.replace('"', '""') + '"'
        database.execute(f"CREATE TABLE {quoted} ({', '.join(columns)}, w DOUBLE)")
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            database.executemany(f"INSERT INTO {quoted} VALUES ({marks})", rows)
        kinds = ("number" if number else "entity" for number in numeric)
        places = ", ".join(f"c{p}: {kind}" for p, kind in enumerate(kinds))
        attached.attach(name, f"{signature[0]}({places})", weight="w", unique=True)
    declared = [clause for clause in text.fixed if clause.startswith("set_")]
    clauses = [*declared, *stated, *map(str, text.rules), *text.directives]
    attached.add("\n".join(clauses), source="program")
    return whole, attached


def _text(atom: Literal, weight: float) -> str:
    return format_clause(Fact(atom, weight))


def _value(term: object) -> str | float:
    assert isinstance(term, Constant | Number)
    return term.name if isinstance(term, Constant) else term.value
