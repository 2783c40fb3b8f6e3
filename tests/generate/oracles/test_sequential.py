"""The sequential test: by hand, and how often it errs."""

import numpy as np
import pytest

from unnerve.generate.oracles._sequential import log_evidence


def test_by_hand() -> None:
    # One miss: (1 / 0.5) * integral over [0, 0.5] of (1 - q) / 0.5 dq = 2 * 2 * 0.375 = 1.5.
    assert log_evidence(np.array([0]), 1, 0.5, above=False) == pytest.approx(np.log(1.5))
    # One hit speaks for the side above as a miss does for the side below.
    assert log_evidence(np.array([1]), 1, 0.5, above=True) == pytest.approx(np.log(1.5))
    # 2 * integral over [0, 0.5] of q / 0.5 dq = 0.5.
    assert log_evidence(np.array([1]), 1, 0.5, above=False) == pytest.approx(np.log(0.5))


@pytest.mark.parametrize("above", [True, False])
def test_errs_no_more_often_than_stated_however_often_one_looks(above: bool) -> None:
    flips = np.random.default_rng(3).random((4000, 600)) < 0.4
    hits = flips.cumsum(axis=1)
    ever = np.zeros(4000, dtype=bool)
    for draws in range(10, 601, 10):
        ever |= log_evidence(hits[:, draws - 1], draws, 0.4, above) >= -np.log(0.05)
    assert 0.005 < ever.mean() <= 0.05


def test_a_clear_share_is_decided_soon() -> None:
    assert log_evidence(np.array([4]), 40, 0.4, above=False)[0] > np.log(1000)
    assert log_evidence(np.array([36]), 40, 0.6, above=True)[0] > np.log(1000)
