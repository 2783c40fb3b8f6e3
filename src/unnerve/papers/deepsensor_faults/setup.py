"""What the experiments on faulty training and repair are run on."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from unnerve.core.data.examples import Examples
from unnerve.core.naming.catalogue import build
from unnerve.papers._json import INLINE
from unnerve.papers._parts import digest
from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.setup import Setup
from unnerve.subjects.faults._fault import Fault
from unnerve.subjects.faults.polluted import Polluted

__all__ = ["FaultPlan"]


@dataclass(frozen=True)
class FaultPlan:
    """An experiment by its name, and the network that it is run on.

    Parameters
    ----------
    experiment : str
    fault : str
        Of the training, with its settings; empty for a sound network.
    images : int
        Training images: the first so many.
    queries : int
        Of each seed and method.
    setup : Setup
        With the recipe of a sound network.
    """

    experiment: str
    fault: str
    images: int
    queries: int
    setup: Setup = field(metadata=INLINE)

    @property
    def kind(self) -> str:
        """Say in a word or two what the training was like."""
        fault = self._fault
        if isinstance(fault, Polluted):
            return f"polluted {fault.alpha:.0%}"
        return self.fault.partition(":")[0] or "sound"

    @property
    def polluted_class(self) -> int | None:
        """The class whose data are polluted, or None."""
        return self._fault.class_ if isinstance(self._fault, Polluted) else None

    def begun(self, data: Path, folder: Path, kind: type[Experiment] = Experiment) -> Experiment:
        """Return the experiment with its network, which is trained when it is asked for."""
        fault, recipe = self._fault, self.setup.recipe
        assert recipe is not None
        # A folder for each way of training: networks are kept by their names and training seeds alone.
        own = folder / f"{self.kind.replace(' ', '-')}-{digest([self.fault, self.images])}"
        own.mkdir(parents=True, exist_ok=True)
        if fault is None:
            return kind(self.setup, data, own, self._first)
        setup = replace(self.setup, recipe=fault.recipe(recipe))
        return kind(setup, data, own, lambda every: fault.data(self._first(every)))

    @property
    def _fault(self) -> Fault | None:
        fault: Fault | None = build("fault", self.fault) if self.fault else None
        return fault

    def _first(self, every: Examples) -> Examples:
        return every.first(self.images)
