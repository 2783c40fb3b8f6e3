"""Bottom-k neuron coverage (Xie et al., "DeepHunter", ISSTA 2019)."""

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

__all__ = ["BKNC"]


@dataclass(frozen=True)
class BKNC:
    r"""Share of the neurons that are among the k least active ones of their layer for some input.

    .. math:: \mathrm{BKNC} = \frac{|\bigcup_x \bigcup_l \mathrm{bottom}_k(x, l)|}{U}

    Among equal values the lower index comes first, so that behind a ReLU the first silent neurons are taken. The value
    is in ``[0, 1]``; a layer of at most k neurons is covered by any input. It needs no profile.

    Parameters
    ----------
    bottom : int
        k, >= 1; DeepSensor measures with 1.

    References
    ----------
    Xie et al., "DeepHunter: A Coverage-Guided Fuzz Testing Framework for Deep Neural Networks", 2019.
    """

    bottom: int = 1
    each = 1
    wants = Want.NEURONS
    words = CriterionWords(
        "neurons that are a layer\u2019s least active", "neurons are the least active of their layer for some of"
    )
    profiled = False
    small = ("", "2")

    def __post_init__(self) -> None:
        if self.bottom < 1:
            raise InvalidSetting(f"bottom must be >= 1, got {self.bottom}")

    def begin(self, neurons: NeuronMap, profile: Profile | None = None) -> Obligations:
        """Return the state before any input."""
        return Obligations(self, neurons)

    def mark(self, state: Obligations, seen: Observation) -> None:
        """Mark the least active neurons of every layer."""
        covered = torch.zeros(len(state.neurons), 1, dtype=torch.bool)
        covered[extremes(state.neurons, seen.neurons, self.bottom, largest=False).flatten()] = True
        state.meet(covered)

    def met(self, state: Obligations, seen: Observation) -> tuple[np.ndarray, np.ndarray]:
        """Return the least active neurons of every layer for each input."""
        return listed(extremes(state.neurons, seen.neurons, self.bottom, largest=False))
