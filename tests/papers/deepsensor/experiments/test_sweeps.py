from dataclasses import replace

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.sweeps import sweeps


def test_settings_are_swept(experiment: Experiment) -> None:
    experiment = replace(experiment, setup=replace(experiment.setup, inputs=2, iterations=2))
    swept = sweeps(experiment)
    assert [value for value, _ in swept.threshold["sensitive"]] == ["0.1", "0.25", "0.5", "1.0", "1.5", "2.0"]
    assert [value for value, _ in swept.start["excitable"]] == ["fixed", "random", "edge"]
