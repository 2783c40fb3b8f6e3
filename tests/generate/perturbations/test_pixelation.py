import torch

from unnerve.generate.perturbations.pixelation import Pixelation


def test_half_the_resolution_averages_over_squares_of_two() -> None:
    image = torch.arange(16.0).view(1, 1, 4, 4) / 16
    made = Pixelation().apply(image, torch.tensor([[[0.4, 0.0]]]))[0, 0, 0]
    means = image.view(2, 2, 2, 2).mean(dim=(1, 3))
    assert torch.allclose(made, means.repeat_interleave(2, 0).repeat_interleave(2, 1), atol=1e-6)
