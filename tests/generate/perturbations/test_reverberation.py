import torch

from unnerve.generate.perturbations.reverberation import Reverberation
from unnerve.testing.perturbations import check_perturbation


def test_the_echo_of_a_click_has_the_power_of_its_severity() -> None:
    clip = torch.full((1, 6000), 0.5)
    clip[0, 0], clip[0, -1] = 0.7, 0.5001  # a click; the clip goes on to its end
    echo = (Reverberation().apply(clip, torch.tensor([[[0.6, 0.3]]]))[0, 0] - clip[0])[:5000] * 2
    assert abs(float(echo.square().sum()) / 0.4**2 - 0.4) < 0.01
    assert float(echo[:400].square().sum()) > 0.6 * float(echo.square().sum()), "it dies away"


def test_keeps_what_perturbations_promise() -> None:
    check_perturbation("reverberation", (400,))
