"""Table 3 / II of the DeepSensor papers: errors and their categories, beside methods that are not the papers'."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.found import Found, spreads_of
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.intervals.interval import Interval

__all__ = ["Errors", "errors"]


@dataclass(frozen=True)
class Errors:
    """What each method found.

    Parameters
    ----------
    plan : Plan
    rows : dict of str to Found
        By method.
    accuracy : float
        On the first 1,000 test inputs.
    """

    plan: Plan
    rows: Mapping[str, Found]
    accuracy: float

    def spreads(self) -> dict[str, Interval]:
        """Return the figures of every method, with their intervals over seeds."""
        return spreads_of(self.rows)


def errors(experiment: Experiment) -> Errors:
    """Count errors of both papers' methods, of one paper to the letter, and of methods that they must beat."""
    setup = experiment.setup
    methods = {
        "sensitive neurons": f"deepsensor:{setup.swarm}",
        # As printed: Equation 1 with its sign, from a random start.
        "sensitive neurons, to the letter": f"deepsensor:{setup.swarm},start=random,scale=eq1,signed=yes",
        "excitable neurons": f"deepsensor-excitable:{setup.swarm}",
        # The same swarm without neurons: what is left of a gain is due to them.
        "margin": f"guided:search=pso({setup.swarm})",
        "random noise": f"random:iterations={setup.iterations}",
        "PGD": f"pgd:steps={setup.iterations}",
        "tour (ours)": f"tour:steps={setup.iterations}",
    }
    batch = next(experiment.split("test").first(1000).batches())
    right = experiment.model.observe(batch.inputs).predicted == torch.as_tensor(batch.labels)
    found = experiment.found("errors", methods)
    return Errors(Plan("errors", setup), found, float(right.float().mean()))
