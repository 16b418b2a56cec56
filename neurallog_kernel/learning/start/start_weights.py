"""Start weights: by `initial_value` where the program says one, else by what they feed."""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np

from neurallog_kernel.errors import ParameterError
from neurallog_kernel.functions.keras_names import INITIALIZERS
from neurallog_kernel.knowledge.configured import Configured, configured
from neurallog_kernel.knowledge.learned import LEARNED
from neurallog_kernel.knowledge.storage import Storage
from neurallog_kernel.language.syntax import Signature
from neurallog_kernel.learning.choices.setting_place import set_in
from neurallog_kernel.learning.choices.settings import first_line, make
from neurallog_kernel.learning.start.start_values import Starts, StartValues, described


class StartWeights:
    """The start weights of a program; the same for the same seed and predicate, whatever else is
    learned."""

    def __init__(self, storage: Storage, seed: int) -> None:
        self.storage = storage
        self.program = storage.program
        self.seed = seed
        self._values = StartValues(self.program, storage.relations)
        self._drawn: dict[Signature, Starts] = {}

    def draw(self, signature: Signature, shape: tuple[int, ...]) -> np.ndarray:
        """Weights for all cells of a predicate, or, in one row, for its facts."""
        own = zlib.crc32(f"{signature[0]}/{signature[1]}".encode())
        settings = self.program.parameters
        plain = settings.said("initial_value", signature).get(())
        chosen = configured(settings, "initial_value", signature)
        if isinstance(plain, float):
            return np.full(shape, plain)
        if chosen is not None:
            with set_in(self.program, "initial_value"):
                return _keras_values(chosen, signature, shape, self.seed + own % 1_000_003)
        starts = self._drawn[signature] = self._values.of(signature)
        numbers = np.random.default_rng([self.seed, own]).normal(0.0, 1.0, shape)
        means, deviations = (np.full(shape, value) for value in _pair(starts))
        for names, start in starts.of_cells.items():
            place = self._place(signature, names)
            if place is not None and len(shape) == len(place):
                means[place], deviations[place] = start.mean, start.deviation
        return means + deviations * numbers

    def keeps_facts(self, signature: Signature) -> bool:
        """Whether the stated weights of a learned predicate are those it starts from. What was
        learned before is never drawn anew."""
        if self.program.parameters.get("start_from", signature) != "initial_value":
            return True
        learned = self.program.sources.get(LEARNED)
        return learned is not None and signature in learned.signatures

    def report(self) -> str:
        """In words: mean and deviation of what was drawn."""
        return described(self._drawn)

    def _place(self, signature: Signature, names: tuple[str, ...]) -> tuple[int, ...] | None:
        """Where a cell is that rules name."""
        found: list[int] = []
        for place, name in enumerate(names):
            symbol = self.storage.symbols.find(name)
            kind = self.program.entity_type((*signature, place))
            index = None if symbol is None else kind.position(symbol)
            if index is None:
                return None
            found.append(index)
        return tuple(found) if len(found) == signature[1] else None


def _pair(starts: Starts) -> tuple[float, float]:
    return starts.of_all.mean, starts.of_all.deviation


def _keras_values(
    chosen: Configured, signature: Signature, shape: tuple[int, ...], seed: int
) -> np.ndarray:
    try:
        maker = make(INITIALIZERS, chosen)
        if "seed" in maker.get_config() and chosen.config.get("seed") is None:
            maker = make(INITIALIZERS, replace(chosen, config={**chosen.config, "seed": seed}))
        return np.array(maker(shape=shape, dtype="float32"), dtype=np.float64)
    except ParameterError:
        raise
    except (ValueError, TypeError) as error:  # some draw matrices only
        raise ParameterError(
            f"initial_value {chosen.name} of {signature[0]}/{signature[1]}: {first_line(error)}"
        ) from error
