"""Strong neuron activation coverage (Ma et al., "DeepGauge", ASE 2018)."""

from dataclasses import dataclass

import numpy as np

from unnerve.core.facts import CriterionWords
from unnerve.core.model import Observation, Want
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile
from unnerve.measure.coverages._obligations import Obligations, required

__all__ = ["SNAC"]


@dataclass(frozen=True)
class SNAC:
    r"""Share of the neurons that some input drives above their range on training data.

    .. math:: \mathrm{SNAC} = \frac{|\{n : \exists x, \phi(n, x) > \mathrm{high}_n\}|}{U}

    The comparison is strict: training data itself covers nothing. The value is in ``[0, 1]``.

    References
    ----------
    Ma et al., "DeepGauge: Multi-Granularity Testing Criteria for Deep Learning Systems", 2018.
    """

    each = 1
    wants = Want.NEURONS
    words = CriterionWords("upper corners", "neurons go above what they did on training data with")
    profiled = True

    def begin(self, neurons: NeuronMap, profile: Profile | None = None) -> Obligations:
        """Return the state before any input."""
        return Obligations(self, neurons, required(profile, neurons, "snac"))

    def mark(self, state: Obligations, seen: Observation) -> None:
        """Mark the neurons that some input drives above their range."""
        _, high = state.bounds
        state.meet((seen.neurons.amax(dim=0) > high).unsqueeze(1))

    def met(self, state: Obligations, seen: Observation) -> tuple[np.ndarray, np.ndarray]:
        """Return the neurons that each input drives above their range."""
        rows, places = np.nonzero((seen.neurons > state.bounds[1]).numpy())
        return rows, places
