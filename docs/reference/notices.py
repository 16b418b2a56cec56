"""What a session remarks on its own, and what a check finds: each kind with a real example."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from docs.reference.markdown import block, sections
from neurallog_kernel import Notice, Session
from neurallog_kernel.explain.check import IMPORTANT

NOTICES: dict[str, str] = {
    "fact_again": "parent(ann, bob).\n0.5::parent(ann, bob).",
    "rule_again": "parent(ann, bob).\nold(X) :- parent(X, _).\nold(P) :- parent(P, _).",
    "self_rule": "parent(ann, bob).\nparent(X, Y) :- parent(X, Y).",
    "empty_predicate": "parent(ann, bob).\nold(X) :- parnet(X, _).",
    "empty_type": "learn(w).\nlikes(X, Y) :- w(X, Y).",
    "empty_template": 'parent(ann, bob).\nlearn("w/1").\n{t}(X) :- {t}(X, Y, Z), w(Y).',
    "unknown_learnable": "parent(ann, bob).\nlearn(wieght).",
    "unknown_function": "parent(ann, bob).\nold(X) :- parent(X, Y), squash(Y).\n"
    'set_predicate_parameter("squash/1", function_value, sigmoyd).',
    "without_effect": 'set_parameter(allow_sparse, "True").',
    "command_as_fact": "parent(ann, bob).\nlisting(parent).",
    "misspelt_directive": "lern(weight).\nold(X) :- parent(X, _), weight(old).\nparent(ann, bob).",
    "other_arity": "parent(ann, bob). parent(bob, cid).\nparent(dora).",
    "number_in_head": "age(ann, 31). friend(bob, ann).\n"
    "mean_age(X, A) :- friend(X, Y), age(Y, A), mean(A).",
    "number_as_fact": "w(0.5).",
    "new_weight": "learn(w). w(taste). old(ann).\nwise(X) :- old(X), w(tast).",
    "no_variable": "parent(ann, bob).\ngrandparent(x, z) :- parent(x, y), parent(y, z).",
    "shadowed_function": "tanh(ann).\nparent(ann, bob).\nold(X) :- parent(X, Y), tanh(Y).",
}
"""Programs that each give a notice of that kind when they are added."""

_FACTS = "parent(ann, bob). parent(bob, cid). likes(bob, cid). likes(cid, ann).\n"

FINDINGS: dict[str, str] = {
    "unknown_predicate": _FACTS + "old(X) :- parnet(X, _).",
    "single_variable": _FACTS + "old(X) :- parent(X, Y).",
    "negated_sum": _FACTS + "childless(X) :- likes(X, _), not parent(X, _).",
    "only_any": _FACTS + "happy(X, Y) :- parent(X, Y), likes(X, Z), likes(Z, _).",
    "disconnected": _FACTS + "happy(X, Y) :- parent(X, Y), likes(A, B), parent(A, B).",
    "separate_sums": _FACTS + "close(X, Y) :- parent(X, Z), parent(Z, Y), likes(Z, Y).",
    "function_on_ones": _FACTS + "near(X, Y) :- parent(X, _), tanh(Y).",
    "function_at_zero": _FACTS + "near(X, Z) :- parent(X, Y), sigmoid(Y), likes(Y, Z).",
    "unused_literal": _FACTS
    + "close(X, Y) :- parent(A, C), parent(B, C), likes(B, A), parent(B, Y).",
    "counted_twice": _FACTS
    + "0.5::old(ann).\nnear(X, Y) :- old(X), parent(X, Y), likes(Z, Y), parent(X, Z).",
    "empty_type": "learn(w).\nlikes(X, Y) :- w(X, Y).",
    "never_fires": _FACTS + "both(X, Y) :- parent(X, Y), likes(X, Y), parent(Y, X).",
    "cut_recursion": "next(a, b). next(b, c). next(c, d). next(d, e).\n"
    "after(X, Y) :- next(X, Y).\nafter(X, Y) :- next(X, Z), after(Z, Y).",
    "unsettled_recursion": "next(a, b). next(b, a).\n"
    "after(X, Y) :- next(X, Y).\nafter(X, Y) :- next(X, Z), after(Z, Y).\n"
    "set_parameter(recursion_depth, until_stable).",
    "expensive_question": _FACTS
    + "near(X, Y) :- parent(X, Z), likes(Z, Y).\nset_parameter(question_budget, 2).",
    "no_negatives": _FACTS
    + "learn(w).\nkind(X) :- likes(X, _), w(kind).\nexample(kind, bob). example(kind, cid).",
    "nothing_to_learn": _FACTS
    + "learn(w).\nold(X) :- parent(X, _), w(old).\nfan(X, Y) :- likes(X, Y).\n"
    "example(fan, bob, cid).",
    "unreached_learnable": _FACTS
    + "learn(w). learn(v).\nfan(X, Y) :- likes(X, Y), w(fan).\nold(X) :- parent(X, _), v(old).\n"
    "example(fan, bob, cid).",
}
"""Programs in each of which a check finds that."""


def noticed(program: str) -> tuple[Notice, ...]:
    """The notices of adding a program."""
    return Session().add(program, source="cell").notices


def found(program: str) -> tuple[Notice, ...]:
    """The findings of checking a program."""
    session = Session()
    session.add(program, source="cell")
    return session.check().found


def notices() -> str:
    """A section for each kind of notice."""
    return sections(_sections(NOTICES, noticed))


def findings() -> str:
    """A section for each kind of finding."""
    return sections(_sections(FINDINGS, found))


def _sections(programs: Mapping[str, str], ask) -> Iterator[str]:
    for kind, program in programs.items():
        mark = " ★" if programs is FINDINGS and kind in IMPORTANT else ""
        yield f"### {kind.replace('_', ' ').capitalize()}{mark}"
        yield block(program, "neurallog")
        first = next(one for one in ask(program) if one.kind == kind)
        yield block(_text(first))


def _text(notice: Notice) -> str:
    place = f"{notice.span}: " if notice.span else ""
    return f"{place}{notice.message}" + (f"\n    {notice.hint}" if notice.hint else "")
