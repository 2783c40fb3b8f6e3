"""DeepSensor with sensitive neurons (Jin et al., "DeepSensor ... Neuron Sensitivity", Algorithm 1)."""

from collections.abc import Generator
from dataclasses import dataclass, field
from functools import cached_property

from torch import Tensor

from unnerve.core.findings import Candidates, Seeds
from unnerve.core.methods import Space
from unnerve.core.model import Capability
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.guided.guided import Guided
from unnerve.generate.objectives.sensitive_neurons import SensitiveNeurons
from unnerve.generate.searches.pso import PSO

__all__ = ["DeepSensor"]


@dataclass(frozen=True)
class DeepSensor:
    """A particle swarm that looks for inputs to which as many neurons as possible are sensitive.

    Parameters
    ----------
    swarm : PSO
        The search: its settings may stand among these, as in ``deepsensor:particles=50,iterations=10``. The paper
        prints 10 iterations (Gk) among the settings, and runs 20; ``start=random,scale=eq1,signed=yes`` is the paper
        to the letter.
    scale, signed
        What sensitivity is measured in: see the reaction ``sensitivity``.
    threshold : float
        The sensitivity that makes a neuron sensitive (lambda).
    enough : float
        The share of sensitive neurons above which a seed is done (epsilon); at 1 that never happens.

    References
    ----------
    Jin et al., "DeepSensor: Deep Learning Testing Framework Based on Neuron Sensitivity", 2022.
    """

    swarm: PSO = field(default_factory=PSO)
    scale: str = "spread"
    signed: bool = False
    threshold: float = 0.5
    enough: float = 1.0
    needs = Capability.NEURONS
    regions = None
    draws = True
    small = (
        "particles=6,iterations=5,threshold=0.2",
        "particles=6,iterations=5,start=random,draws=particle,scale=eq1,signed=yes,threshold=0.05",
    )

    def __post_init__(self) -> None:
        self.guided  # noqa: B018 - settings are checked where they belong

    @cached_property
    def guided(self) -> Guided:
        """The search and the objective that these settings describe."""
        objective = SensitiveNeurons(self.threshold, self.scale, self.signed)
        return Guided(self.swarm, objective, enough=self.enough)

    @property
    def referenced(self) -> bool:
        """Whether it compares with reference data."""
        return self.guided.referenced

    @property
    def width(self) -> int:
        """Rows per seed and step."""
        return self.guided.width

    @property
    def start_cost(self) -> int:
        """Queries per seed before the first step."""
        return self.guided.start_cost

    def step_cost(self, classes: int) -> int:
        """Most queries per seed and step: one for each particle."""
        return self.guided.step_cost(classes)

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield the best input so far of every seed still wanted, once per iteration."""
        return self.guided.hunt(subject, seeds, space, streams)
