"""Top-k neuron patterns (Ma et al., "DeepGauge", ASE 2018)."""

from dataclasses import dataclass

from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import CriterionWords
from unnerve.core.model import Want
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile
from unnerve.measure.coverages._patterns import Patterns

__all__ = ["TKNP"]


@dataclass(frozen=True)
class TKNP:
    r"""Number of different patterns that the k most active neurons of all layers form.

    .. math:: \mathrm{TKNP} = |\{(\mathrm{top}_k(x, 1), \dots, \mathrm{top}_k(x, L)) : x\}|

    Among equal values the lower index comes first. The value is a count, not a share: from 0 to the number of inputs.
    It needs no profile.

    Parameters
    ----------
    top : int
        k, >= 1.
    ordered : bool
        Tell apart which of the k is the most active one; by default top_k is a set, as DeepGauge defines it.

    References
    ----------
    Ma et al., "DeepGauge: Multi-Granularity Testing Criteria for Deep Learning Systems", 2018.
    """

    top: int = 1
    ordered: bool = False
    wants = Want.NEURONS
    words = CriterionWords(
        "patterns of the most active neurons: a number", "patterns of the most active neurons are met by"
    )
    profiled = False
    small = ("", "2")

    def __post_init__(self) -> None:
        if self.top < 1:
            raise InvalidSetting(f"top must be >= 1, got {self.top}")

    def begin(self, neurons: NeuronMap, profile: Profile | None = None) -> Patterns:
        """Return the state before any input."""
        return Patterns(self, neurons)
