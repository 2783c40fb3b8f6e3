from dataclasses import replace

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.optimisers import optimisers


def test_searches_and_objectives_are_crossed(experiment: Experiment) -> None:
    experiment = replace(experiment, setup=replace(experiment.setup, inputs=2, iterations=2))
    rows = optimisers(experiment).rows
    assert len(rows) == 18
    assert "start=uniform" in rows["PSO, sensitive"].method
    assert {len(one.failing) for one in rows.values()} == {2}
    assert sum(rows["ant colony, margin"].failing) == rows["ant colony, margin"].errors_as_in_paper
