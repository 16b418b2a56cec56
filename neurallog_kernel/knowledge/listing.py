"""The text of a program, as it is now: what a fresh session would need to give the same answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from neurallog_kernel.knowledge.attached_types import AttachedType
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.program import Definition, Program
from neurallog_kernel.knowledge.rule_weights import RuleKey, rule_key
from neurallog_kernel.knowledge.sources import SourceContents
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import (
    PROGRAM_SET,
    Clause,
    Constant,
    Example,
    ExampleSet,
    Fact,
    Literal,
    MegaExample,
    Number,
    Rule,
    Signature,
    Term,
)


def listing(program: Program, symbols: SymbolTable) -> str:
    """Source by source: directives, facts by predicate, rules, examples by set; one clause a
    line."""
    parts = []
    for contents in program.sources.values():
        lines = [f"% {_one_line(table.described)}" for table in contents.attached.values()]
        lines += [format_clause(clause) for clause in _clauses(program, contents, symbols)]
        if lines:
            parts.append("\n".join([f"% {_one_line(contents.source)}", *lines]))
    return "\n\n".join(parts) + ("\n" if parts else "")


def contents_as_text(contents: SourceContents, symbols: SymbolTable) -> tuple[str, dict[str, str]]:
    """What one source says, whatever others say: its text, and the ground examples of each set
    but the program's own as plain atoms, which are read fastest."""
    clauses: list[Clause] = [*contents.directives]
    for block in contents.facts.values():
        clauses += (Fact(atom, float(block.weights[row])) for row, atom in _atoms(block, symbols))
    clauses += [*contents.rules, *contents.templates]
    ground = _ground_examples(contents, symbols)
    own = ground.pop(PROGRAM_SET, [])
    clauses += _by_set(_joined(contents.open_examples, {PROGRAM_SET: own}))
    atoms = {
        name: _lines(Fact(example.atom, example.weight) for example in examples)
        for name, examples in ground.items()
    }
    return _lines([*clauses, *contents.queries]), atoms


def _ground_examples(
    contents: SourceContents, symbols: SymbolTable
) -> dict[str, list[Example | MegaExample]]:
    """By set, in the order in which the sets come first; in a set by predicate."""
    sets: dict[str, list[Example | MegaExample]] = {}
    for (which, _), block in contents.examples.items():
        for row, atom in _atoms(block, symbols):
            sets.setdefault(which, []).append(Example(atom, float(block.weights[row]), which))
    return sets


def _joined(
    opened: Iterable[Example | MegaExample], sets: Mapping[str, list[Example | MegaExample]]
) -> dict[str, list[Example | MegaExample]]:
    """Open examples go first: of equal atoms the last counts."""
    joined: dict[str, list[Example | MegaExample]] = {}
    for example in opened:
        joined.setdefault(example.set, []).append(example)
    for name, examples in sets.items():
        joined.setdefault(name, []).extend(examples)
    return joined


def _by_set(sets: Mapping[str, Sequence[Example | MegaExample]]) -> Iterator[Clause]:
    """The program's own examples, then those of each other set under its name; what follows in the
    text is in the program's set again."""
    yield from sets.get(PROGRAM_SET, ())
    named = {name: examples for name, examples in sets.items() if name != PROGRAM_SET}
    for name, examples in named.items():
        yield ExampleSet(name)
        yield from examples
    if named:
        yield ExampleSet(PROGRAM_SET)


def _lines(clauses: Iterable[Clause]) -> str:
    return "".join(f"{format_clause(clause)}\n" for clause in clauses)


def _clauses(program: Program, contents: SourceContents, symbols: SymbolTable) -> Iterator:
    yield from contents.directives
    for block in contents.facts.values():
        gone = _replaced(block, _later_blocks(program, block))
        if contents.source == LEARNED:
            gone |= _of_nobody(program, block)
        for row, atom in _atoms(block, symbols, gone):
            yield Fact(atom, float(block.weights[row]))
    yield from _live(program, contents.rules)
    for template in contents.templates:
        yield from _live_template(program, template)
    yield from _by_set(_joined(contents.open_examples, _ground_examples(contents, symbols)))


def _live_template(program: Program, template: Rule) -> Iterator[Rule]:
    """The template, or its rules if they have learned weights of their own."""
    made = [rule for rule in program.instances if rule.span == template.span]
    live = list(_live(program, made))
    yield from live if any(rule.stated is not None for rule in live) else [template]


def _live(program: Program, rules: Iterable[Rule]) -> Iterator[Rule]:
    """The rules of a source with the weights that they have now."""
    tables: dict[Signature, dict[RuleKey, Rule]] = {}
    for rule in rules:
        head = rule.head.signature
        if head not in program.learned_rules:
            yield rule
            continue
        if head not in tables:
            tables[head] = _told_apart(program.definition(head))
        yield tables[head].get(rule_key(rule), rule)


def _told_apart(definition: Definition) -> dict[RuleKey, Rule]:
    """The rules by what names them. Two that differ in their stated weights only may have learned
    the same one: the last digit then keeps them from being read back as one rule. Of those that
    give nothing one is enough."""
    found: dict[RuleKey, Rule] = {}
    seen: set[RuleKey] = set()
    for rule, key in definition.rule_keys.items():
        while rule.weight and (rule.weight, key[1]) in seen:
            rule = replace(rule, weight=float(np.nextafter(rule.weight, np.inf)))
        seen.add((rule.weight, key[1]))
        found[key] = rule
    return found


def _later_blocks(program: Program, block: Block) -> list[Block]:
    blocks = program.definition(block.signature).facts
    return list(blocks[blocks.index(block) + 1 :])


def _replaced(block: Block, later: Iterable[Block]) -> np.ndarray:
    """Which rows a later block states anew."""
    gone = np.zeros(len(block), dtype=bool)
    for other in later:
        gone |= other.rows_with(block.keys) >= 0
    return gone


def _of_nobody(program: Program, block: Block) -> np.ndarray:
    """Which rows are about an entity that went with its source: they count for nothing until it
    comes back. Whether a database has an entity is not asked."""
    gone = np.zeros(len(block), dtype=bool)
    places = [place for place, numeric in enumerate(block.numeric) if not numeric]
    for place, column in zip(places, block.entities, strict=True):
        kind = program.entity_type((*block.signature, place))
        if not isinstance(kind, AttachedType):
            gone |= kind.positions(column) < 0
    return gone


def _atoms(
    block: Block, symbols: SymbolTable, gone: np.ndarray | None = None
) -> Iterator[tuple[int, Literal]]:
    """The rows of a block in the order of the text, without those that are gone."""
    for row in _in_text_order(block, symbols):
        if gone is None or not gone[row]:
            yield row, Literal(block.signature[0], _terms(block, row, symbols))


def _in_text_order(block: Block, symbols: SymbolTable) -> list[int]:
    """As written; where that is not known, by line and on one line by name, because the numbers of
    symbols tell a session's history."""
    if block.order is not None:
        return block.order.tolist()
    order = np.argsort(block.lines, kind="stable")
    lines = block.lines[order]
    if len(lines) < 2 or np.all(lines[1:] != lines[:-1]):
        return order.tolist()

    def key(row: int) -> tuple:
        names = (symbols.name(int(column[row])) for column in block.entities)
        return (int(block.lines[row]), *names)

    return sorted(order.tolist(), key=key)


def _terms(block: Block, row: int, symbols: SymbolTable) -> tuple[Term, ...]:
    entities, numbers = iter(block.entities), iter(block.numbers)
    return tuple(
        Number(float(next(numbers)[row]))
        if numeric
        else Constant(symbols.name(int(next(entities)[row])))
        for numeric in block.numeric
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
