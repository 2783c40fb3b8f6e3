import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.fitting import steepest_step
from unnerve.core.streams import Streams
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.generate.regions.snr import SNR

CLIPS = torch.tensor([[0.3, -0.4, 0.0, 0.0], [0.03, 0.0, 0.0, 0.04]])
"""Of lengths 0.5 and 0.05 as vectors; the first ends after two samples."""


def test_a_change_may_have_a_hundredth_of_the_power_at_twenty_decibels() -> None:
    region = SNR(20, -1, 1)
    within, beyond = CLIPS.clone(), CLIPS.clone()
    within[:, 0] += torch.tensor([0.05, 0.005])
    beyond[:, 0] += torch.tensor([0.051, 0.0051])
    assert region.contains(within, CLIPS).tolist() == [True, True]
    assert region.contains(beyond, CLIPS).tolist() == [False, False]
    torch.testing.assert_close(region.project(beyond, CLIPS), within)


def test_padding_is_left_alone() -> None:
    region = SNR(20, -1, 1)
    padded = CLIPS.clone()
    padded[:, 2] += 0.001
    assert region.contains(padded, CLIPS).tolist() == [False, True]
    assert (region.project(CLIPS + 0.5, CLIPS)[0, 2:] == 0).all()
    assert (region.samples(CLIPS, Streams(0, ["a", "b"]), 0, 5)[0, :, 2:] == 0).all()


def test_steps_are_as_long_as_the_clip_allows() -> None:
    step = steepest_step(SNR(20, -1, 1), torch.ones(2, 4), CLIPS)
    torch.testing.assert_close(step.norm(dim=1) * SNR(20).reach, torch.tensor([0.05, 0.005]))


def test_balls_of_sounds_leave_padding_alone_too() -> None:
    for region in (Linf(0.1, -1, 1, silence=0.0), L2(0.1, -1, 1, silence=0.0)):
        made = region.project(CLIPS + 0.5, CLIPS)
        assert (made[0, 2:] == 0).all()
        assert region.contains(made, CLIPS).all()
        assert region.contains(made.unsqueeze(1).squeeze(1) + torch.tensor([0, 0, 0.01, 0]), CLIPS).tolist()[0] is False


def test_padding_of_features_is_left_alone() -> None:
    features = torch.full((1, 1, 2, 3), -1.0)
    features[0, 0, 0, 1] = 0.2
    for region in (Linf(0.1, -1, 1, silence=-1.0), L2(0.1, -1, 1, silence=-1.0)):
        for made in (
            region.project(features + 0.5, features),
            region.project((features + 0.5)[:, None], features)[:, 0],
        ):
            assert (made[..., 2] == -1).all()
            assert (made[..., :2] > features[..., :2]).all()
            assert region.contains(made, features).all()


@pytest.mark.parametrize("decibels", [-21.0, 121.0, float("nan")])
def test_refuses_ratios_that_are_none(decibels: float) -> None:
    with pytest.raises(InvalidSetting, match=r"decibels must be in \[-20, 120\]"):
        SNR(decibels)


WIDE = (-32768, 32768)
"""Samples of 16 bits, which are rounded by 2^-24 of 65,536 each: by 0.0055 for two."""


@pytest.mark.parametrize(("too_long", "inside"), [(0.008, True), (0.03, False)])
def test_a_hundred_thousandth_of_the_longest_change_too_far_is_rounding(too_long: float, inside: bool) -> None:
    loud = torch.tensor([[6000.0, 8000.0]])
    assert bool(SNR(20, *WIDE).contains(loud + torch.tensor([1000 + too_long, 0]), loud)) is inside


@pytest.mark.parametrize(("too_long", "inside"), [(0.004, True), (0.007, False)])
def test_quiet_clips_are_rounded_as_far_as_their_range_is_wide(too_long: float, inside: bool) -> None:
    quiet = torch.tensor([[3.0, 4.0]])
    assert bool(SNR(20, *WIDE).contains(quiet + torch.tensor([0.5 + too_long, 0]), quiet)) is inside
