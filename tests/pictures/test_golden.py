"""Every rule of the paper as DOT and as text, compared with what was looked at and accepted."""

import pytest

from neurallog_kernel import Session
from neurallog_kernel.pictures.drawing import Drawing
from neurallog_kernel.pictures.show import rule_of, show, tree_of
from tests.pictures.paper import FACTS, RULES


def view_of(rule: str):
    """The rule in a session of its own with the paper's predicates."""
    session = Session()
    session.add(FACTS)
    session.add(rule, source="rule")
    name = rule.partition("(")[0]
    return session, session.rules(name)[0]


@pytest.mark.parametrize("name", RULES)
def test_the_rule_s_dag(name, snapshot):
    drawing = Drawing(rule_of(view_of(RULES[name])[1]))
    assert drawing.dot == snapshot(name="dot")
    assert str(drawing) == snapshot(name="text")


@pytest.mark.parametrize("name", RULES)
def test_the_rule_s_path_tree(name, snapshot):
    drawing = Drawing(tree_of(view_of(RULES[name])[1]))
    assert drawing.dot == snapshot(name="dot")
    assert str(drawing) == snapshot(name="text")


def whole_paper() -> Session:
    session = Session()
    session.add(FACTS)
    session.add("\n".join(RULES.values()), source="rules")
    return session


@pytest.mark.parametrize("target", ["similarity/2", "advisedby/2", "target/2"])
def test_the_network(target, snapshot):
    assert show(whole_paper(), target, "network").dot == snapshot(name="dot")


def test_the_type_map(snapshot):
    drawing = show(whole_paper())
    assert drawing.dot == snapshot(name="dot")
    assert str(drawing) == snapshot(name="text")
