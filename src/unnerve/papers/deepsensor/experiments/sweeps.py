"""Figures 5, 10 and 11 of the DeepSensor papers: threshold (lambda), share that is enough (epsilon), start position."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.found import Found
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.intervals.interval import Interval

__all__ = ["ENOUGH", "STARTS", "THRESHOLDS", "Sweep", "Sweeps", "Swept", "sweeps"]

# Lambda and epsilon have other ranges for the two kinds of neurons, because their reactions are in other units:
# deviations of the neuron's own values, and nats.
THRESHOLDS = {"sensitive": (0.1, 0.25, 0.5, 1.0, 1.5, 2.0), "excitable": (0.002, 0.01, 0.02, 0.05, 0.1, 0.5)}
ENOUGH = {"sensitive": (0.2, 0.4, 0.6, 0.8, 1.0), "excitable": (0.05, 0.1, 0.2, 0.4, 1.0)}
STARTS = ("fixed", "random", "edge")


class Swept(NamedTuple):
    """A value of a setting, and what was found with it."""

    value: str
    found: Found


Sweep = Mapping[str, tuple[Swept, ...]]
"""By kind of neurons, in the values' order."""


@dataclass(frozen=True)
class Sweeps:
    """What both methods found with each value of three settings.

    Parameters
    ----------
    plan : Plan
    threshold, enough, start : Sweep
        Lambda, epsilon, and where the swarm starts.
    """

    plan: Plan
    threshold: Sweep
    enough: Sweep
    start: Sweep

    def spreads(self) -> dict[str, Interval]:
        """Return the figures of every value, with their intervals over seeds."""
        every = {"threshold": self.threshold, "enough": self.enough, "start": self.start}
        return {
            f"{setting} {one.value}, {kind}, {figure}": value
            for setting, sweep in every.items()
            for kind, values in sweep.items()
            for one in values
            for figure, value in one.found.spreads().items()
        }


def sweeps(experiment: Experiment) -> Sweeps:
    """Change one setting at a time; the others keep their defaults."""
    swarm = experiment.setup.swarm
    methods = {"sensitive": f"deepsensor:{swarm}", "excitable": f"deepsensor-excitable:{swarm}"}

    def swept(setting: str, values: Mapping[str, Sequence[float | str]]) -> Sweep:
        found = {
            name: experiment.found(
                f"{setting}-{name}", {str(value): f"{method},{setting}={value}" for value in values[name]}
            )
            for name, method in methods.items()
        }
        return {name: tuple(Swept(*item) for item in by_value.items()) for name, by_value in found.items()}

    return Sweeps(
        plan=Plan("sweeps", experiment.setup),
        threshold=swept("threshold", THRESHOLDS),
        enough=swept("enough", ENOUGH),
        start=swept("start", dict.fromkeys(methods, STARTS)),
    )
