import torch

from unnerve.generate.perturbations.shot_noise import ShotNoise


def test_grows_with_the_root_of_the_value() -> None:
    levels = torch.tensor([0.0, 0.1, 0.4]).view(1, 3, 1, 1).expand(1, 3, 100, 100)
    made = ShotNoise().apply(levels, torch.tensor([[[1.0, 0.5]]]))[0, 0]
    assert float(made[0].std()) == 0.0, "black has no photons"
    # Variances of 0.1 / 50 and 0.4 / 50.
    assert abs(float(made[1].std()) - 0.0447) < 0.003
    assert abs(float(made[2].std()) - 0.0894) < 0.005
