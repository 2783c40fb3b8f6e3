from dataclasses import replace

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.optimisers import optimisers


def test_searches_and_objectives_are_crossed(experiment: Experiment) -> None:
    experiment = replace(experiment, setup=replace(experiment.setup, inputs=2, iterations=2))
    rows = optimisers(experiment).rows
    assert len(rows) == 12
    assert "differential evolution, excitable" in rows
