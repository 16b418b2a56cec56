"""The known predicate or function that an unknown one in a rule may mean."""

from __future__ import annotations

from collections.abc import Sequence

from neurallog_kernel.errors import nearest_predicate
from neurallog_kernel.functions.other_names import meant_name
from neurallog_kernel.knowledge.program import Program
from neurallog_kernel.language.syntax import Signature


def known_names(program: Program) -> list[str]:
    """What a rule can name, as p/2: predicates, then functions."""
    predicates = [f"{name}/{arity}" for name, arity in program.predicates()]
    return predicates + [f"{f.name}/{f.inputs}" for f in program.registry]


def nearest_known(signature: Signature, known: Sequence[str]) -> str | None:
    """The known name that is nearest; a function that has another name elsewhere goes first.

    >>> nearest_known(("sqrt", 1), ["square/1", "square_root/1"])
    'square_root/1'
    >>> nearest_known(("parnet", 2), ["parent/2"])
    'parent/2'
    """
    name, arity = signature
    usual = f"{meant_name(name)}/{arity}"
    return usual if usual in known else nearest_predicate(f"{name}/{arity}", known)
