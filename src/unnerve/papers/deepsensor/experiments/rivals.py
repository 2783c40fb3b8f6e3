"""Table 3 / II of the DeepSensor papers with its rivals: one region and budget for all, then each as published."""

from collections.abc import Mapping
from dataclasses import dataclass

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.found import Found, spreads_of
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.intervals.interval import Interval

__all__ = ["OURS", "QUERIES", "RIVALS", "Rivals", "rivals"]

OURS = ("sensitive neurons", "excitable neurons")
RIVALS = ("DeepXplore", "DLFuzz", "DeepHunter")
QUERIES = 1000
"""For each seed, where all have the same budget."""


@dataclass(frozen=True)
class Rivals:
    """What each method found.

    Parameters
    ----------
    plan : Plan
    equal : dict of str to Found
        By method, in the setup's region with the same queries for each.
    published : dict of str to Found
        By method of the papers' table, with the papers' 20 iterations, each in the region that its release keeps to.
    """

    plan: Plan
    equal: Mapping[str, Found]
    published: Mapping[str, Found]

    def spreads(self) -> dict[str, Interval]:
        """Return the figures of every method, with their intervals over seeds."""
        return {
            f"{which}, {name}": value
            for which, rows in (("equal", self.equal), ("as published", self.published))
            for name, value in spreads_of(rows).items()
        }


def rivals(experiment: Experiment) -> Rivals:
    """Count errors of DeepSensor and of the fuzzers that the papers compare it with."""
    steps = experiment.setup.iterations
    # A swarm as large as the budget allows: two queries for the seed, then one for each particle and step, or two with
    # gradients.
    particles = QUERIES // steps - 1
    equal = {
        "sensitive neurons": f"deepsensor:particles={particles},iterations={steps}",
        "excitable neurons": f"deepsensor-excitable:particles={particles // 2},iterations={steps}",
        "DeepXplore": "deepxplore",
        "DLFuzz": "dlfuzz",
        "DeepHunter": "deephunter:snac",
        "TensorFuzz": "tensorfuzz",
        "PGD": "pgd",
        "random noise": "random",
    }
    plan = Plan("rivals", experiment.setup)
    return Rivals(plan, experiment.found("rivals", equal, queries=QUERIES), _published(experiment))


def _published(experiment: Experiment) -> dict[str, Found]:
    """Run each method of the papers' table for 20 iterations, as far as its release lets inputs go."""
    setup = experiment.setup
    steps = setup.iterations
    # No release but DeepHunter's bounds the change, and none of the papers does: all valid values are allowed. The
    # papers' DeepHunter is guided by SNAC with boundaries of 1,000 inputs, DLFuzz has ten neurons and four classes.
    free = {
        "sensitive neurons": f"deepsensor:{setup.swarm}",
        "excitable neurons": f"deepsensor-excitable:{setup.swarm}",
        "DeepXplore": f"deepxplore:steps={steps}",
        "DLFuzz": f"dlfuzz:neurons=10,iterations={steps}",
    }
    found = experiment.found("published", free, region="linf:1")
    hunter = {"DeepHunter": "deephunter:snac"}
    # An iteration of DeepHunter is 20 mutants of one entry of its queue.
    return found | experiment.found("published", hunter, region="lineage:metamorphic", queries=20 * steps)
