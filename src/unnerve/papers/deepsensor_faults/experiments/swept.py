"""Figures 10 and 11 of the second DeepSensor paper, 5 and 6 of the first, on faulty networks: lambda and the start."""

from collections.abc import Mapping
from dataclasses import dataclass

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.sweeps import ENOUGH, STARTS, THRESHOLDS
from unnerve.papers.deepsensor_faults.experiments.hunted import Hits, hits_of, methods_of
from unnerve.papers.deepsensor_faults.setup import FaultPlan
from unnerve.studies.intervals.interval import Interval

__all__ = ["KINDS", "Swept", "swept", "swept_epsilon"]

KINDS = ("sensitive", "excitable")


@dataclass(frozen=True)
class Swept:
    """What was found with each value of a setting, in one network.

    Parameters
    ----------
    plan : FaultPlan
    rows : dict of str to dict of str to dict of str to Hits
        By setting (``threshold``, ``start``, ``enough``), kind of neurons, and value.
    """

    plan: FaultPlan
    rows: Mapping[str, Mapping[str, Mapping[str, Hits]]]

    def spreads(self) -> dict[str, Interval]:
        """Return the shares of seeds that are broken, with their intervals over seeds."""
        return {
            f"{setting} {value}, {kind}": one.share()
            for setting, by_kind in self.rows.items()
            for kind, by_value in by_kind.items()
            for value, one in by_value.items()
        }


def swept(plan: FaultPlan, experiment: Experiment) -> Swept:
    """Change lambda, then the start; the other settings keep their defaults."""
    starts = dict.fromkeys(KINDS, STARTS)
    return Swept(plan, _swept(plan, experiment, {"threshold": THRESHOLDS, "start": starts}))


def swept_epsilon(plan: FaultPlan, experiment: Experiment) -> Swept:
    """Change epsilon."""
    return Swept(plan, _swept(plan, experiment, {"enough": ENOUGH}))


def _swept(
    plan: FaultPlan, experiment: Experiment, settings: Mapping[str, Mapping[str, tuple[float | str, ...]]]
) -> dict[str, dict[str, dict[str, Hits]]]:
    usual = methods_of(plan)
    return {
        setting: {
            kind: hits_of(plan, experiment, {str(one): f"{usual[kind]},{setting}={one}" for one in values[kind]})
            for kind in KINDS
        }
        for setting, values in settings.items()
    }
