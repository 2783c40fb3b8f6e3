import torch

from unnerve.generate.perturbations.salt_and_pepper import SaltAndPepper


def test_changes_its_share_half_to_white_and_half_to_black() -> None:
    grey = torch.full((1, 1, 200, 200), 0.5)
    made = SaltAndPepper().apply(grey, torch.tensor([[[1.0, 0.7]]]))
    assert abs(float((made == 1).float().mean()) - 0.035) < 0.005
    assert abs(float((made == 0).float().mean()) - 0.035) < 0.005
    assert bool(((made == 0) | (made == 0.5) | (made == 1)).all())
