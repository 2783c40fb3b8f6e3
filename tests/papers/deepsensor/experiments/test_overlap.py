import pytest

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.overlap import overlap


def test_top_neurons_overlap(experiment: Experiment) -> None:
    seen = overlap(experiment)
    shared = seen.shared
    assert [shared[place][place] for place in range(4)] == [10.0] * 4
    assert all(shared[a][b] == shared[b][a] for a in range(4) for b in range(4))
    assert seen.chance == pytest.approx(100 / 248), "of 268 neurons 20 are outputs"
    assert sum(seen.each[0]) / len(seen.each[0]) == pytest.approx(shared[0][3])
    assert seen.each[3] == (10,) * 6
