import torch

from unnerve.generate.perturbations.jpeg import JPEG
from unnerve.generate.transforms.jpeg import JPEG as JPEG_TRANSFORM


def test_severity_four_is_quality_fifty_and_the_same_as_the_transform() -> None:
    images = torch.rand(2, 3, 16, 16, generator=torch.Generator().manual_seed(0))
    made = JPEG().apply(images, torch.tensor([0.8, 0.0]).expand(2, 1, 2))[:, 0]
    assert torch.equal(made, JPEG_TRANSFORM(50)(images))
