"""DeepSensor with excitable neurons (Jin et al., "Excitement Surfeited Turns to Errors", Algorithm 1)."""

from collections.abc import Generator
from dataclasses import dataclass, field
from functools import cached_property

from torch import Tensor

from unnerve.core.findings import Candidates, Seeds
from unnerve.core.methods import Reaction, Space
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.guided.guided import Guided
from unnerve.generate.objectives.excitable_neurons import ExcitableNeurons
from unnerve.generate.searches.pso import PSO
from unnerve.measure.reactions.taylor import Taylor

__all__ = ["DeepSensorExcitable"]


@dataclass(frozen=True)
class DeepSensorExcitable:
    """A particle swarm that looks for inputs for whose loss as many hidden neurons as possible are to blame.

    Parameters
    ----------
    swarm : PSO
        The search: its settings may stand among these, as in ``deepsensor-excitable:particles=50``. The paper prints 10
        iterations (Gk) among the settings, and runs 20.
    estimator : Reaction
        Of the Shapley value of a neuron: ``taylor``, ``path`` or ``owen``.
    threshold : float
        The Shapley value, in nats, that makes a neuron excitable (lambda).
    enough : float
        The share of excitable neurons above which a seed is done (epsilon); at 1 that never happens.

    References
    ----------
    Jin et al., "Excitement Surfeited Turns to Errors: Deep Learning Testing Framework Based on Excitable Neurons",
    2023.
    """

    swarm: PSO = field(default_factory=PSO)
    estimator: Reaction = field(default_factory=Taylor)
    threshold: float = 0.02
    enough: float = 1.0
    needs = Capability.NEURONS
    regions = None
    draws = True
    small = ("particles=6,iterations=5",)

    def __post_init__(self) -> None:
        self.guided  # noqa: B018 - settings are checked where they belong

    @cached_property
    def guided(self) -> Guided:
        """The search and the objective that these settings describe."""
        return Guided(self.swarm, ExcitableNeurons(self.threshold, self.estimator), enough=self.enough)

    @property
    def width(self) -> int:
        """Rows per seed and step."""
        return self.guided.width

    @property
    def start_cost(self) -> int:
        """Queries per seed before the first step."""
        return self.guided.start_cost

    def step_cost(self, classes: int) -> int:
        """Most queries per seed and step: what the estimator takes, for each particle."""
        return self.guided.step_cost(classes)

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield the best input so far of every seed still wanted, once per iteration."""
        return self.guided.hunt(subject, seeds, space, streams)
