import numpy as np
import pytest

from unnerve.measure.curves.inc import inc

# Random, NSATP, Inc in percent: NSATP Table V, first columns of each block (PEACEPACT's Table VI has the same).
PRINTED = [
    (908.52, 9.99, 98.90),
    (488.45, 1.83, 99.63),
    (609.31, 1.94, 99.68),
    (287.74, 1.54, 99.46),
    (92.48, 4.91, 94.69),
    (40.85, 8.30, 79.67),
]


@pytest.mark.parametrize(("random", "ranked", "percent"), PRINTED)
def test_the_papers_numbers(random: float, ranked: float, percent: float) -> None:
    # The paper worked with more digits of R and A than it prints: its 79.67 is 79.68 from the printed ones.
    assert 100 * inc(random, ranked) == pytest.approx(percent, abs=0.012)


def test_no_difference_and_harm() -> None:
    assert inc(10.0, 10.0) == 0
    assert inc(10.0, 15.0) == -0.5


def test_arrays() -> None:
    assert inc(np.array([10.0, 20.0]), np.array([5.0, 5.0])).tolist() == [0.5, 0.75]
