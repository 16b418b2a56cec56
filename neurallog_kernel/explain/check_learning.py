"""Checks of what is learned from what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from neurallog_kernel.errors import Notice, Span
from neurallog_kernel.knowledge.example_sets import set_sizes, training_set
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import Learn, Rule, Signature

if TYPE_CHECKING:
    from neurallog_kernel.explain.check import Checked


def targets(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """Targets that cannot be learned: no negatives, or nothing to change."""
    program = checked.program
    if not program.learn_directives:
        return
    for signature, (labels, span) in _targets(program).items():
        name = f"{signature[0]}/{signature[1]}"
        closed = signature[1] > 1 and program.parameters.get("unlisted", signature) != "unknown"
        if len(labels) and not closed and (labels > 0).all():
            yield Notice(
                "no_negatives",
                f"all {len(labels):,} examples of {name} are positive, and nothing else counts as "
                "false: the best that training can do is to say yes to everything",
                span,
                f"add examples with weight 0, as in 0::example({signature[0]}, ...).",
            )
        if not any(_is_learned(program, other) for other in reach(program, signature)):
            yield Notice(
                "nothing_to_learn",
                f"{name} has examples, but no learnable predicate is in its rules: training cannot "
                "change its answers",
                span,
                "put a learned weight into a rule, as in w(w1) with learn(w).",
            )


def _is_learned(program: Program, signature: Signature) -> bool:
    rules = program.definition(signature).rules
    return signature in program.learnables or bool(rules and signature in program.learned_rules)


def unreached(checked: Checked, rules: Sequence[Rule]) -> Iterator[Notice]:
    """Learnable predicates that no example can teach."""
    program = checked.program
    found = _targets(program)
    if not found:
        return
    reached = {other for target in found for other in reach(program, target)}
    named = {literal.signature for rule in program.rules() for literal in rule.body}
    for directive in program.learn_directives:
        mine = {
            s
            for s in {*program.predicates(), *named, *reached}
            if (
                s[0].startswith(directive.predicate)
                if isinstance(directive, Learn) and directive.prefix
                else s[0] == directive.predicate
            )
            and directive.arity in (None, s[1])
        }
        if not mine & reached:
            arity = "" if directive.arity is None else f"/{directive.arity}"
            yield Notice(
                "unreached_learnable",
                f"{directive.predicate}{arity} is to be learned, but no rule of a predicate with "
                "examples uses it",
                directive.span,
                "use it in a rule of a predicate that has examples, or remove the directive",
            )


def reach(program: Program, signature: Signature) -> set[Signature]:
    """The predicates that an answer can rest on."""
    found = {signature}
    queue = [signature]
    while queue:
        for rule in program.definition(queue.pop()).rules:
            for literal in rule.body:
                if literal.signature not in found:
                    found.add(literal.signature)
                    queue.append(literal.signature)
    return found


def _targets(program: Program) -> dict[Signature, tuple[np.ndarray, Span | None]]:
    """The labels of each predicate that training would learn, and where the first stands."""
    sets = set_sizes(program)
    chosen = training_set(program)
    learned_from = {chosen} if chosen in sets else set(sets)
    labels: dict[Signature, list[np.ndarray]] = {}
    places: dict[Signature, Span | None] = {}
    for contents in program.sources.values():
        for (name, signature), block in contents.examples.items():
            if name not in learned_from:
                continue
            labels.setdefault(signature, []).append(block.weights)
            line = int(block.lines.min()) if len(block) else 1
            places.setdefault(signature, Span(block.source, line, 1, line, 1))
        for example in contents.open_examples:
            if example.set not in learned_from:
                continue
            labels.setdefault(example.atom.signature, []).append(np.array([example.weight]))
            places.setdefault(example.atom.signature, example.span)
    return {s: (np.concatenate(found), places[s]) for s, found in labels.items()}
