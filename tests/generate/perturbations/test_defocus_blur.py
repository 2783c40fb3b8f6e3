import torch

from unnerve.generate.perturbations.defocus_blur import DefocusBlur


def test_a_point_becomes_a_disc_of_the_same_light() -> None:
    point = torch.zeros(1, 1, 32, 32)
    point[0, 0, 16, 16] = 1.0
    disc = DefocusBlur().apply(point, torch.tensor([[[1.0, 0.0]]]))[0, 0, 0]
    # Radius 1.44: weight 1 in the middle, 0.94 beside it and 0.526 at the corners.
    total = 1 + 4 * 0.94 + 4 * (1.94 - 2**0.5)
    assert torch.allclose(disc[16, 15:18], torch.tensor([0.94, 1.0, 0.94]) / total, atol=1e-4)
    assert abs(float(disc.sum()) - 1) < 1e-4


def test_no_strength_is_no_blur() -> None:
    image = torch.rand(1, 1, 8, 8, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(DefocusBlur().apply(image, torch.zeros(1, 1, 2))[:, 0], image, atol=1e-6)
