"""k-multisection neuron coverage (Ma et al., "DeepGauge", ASE 2018)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import CriterionWords
from unnerve.core.model import Observation, Want
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile
from unnerve.measure.coverages._obligations import Obligations, required

__all__ = ["KMNC"]

_ROWS = 1024
_VALUES = 2**17
"""Inputs, and values of them, that are taken at a time, so that they stay in cache."""


@dataclass(frozen=True)
class KMNC:
    r"""Share of the sections of every neuron's range on training data that some input falls into.

    .. math:: \mathrm{KMNC} = \frac{\sum_n |\{S_i^n : \exists x, \phi(n, x) \in S_i^n\}|}{k U}

    The range ``[low, high]`` is cut into k sections of equal width, each with its lower border; the last one has both
    borders. Values outside fall into none. The value is in ``[0, 1]``; a neuron that never moved on training data has
    no sections to fall into, but counts below the line.

    Parameters
    ----------
    sections : int
        k, >= 1; DeepHunter takes 1,000, DeepSensor measures with 10,000.

    References
    ----------
    Ma et al., "DeepGauge: Multi-Granularity Testing Criteria for Deep Learning Systems", 2018.
    """

    sections: int = 1000
    wants = Want.NEURONS
    words = CriterionWords(
        "sections of what neurons did on training data", "sections of what neurons did on training data are met by"
    )
    profiled = True
    small = ("", "7")

    def __post_init__(self) -> None:
        if self.sections < 1:
            raise InvalidSetting(f"sections must be >= 1, got {self.sections}")

    @property
    def each(self) -> int:
        """Obligations of a neuron."""
        return self.sections

    def begin(self, neurons: NeuronMap, profile: Profile | None = None) -> Obligations:
        """Return the state before any input."""
        return Obligations(self, neurons, required(profile, neurons, "kmnc"))

    def mark(self, state: Obligations, seen: Observation) -> None:
        """Mark the sections that some input falls into."""
        for some, places, inside in self._sections(state, seen):
            state.meet_one_each(some, places, inside)

    def met(self, state: Obligations, seen: Observation) -> tuple[np.ndarray, np.ndarray]:
        """Return the sections that each input falls into."""
        pairs: list[tuple[np.ndarray, np.ndarray]] = []
        first = 0
        for some, places, inside in self._sections(state, seen):
            rows, columns = np.nonzero(inside)
            pairs.append((first + rows, (some.start + columns) * self.sections + places[rows, columns]))
            # All neurons of some inputs come before the next inputs: with the last neurons the rows move on.
            first += len(places) if some.stop >= len(state.neurons) else 0
        rows, met = (np.concatenate(part) for part in zip(*pairs, strict=True))
        return rows, met

    def _sections(self, state: Obligations, seen: Observation) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Yield for some inputs and neurons at a time: which neurons, their sections (N, M), where there is one."""
        low, high = state.bounds
        start, width = low.double(), high.double() - low.double()
        width[width == 0] = float("inf")
        low = low.where(low < high, float("inf"))  # nothing is inside a range without width
        for rows in seen.neurons.split(_ROWS):
            step = max(1, _VALUES // len(rows))
            for some in (slice(first, first + step) for first in range(0, len(low), step)):
                values = rows[:, some]
                # Not in torch: measured, its comparisons take as long as its divisions.
                inside = (values.numpy() >= low[some].numpy()) & (values.numpy() <= high[some].numpy())
                # In double precision single values and borders are exact, so that one at a border has one section.
                place = (values.double() - start[some]).mul_(self.sections).div_(width[some])
                yield some, place.clamp_(0, self.sections - 1).long().numpy(), inside
