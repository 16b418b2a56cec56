"""The facts and entities of one program, found by the names that its plans hold."""

from __future__ import annotations

from neurallog_kernel.knowledge.fact_rows import FactRows
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.knowledge.references import ROWS, FactForm, Scan, TypeRef
from neurallog_kernel.knowledge.relations import FactVector, Relation, Relations, scalar
from neurallog_kernel.knowledge.symbols import SymbolTable
from neurallog_kernel.knowledge.types import EntityType
from neurallog_kernel.language.syntax import Signature


class Storage:
    """What a plan is bound to before an engine computes it.

    A plan of another version of the program names what is not here: that is an error, never an
    answer from the wrong facts.
    """

    def __init__(self, program: Program, symbols: SymbolTable, relations: Relations) -> None:
        self.program = program
        self.symbols = symbols
        self.relations = relations
        self._types: dict[TypeRef, EntityType] = {}
        self._relations: dict[Scan, Relation] = {}
        self._vectors: dict[Scan, FactVector] = {}

    def of(self, program: Program) -> Storage:
        """That of another version of the program; matrices of what is the same are shared."""
        if program is self.program:
            return self
        return Storage(program, self.symbols, self.relations)

    def entities(self, ref: TypeRef) -> EntityType:
        """The entities of a type, in the order of its vectors."""
        found = self._types.get(ref)
        if found is None:
            found, now = self._current(ref)
            if now != ref.stamp:
                raise LookupError(f"the plan is of another version of the program: {ref}")
            self._types[ref] = found
        return found

    def _current(self, ref: TypeRef) -> tuple[EntityType, object]:
        """The type of that name as it is now, and its stamp."""
        if ref.slot is not None and ref.slot[2] == ROWS:
            signature = ref.slot[:2]
            return self.rows(signature).domain, self.program.rows_ref(signature).stamp
        found = self.program.entity_type(ref.slot)
        return found, found.stamp

    def rows(self, signature: Signature) -> FactRows:
        """The facts of a predicate with three and more arguments."""
        return self.relations.rows(self.program, signature)

    def index(self, ref: TypeRef, name: str) -> int | None:
        """Where an entity stands in the vectors of a type; None if it is not of that type."""
        return self.entities(ref).index_of(name, self.symbols)

    def size(self, ref: TypeRef) -> int:
        """How many entities a type has."""
        return len(self.entities(ref))

    def relation(self, scan: Scan) -> Relation:
        """The facts of a binary predicate, or from the rows of facts to their entities."""
        found = self._relations.get(scan)
        if found is None:
            self._check(scan, FactForm.MATRIX, FactForm.DIAGONAL)
            if scan.of is not None:
                found = self.rows(scan.of).incidences[scan.places[0]]
            else:
                found = self.relations.relation(self.program, scan.signature)
            self._relations[scan] = found
        return found

    def vector(self, scan: Scan) -> FactVector:
        """The facts of a unary predicate, of an attribute, or a weight per row of facts."""
        found = self._vectors.get(scan)
        if found is None:
            self._check(scan, FactForm.VECTOR)
            if scan.of is not None and scan.values:
                found = self.rows(scan.of).values(scan.places[0], scan.number, self.symbols)
            elif scan.of is not None:
                found = self.rows(scan.of).agreeing(scan.places)
            elif scan.signature[1] > 2:
                found = self.rows(scan.signature).weights
            else:
                found = self.relations.vector(self.program, scan.signature)
            self._vectors[scan] = found
        return found

    def number(self, scan: Scan) -> tuple[float, tuple[float, ...]]:
        """Weight and numbers of the one fact of a predicate without entities."""
        self._check(scan, FactForm.NUMBER)
        return scalar(self.program, scan.signature)

    def _check(self, scan: Scan, *forms: FactForm) -> None:
        assert scan.form in forms
        if scan.stamp != self.program.definition(scan.of or scan.signature).facts_stamp:
            raise LookupError(f"the plan is of another version of the program: {scan}")
