"""Figure 7 of the second DeepSensor paper, on the network of this half."""

from dataclasses import dataclass

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.overlap import Overlap, overlap
from unnerve.papers.deepsensor_faults.setup import FaultPlan
from unnerve.studies.intervals.interval import Interval

__all__ = ["Overlapped", "overlapped"]


@dataclass(frozen=True)
class Overlapped:
    """How many of the ten most excitable neurons DeepSensor shares with each attack.

    Parameters
    ----------
    plan : FaultPlan
    found : Overlap
    """

    plan: FaultPlan
    found: Overlap

    def spreads(self) -> dict[str, Interval]:
        """Return how many are shared with each attack, with intervals over seeds."""
        return {name: one for name, one in self.found.spreads().items() if name != "DeepSensor"}


def overlapped(plan: FaultPlan, experiment: Experiment) -> Overlapped:
    """Compare the neurons that each method's last inputs excite most."""
    return Overlapped(plan, overlap(experiment))
