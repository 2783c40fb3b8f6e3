import torch

from unnerve.generate.perturbations.contrast import Contrast


def test_half_the_distance_from_the_mean_is_left_at_severity_two() -> None:
    image = torch.tensor([0.2, 0.8, 0.2, 0.8]).view(1, 1, 2, 2)
    made = Contrast().apply(image, torch.tensor([[[0.4, 0.0]]]))
    assert torch.allclose(made.flatten(), torch.tensor([0.35, 0.65, 0.35, 0.65]), atol=1e-6)
