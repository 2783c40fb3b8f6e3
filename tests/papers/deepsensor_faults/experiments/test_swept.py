from dataclasses import replace

from tests.papers.deepsensor_faults.conftest import Begun
from unnerve.papers.deepsensor_faults.experiments.swept import swept, swept_epsilon


def test_lambda_and_start_are_swept(begun: Begun) -> None:
    plan, experiment = begun("swept", "overfitted")
    experiment = replace(experiment, setup=replace(experiment.setup, inputs=2))
    found = swept(plan, experiment)
    assert list(found.rows["threshold"]["excitable"]) == ["0.002", "0.01", "0.02", "0.05", "0.1", "0.5"]
    assert list(found.rows["start"]["sensitive"]) == ["fixed", "random", "edge"]
    assert len(found.spreads()) == 2 * (6 + 3)
    assert list(swept_epsilon(plan, experiment).rows) == ["enough"]
