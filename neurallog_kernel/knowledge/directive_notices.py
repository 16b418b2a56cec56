"""Remarks on the directives of a source: what changes nothing, and what names nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neurallog_kernel.errors import NeuralLogError, Notice, did_you_mean
from neurallog_kernel.knowledge.configured import configured_function
from neurallog_kernel.knowledge.parameter_table import without_effect
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.sources import Instruction
from neurallog_kernel.language.syntax import (
    Learn,
    LearnRuleWeights,
    SetParameter,
    SetPredicateParameter,
    Signature,
)


def directive_notices(program: Program, directives: Sequence[Instruction]) -> Iterator[Notice]:
    """The notices of one source's directives."""
    yield from without_effect(directives)
    learned = [directive for directive in directives if isinstance(directive, Learn)]
    if learned:
        yield from _unknown_learnables(program, learned)
    yield from _without_rules(program, directives)
    yield from _unused_checkpoints(program, directives)
    named: dict[str, Notice] = {}
    for directive in directives:
        is_setting = isinstance(directive, SetParameter | SetPredicateParameter)
        if is_setting and directive.path[0] == "function_value":
            for notice in _unknown_function(program, directive):
                named.setdefault(notice.message, notice)
    yield from named.values()


def _unknown_learnables(program: Program, learned: Sequence[Learn]) -> Iterator[Notice]:
    """A name that nothing has. With an arity it is a declaration, which templates use."""
    known: dict[Signature, None] = dict.fromkeys([*program.definitions, *program.users])
    names = {one for one, _ in known}
    for directive in learned:
        name, arity = directive.predicate, directive.arity
        if any(
            one.startswith(name) if directive.prefix else one == name and arity in (None, own)
            for one, own in known
        ):
            continue
        if arity is not None and name not in names:
            continue
        shown = f"prefix, {name}" if directive.prefix else name
        shown += "" if arity is None else f"/{arity}"
        yield Notice(
            "unknown_learnable",
            f"learn({shown}): no fact, rule or example names it",
            directive.span,
            did_you_mean(name, names) or "it is learned once a rule uses it",
        )


def _without_rules(program: Program, directives: Sequence[Instruction]) -> Iterator[Notice]:
    heads = [s for s, definition in program.definitions.items() if definition.rules]
    for directive in directives:
        if not isinstance(directive, LearnRuleWeights):
            continue
        name, arity = directive.predicate, directive.arity
        if not any(name == one and arity in (None, own) for one, own in heads):
            shown = name if arity is None else f"{name}/{arity}"
            yield Notice(
                "unknown_learnable",
                f"learn_rule_weights({shown}): it has no rules",
                directive.span,
                did_you_mean(name, {one for one, _ in heads}) or "it is learned once it has some",
            )


def _unused_checkpoints(program: Program, directives: Sequence[Instruction]) -> Iterator[Notice]:
    """A ModelCheckpoint keeps weights for `best_model`; no file is written."""
    used = {path[0] for path in program.parameters.below("best_model")}
    used.add(str(program.parameters.get("best_model")))
    for directive in directives:
        if not isinstance(directive, SetParameter) or directive.value != "ModelCheckpoint":
            continue
        name = directive.path[1]
        if directive.path[0] == "callback" and name not in used:
            yield Notice(
                "without_effect",
                f"callback {name} has no effect here: a program writes no files",
                directive.span,
                f"set_parameter(best_model, {name}, best_) ends with the weights of the best epoch",
            )


def _unknown_function(
    program: Program, directive: SetParameter | SetPredicateParameter
) -> Iterator[Notice]:
    predicate = ("", 0)
    if isinstance(directive, SetPredicateParameter):
        predicate = (directive.predicate, 1 if directive.arity is None else directive.arity)
    try:
        configured_function(program.parameters, program.registry, "function_value", predicate)
    except NeuralLogError as error:
        message = f"function_value: {error.message}; until it is known, the predicate is empty"
        yield Notice("unknown_function", message, directive.span, error.hint)
