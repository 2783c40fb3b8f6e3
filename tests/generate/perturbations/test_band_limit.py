import torch

from unnerve.generate.perturbations.band_limit import BandLimit
from unnerve.testing.perturbations import check_perturbation


def test_severity_two_leaves_the_lower_half_of_the_band() -> None:
    time = torch.arange(800)
    low, high = (torch.sin(torch.pi * share * time + 0.3) for share in (0.25, 0.75))
    clip = (0.5 + 0.1 * (low + high)).unsqueeze(0)
    made = BandLimit().apply(clip, torch.tensor([[[0.4, 0.0]]]))[0, 0]
    torch.testing.assert_close(made - 0.5, 0.1 * low, atol=1e-3, rtol=0)


def test_keeps_what_perturbations_promise() -> None:
    check_perturbation("band_limit", (400,))
