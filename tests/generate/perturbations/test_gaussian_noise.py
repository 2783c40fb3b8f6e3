import torch

from unnerve.generate.perturbations.gaussian_noise import GaussianNoise


def test_has_the_deviation_of_its_severity_and_depends_on_the_die() -> None:
    grey = torch.full((1, 1, 100, 100), 0.5)
    weak, strong, other = GaussianNoise().apply(grey, torch.tensor([[[0.2, 0.3], [1.0, 0.3], [1.0, 0.4]]]))[0]
    assert abs(float(weak.std()) - 0.04) < 0.002
    assert abs(float(strong.std()) - 0.1) < 0.005
    assert torch.allclose((weak - 0.5) * 2.5, strong - 0.5, atol=1e-5), "the same noise, stronger"
    assert not torch.equal(strong, other)
