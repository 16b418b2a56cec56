"""Rules with placeholders become rules for the predicates and constants of a program."""

from __future__ import annotations

import pytest

from neurallog_kernel.errors import TemplateError
from neurallog_kernel.language import expand, expand_templates, format_clause, parse, templates
from neurallog_kernel.language.syntax import (
    Constant,
    Example,
    Fact,
    Learn,
    Literal,
    Rule,
    Signature,
)


def rules_of(text: str) -> list[list[str]]:
    """The rules made by every template of a program, as text."""
    clauses = expand(parse(text))
    known: set[Signature] = set()
    constants: set[str] = set()
    for clause in clauses:
        literals: tuple[Literal, ...] = ()
        if isinstance(clause, Fact | Example):
            literals = (clause.atom,)
        elif isinstance(clause, Learn):
            known.add((clause.predicate, clause.arity or 1))
        elif isinstance(clause, Rule) and not clause.is_template:
            literals = (clause.head, *clause.body)
        if literals:
            known.add(literals[0].signature)
        constants |= {t.name for one in literals for t in one.terms if isinstance(t, Constant)}
    found = [one for one in clauses if isinstance(one, Rule) and one.is_template]
    return [
        [format_clause(rule) for rule in made] for made in expand_templates(found, known, constants)
    ]


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            "p_1(a,b). p_2(a,b). my_p_7(a,b). p_x(a). h_{i}(X,Y) :- p_{i}(X,Y). "
            "h(X) :- h_{k}(X,X).",
            [
                ["h_1(X, Y) :- p_1(X, Y).", "h_2(X, Y) :- p_2(X, Y)."],
                ["h(X) :- h_1(X, X).", "h(X) :- h_2(X, X)."],
            ],
        ),
        (
            "p(a,b). q(a,b). w(p). w(q). h(X,Y) :- {r}(X,Y), w({r}).",
            [["h(X, Y) :- p(X, Y), w(p).", "h(X, Y) :- q(X, Y), w(q)."]],
        ),
        (
            "p_1(a). p_2(a). q_2(a). q_3(a). h(X) :- p_{i}(X), q_{i}(X).",
            [["h(X) :- p_2(X), q_2(X)."]],
        ),
        ("p(a). h_{i}(X) :- p(X).", [[]]),
        ("s(a). learn(w). true. set_parameter(x, y). h(X) :- {p}(X).",
         [["h(X) :- s(X).", "h(X) :- w(X)."]]),
        ("p(a). {q}(X) :- {q}(X).", [[]]),
        ("p(a). {q}(X) :- {q}(X), tanh(X).", [["p(X) :- p(X), tanh(X)."]]),
        ("a_0(x). h_{i}(X) :- a_{i}(X), sigmoid(X).", [["h_0(X) :- a_0(X), sigmoid(X)."]]),
        ("w(w_1). w(w_Ann). w(w_b). u(z). h(X) :- u(X), w(w_{i}).",
         [["h(X) :- u(X), w(w_1).", "h(X) :- u(X), w(w_Ann).", "h(X) :- u(X), w(w_b)."]]),
        ("t_1(x). t_Y(x). t_b(x). h(X) :- t_{i}(X), g({i}).",
         [["h(X) :- t_1(X), g(1).", "h(X) :- t_Y(X), g(Y).", "h(X) :- t_b(X), g(b)."]]),
        ("c(\"Ann Lee\"). h(X) :- u(X, {c}).",
         [["h(X) :- u(X, \"Ann Lee\").", "h(X) :- u(X, c)."]]),
        ("q_1_x(a). q_2_y(a). h_{i}{t}(X) :- q_{i}_{t}(X).",
         [["h_1x(X) :- q_1_x(X).", "h_2y(X) :- q_2_y(X)."]]),
        ('p_1(a). 0.5::h(X) :- p_{i}(X), not u(X, "n {i}").',
         [['0.5::h(X) :- p_1(X), not u(X, "n 1").']]),
        ("p(a). q(a, b). h(X) :- {p}(X, Y).", [["h(X) :- q(X, Y)."]]),
    ],
)  # fmt: skip
def test_instances(text: str, made: list[list[str]]) -> None:
    assert rules_of(text) == made


def test_directives_and_truth_values_never_match() -> None:
    (template,) = parse("h(X) :- {p}(X).")
    assert isinstance(template, Rule)
    known = [(name, 1) for name in ("learn", "example", "true", "false", "set_parameter", "p")]
    (made,) = expand_templates([template], known, [])
    assert [rule.body[0].predicate for rule in made] == ["p"]


def test_spans_point_at_the_template() -> None:
    (template,) = parse("\n  h(X) :- {p}(X).")
    assert isinstance(template, Rule)
    ((rule,),) = expand_templates([template], [("p", 1)], [])
    assert rule.span == template.span
    assert rule.body[0].span == template.body[0].span


def test_many_constants() -> None:
    (template,) = parse("h(X) :- p(X), w(w_{i}).")
    assert isinstance(template, Rule)
    constants = [f"e{k}" for k in range(100_000)] + ["w_1", "w_2"]
    (made,) = expand_templates([template], [("p", 1), ("w", 1)], constants)
    assert len(made) == 2


def test_a_template_that_makes_too_many_rules_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MOST_INSTANCES", 99)
    (template,) = parse("h(X) :- u({i}), u({j}).")
    assert isinstance(template, Rule)
    with pytest.raises(TemplateError) as caught:
        expand_templates([template], [], [f"e{k}" for k in range(10)])
    assert caught.value.span == template.span
