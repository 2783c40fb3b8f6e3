"""Table VI of the first DeepSensor paper: the time that 100 test inputs take."""

import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.rivals import QUERIES
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.student import student

__all__ = ["Times", "published", "times"]

_REPEATS = 3


@dataclass(frozen=True)
class Times:
    """Processor seconds of every thread for 100 seeds, repeat by repeat, and queries for each seed.

    Parameters
    ----------
    plan : Plan
    iterations : dict of str to tuple of float
        By method: to the end of its 20 iterations, each in the region that its release keeps to.
    queries : dict of str to tuple of float
        By method: in the setup's region, with the same queries for all.
    spent : dict of str to float
        By method: queries per seed of its 20 iterations.
    """

    plan: Plan
    iterations: Mapping[str, tuple[float, ...]]
    queries: Mapping[str, tuple[float, ...]]
    spent: Mapping[str, float]

    def spreads(self) -> dict[str, Interval]:
        """Return no figure: another machine has other seconds, however right both are."""
        return {}

    def seconds(self, method: str) -> Interval:
        """Return the seconds of 20 iterations with their interval over repeats."""
        return student(list(self.iterations[method]), low=0)


def published(steps: int) -> dict[str, tuple[str, str, int | None]]:
    """Return method, region and queries for each seed of so many iterations, each as it was published."""
    swarm = f"particles=100,iterations={steps}"
    return {
        "sensitive neurons": (f"deepsensor:{swarm}", "linf:1", None),
        "excitable neurons": (f"deepsensor-excitable:{swarm}", "linf:1", None),
        "DeepXplore": (f"deepxplore:steps={steps}", "linf:1", None),
        "DLFuzz": (f"dlfuzz:neurons=10,iterations={steps}", "linf:1", None),
        "DeepHunter": ("deephunter:snac", "lineage:metamorphic", 20 * steps),
    }


def times(experiment: Experiment) -> Times:
    """Hunt with each method alone, from opened data to stored findings, several times from nothing."""
    steps = experiment.setup.iterations
    particles = QUERIES // steps - 1
    equal = {
        "sensitive neurons": f"deepsensor:particles={particles},iterations={steps}",
        "excitable neurons": f"deepsensor-excitable:particles={particles // 2},iterations={steps}",
        "DeepXplore": "deepxplore",
        "DLFuzz": "dlfuzz",
        "DeepHunter": "deephunter:snac",
        "TensorFuzz": "tensorfuzz",
        "PGD": "pgd",
        "class tour": "class-tour",
        "random noise": "random",
    }
    _ = experiment.model  # trained, if it must be, before any clock runs
    first = {name: _timed(experiment, *one) for name, one in published(steps).items()}
    second = {name: _timed(experiment, method, None, QUERIES) for name, method in equal.items()}
    return Times(
        Plan("times", experiment.setup),
        {name: seconds for name, (seconds, _) in first.items()},
        {name: seconds for name, (seconds, _) in second.items()},
        {name: queries for name, (_, queries) in first.items()},
    )


def _timed(
    experiment: Experiment, method: str, region: str | None, queries: int | None
) -> tuple[tuple[float, ...], float]:
    """Return the seconds of every repeat, scaled to 100 seeds, and the queries of a seed."""
    taken, spent = [], 0.0
    for _ in range(_REPEATS):
        # A folder of its own: a campaign that is resumed takes no time.
        with tempfile.TemporaryDirectory(prefix="times-") as folder:
            start = time.process_time()
            found = experiment.found(f"{folder}/times", {"it": method}, region, queries)["it"]
            taken.append(round(100 * (time.process_time() - start) / found.inputs, 3))
            spent = found.queries / found.inputs
    return tuple(taken), spent
