"""The share of excitable neurons (Jin et al., "Excitement Surfeited Turns to Errors", Eq. 6)."""

from collections.abc import Callable
from dataclasses import dataclass, field

from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.methods import Reaction
from unnerve.core.model import Capability
from unnerve.core.naming.catalogue import describe
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.measure.reactions.taylor import Taylor

__all__ = ["ExcitableNeurons"]


@dataclass(frozen=True)
class ExcitableNeurons:
    r"""Share of the hidden neurons that are to blame for more than a threshold of the change of the loss.

    .. math:: \frac{|\{n : \psi_n > \lambda\}|}{U}

    In ``[0, 1]``; 0 for an input that was not changed.

    Parameters
    ----------
    threshold : float
        In nats, >= 0.
    estimator : Reaction
        Of the Shapley value: ``taylor``, ``path`` or ``owen``, whose price does not grow with the number of neurons.

    References
    ----------
    Jin et al., "Excitement Surfeited Turns to Errors: Deep Learning Testing Framework Based on Excitable Neurons",
    2023.
    """

    # Differs: the paper's threshold is 0.5. Shapley values sum to the change of the loss, so that of 248 neurons
    # hardly any could ever be excitable.
    threshold: float = 0.02
    estimator: Reaction = field(default_factory=Taylor)
    needs = Capability.NEURONS

    def __post_init__(self) -> None:
        if not self.threshold >= 0:
            raise InvalidSetting(f"threshold must be >= 0, got {self.threshold}")
        # A search must know what a candidate costs before it has seen the network.
        if not self.estimator.hidden or self.estimator.cost(1) != self.estimator.cost(1000):
            raise InvalidSetting(f"estimator must be taylor, path or owen, got {describe(self.estimator)['name']}")

    @property
    def start_cost(self) -> int:
        """Queries per seed: those of the estimator, for the seed itself."""
        return self.estimator.cost(1)

    def cost(self, classes: int) -> int:
        """Return the queries per candidate: those of the estimator."""
        return self.estimator.cost(1)

    def prepare(self, subject: Subject[Metered], seeds: Seeds) -> Callable[[Tensor, Tensor], Tensor]:
        """Look at the seeds once; return fitness(candidates (A, P, ...), rows (A,)) -> (A, P)."""
        # What an estimator draws belongs to the seed: its candidates must be compared by the same coalitions.
        react = self.estimator.prepare(subject, seeds, Streams(0, seeds.batch.ids))
        return lambda candidates, rows: (react(candidates, rows) > self.threshold).float().mean(dim=2)
