"""Every ground question that can be asked of a program."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from neurallog_kernel import Session
from neurallog_kernel.language.printer import format_constant


def ground_questions(session: Session, each: int = 6) -> Iterator[tuple[str, float]]:
    """Up to `each` ground questions of every predicate of entities, with their finite answers."""
    inspector = session.inspect()
    for name, arity in inspector.signatures():
        signature = (name, arity)
        if inspector.predicate(signature).role != "relation":
            continue
        entities = [inspector.entities(signature, place) for place in range(arity)]
        for names in itertools.islice(itertools.product(*entities), each):
            question = f"{name}({', '.join(map(format_constant, names))})" if names else name
            weight = session.query(question).weight
            if math.isfinite(weight):
                yield question, weight
