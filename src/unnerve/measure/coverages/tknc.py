"""Top-k neuron coverage (Ma et al., "DeepGauge", ASE 2018)."""

from dataclasses import dataclass

import numpy as np
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import CriterionWords
from unnerve.core.model import Observation, Want
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile
from unnerve.measure.coverages._extremes import extremes, listed
from unnerve.measure.coverages._obligations import Obligations

__all__ = ["TKNC"]


@dataclass(frozen=True)
class TKNC:
    r"""Share of the neurons that are among the k most active ones of their layer for some input.

    .. math:: \mathrm{TKNC} = \frac{|\bigcup_x \bigcup_l \mathrm{top}_k(x, l)|}{U}

    Among equal values the lower index comes first. The value is in ``[0, 1]``; a layer of at most k neurons is
    covered by any input. It needs no profile.

    Parameters
    ----------
    top : int
        k, >= 1; DeepSensor measures with 1.

    References
    ----------
    Ma et al., "DeepGauge: Multi-Granularity Testing Criteria for Deep Learning Systems", 2018.
    """

    top: int = 1
    each = 1
    wants = Want.NEURONS
    words = CriterionWords(
        "neurons that are a layer\u2019s most active", "neurons are the most active of their layer for some of"
    )
    profiled = False
    small = ("", "2")

    def __post_init__(self) -> None:
        if self.top < 1:
            raise InvalidSetting(f"top must be >= 1, got {self.top}")

    def begin(self, neurons: NeuronMap, profile: Profile | None = None) -> Obligations:
        """Return the state before any input."""
        return Obligations(self, neurons)

    def mark(self, state: Obligations, seen: Observation) -> None:
        """Mark the most active neurons of every layer."""
        # Differs from DeepHunter's code, which counts pairs of a neuron and its rank: this is DeepGauge's definition.
        covered = torch.zeros(len(state.neurons), 1, dtype=torch.bool)
        covered[extremes(state.neurons, seen.neurons, self.top).flatten()] = True
        state.meet(covered)

    def met(self, state: Obligations, seen: Observation) -> tuple[np.ndarray, np.ndarray]:
        """Return the most active neurons of every layer for each input."""
        return listed(extremes(state.neurons, seen.neurons, self.top))
