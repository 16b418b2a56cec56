"""Clauses that are legal and probably not meant: a command or a misspelt directive as a fact, an
argument too few or too many, a number in the place of a weight, a weight whose name is nearly that
of another, a rule whose variables are written with small letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from neurallog_kernel.errors import Notice, Span, nearest
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.example_sets import TEST_SET, TRAINING_SET, VALIDATION_SET
from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.parameter_table import PARAMETERS
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.update.edit import Edit
from neurallog_kernel.language.printer import format_number
from neurallog_kernel.language.prolog import command_advice
from neurallog_kernel.language.syntax import (
    DIRECTIVES,
    Constant,
    Literal,
    Rule,
    Signature,
    Variable,
)

_SETS = frozenset({TRAINING_SET, VALIDATION_SET, TEST_SET})
_LETTERS = re.compile(r"[^\W\d_]")
WEIGHTS_COMPARED = 100  # stated weights of a predicate, for a name that is like theirs
MOST_ARGUMENTS = 6  # predicates of the same name are looked for up to here


def review_clauses(edit: Edit, new: Program) -> None:
    """Look at the clauses that are added; whatever is remarked stops nothing."""
    if edit.added is None or edit.added.source == LEARNED:
        return
    for signature, block in edit.added.facts.items():
        if signature not in new.users and _is_for_a_directive(edit, new, block):
            edit.notices.extend(_of_a_directive(signature, block))
        if len(block) == 1:
            edit.notices.extend(_of_a_single_fact(edit, new, signature, block))
    for rule in edit.added.rules:
        edit.notices.extend(_of_small_letters(edit, new, rule))
        edit.notices.extend(_of_new_weights(edit, new, rule))


def _is_for_a_directive(edit: Edit, new: Program, block: Block) -> bool:
    """Whether a fact has a predicate, a parameter or a set where directives have one."""
    for column in block.entities[:2]:
        name = edit.symbols.name(int(column[0]))
        if name in PARAMETERS or name in _SETS:
            return True
        bare = name.partition("/")[0]
        signatures = [(bare, arity) for arity in range(MOST_ARGUMENTS)]
        if any(one in new.definitions or one in new.users for one in signatures):
            return True
    return False


def _of_a_directive(signature: Signature, block: Block) -> Iterator[Notice]:
    """For a fact as `lern(w)`: the name is like that of a directive."""
    name, arity = signature
    meant = nearest(name, DIRECTIVES)
    if meant is not None:
        line = int(block.lines[0])
        message = f"{name}/{arity} is read as a fact, not as a directive"
        span = Span(block.source, line, 1, line, 1)
        yield Notice("misspelt_directive", message, span, f"did you mean {meant}?")


def _of_a_single_fact(
    edit: Edit, new: Program, signature: Signature, block: Block
) -> Iterator[Notice]:
    name, arity = signature
    line = int(block.lines[0])
    span = Span(block.source, line, 1, line, 1)
    advice = command_advice(name, arity)
    if advice:
        message = f"{name}/{arity} is read as a fact, not as a command"
        yield Notice("command_as_fact", message, span, advice)
    elif block.numeric == (True,) and _is_a_weight(new, name, float(block.numbers[0][0])):
        number = format_number(float(block.numbers[0][0]))
        message = f"{name}({number}) is a fact about the number {number}"
        yield Notice("number_as_fact", message, span, f"for a weight write {number}::{name}.")
    elif signature not in edit.old.definitions:
        for other in range(1, MOST_ARGUMENTS):
            facts = sum(map(len, new.definition((name, other)).facts)) if other != arity else 0
            if facts > 1:
                message = f"{name}/{arity} is new: it is another predicate than {name}/{other}"
                hint = f"{name}/{other} has {facts} facts; write {other} arguments if you mean it"
                yield Notice("other_arity", message, span, hint)
                return


def _is_a_weight(new: Program, name: str, number: float) -> bool:
    """Whether a number in brackets is probably meant as the weight of a fact without arguments."""
    plain = (name, 0)
    return not number.is_integer() or plain in new.definitions or plain in new.users


def _of_new_weights(edit: Edit, new: Program, rule: Rule) -> Iterator[Notice]:
    """A learned weight that no fact states, and whose name is nearly that of one."""
    for literal in rule.body:
        if literal.arity > 1 or literal.signature not in new.learnables:
            continue
        if literal.arity == 0:
            yield from _of_a_weight_without_name(new, literal)
            continue
        (term,) = literal.terms
        blocks = _facts(new, literal)
        if not isinstance(term, Constant) or not 0 < sum(map(len, blocks)) <= WEIGHTS_COMPARED:
            continue
        symbols = (symbol for block in blocks for column in block.entities for symbol in column)
        stated = [edit.symbols.name(int(symbol)) for symbol in symbols]
        near = None if term.name in stated else nearest(term.name, stated)
        if near is not None and _LETTERS.findall(near) != _LETTERS.findall(term.name):
            yield Notice(
                "new_weight",
                f"{literal.predicate}({term.name}) is a new weight: no fact states it",
                literal.span,
                f"did you mean {literal.predicate}({near})?",
            )


def _of_a_weight_without_name(new: Program, literal: Literal) -> Iterator[Notice]:
    named = sum(map(len, new.definition((literal.predicate, 1)).facts))
    if named and not new.definition(literal.signature).facts:
        message = f"{literal.predicate} is a new weight: no fact states it"
        hint = f"{literal.predicate}/1 has facts: name one of them, as in {literal.predicate}(a)"
        yield Notice("new_weight", message, literal.span, hint)


def _of_small_letters(edit: Edit, new: Program, rule: Rule) -> Iterator[Notice]:
    """A rule without any variable, in which unknown names link the literals as variables would."""
    literals = (rule.head, *rule.body)
    terms = [term for literal in literals for term in literal.terms]
    if not rule.head.terms or any(isinstance(term, Variable) for term in terms):
        return
    places = Counter(
        term.name
        for literal in literals
        for term in set(literal.terms)
        if isinstance(term, Constant)
    )
    linking = sorted(name for name, count in places.items() if count > 1)
    if len(rule.body) < 2 or not linking or any(_is_known(edit, new, rule, n) for n in linking):
        return
    variables = ", ".join(name[:1].upper() + name[1:] for name in linking)
    yield Notice(
        "no_variable",
        f"the rule for {rule.head.predicate}/{rule.head.arity} has no variable: "
        f"{', '.join(linking)} are names, which no fact mentions",
        rule.span,
        f"a variable starts with a capital letter: write {variables}",
    )


def _is_known(edit: Edit, new: Program, rule: Rule, name: str) -> bool:
    """Whether a fact of a predicate in the body mentions the name."""
    symbol = edit.symbols.find(name)
    blocks = [block for literal in rule.body for block in _facts(new, literal)]
    return any(bool((column == symbol).any()) for block in blocks for column in block.entities)


def _facts(new: Program, literal: Literal) -> tuple[Block, ...]:
    return new.definition(literal.signature).facts
