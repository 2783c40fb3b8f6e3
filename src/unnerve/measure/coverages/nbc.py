"""Neuron boundary coverage (Ma et al., "DeepGauge", ASE 2018)."""

from dataclasses import dataclass

import numpy as np
import torch

from unnerve.core.facts import CriterionWords
from unnerve.core.model import Observation, Want
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile
from unnerve.measure.coverages._obligations import Obligations, required

__all__ = ["NBC"]


@dataclass(frozen=True)
class NBC:
    r"""Share of the two corners of every neuron, below and above its range on training data, that some input reaches.

    .. math:: \mathrm{NBC} = \frac{|B| + |A|}{2U}

    .. math:: B = \{n : \exists x, \phi(n, x) < \mathrm{low}_n\}

    .. math:: A = \{n : \exists x, \phi(n, x) > \mathrm{high}_n\}

    Both comparisons are strict: training data itself covers nothing. The value is in ``[0, 1]``.

    References
    ----------
    Ma et al., "DeepGauge: Multi-Granularity Testing Criteria for Deep Learning Systems", 2018.
    """

    each = 2
    wants = Want.NEURONS
    words = CriterionWords(
        "corners: below or above that", "corners outside what neurons did on training data are met by"
    )
    profiled = True

    def begin(self, neurons: NeuronMap, profile: Profile | None = None) -> Obligations:
        """Return the state before any input."""
        return Obligations(self, neurons, required(profile, neurons, "nbc"))

    def mark(self, state: Obligations, seen: Observation) -> None:
        """Mark the corners that some input reaches."""
        low, high = state.bounds
        below, above = seen.neurons.amin(dim=0) < low, seen.neurons.amax(dim=0) > high
        state.meet(torch.stack([below, above], dim=1))

    def met(self, state: Obligations, seen: Observation) -> tuple[np.ndarray, np.ndarray]:
        """Return the corners that each input reaches."""
        low, high = state.bounds
        rows, places = np.nonzero(torch.stack([seen.neurons < low, seen.neurons > high], dim=2).flatten(1).numpy())
        return rows, places
