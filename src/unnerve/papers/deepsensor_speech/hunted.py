"""What the paper's method, its rivals, an attack and noise find in one network that listens."""

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor_faults.experiments.hunted import Hunted, hits_of
from unnerve.papers.deepsensor_faults.setup import FaultPlan

__all__ = ["hunted", "methods_of"]


def hunted(plan: FaultPlan, experiment: Experiment) -> Hunted:
    """Hunt with all of them, with as many queries each."""
    return Hunted(plan, _accuracy(experiment), hits_of(plan, experiment, methods_of(plan)))


def _accuracy(experiment: Experiment) -> float:
    """Return the share of the test clips whose speaker is recognised."""
    right = seen = 0
    for batch in experiment.split("test").batches():
        assert batch.labels is not None
        found = experiment.model.observe(batch.inputs).predicted.numpy() == batch.labels
        right, seen = right + int(found.sum()), seen + len(found)
    return right / seen


def methods_of(plan: FaultPlan) -> dict[str, str]:
    """Return the methods that are compared, by their names in tables."""
    setup = plan.setup
    return {
        # A particle costs twice as many queries as one that looks for sensitive neurons.
        "excitable": f"deepsensor-excitable:particles={max(2, setup.particles // 2)},iterations={setup.iterations}",
        "sensitive": f"deepsensor:{setup.swarm}",
        # Squares that are blackened or occluded are for pictures.
        "DeepXplore": "deepxplore:constraint=light",
        "DLFuzz": "dlfuzz",
        "DeepHunter": "deephunter",
        "PGD": f"pgd:steps={setup.iterations}",
        "random noise": f"random:iterations={setup.iterations}",
    }
