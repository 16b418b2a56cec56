"""Rule graph, path tree, findings and plan of every rule in the paper, forward and inverted.

The texts are read beside the rule before they are committed. After a change that should change
them: `NEURALLOG_GOLDEN=write pytest tests/golden`, then read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from neurallog_kernel import Session

GOLDEN = Path(__file__).parent

FIGURE = """
target(X, Y) :- p0(X, Z), p1(X, Z), p2(Z, Y), p3(X, V), p4(U, Y), p5(Z), w.
p0(a, b). p1(a, b). p2(b, c). p3(a, d). p4(e, c). p5(b). 0.5::w.
"""
INFLUENCE = """
influence(X, Y) :- friends(X, Y), age(X, A), weight.
friends(ann, bob). age(ann, 30). 0.5::weight.
"""
MEAN_AGE = """
mean_age_of_friends(X) :- friends(X, Y), age(Y, A), mean(A).
friends(ann, bob). friends(ann, cid). age(bob, 20). age(cid, 30).
"""
COSINE = """
similarity(X, Y) :- num(X, Y), inv_den(X, Y).
num(X, Y) :- h1(X, Y).
num(X, Y) :- h2(X, Y).
h1(X, Y) :- l1(X), l1(Y).
h2(X, Y) :- l2(X), l2(Y).
inv_den(X, Y) :- den(X, Y), inverse(Y).
den(X, Y) :- norm(X), norm(Y).
norm(X) :- square_sum(X), square_root(X).
square_sum(X) :- l1(X), l1(X).
square_sum(X) :- l2(X), l2(X).
0.6::l1(a). 0.8::l2(a). l1(b).
"""
MLP = """
iris_class(X, Y) :- hidden(X), is_a(Y).
hidden(X) :- length(X, A), w_1, tanh(A).
hidden(X) :- width(X, A), w_2, tanh(A).
length(i1, 5.1). width(i1, 3.5). length(i2, 4.9). 0.4::w_1. 0.6::w_2. is_a(setosa).
"""
UWCSE = """
advisedby(X1, X2) :- taughtby2(K, X2), ta2(K, X1), hascourse(K, X3), courselevel(X3, X5),
    tanh(X2), w(w1).
advisedby(X1, X2) :- taughtby2(K, X2), ta2(K, X1), inphase(X1, X5), tanh(X2), w(w2).
advisedby(X1, X2) :- publication(X3, X1), publication(X3, X2), student(X1), professor(X2),
    tanh(X2), w(w3).
advisedby(X1, X2) :- publication(X3, X1), publication(X3, X2), tanh(X2), w(w4).
advisedby(X1, X2) :- publication(X3, X1), publication(X3, X2), student(X1), tanh(X2), w(w5).
advisedby(X1, X2) :- student(X1), tanh(X2), w(w6).
advisedby(X1, X2) :- professor(X2), hasposition(X2, X3), tanh(X2), w(w7).
advisedby(X1, X2) :- professor(X2), tanh(X2), w(w8).
advisedby(X1, X2) :- b(advisedby).
taughtby2(k1, pat). ta2(k1, sam). hascourse(k1, c1). courselevel(c1, level_500).
inphase(sam, post_quals). publication(t1, sam). publication(t1, pat). student(sam).
professor(pat). hasposition(pat, faculty). 0.1::b(advisedby).
w(w1). w(w2). w(w3). w(w4). w(w5). w(w6). w(w7). w(w8).
"""
PROGRAMS = {
    "figure_1": (FIGURE, ["target/2"]),
    "influence": (INFLUENCE, ["influence/2"]),
    "mean_age_of_friends": (MEAN_AGE, ["mean_age_of_friends/1"]),
    "cosine": (COSINE, ["similarity/2", "num/2", "h1/2", "inv_den/2", "den/2", "norm/1"]),
    "mlp": (MLP, ["iris_class/2", "hidden/1"]),
    "uwcse": (UWCSE, ["advisedby/2"]),
}


def text_of(program: str, predicates: list[str]) -> str:
    session = Session()
    session.add(program, source="program")
    parts = []
    for predicate in predicates:
        arity = int(predicate[-1])
        for output in reversed(range(arity)):
            for rule in session.rules(predicate):
                view = rule.towards(output)
                parts.append(f"== {rule}\n   towards {rule.rule.head.terms[output].name}\n")
                parts.append(f"{view.dag}\n\n{view.path_tree}\n")
                parts += [f"! {finding}" for finding in view.report]
            parts.append(f"\n-- plan\n{session.plan(predicate, output)}\n")
    return "\n".join(parts)


@pytest.mark.parametrize("name", PROGRAMS)
def test_texts_of_the_paper(name: str) -> None:
    found = text_of(*PROGRAMS[name])
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("NEURALLOG_GOLDEN") == "write":
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")
