"""Changing the program: a source or the functions, whole or not at all."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from neurallog_kernel.functions import Registry
from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.sources import SourceContents
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.update.clause_review import review_clauses
from neurallog_kernel.knowledge.update.definitions import next_definitions, next_users
from neurallog_kernel.knowledge.update.edit import Edit
from neurallog_kernel.knowledge.update.instances import fill_templates
from neurallog_kernel.knowledge.update.number_review import review_numbers
from neurallog_kernel.knowledge.update.retyping import retyped
from neurallog_kernel.knowledge.update.rule_review import (
    RuleReview,
    changed_functions,
    changed_roles,
)
from neurallog_kernel.knowledge.update.stamps import next_stamps, reached
from neurallog_kernel.knowledge.update.statements import (
    next_contributors,
    next_directives,
    next_evidence,
    relearned,
    stated_signatures,
)


def with_source(
    program: Program,
    contents: SourceContents,
    symbols: SymbolTable,
    strict: bool,
    registry: Registry | None = None,
) -> Program:
    """The program in which the source of that name says this, and stands where it stood or at the
    end; with other functions, if they are given."""
    sources = dict(program.sources)
    sources[contents.source] = contents  # a key that is there stays where it is
    if LEARNED in sources:  # what was learned goes before what was written
        sources[LEARNED] = sources.pop(LEARNED)
    return _next(Edit(program, sources, contents, symbols, strict, registry or program.registry))


def with_functions(program: Program, registry: Registry, symbols: SymbolTable) -> Program:
    """The program with these functions; itself if it has them."""
    if registry is program.registry:
        return program
    return _next(Edit(program, dict(program.sources), None, symbols, False, registry))


def without_source(program: Program, source: str, symbols: SymbolTable) -> Program:
    """The program without a source."""
    sources = dict(program.sources)
    del sources[source]
    return _next(Edit(program, sources, None, symbols, False, program.registry))


def with_source_as_before(
    program: Program,
    source: str,
    contents: SourceContents | None,
    order: Collection[str],
    symbols: SymbolTable,
    registry: Registry | None = None,
) -> Program:
    """The program in which a source says this again (None: it is gone) and stands where it stood,
    with the functions of then if they are given."""
    numbers = {name: number for number, name in enumerate(order)}
    sources = {name: found for name, found in program.sources.items() if name != source}
    if contents is not None:
        sources[source] = contents
    ordered = sorted(sources, key=lambda n: (n == LEARNED, numbers.get(n, len(numbers))))
    restored = {name: sources[name] for name in ordered}
    return _next(Edit(program, restored, contents, symbols, False, registry or program.registry))


def _next(edit: Edit) -> Program:
    """The steps of a change, in order; each is given what those before it found."""
    old = edit.old
    evidence = next_evidence(edit)
    directives = next_directives(edit)
    contributors = next_contributors(edit)
    relearned_rules = relearned(edit, directives.learned_rules)
    instances = fill_templates(edit, evidence, directives.learnables, contributors)
    touched = tuple(
        dict.fromkeys((*stated_signatures(edit), *sorted(relearned_rules), *instances.touched))
    )
    definitions = next_definitions(
        edit, touched, contributors, instances.by_head, directives.learned_rules
    )
    new = replace(
        old,
        registry=edit.registry,
        sources=edit.sources,
        definitions=definitions,
        contributors=contributors,
        learnables=directives.learnables,
        learned_rules=directives.learned_rules,
        parameters=directives.parameters,
        instances=instances.rules,
        evidence=evidence,
        users=next_users(edit, touched, definitions),
        version=edit.version,
    )
    functions = changed_functions(old, new)
    roles = changed_roles(edit, new, touched, functions)
    review_numbers(edit, new, touched, roles)
    RuleReview(edit, new).run(touched, roles | functions)
    review_clauses(edit, new)
    new, retyped_slots = retyped(edit, new, touched, roles, instances)
    retyped_predicates = {slot[:2] for slot in retyped_slots}
    changed = reached(old, new, touched, roles | functions | relearned_rules | retyped_predicates)
    stamps = next_stamps(old, new, changed)
    return replace(new, stamps=stamps, changed=changed, notices=tuple(edit.notices))
