"""Feature squeezing: by hand, and against scipy's median."""

import numpy as np
import pytest
import torch
from scipy.ndimage import median_filter

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.subject import Subject
from unnerve.generate.perturbations.metamorphic import median
from unnerve.mend.defences.squeezing import Squeezing
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.testing.scene import small_data, small_images, tiny_model


def first_pixel(x: np.ndarray) -> np.ndarray:
    """Answer 0 with the probability that the first pixel has."""
    return np.stack([x[:, 0, 0, 0], 1 - x[:, 0, 0, 0]], axis=1)


def test_distance_by_hand() -> None:
    subject = Subject(BlackBox(first_pixel, outputs="probabilities"))
    x = torch.full((1, 1, 2, 2), 0.9)
    # One bit: 0.9 becomes 1, so that both probabilities move by 0.1. The median leaves it alone.
    assert float(Squeezing().distance(subject, x)) == pytest.approx(0.2, abs=1e-5)
    x[0, 0, 1:, :] = 0.1
    x[0, 0, 0, 1] = 0.1
    # At the corner the window repeats the pixel itself: nothing moves but by the bit.
    assert float(Squeezing(bits=8).distance(subject, x)) == pytest.approx(0, abs=4e-3)


@pytest.mark.parametrize("side", [2, 3])
def test_median_is_scipys(side: int) -> None:
    found = median(small_images()[:3], side, "replicate")
    expected = [median_filter(image[0].numpy(), size=side, mode="nearest") for image in small_images()[:3]]
    assert np.array_equal(found[:, 0].numpy(), np.stack(expected))


def test_the_stated_share_of_clean_inputs_is_suspect() -> None:
    subject = Subject(tiny_model())
    detector = Squeezing(false_positives=0.25).calibrated(subject, small_data())
    assert int((detector.suspicion(subject, small_images()) > 0).sum()) == 10
    assert detector == Squeezing(false_positives=0.25).calibrated(subject, small_data())


def test_a_given_threshold_is_kept() -> None:
    detector = Squeezing(threshold=1.9).calibrated(Subject(tiny_model()), small_data())
    assert detector.threshold == 1.9
    assert not (detector.suspicion(Subject(tiny_model()), small_images()) > 0).any()


def test_refuses_what_cannot_be() -> None:
    with pytest.raises(InvalidSetting, match=r"^threshold must be in \[0, 2\], got 3$"):
        Squeezing(threshold=3)
    with pytest.raises(InvalidSetting, match=r"^false_positives must be in \(0, 1\), got 0$"):
        Squeezing(false_positives=0)
    with pytest.raises(InvalidSetting, match="calibrate it"):
        Squeezing().suspicion(Subject(tiny_model()), small_images())
    with pytest.raises(InvalidData, match="takes images"):
        Squeezing().distance(Subject(tiny_model()), torch.zeros(2, 5))


def test_the_median_is_art_s_spatial_smoothing() -> None:
    art = pytest.importorskip("art.defences.preprocessor.spatial_smoothing")
    x = small_images()[:5]
    theirs, _ = art.SpatialSmoothing(window_size=2, channels_first=True)(x.numpy())
    np.testing.assert_allclose(median(x, 2, "replicate").numpy(), theirs, atol=1e-6)


def test_colour_images_have_a_third_squeezer() -> None:
    assert len(Squeezing().squeezed(small_images()[:2])) == 2
    assert len(Squeezing().squeezed(small_images()[:2].expand(2, 3, 8, 8))) == 3
