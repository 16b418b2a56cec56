"""Facts at places that are declared to hold numbers: what is no number there is refused."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from neurallog_kernel.errors import Notice, Span, TypeConflictError
from neurallog_kernel.knowledge.blocks import Block, row_keys
from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.number_places import NUMERIC
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.sources import Slot, SourceContents
from neurallog_kernel.knowledge.update.edit import Edit
from neurallog_kernel.language.syntax import SetPredicateParameter, Signature
from neurallog_kernel.language.words import is_number_name


def review_numbers(
    edit: Edit, new: Program, touched: Iterable[Signature], roles: set[Signature]
) -> None:
    """Look at what was added at declared places, and at all that is there if they are new."""
    for signature in sorted({*touched, *roles, *_newly_declared(edit, new)}):
        numeric = new.numeric(signature) if signature[1] > 2 else ()
        if not any(numeric):
            continue
        newly = edit.old.numeric(signature) != numeric
        sources = edit.sources.values() if newly else filter(None, (edit.added,))
        for contents in sources:
            for place, number in enumerate(numeric):
                if number:
                    _check(edit, contents, (*signature, place))
        _note_again(edit, new, signature, numeric)


def _newly_declared(edit: Edit, new: Program) -> set[Signature]:
    """The predicates with declared places, if settings changed; else no predicate is looked at."""
    if new.parameters.same_as(edit.old.parameters):
        return set()
    names = {name for (name, _), table in new.parameters.own.items() if (NUMERIC,) in table}
    return {s for s in new.definitions if s[0] in names} if names else set()


def _check(edit: Edit, contents: SourceContents, slot: Slot) -> None:
    """Raise an error at the first name of a source that is no number."""
    symbols = contents.constants.get(slot, np.zeros(0, np.int32)).tolist()
    names = dict(zip(symbols, edit.symbols.names(symbols), strict=True))
    wrong = {symbol: name for symbol, name in names.items() if not is_number_name(name)}
    if not wrong:
        return
    predicate, arity, place = slot
    symbol, name = next(iter(wrong.items()))
    where = _where(contents, slot, symbol)
    declared = _declaration(edit, slot[:2])
    is_later = edit.added is contents or declared is None
    here = f"place {place + 1} of {predicate}/{arity} is declared to hold numbers"
    raise TypeConflictError(
        f"{here}, and holds {name}" + ("" if is_later else f" at {where}"),
        where if is_later else declared,
        "write a number there; or take the declaration back, for numbers that are names",
    )


def _declaration(edit: Edit, signature: Signature) -> Span | None:
    """Where the source that is added declares places of a predicate."""
    for one in edit.added.directives if edit.added else ():
        if not isinstance(one, SetPredicateParameter) or one.path != (NUMERIC,):
            continue
        if one.predicate == signature[0] and one.arity in (None, signature[1]):
            return one.span
    return None


def _where(contents: SourceContents, slot: Slot, symbol: int) -> Span | None:
    """The first fact or example with a symbol at a place."""
    first = contents.evidence.get(slot)
    if first is not None and len(contents.constants[slot]) == 1:
        return first.span
    examples = [b for (_, signature), b in contents.examples.items() if signature == slot[:2]]
    for block in (contents.facts.get(slot[:2]), *examples):
        rows = () if block is None else np.flatnonzero(block.entities[slot[2]] == symbol)
        if block is not None and len(rows):
            line = max(1, int(block.lines[rows].min()))
            return Span(contents.source, line, 1, line, 1)
    literals = (x for rule in contents.rules for x in (rule.head, *rule.body))
    return next((x.span for x in literals if x.signature == slot[:2]), None)


def _note_again(edit: Edit, new: Program, signature: Signature, numeric: tuple[bool, ...]) -> None:
    """Facts that differ in their numbers only are one fact: the last counts."""
    added = edit.added.facts.get(signature) if edit.added else None
    if added is None or added.source == LEARNED:
        return
    blocks = [b for b in new.definition(signature).facts if b.source != LEARNED]
    keys = [_entity_keys(block, numeric) for block in blocks]
    known, times = np.unique(np.concatenate(keys), return_counts=True)
    mine = np.isin(known, _entity_keys(added, numeric))
    again = int((times[mine] - 1).sum())
    if again:
        name = f"{signature[0]}/{signature[1]}"
        edit.notices.append(
            Notice(
                "fact_again",
                f"{again} fact{'s' if again > 1 else ''} of {name} defined more than once, with "
                "other numbers",
                hint="the last definition counts",
            )
        )


def _entity_keys(block: Block, numeric: tuple[bool, ...]) -> np.ndarray:
    chosen = [c for c, number in zip(block.entities, numeric, strict=True) if not number]
    return row_keys(chosen, len(block))
