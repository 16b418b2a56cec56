"""Rules that a change may make wrong are checked again: their own, and those that name a predicate
whose role or function is another now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from neurallog_kernel.errors import Notice, UnknownPredicateError
from neurallog_kernel.knowledge.checks import check_function, check_rule, empty_notice
from neurallog_kernel.knowledge.directive_notices import directive_notices
from neurallog_kernel.knowledge.near_names import known_names, nearest_known
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.roles import Role
from neurallog_kernel.knowledge.update.edit import Edit
from neurallog_kernel.language.printer import format_term
from neurallog_kernel.language.syntax import Literal, Rule, Signature, Variable

NAMES_COMPARED = 50  # unknown predicates of one change for which a near name is looked for


def changed_functions(old: Program, new: Program) -> set[Signature]:
    """What the bodies of rules name that is another function now, or no longer one."""
    if new.registry is old.registry:
        return set()
    return {s for s in new.users if old.function(s) is not new.function(s)}


def changed_roles(
    edit: Edit, new: Program, touched: Iterable[Signature], functions: set[Signature]
) -> set[Signature]:
    """The predicates that have another role now, or numbers in other places."""
    old = edit.old
    suspects = set(touched) | functions
    suspects |= {slot[:2] for contents in edit.changed_sources for slot in contents.evidence}
    if new.learnables != old.learnables or not new.parameters.same_as(old.parameters):
        suspects |= set(new.users)
    return {s for s in suspects if (old.role(s), old.numeric(s)) != (new.role(s), new.numeric(s))}


@dataclass(frozen=True)
class RuleReview:
    """Checks rules of the new program; errors are raised, notices go to the edit."""

    edit: Edit
    new: Program
    nearest: dict[Signature, str | None] = field(default_factory=dict)

    def run(self, touched: Iterable[Signature], others: set[Signature]) -> None:
        """Check the rules of the touched predicates, and those that name one of the others."""
        old = self.edit.old
        heads = set(touched)
        for signature in others:
            heads |= self.new.users.get(signature, frozenset()) | {signature}
        for signature in sorted(heads):
            fresh = others or signature not in old.definitions
            for rule in self.new.definition(signature).rules:
                if fresh or rule not in old.rule_types or self.edit.wrote(rule):
                    self._check_rule(rule)
        if self.edit.added and self.edit.added.directives:
            self.edit.notices.extend(directive_notices(self.new, self.edit.added.directives))

    def _check_rule(self, rule: Rule) -> None:
        check_rule(rule, self.new.role, self.new.numeric)
        if self.edit.wrote(rule):
            self._note_numbers(rule)
        for literal in rule.body:
            role = self.new.role(literal.signature)
            function = self.new.function(literal.signature)
            if role is Role.FUNCTION and function is not None:
                check_function(literal, function)
            elif role is Role.EMPTY:
                self._report_empty(rule, literal)
            elif literal.predicate in self.new.registry and self.new.is_known(literal.signature):
                self._note_shadow(literal)

    def _report_empty(self, rule: Rule, literal: Literal) -> None:
        notice = empty_notice(rule, literal, self._nearest(literal.signature))
        if self.edit.strict:
            raise UnknownPredicateError(notice.message, notice.span, notice.hint)
        if self.edit.wrote(rule):
            self.edit.notices.append(notice)

    def _nearest(self, signature: Signature) -> str | None:
        """The known predicate whose name is nearest; of very many unknown ones nobody reads it."""
        if signature not in self.nearest and len(self.nearest) < NAMES_COMPARED:
            self.nearest[signature] = nearest_known(signature, known_names(self.new))
        return self.nearest.get(signature)

    def _note_numbers(self, rule: Rule) -> None:
        """A head has entities: where a number stands in it, its owner is the answer."""
        for literal in rule.body if rule.head.arity > 1 else ():
            if self.new.role(literal.signature) is not Role.ATTRIBUTE:
                continue
            for term, is_number in zip(
                literal.terms, self.new.numeric(literal.signature), strict=True
            ):
                if is_number and isinstance(term, Variable) and term in rule.head.terms:
                    self._note_number(rule, term)

    def _note_number(self, rule: Rule, term: Variable) -> None:
        name, place = rule.head.predicate, rule.head.terms.index(term) + 1
        rest = ", ".join(format_term(one) for one in rule.head.terms if one != term)
        notice = Notice(
            "number_in_head",
            f"{term.name} is a number, and a head has entities: place {place} of "
            f"{name}/{rule.head.arity} is the owner of the number",
            rule.head.span,
            f"leave it out: the weight of {name}({rest}) is the number",
        )
        if notice not in self.edit.notices:
            self.edit.notices.append(notice)

    def _note_shadow(self, literal: Literal) -> None:
        name = f"{literal.predicate}/{literal.arity}"
        notice = Notice(
            "shadowed_function",
            f"{name} has clauses of its own, so it is not the function of that name",
            literal.span,
            f"rename the predicate to use the function {literal.predicate}",
        )
        if notice not in self.edit.notices:
            self.edit.notices.append(notice)
