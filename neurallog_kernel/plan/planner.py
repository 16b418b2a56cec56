"""From a program and a predicate to its network: literals open into facts and rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary, WeakValueDictionary

from neurallog_kernel.functions import (
    ADD,
    COMBINERS,
    MULTIPLY,
    Combiner,
    Top,
    top_named,
)
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.references import TypeRef
from neurallog_kernel.knowledge.rule_types import RuleTypes
from neurallog_kernel.language.syntax import Rule, Signature
from neurallog_kernel.observing import GRAPHS, PLAN, Observer, stage
from neurallog_kernel.plan.algebra import Algebra
from neurallog_kernel.plan.called_rule import called_rule
from neurallog_kernel.plan.closed_form import whole_vector
from neurallog_kernel.plan.exprs import (
    Call,
    Combine,
    Expr,
    ForEach,
    Input,
    RuleWeight,
)
from neurallog_kernel.plan.kept import Inputs, KeptLayers, rests_on
from neurallog_kernel.plan.layers import LiteralLayer, RuleLayer
from neurallog_kernel.plan.linear import Degrees, is_linear
from neurallog_kernel.plan.recursion import RecursiveGroups
from neurallog_kernel.plan.row_literal import Groups, given_numbers
from neurallog_kernel.plan.rule_planner import RuleReader
from neurallog_kernel.plan.sharing import CallChain, CallSizes, Size, opened, too_many
from neurallog_kernel.plan.stored_facts import StoredFacts
from neurallog_kernel.rulegraph import Dag, build_dag
from neurallog_kernel.rulegraph.graph import BodyLiteral

MOST_OPENED_AGAIN = 3_000  # calls that cannot be shared, because of functions between them


@dataclass
class Planner:
    """Builds literal layers and keeps them while what they rest on stays the same.

    `compiled` counts the literal layers that were really built. The weight of a rule is a node of
    its own in the plan if it is learned, and with `every_weight` always, so that a derivative can
    be asked for it; else a 1 is left out and equal weights are one node.
    """

    algebra: Algebra = field(default_factory=Algebra)
    compiled: int = 0
    every_weight: bool = False
    observer: Observer | None = None

    def __post_init__(self) -> None:
        self.stored = StoredFacts(self.algebra, self.every_weight)
        self._kept = KeptLayers()
        self._dags: WeakValueDictionary[tuple, Dag] = WeakValueDictionary()  # by rule and output
        self._sizes = CallSizes(RecursiveGroups())
        self._degrees: dict[int, Degrees] = {}  # by place
        self._sharing = False  # whether calls are planned once, where they can be
        self._opened_again = 0  # how many of these could not, for the question at hand

    def question(
        self,
        program: Program,
        signature: Signature,
        output: int | None = None,
        chain: CallChain = (),
        groups: Groups = (),
    ) -> LiteralLayer:
        """The layer that answers questions: with `output` as the open place (by default the last),
        the vector of a unary predicate, the number of one without arguments; `groups` as in
        `literal`."""
        arity = signature[1]
        if output is None or arity < 2:
            output = arity - 1 if arity else None
        opened = next((group for group in groups if output in group), (output,))
        inputs: Inputs = tuple(
            None
            if place in opened
            else self.algebra.input(place, self.domain(program, signature, place))
            for place in range(arity)
        )
        with stage(self.observer, PLAN) as noted:
            return noted(self.literal(program, signature, output, inputs, chain, groups))

    def domain(self, program: Program, signature: Signature, place: int) -> TypeRef:
        """The type of a place of a predicate."""
        return program.type_ref((*signature, place))

    def place_domain(self, program: Program, signature: Signature, place: int) -> TypeRef:
        """The type of what a rule has at a place: of declared numbers, the facts themselves."""
        if signature[1] > 2 and program.numeric(signature)[place]:
            return program.rows_ref(signature)
        return self.domain(program, signature, place)

    def body_literal(
        self,
        program: Program,
        literal: BodyLiteral,
        output: int,
        inputs: Inputs,
        chain: CallChain,
        groups: Groups,
    ) -> LiteralLayer:
        """A literal of a rule with two and more terms, from its other terms to its output."""
        signature = literal.signature
        if signature[1] < 3 or not any(program.numeric(signature)):
            return self.literal(program, signature, output, inputs, chain, groups)
        given = given_numbers(literal)
        return self.with_numbers(program, signature, output, inputs, groups, given)

    def with_numbers(
        self,
        program: Program,
        signature: Signature,
        output: int,
        inputs: Inputs,
        groups: Groups,
        given: Mapping[int, float],
    ) -> LiteralLayer:
        """A literal with declared numbers, of which some are given: its predicate has no rules."""
        facts = self.stored.with_numbers(program, signature, output, inputs, groups, given)
        zero = self.algebra.zero(self.place_domain(program, signature, output))
        return LiteralLayer(signature, output, inputs, facts, (), zero if facts is None else facts)

    def forget(self, program: Program) -> bool:
        """Drop the layers that an older version of the program made; whether there were any."""
        changed = self._kept.changed(program)
        self._sizes.forget(changed)
        return self._kept.forget(program, changed)

    # -- literals -------------------------------------------------------------------------------

    def literal(
        self,
        program: Program,
        signature: Signature,
        output: int | None,
        inputs: Inputs,
        chain: CallChain,
        groups: Groups = (),
    ) -> LiteralLayer:
        """A predicate's facts and rules for these inputs, within a chain of calls; `groups` are
        places that hold one term, of three and more."""
        chain = self._sizes.relevant(program, signature, chain)
        content = (program.stamp(signature), signature, output, inputs, chain, groups)
        kept = self._kept.literals.get((*content, self._sharing))
        if kept is not None:  # a large call is never kept as one that is not shared
            return kept
        size = self._sizes.of(program, signature, chain)
        before, self._sharing = self._sharing, self._sharing or size.is_large
        if not before:
            self._opened_again = 0
        key = (*content, self._sharing)
        try:
            kept = self._kept.literals.get(key) if self._sharing and not before else None
            if kept is not None:
                return kept
            called = None
            if not groups:
                called = self._called(program, signature, output, inputs, chain, size)
            layer = called or self._open(program, signature, output, inputs, chain, groups)
        finally:
            self._sharing = before
        self._kept.keep_literal(program, key, layer)
        return layer

    def _called(
        self,
        program: Program,
        signature: Signature,
        output: int | None,
        inputs: Inputs,
        chain: CallChain,
        size: Size,
    ) -> LiteralLayer | None:
        """Where very many rules would be opened: a call that is planned once, with its input open,
        if it is linear; else it must be opened for these inputs (None)."""
        given = [place for place, value in enumerate(inputs) if value is not None]
        if not self._sharing or size.is_small:
            return None
        if all(isinstance(inputs[place], Input) for place in given):
            return None
        opened_once: Inputs = tuple(
            None
            if value is None
            else self.algebra.input(place, self.domain(program, signature, place))
            for place, value in enumerate(inputs)
        )
        shared = self.literal(program, signature, output, opened_once, chain)
        if len(given) > 1 or not self._is_linear(shared.result, given[0]):
            self._opened_again += 1
            if self._opened_again > MOST_OPENED_AGAIN:
                what = f"more than {MOST_OPENED_AGAIN:,} ways that cannot be shared"
                raise too_many(program, signature, what)
            return None
        (place,) = given
        value = inputs[place]
        assert value is not None and shared.result.domain is not None
        result = self.algebra.call(value, shared.result, place, signature, shared.result.domain)
        facts = self.stored.facts(program, signature, output, inputs)
        return LiteralLayer(
            signature,
            output,
            inputs,
            facts,
            shared.rules,
            result,
            operation=shared.operation,
            shared=shared,
        )

    def _is_linear(self, expr: Expr, place: int) -> bool:
        return is_linear(expr, place, self._degrees.setdefault(place, WeakKeyDictionary()))

    def within(
        self, program: Program, signature: Signature, chain: CallChain
    ) -> tuple[CallChain, int]:
        """What of a chain of calls matters to a call, and how many rules are opened for it."""
        chain = self._sizes.relevant(program, signature, chain)
        return chain, self._sizes.of(program, signature, chain).openings

    def concept(self, program: Program, signature: Signature, chain: CallChain) -> LiteralLayer:
        """A unary predicate: the vector of its value at every entity."""
        with stage(self.observer, PLAN) as noted:
            return noted(self.literal(program, signature, 0, (None,), chain))

    def proposition(self, program: Program, signature: Signature, chain: CallChain) -> LiteralLayer:
        """A predicate without arguments: one number."""
        with stage(self.observer, PLAN) as noted:
            return noted(self.literal(program, signature, None, (), chain))

    def diagonal(self, program: Program, signature: Signature, chain: CallChain) -> LiteralLayer:
        """`r(e, .., e)` for every entity e (LANGUAGE 4.4): a layer with no place given."""
        with stage(self.observer, PLAN) as noted:
            return noted(self._diagonal(program, signature, chain))

    def _diagonal(self, program: Program, signature: Signature, chain: CallChain) -> LiteralLayer:
        arity = signature[1]
        nothing = (None,) * arity
        domain = self.domain(program, signature, 0)
        entity = self.algebra.input(0, domain)
        inputs = (*[entity] * (arity - 1), None)
        read = self.literal(program, signature, arity - 1, inputs, chain)
        if read.beyond_depth:
            zero = self.algebra.zero(domain)
            return LiteralLayer(signature, None, nothing, None, (), zero, beyond_depth=True)
        own = self.stored.diagonal(program, signature)
        total, multiply = self.algebra.total, self.algebra.multiply
        parts = [self.for_each(domain, total(multiply(entity, r.result))) for r in read.rules]
        both = parts if own is None else [own, *parts]
        result = self._either(read.operation, both, domain)
        return LiteralLayer(
            signature, None, nothing, own, read.rules, result, tuple(parts), read.operation
        )

    def _open(
        self,
        program: Program,
        signature: Signature,
        output: int | None,
        inputs: Inputs,
        chain: CallChain,
        groups: Groups,
    ) -> LiteralLayer:
        self.compiled += 1
        domain = None if output is None else self.domain(program, signature, output)
        if dict(chain).get(signature, 0) > program.depth(signature):
            zero = self.algebra.zero(domain)
            return LiteralLayer(signature, output, inputs, None, (), zero, beyond_depth=True)
        inside = opened(chain, signature)
        facts = self.stored.facts(program, signature, output, inputs, groups)
        basis = rests_on(program, signature)
        rules = tuple(
            self._rule(program, rule, basis(rule), output, inputs, inside, groups)
            for rule in program.definition(signature).rules
        )
        parts = [self._part(layer, signature, domain) for layer in rules]
        both = parts if facts is None else [facts, *parts]
        together = either_set(program, signature)
        result = self._either(together, both, domain)
        return LiteralLayer(signature, output, inputs, facts, rules, result, tuple(parts), together)

    def _part(self, layer: RuleLayer, signature: Signature, domain: TypeRef | None) -> Expr:
        """What a rule adds to its literal: a concept is computed for each entity."""
        if signature[1] == 1:
            assert domain is not None
            return self.for_each(domain, layer.result)
        return self.algebra.expand(layer.result, domain)

    def _either(self, together: Combiner | Top, parts: list[Expr], domain: TypeRef | None) -> Expr:
        if not parts:
            return self.algebra.zero(domain)
        if isinstance(together, Top):
            return self._best(together, parts, domain)
        if together is ADD:
            parts = self._calls_together(parts)
        return self.algebra.expand(self.algebra.combine_all(together, parts), domain)

    def _best(self, together: Top, parts: list[Expr], domain: TypeRef | None) -> Expr:
        """The noisy-or of the k largest: of all parts at once, not of one pair after the other."""
        if len(parts) == 1:
            return self.algebra.expand(parts[0], domain)
        whole = [self.algebra.expand(part, domain) for part in parts]
        return self.algebra.apply(together.of(len(parts)), whole)

    def _calls_together(self, parts: list[Expr]) -> list[Expr]:
        """Rules that end with the same call: x C + y C is (x + y) C, one call for them all."""
        calls: dict[tuple, Expr] = {}
        others: list[Expr] = []
        for part in parts:
            if not isinstance(part, Call):
                others.append(part)
                continue
            key = (part.body, part.place, part.signature, part.domain, part.inverted)
            known = calls.get(key)
            add = self.algebra.combine
            calls[key] = part.vector if known is None else add(ADD, known, part.vector)
        made = [
            self.algebra.call(vector, body, place, signature, domain, inverted)
            for (body, place, signature, domain, inverted), vector in calls.items()
        ]
        return others + made

    def for_each(self, domain: TypeRef, body: Expr) -> Expr:
        """The vector of `body` over all entities, in closed form where there is one."""
        whole = whole_vector(self.algebra, domain, body)
        if whole is not None and not whole.needs_sums:
            return whole.vector  # no dearer than the entities asked for
        return self.algebra.interner.make(
            ForEach, domain, body, None if whole is None else whole.vector
        )

    # -- rules ----------------------------------------------------------------------------------

    def _rule(
        self,
        program: Program,
        rule: Rule,
        basis: tuple,
        output: int | None,
        inputs: Inputs,
        chain: CallChain,
        groups: Groups,
    ) -> RuleLayer:
        """One rule for these inputs; kept while what it rests on stays the same."""
        key = (basis, rule, output, inputs, chain, groups, self._sharing)
        kept = self._kept.rules.get(key)
        if kept is not None:
            return kept
        called = called_rule(program, rule, inputs, groups)
        dag = self._dag(called.rule, output, called.types)
        layer = RuleReader(self, program, called, dag, chain).read()
        if called.never:
            layer = replace(layer, result=self.algebra.zero(layer.result.domain))
        self._kept.keep_rule(program, key, inputs, layer)
        return layer

    def weighted(self, program: Program, rule: Rule, result: Expr) -> Expr:
        """A rule's result times its weight."""
        if self.every_weight or rule.head.signature in program.learned_rules:
            weight = self.algebra.interner.make(RuleWeight, None, rule.weight, rule)
            return self.algebra.interner.make(Combine, result.domain, MULTIPLY, weight, result)
        if rule.weight == 1.0:
            return result
        return self.algebra.multiply(self.algebra.weight(rule.weight, "rule weight"), result)

    def dag(self, program: Program, rule: Rule, output: int | None, groups: Groups = ()) -> Dag:
        """The graph of a rule, as a call takes it with one term at the places of each group."""
        if groups:
            called = called_rule(program, rule, (None,) * rule.head.arity, groups)
            return self._dag(called.rule, output, called.types)
        return self._dag(rule, output, program.rule_types.get(rule))

    def _dag(self, rule: Rule, output: int | None, types: RuleTypes | None) -> Dag:
        compared, declared = ((), frozenset()) if types is None else (types.compared, types.numbers)
        key = (rule, output, compared, declared)
        found = self._dags.get(key)
        if found is None:
            with stage(self.observer, GRAPHS):
                found = self._dags[key] = build_dag(rule, output, compared, declared)
        return found


def either_set(program: Program, signature: Signature) -> Combiner | Top:
    """What a program sets OR to."""
    name = str(program.parameters.get("literal_combining_function", signature))
    return top_named(name) or COMBINERS[name]
