from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.observation import observation


def test_corner_cases_excite_more_neurons(experiment: Experiment) -> None:
    seen = observation(experiment)
    assert seen.pairs > 20
    for pairs in seen.counts.values():
        assert len(pairs) == seen.pairs
    noisy, corner = (sum(pair[place] for pair in seen.counts["excitable"]) for place in (0, 1))
    assert corner > 2 * noisy
    assert set(seen.plane) == {"class 1", "class 9", "corner cases"}
    assert -1 <= seen.silhouette <= 1
