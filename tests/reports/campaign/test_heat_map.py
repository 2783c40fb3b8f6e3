"""How much each pixel changed, as colours."""

import numpy as np

from unnerve.reports.campaign.heat_map import heat_map


def test_the_largest_channel_counts_without_its_sign() -> None:
    change = np.zeros((3, 1, 4))
    change[:, 0, 1] = [0.05, -0.1, 0]
    change[0, 0, 2] = 0.1
    change[0, 0, 3] = 9.0
    colours = heat_map(change, 0.1)
    assert colours.shape == (3, 1, 4)
    np.testing.assert_allclose(colours[:, 0, 0] * 255, [10, 8, 30])
    np.testing.assert_allclose(colours[:, 0, 1] * 255, [253, 240, 170])
    np.testing.assert_allclose(colours[:, 0, 2], colours[:, 0, 1])
    np.testing.assert_allclose(colours[:, 0, 3], colours[:, 0, 1])


def test_no_change_and_no_scale_are_dark() -> None:
    np.testing.assert_allclose(heat_map(np.zeros((1, 1, 1)), 0.0)[:, 0, 0] * 255, [10, 8, 30])
