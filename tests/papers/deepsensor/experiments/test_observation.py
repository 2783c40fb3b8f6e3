import pytest

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.observation import observation


def test_corner_cases_excite_more_neurons(experiment: Experiment) -> None:
    seen = observation(experiment)
    assert seen.pairs > 20
    for pairs in seen.counts.values():
        assert len(pairs) == seen.pairs
    noisy, corner = (sum(row[place] for row in seen.counts["excitable"]) for place in (0, -1))
    assert corner > 2 * noisy
    uniform, signs, same, changed = seen.lengths
    assert uniform < signs, "signs reach the edge of the region with every pixel"
    assert same == pytest.approx(changed, rel=0.02)
    gap = seen.gap("excitable", "equal linf")
    assert gap is not None
    assert gap.mean == pytest.approx((corner - noisy) / seen.pairs)
    assert gap.low > 0
    assert set(seen.plane) == {"class 1", "class 9", "corner cases"}
    assert -1 <= seen.silhouette <= 1
