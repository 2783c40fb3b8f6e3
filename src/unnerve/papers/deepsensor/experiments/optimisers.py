"""Do errors depend on the optimiser? The second DeepSensor paper says that they do not."""

from collections.abc import Mapping
from dataclasses import dataclass

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.found import Found, spreads_of
from unnerve.papers.deepsensor.setup import Plan
from unnerve.studies.intervals.interval import Interval

__all__ = ["Optimisers", "optimisers"]


@dataclass(frozen=True)
class Optimisers:
    """What each search found under each objective, by ``SEARCH, OBJECTIVE``."""

    plan: Plan
    rows: Mapping[str, Found]

    def spreads(self) -> dict[str, Interval]:
        """Return the figures of every search, with their intervals over seeds."""
        return spreads_of(self.rows)


def optimisers(experiment: Experiment) -> Optimisers:
    """Run five searches of the same size and the same start under three objectives."""
    size, steps = experiment.setup.particles, experiment.setup.iterations
    # All start anywhere in the region. By its own default PSO starts at the edge, which alone finds several times as
    # many errors: it stands beside, and does not count.
    searches = {
        "PSO": f"pso(particles={size},iterations={steps},start=uniform)",
        "genetic": f"genetic(population={size},iterations={steps})",
        "differential evolution": f"differential_evolution(population={size},iterations={steps})",
        "ant colony": f"ant_colony(ants={size},iterations={steps})",
        "random": f"random(population={size},iterations={steps})",
        "PSO from the edge": f"pso(particles={size},iterations={steps})",
    }
    objectives = {"sensitive": "sensitive_neurons", "excitable": "excitable_neurons", "margin": "margin"}
    methods = {
        f"{search}, {objective}": f"guided:search={searches[search]},objective={objectives[objective]}"
        for objective in objectives
        for search in searches
    }
    return Optimisers(Plan("optimisers", experiment.setup), experiment.found("optimisers", methods))
