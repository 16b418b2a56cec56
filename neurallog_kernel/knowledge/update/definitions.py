"""All that the program says of a predicate, collected from its sources; who uses whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from neurallog_kernel.errors import Notice, TableError
from neurallog_kernel.knowledge.attached import AttachedTable
from neurallog_kernel.knowledge.blocks import Block
from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.persistent_dict import Layers
from neurallog_kernel.knowledge.program import Definition, Learnables
from neurallog_kernel.knowledge.rule_weights import RuleKey, rule_key, with_weights
from neurallog_kernel.knowledge.update.edit import Edit
from neurallog_kernel.language.printer import format_clause
from neurallog_kernel.language.syntax import Rule, Signature


def next_definitions(
    edit: Edit,
    touched: Iterable[Signature],
    contributors: Mapping[Signature, tuple[str, ...]],
    instances: Mapping[Signature, list[Rule]],
    learned_rules: Learnables,
) -> Layers[Signature, Definition]:
    """The definitions, those of the touched predicates collected anew."""
    definitions = Layers.of(edit.old.definitions)
    for signature in touched:
        sources = contributors.get(signature, ())
        definition = _collect(edit, signature, sources, instances.get(signature, ()), learned_rules)
        if definition.is_known:
            definitions[signature] = definition
        else:
            definitions.pop(signature, None)
    return definitions


def next_users(
    edit: Edit, touched: Iterable[Signature], definitions: Mapping[Signature, Definition]
) -> Layers[Signature, frozenset[Signature]]:
    """For each predicate the heads of the rules that name it."""
    table = Layers.of(edit.old.users)
    more: dict[Signature, set[Signature]] = {}  # one predicate may have thousands of users
    less: dict[Signature, set[Signature]] = {}
    for signature in touched:
        old, new = edit.old.definition(signature), definitions.get(signature, Definition(signature))
        for rule in new.rules:
            for literal in rule.body if rule not in old.rule_keys else ():
                more.setdefault(literal.signature, set()).add(signature)
        for called in _named([r for r in old.rules if r not in new.rule_keys], but_not=new.rules):
            less.setdefault(called, set()).add(signature)
    for called, users in less.items():
        left = table.get(called, frozenset()) - users
        if left:
            table[called] = left
        else:
            table.pop(called, None)
    for called, users in more.items():
        before = table.get(called, frozenset())
        if not users <= before:
            table[called] = before | users
    return table


def _named(gone: Sequence[Rule], but_not: Sequence[Rule]) -> set[Signature]:
    """The predicates that only rules which are gone named."""
    if not gone:
        return set()
    named = {literal.signature for rule in gone for literal in rule.body}
    return named - {literal.signature for rule in but_not for literal in rule.body}


def _collect(
    edit: Edit,
    signature: Signature,
    sources: Sequence[str],
    instances: Sequence[Rule],
    learned_rules: Learnables,
) -> Definition:
    facts: list[Block] = []
    attached: list[AttachedTable] = []
    examples: list[Block] = []
    rules: list[Rule] = []
    named = False
    for source in sources:
        contents = edit.sources[source]
        if signature in contents.facts:
            facts.append(contents.facts[signature])
        if signature in contents.attached:
            attached.append(contents.attached[signature])
        examples += [b for (_, s), b in contents.examples.items() if s == signature]
        named = named or signature in contents.open_signatures
        rules += contents.rules_by_head.get(signature, ())
    rules += instances
    _note_overwritten(edit, signature, facts)
    old = edit.old.definition(signature)
    keys = _distinct(edit, rules, old.rule_keys)
    learned = edit.sources[LEARNED].rule_weights.get(signature) if LEARNED in edit.sources else None
    if learned and signature in learned_rules:
        keys = with_weights(keys, learned)
    kept = tuple(keys)
    if old.rules == kept:
        kept, keys = old.rules, old.rule_keys  # what is known of these objects stays known
    table = _one_table(signature, attached)
    stamp = old.facts_stamp if old.has_facts(facts, table) else edit.version
    return Definition(signature, tuple(facts), kept, tuple(examples), named, keys, stamp, table)


def _one_table(signature: Signature, attached: Sequence[AttachedTable]) -> AttachedTable | None:
    if len(attached) > 1:
        name, (first, second, *_) = f"{signature[0]}/{signature[1]}", attached
        raise TableError(
            f"the facts of {name} are attached already, from {first.table}: "
            f"{second.table} cannot be attached beside it",
            hint=f"remove({first.source!r}) first, or attach a view of both tables",
        )
    return attached[0] if attached else None


def _note_overwritten(edit: Edit, signature: Signature, blocks: Sequence[Block]) -> None:
    if edit.added is None or edit.added.source == LEARNED:
        return
    mine = [block for block in blocks if block.source == edit.added.source]
    for block in mine:
        again = block.overwritten
        others = [o for o in blocks if o is not block and o.source != LEARNED]
        again += sum(block.overlap(other) for other in others)
        if again:
            name = f"{signature[0]}/{signature[1]}"
            edit.notices.append(
                Notice(
                    "fact_again",
                    f"{again} fact{'s' if again > 1 else ''} of {name} defined more than once",
                    hint="the last definition counts",
                )
            )


def _distinct(
    edit: Edit, rules: Iterable[Rule], known: Mapping[Rule, RuleKey]
) -> dict[Rule, RuleKey]:
    """The rules that say something new, each with its key."""
    seen: set[RuleKey] = set()
    kept: dict[Rule, RuleKey] = {}
    for rule in rules:
        key = known.get(rule) or rule_key(rule)
        if key in seen:
            _note_rule(edit, rule, "rule_again", "equals an earlier one and is kept once")
        elif len(rule.body) == 1 and rule.body[0] == rule.head:
            _note_rule(edit, rule, "self_rule", "says nothing new and is left out")
        else:
            seen.add(key)
            kept[rule] = key
    return kept


def _note_rule(edit: Edit, rule: Rule, kind: str, what: str) -> None:
    if edit.wrote(rule):
        edit.notices.append(Notice(kind, f"the rule {format_clause(rule)} {what}", rule.span))
