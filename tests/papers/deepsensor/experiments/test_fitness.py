from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.fitness import fitness


def test_fitness_never_falls(experiment: Experiment) -> None:
    for curve in fitness(experiment).curves.values():
        assert len(curve) == 13
        assert list(curve) == sorted(curve)
        assert curve[-1] > 0
