from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.coverage import coverage


def test_coverage_is_gained(experiment: Experiment) -> None:
    seen = coverage(experiment)
    gains = seen.coverage
    assert list(gains) == ["seeds", "sensitive", "excitable", "random noise"]
    assert all(0 <= value <= 1 for by_key in gains.values() for value in by_key.values())
    assert gains["sensitive"]["kmnc"] > 0
    assert seen.seeds == gains["seeds"]
    assert list(seen.gains) == ["sensitive", "excitable", "random noise"]
