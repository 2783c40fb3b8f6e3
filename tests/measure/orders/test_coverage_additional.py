import numpy as np
from dnn_tip.prioritizers import cam

from unnerve.core.streams import Streams
from unnerve.measure.orders.coverage_additional import CoverageAdditional


def order(met: list[np.ndarray]) -> list[int]:
    return [int(row) for row in np.argsort(-CoverageAdditional().values(met), kind="stable")]


def test_by_hand() -> None:
    # The largest first; of the two pairs one adds both and the other nothing; the single one then adds one.
    met = [np.array([0, 1]), np.array([0, 1, 2]), np.array([3, 4]), np.array([5]), np.array([], int)]
    assert order(met) == [1, 2, 3, 0, 4]


def test_equals_dnn_tip() -> None:
    draws = Streams(0, map(str, range(60))).uniform(0, 0, (25,)).numpy()
    profiles = draws < 0.06
    met = [row.nonzero()[0] for row in profiles]
    # Of inputs that add nothing theirs come in no stable order, so those that add something are compared.
    theirs = list(cam(profiles.sum(axis=1), profiles.astype(int)))
    ours = order(met)
    adding = _adding(met, ours)
    assert ours[:adding] == [int(one) for one in theirs[:adding]]
    assert 5 < adding < 60
    rest = [len(met[row]) for row in ours[adding:]]
    assert rest == sorted(rest, reverse=True)


def _adding(met: list[np.ndarray], order: list[int]) -> int:
    covered: set[int] = set()
    for place, row in enumerate(order):
        if set(met[row].tolist()) <= covered:
            return place
        covered |= set(met[row].tolist())
    return len(order)
