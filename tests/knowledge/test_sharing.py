"""An edit shares what it does not change: it looks at no predicate that it does not concern."""

from dataclasses import fields

import pytest

from neurallog_kernel import Session
from neurallog_kernel.knowledge.persistent_dict import Layers
from neurallog_kernel.knowledge.program import Program

BASE = "\n".join(f"f{i}(a{i}, b{i}). r{i}(X, Y) :- f{i}(X, Z), f{i}(Z, Y)." for i in range(200))


def tables(program: Program) -> dict[str, Layers]:
    found = {field.name: getattr(program, field.name) for field in fields(program)}
    return {name: table for name, table in found.items() if isinstance(table, Layers)}


@pytest.mark.parametrize(
    "edit",
    [
        "h(X, Y) :- f1(X, Y), f2(Y, Z).",
        "f1(a1, c). f1(c, b1).",
        "example(r1, a1, b1).",
        "g(a1, b1, c).",
    ],
)
def test_an_edit_does_not_look_at_every_predicate(edit):
    """Whoever goes through a table of a program puts its changes into a new one, and the next edit
    has to compare the two entry by entry."""
    session = Session()
    session.add(BASE, source="base")
    session.add("h(X, Y) :- f1(X, Y).", source="cell")
    session.query("h(a1, Y)")
    before = tables(session._program)
    assert {"definitions", "stamps", "users", "types"} <= set(before)
    session.add(edit, source="cell")
    session.query("r1(a1, Y)")
    after = tables(session._program)
    assert [name for name in before if after[name]._base is not before[name]._base] == []
