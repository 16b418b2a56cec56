"""A plan is made, printed and drawn without looking at a single fact or entity."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from neurallog_kernel import NeuralLogError, Session
from neurallog_kernel.evaluate.evaluator import Evaluator
from neurallog_kernel.evaluate.executor import Executor
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.relations import Relations
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.pictures.network import network_picture
from neurallog_kernel.pictures.rule import rule_picture
from neurallog_kernel.plan.planner import Planner
from neurallog_kernel.plan.show import show_layer
from tests.programs import Drawn, program

PROGRAMS = 60
EVERY_KIND = """
0.5::p(a, b). p(b, c). p(c, c). 2::t(b). 0.3::on. age(a, 4). age(b, 7). w(2, 0.5). learn(p).
g(X, Z) :- p(X, Y), p(Y, Z), t(Y).
loop(X) :- p(X, X), age(X, A), w(2, B).
old(X) :- age(X, 7), on.
big(X, Y) :- p(X, Y), age(X, A), at_least(A, 5).
named(X) :- p(X, c), not t(X), p(a, b), tanh(X).
0.7::h(X, X) :- p(X, Y), w(A, B).
far(X, Y) :- p(X, Y). far(X, Y) :- p(X, Z), far(Z, Y).
0.5::gave(a, b, c). gift(X, Y) :- gave(X, Z, Y), t(Z). own(X, Y) :- gave(X, X, Y).
"""


class Looked(Exception):
    """Somebody looked at a fact or an entity."""


def absent(kind: type) -> type:
    """A class of the same fields, whose arrays nobody may look at."""
    hidden = {field.name for field in fields(kind)} & _ARRAYS

    class Absent(kind):
        def __getattribute__(self, name: str) -> Any:
            if name in hidden:
                raise Looked(name)
            return super().__getattribute__(name)

        def __len__(self) -> int:
            raise Looked("length")

    return Absent


_ARRAYS = {"entities", "numbers", "weights", "lines", "order", "members"}
AbsentBlock, AbsentType = absent(Block), absent(EntityType)


class Declared(AbsentBlock):
    """How many facts there are is known without them."""

    def __len__(self) -> int:
        return 1


def copied(kind: type, thing: Any) -> Any:
    """A thing as it was made, of another class: nothing looks at its arrays again."""
    made = object.__new__(kind)
    for one in fields(thing):
        object.__setattr__(made, one.name, getattr(thing, one.name))
    return made


def without_facts(program: Program) -> Program:
    """The same program; what its facts and entities are is out of reach."""
    definitions = {
        signature: replace(
            definition,
            facts=tuple(copied(Declared, block) for block in definition.facts),
            examples=(),
        )
        for signature, definition in program.definitions.items()
    }
    types = {slot: copied(AbsentType, kind) for slot, kind in program.types.items()}
    return replace(program, definitions=definitions, types=types, sources={})


def planned(session: Session) -> int:
    """Every predicate of a session towards every place; how many plans that were."""
    empty, planner, count = without_facts(session._program), Planner(), 0
    for signature in list(empty.definitions):
        if empty.role(signature) not in (Role.RELATION, Role.EMPTY):
            continue
        for output in range(signature[1]) or [None]:
            try:
                expected = session.plan(f"{signature[0]}/{signature[1]}", output)
            except NeuralLogError:
                continue
            layer = planner.question(empty, signature, output)
            assert show_layer(layer) == expected
            assert network_picture(layer).marks
            for rule in layer.rules:
                assert len(rule_picture(rule.dag, None).marks) >= len(rule.nodes)
            count += 1
    return count


def test_every_kind_of_expression() -> None:
    session = Session()
    session.add(EVERY_KIND)
    assert planned(session) == 22


@pytest.mark.parametrize("block", range(3))
def test_generated_programs(block: int) -> None:
    size, plans = PROGRAMS // 3, 0
    for seed in range(block * size, (block + 1) * size):
        session = Session()
        session.add(str(program(Drawn(seed))))
        plans += planned(session)
    assert plans > size


def test_an_engine_does_look() -> None:
    session = Session()
    session.add(EVERY_KIND)
    storage = Storage(without_facts(session._program), SymbolTable(), Relations())
    evaluator = Evaluator(Planner(), Executor(storage))
    layer = evaluator.layer(("far", 2))
    with pytest.raises(Looked):
        evaluator.value(layer.result, session._evaluator.given(("far", 2), {0: 0}))
