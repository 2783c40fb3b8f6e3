import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.generate.transforms.quilting import Quilting
from unnerve.subjects.datasets.tensors import tensors
from unnerve.testing.scene import small_data, small_images


def test_images_whose_patches_are_known_stay() -> None:
    quilting = Quilting(patch=3, overlap=1, patches=10_000).learnt(small_data())
    assert torch.allclose(quilting(small_images()[:4]), small_images()[:4], atol=1e-6)


def test_the_nearest_patch_by_hand() -> None:
    # Two patches are known, black and white: each quarter of an image becomes one of them.
    known = tensors(torch.stack([torch.zeros(1, 2, 2), torch.ones(1, 2, 2)]), torch.tensor([0, 1]), name="two")
    x = torch.tensor([[0.1, 0.2, 0.9, 0.8], [0.0, 0.3, 0.7, 0.9]]).view(1, 1, 2, 4)
    found = Quilting(patch=2, overlap=0).learnt(known)(x)
    assert found.flatten().tolist() == [0, 0, 1, 1] * 2


def test_overlaps_are_averaged() -> None:
    known = tensors(torch.stack([torch.zeros(1, 2, 2), torch.ones(1, 2, 2)]), torch.tensor([0, 1]), name="two")
    x = torch.tensor([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]).view(1, 1, 2, 4)
    x[..., 1] = 0.1  # the middle patch is a little nearer to white
    x[..., 2] = 1.0
    found = Quilting(patch=2, overlap=1).learnt(known)(x)
    assert found[0, 0, 0].tolist() == [0, 0.5, 1, 1]


def test_patches_may_be_named() -> None:
    quilting = Quilting(data="digits", patch=3, overlap=1, patches=50)
    assert quilting.bank is not None
    assert quilting.bank.shape == (50, 9)
    assert quilting.knowledge["source"] == "digits"
    assert quilting.knowledge["patches_kept"] == 50


def test_refuses_to_quilt_without_patches() -> None:
    with pytest.raises(InvalidSetting, match=r"^quilting has no patches yet; name data"):
        Quilting()(small_images())
    with pytest.raises(InvalidSetting, match=r"^overlap must be in \[0, 5\), got 5$"):
        Quilting(overlap=5)
    with pytest.raises(InvalidSetting, match=r"^patch must be <= 8, the side of the images, got 9$"):
        Quilting(patch=9).learnt(small_data())
