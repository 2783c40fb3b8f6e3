"""Do errors depend on the optimiser? The second DeepSensor paper says that they do not."""

from collections.abc import Mapping
from dataclasses import dataclass

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.found import Found
from unnerve.papers.deepsensor.setup import Plan

__all__ = ["Optimisers", "optimisers"]


@dataclass(frozen=True)
class Optimisers:
    """What each search found under each objective, by ``SEARCH, OBJECTIVE``."""

    plan: Plan
    rows: Mapping[str, Found]


def optimisers(experiment: Experiment) -> Optimisers:
    """Run four searches of the same size under three objectives."""
    size, steps = experiment.setup.particles, experiment.setup.iterations
    # Each search starts by its own default, which favours PSO: it starts at the edge of the region, the others at
    # random. With random starts for all, PSO lies behind the genetic algorithm.
    searches = {
        "PSO": f"pso(particles={size},iterations={steps})",
        "genetic": f"genetic(population={size},iterations={steps})",
        "differential evolution": f"differential_evolution(population={size},iterations={steps})",
        "random": f"random(population={size},iterations={steps})",
    }
    objectives = {"sensitive": "sensitive_neurons", "excitable": "excitable_neurons", "margin": "margin"}
    methods = {
        f"{search}, {objective}": f"guided:search={searches[search]},objective={objectives[objective]}"
        for objective in objectives
        for search in searches
    }
    return Optimisers(Plan("optimisers", experiment.setup), experiment.found("optimisers", methods))
