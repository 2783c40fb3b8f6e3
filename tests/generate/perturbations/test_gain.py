import pytest
import torch

from unnerve.core.errors import InvalidData
from unnerve.generate.perturbations.gain import Gain
from unnerve.testing.perturbations import check_perturbation


def test_severity_two_is_six_decibels_either_way_and_clips() -> None:
    clip = torch.full((1, 300), 0.5 + 0.05)
    clip[0, 0] = 0.9
    quieter, louder = Gain().apply(clip, torch.tensor([[[0.4, 0.2], [0.4, 0.8]]]))[0] * 2 - 1
    assert float(louder[1]) == pytest.approx(0.1 * 10**0.3, rel=1e-4)
    assert float(quieter[1]) == pytest.approx(0.1 / 10**0.3, rel=1e-4)
    assert float(louder[0]) == 1


def test_takes_waveforms_only() -> None:
    assert not Gain().fits((1, 28, 28))
    assert not Gain().fits((20,))
    with pytest.raises(InvalidData, match="changes of sounds take waveforms"):
        Gain().apply(torch.zeros(1, 1, 8, 8), torch.zeros(1, 1, 2))


def test_keeps_what_perturbations_promise() -> None:
    check_perturbation("gain", (400,))
