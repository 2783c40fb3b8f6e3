import torch

from unnerve.generate.perturbations.brightness import Brightness


def test_severity_three_shifts_by_fifteen_hundredths_either_way() -> None:
    grey = torch.full((1, 1, 2, 2), 0.5)
    darker, lighter = Brightness().apply(grey, torch.tensor([[[0.6, 0.2], [0.6, 0.8]]]))[0]
    assert torch.allclose(darker, torch.full((1, 2, 2), 0.35), atol=1e-6)
    assert torch.allclose(lighter, torch.full((1, 2, 2), 0.65), atol=1e-6)
