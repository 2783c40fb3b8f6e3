"""Figure 3 of the first DeepSensor paper: what its test inputs add to the seeds' coverage."""

from collections.abc import Mapping
from dataclasses import dataclass

from unnerve.papers.deepsensor.experiment import Experiment, last
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.cover.cover import cover, profile
from unnerve.subjects.datasets.tensors import tensors

__all__ = ["Coverage", "coverage"]

# 10,000 sections are the first paper's, where DeepGauge and KuK have 1,000.
_CRITERIA = "nc,kmnc:sections=10000,nbc,snac,tknc,bknc"
_REGION = "l2:1"  # the first paper's, for this figure


@dataclass(frozen=True)
class Coverage:
    """Coverage by criterion: of the ``seeds``, and what each method's inputs add to it, by the method's name."""

    plan: Plan
    coverage: Mapping[str, Mapping[str, float]]

    @property
    def seeds(self) -> Mapping[str, float]:
        """Of the seeds alone."""
        return self.coverage["seeds"]

    @property
    def gains(self) -> Mapping[str, Mapping[str, float]]:
        """What the inputs of each method add."""
        return {name: values for name, values in self.coverage.items() if name != "seeds"}


def coverage(experiment: Experiment) -> Coverage:
    """Measure what one input per seed adds: the last that a method has made."""
    methods = {
        "sensitive": f"deepsensor:{experiment.setup.swarm}",
        "excitable": f"deepsensor-excitable:{experiment.setup.swarm}",
        "random noise": "gaussian:iterations=1",
    }
    request = profile(experiment.model, experiment.split("train").first(10_000))
    measured: dict[str, Mapping[str, float]] = {}
    for name, method in methods.items():
        made = tensors(last(experiment.points(method, experiment.seeds, _REGION)).clone(), name=name)
        covered = cover(experiment.model, experiment.seeds, request, _CRITERIA, also=made)
        measured["seeds"] = covered.values
        measured[name] = covered.gain(covered.additions[0])
    return Coverage(Plan("coverage", experiment.setup), measured)
