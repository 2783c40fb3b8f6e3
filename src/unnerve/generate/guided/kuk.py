"""KuK: a genetic search for inputs of uncommon confidence and uncertainty (Zhang et al., ICSE 2020, section 4)."""

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
from unnerve.generate.objectives.uncommon import Uncommon
from unnerve.generate.oracles.pattern import Pattern
from unnerve.generate.searches.genetic import Genetic

__all__ = ["KuK"]


@dataclass(frozen=True)
class KuK:
    """A genetic search for inputs near a seed whose confidence and uncertainty contradict each other.

    The paper's region is ``linf:0.3``. A generation proposes its members that keep to the pattern by the draws
    that it sees, the best first, at most ten, else its best; a seed is done as soon as one is proven.

    Parameters
    ----------
    pattern, confidence, uncertainty
        What is looked for: ``LL``, ``HH``, ``LH`` (right, but looks adversarial), ``HL`` (wrong, but looks benign), and
        the limits of PCS and VRO; see the objective ``uncommon``.
    masks : int
        T, dropout masks for each candidate: 50 for MNIST, 100 for others in the paper.
    as_printed : bool
        In LH look at VR, as Eq. 4 prints.
    genetic : Genetic
        The search: its settings may stand among these, as in ``kuk:pattern=HH,population=50``.

    References
    ----------
    Zhang et al., "Towards Characterizing Adversarial Defects of Deep Learning Software
    from the Lens of Uncertainty", 2020.
    """

    pattern: str = "LL"
    confidence: float | None = None
    uncertainty: float | None = None
    masks: int = 50
    as_printed: bool = False
    genetic: Genetic = field(default_factory=Genetic)
    needs = Capability.DROPOUT
    regions = None
    draws = True
    small = (
        "pattern=LL,masks=4,population=6,iterations=4,mutation=0.1",
        "pattern=HL,masks=4,population=6,iterations=4,mutation=0.1",
    )

    def __post_init__(self) -> None:
        self.guided  # noqa: B018 - settings are checked where they belong

    @cached_property
    def guided(self) -> Guided:
        """The search and the objective that these settings describe."""
        goal = Uncommon(self.pattern, self.confidence, self.uncertainty, self.masks, self.as_printed)
        return Guided(self.genetic, goal)

    @property
    def goal(self) -> Pattern:
        """What proves that it has found what it looks for."""
        return Pattern(self.pattern, self.confidence, self.uncertainty)

    @property
    def width(self) -> int:
        """Rows per seed and step."""
        return self.guided.width

    @property
    def start_cost(self) -> int:
        """Queries per seed before the first step."""
        return self.guided.start_cost

    def step_cost(self, classes: int) -> int:
        """Most queries per seed and step: 1 + T for each candidate."""
        return self.guided.step_cost(classes)

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield what the current generation proposes of every seed still wanted."""
        return self.guided.hunt(subject, seeds, space, streams)
