"""The share of sensitive neurons (Jin et al., "DeepSensor ... Neuron Sensitivity", Eq. 2)."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.measure.reactions.sensitivity import Sensitivity

__all__ = ["SensitiveNeurons"]


@dataclass(frozen=True)
class SensitiveNeurons:
    r"""Share of the neurons whose sensitivity to the change exceeds a threshold.

    .. math:: \frac{|\{n : NS_n(x, \Delta x) > \lambda\}|}{U}

    In ``[0, 1]``; 0 for an input that was not changed.

    Parameters
    ----------
    threshold : float
        The paper's lambda, >= 0.
    scale : str
        What sensitivity is measured in: ``spread``, ``eq1``, ``minmax``, ``released``; see the reaction
        ``sensitivity``.
    signed : bool
        Whether only neurons that rise count.

    References
    ----------
    Jin et al., "DeepSensor: Deep Learning Testing Framework Based on Neuron Sensitivity", 2022.
    """

    threshold: float = 0.5
    scale: str = "spread"
    signed: bool = False
    needs = Capability.NEURONS
    start_cost = 1

    def __post_init__(self) -> None:
        if not self.threshold >= 0:
            raise InvalidSetting(f"threshold must be >= 0, got {self.threshold}")
        self._sensitivity()

    @property
    def referenced(self) -> bool:
        """Whether it compares with reference data."""
        return self._sensitivity().referenced

    def cost(self, classes: int) -> int:
        """Return the queries per candidate: one forward pass."""
        return 1

    def prepare(self, subject: Subject[Metered], seeds: Seeds) -> Callable[[Tensor, Tensor], Tensor]:
        """Watch the seeds once; return fitness(candidates (A, P, ...), rows (A,)) -> (A, P)."""
        react = self._sensitivity().prepare(subject, seeds, Streams(0, seeds.batch.ids))
        return lambda candidates, rows: (react(candidates, rows) > self.threshold).float().mean(dim=2)

    def _sensitivity(self) -> Sensitivity:
        return Sensitivity(self.scale, self.signed)
