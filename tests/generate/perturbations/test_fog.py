import torch

from unnerve.generate.perturbations.fog import Fog


def test_fog_lifts_what_is_dark_and_keeps_the_brightest() -> None:
    image = torch.zeros(1, 1, 16, 16)
    image[0, 0, 0, 0] = 1.0
    thin, thick = Fog().apply(image, torch.tensor([[[0.2, 0.3], [1.0, 0.3]]]))[0, :, 0]
    dark = torch.ones(16, 16, dtype=torch.bool)
    dark[0, 0] = False
    assert float(thin[dark].mean()) < float(thick[dark].mean())
    # Nothing is brighter than fog alone at its thickest: 1.5 / 2.5 of the brightest.
    assert float(thick[dark].amax()) <= 0.6 + 1e-6
    assert float(thick.amax()) <= 1.0


def test_no_strength_is_no_fog() -> None:
    image = torch.rand(1, 3, 8, 8, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(Fog().apply(image, torch.zeros(1, 1, 2))[:, 0], image, atol=1e-6)
