"""The facts of a program as expressions: predicates of any arity, attributes and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neurallog_kernel.functions import COMBINERS, COMPARISONS, Combiner
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.references import FactForm
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.plan.algebra import Algebra
from neurallog_kernel.plan.exprs import (
    Attribute,
    Compared,
    Expr,
    Facts,
    FactWeight,
    NumericFact,
)
from neurallog_kernel.plan.kept import Inputs
from neurallog_kernel.plan.row_literal import Groups, RowNumbers, row_literal
from neurallog_kernel.rulegraph.graph import AttributeCondition


@dataclass(frozen=True, eq=False)
class StoredFacts:
    """Makes the expressions of facts; they name the facts, an engine finds them."""

    algebra: Algebra
    every_weight: bool = False  # also of facts whose weights are all 1

    def facts(
        self,
        program: Program,
        signature: Signature,
        output: int | None,
        inputs: Inputs,
        groups: Groups = (),
    ) -> Expr | None:
        if not program.definition(signature).fact_count and signature not in _TRUTH:
            return None
        arity = signature[1]
        if arity == 0:
            scan = program.scan(signature, FactForm.NUMBER)
            return self.algebra.interner.make(FactWeight, None, scan)
        assert output is not None
        domain = program.type_ref((*signature, output))
        if arity == 1:
            scan = program.scan(signature, FactForm.VECTOR)
            return self.algebra.interner.make(Facts, domain, scan)
        if arity > 2:
            return row_literal(
                self.algebra, program, signature, output, inputs, groups, self.every_weight
            )
        scan = program.scan(signature, FactForm.MATRIX)
        value = inputs[1 - output]
        assert value is not None
        return self.algebra.product(value, scan, output == 0, domain)

    def with_numbers(
        self,
        program: Program,
        signature: Signature,
        output: int,
        inputs: Inputs,
        groups: Groups,
        given: Mapping[int, float],
    ) -> Expr | None:
        """A literal of facts with declared numbers: each row's weight times its numbers, where
        these are the given ones (LANGUAGE 2.5)."""
        if not program.definition(signature).fact_count:
            return None
        numbers = RowNumbers(
            combiner_set(program, "attributes_combine_function", signature),
            combiner_set(program, "weighted_attribute_combining_function", signature),
            given,
        )
        every = self.every_weight
        return row_literal(self.algebra, program, signature, output, inputs, groups, every, numbers)

    def attribute(self, program: Program, signature: Signature, number: float | None) -> Expr:
        """An attribute's vector over its owners."""
        place = program.numeric(signature).index(False)
        combiner = combiner_set(program, "weighted_attribute_combining_function", signature)
        return self.algebra.interner.make(
            Attribute,
            program.type_ref((*signature, place)),
            program.scan(signature, FactForm.VECTOR),
            combiner,
            number,
        )

    def compared(
        self, program: Program, signature: Signature, condition: AttributeCondition
    ) -> Expr:
        """1 at each owner of an attribute whose value fits a condition."""
        place = program.numeric(signature).index(False)
        if not program.definition(signature).fact_count:
            return self.algebra.zero(program.type_ref((*signature, place)))
        return self.algebra.interner.make(
            Compared,
            program.type_ref((*signature, place)),
            program.scan(signature, FactForm.VECTOR),
            COMPARISONS[condition.comparison],
            condition.number,
        )

    def numbers(
        self, program: Program, signature: Signature, given: tuple[float | None, ...]
    ) -> Expr:
        """An all-numeric predicate: weight and values as one number, 0 if a given one differs."""
        if not program.definition(signature).fact_count:
            return self.algebra.zero(None)
        together = combiner_set(program, "attributes_combine_function", signature)
        weigh = combiner_set(program, "weighted_attribute_combining_function", signature)
        scan = program.scan(signature, FactForm.NUMBER)
        return self.algebra.interner.make(NumericFact, None, scan, weigh, together, given)

    def diagonal(self, program: Program, signature: Signature) -> Expr | None:
        """`r(e, .., e)` as facts say it."""
        if not program.definition(signature).fact_count:
            return None
        if signature[1] == 2:
            scan = program.scan(signature, FactForm.DIAGONAL)
            return self.algebra.interner.make(Facts, program.type_ref((*signature, 0)), scan)
        everywhere = tuple(range(signature[1]))
        return row_literal(
            self.algebra, program, signature, 0, (), (everywhere,), self.every_weight
        )


def combiner_set(program: Program, name: str, signature: Signature) -> Combiner:
    """What a program sets AND, OR or paths to."""
    return COMBINERS[str(program.parameters.get(name, signature))]


_TRUTH = {("true", 0), ("false", 0)}
