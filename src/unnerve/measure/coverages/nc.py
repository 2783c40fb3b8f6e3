"""Neuron coverage (Pei et al., "DeepXplore", SOSP 2017)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import CriterionWords
from unnerve.core.model import Observation, Want
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile
from unnerve.measure.coverages._obligations import Obligations

__all__ = ["NC", "relative_activity"]


@dataclass(frozen=True)
class NC:
    r"""Share of the neurons that some input activates above a threshold, relative to their layer.

    .. math:: \mathrm{NC} = \frac{|\{n : \exists x, s(n, x) > t\}|}{U}

    .. math:: s(n, x) = \frac{\phi(n, x) - \mathrm{low}_l(x)}{\mathrm{high}_l(x) - \mathrm{low}_l(x)}

    Low and high are the extremes of the whole output of the neuron's layer for that input. A layer whose values
    are all equal activates nothing. The value is in ``[0, 1]``. It needs no profile.

    Parameters
    ----------
    threshold : float
        t, in ``[0, 1)``; DeepSensor measures with 0.2. At 0 nearly every neuron is covered by nearly any input.

    References
    ----------
    Pei et al., "DeepXplore: Automated Whitebox Testing of Deep Learning Systems", 2017.
    """

    threshold: float = 0.2
    each = 1
    wants = Want.RANGES
    words = CriterionWords("neurons that are activated", "neurons are activated by")
    profiled = False
    small = ("", "0.7")

    def __post_init__(self) -> None:
        if not 0 <= self.threshold < 1:
            raise InvalidSetting(f"threshold must be in [0, 1), got {self.threshold}")

    def begin(self, neurons: NeuronMap, profile: Profile | None = None) -> Obligations:
        """Return the state before any input."""
        return Obligations(self, neurons)

    def mark(self, state: Obligations, seen: Observation) -> None:
        """Mark the neurons that some input activates."""
        activated = [part.amax(dim=0).flatten() > self.threshold for part in _scaled(state.neurons, seen)]
        state.meet(torch.cat(activated).unsqueeze(1))

    def met(self, state: Obligations, seen: Observation) -> tuple[np.ndarray, np.ndarray]:
        """Return the neurons that each input activates."""
        rows, places = np.nonzero((relative_activity(state.neurons, seen) > self.threshold).numpy())
        return rows, places


def relative_activity(neurons: NeuronMap, seen: Observation) -> Tensor:
    """Return the neurons relative to the extremes of their layers, (N, U) in [0, 1]: what NC compares."""
    return torch.cat([part.flatten(1) for part in _scaled(neurons, seen)], dim=1)


def _scaled(neurons: NeuronMap, seen: Observation) -> Iterator[Tensor]:
    """Yield the neurons relative to their layers, some layers at a time: (N, layers, neurons of each)."""
    low, high = seen.ranges.unbind(dim=2)
    span = (high - low).masked_fill_(high <= low, float("inf"))
    for layers, part in neurons.blocks(seen.neurons):
        # Scaling is affine, so that the mean of the scaled map is the scaled mean of the map.
        yield (part - low[:, layers].unsqueeze(2)).div_(span[:, layers].unsqueeze(2))
