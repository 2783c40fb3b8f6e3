import torch

from unnerve.generate.perturbations.background_noise import BackgroundNoise
from unnerve.testing.perturbations import check_perturbation


def test_noise_is_twenty_decibels_below_the_clip_at_severity_two() -> None:
    clip = torch.full((1, 20_000), 0.5)
    clip[0, :10_000] += 0.1 * torch.sin(torch.arange(10_000) / 7 + 0.1)
    made = BackgroundNoise().apply(clip, torch.tensor([[[0.4, 0.3]]]))[0, 0]
    noise, signal = (made - clip[0])[:10_000], clip[0, :10_000] - 0.5
    assert abs(20 * float(torch.log10(signal.norm() / noise.norm())) - 20) < 0.3
    assert torch.equal(made[10_000:], clip[0, 10_000:]), "padding stays silent"


def test_keeps_what_perturbations_promise() -> None:
    check_perturbation("background_noise", (400,))
