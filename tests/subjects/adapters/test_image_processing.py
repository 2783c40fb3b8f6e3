from typing import Any

import pytest
import torch

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters.image_processing import ImageProcessing, image_processing

USUAL: dict[str, Any] = {
    "do_resize": True,
    "size": {"height": 4, "width": 6},
    "resample": 3,
    "do_rescale": True,
    "rescale_factor": 1 / 255,
    "do_normalize": True,
    "image_mean": [0.5, 0.4, 0.3],
    "image_std": [0.1, 0.2, 0.5],
}


def test_an_image_of_the_right_size_is_only_normalised() -> None:
    x = torch.full((1, 3, 4, 6), 0.6)
    made = image_processing(USUAL, "net")(x)
    assert torch.allclose(made[0, :, 0, 0], torch.tensor([1.0, 1.0, 0.6]))


@pytest.mark.parametrize(
    ("said", "shape"),
    [
        ({"size": {"height": 4, "width": 6}}, (4, 6)),
        ({"size": {"shortest_edge": 5}}, (5, 10)),
        ({"size": 5}, (5, 10)),
        ({"size": {"shortest_edge": 6}, "do_center_crop": True, "crop_size": {"height": 5, "width": 5}}, (5, 5)),
        ({"size": {"shortest_edge": 6}, "do_center_crop": True, "crop_size": 5}, (5, 5)),
        ({"size": {"shortest_edge": 7}, "crop_pct": 0.875}, (7, 7)),
        ({"size": {"shortest_edge": 384}, "crop_pct": 0.875}, (384, 384)),
        ({"do_resize": False}, (8, 16)),
    ],
)
def test_sizes(said: dict[str, Any], shape: tuple[int, int]) -> None:
    made = image_processing(USUAL | said, "net")(torch.rand(2, 3, 8, 16))
    assert made.shape == (2, 3, *shape)


def test_the_middle_is_kept() -> None:
    x = torch.arange(5.0).expand(1, 1, 5, 5) / 10
    assert ImageProcessing(crop=(3, 3))(x)[0, 0, 0].tolist() == pytest.approx([0.1, 0.2, 0.3])


def test_scales_without_normalisation_are_those_of_bytes() -> None:
    x = torch.ones(1, 3, 4, 6)
    plain = {**USUAL, "do_normalize": False}
    assert image_processing(plain | {"do_rescale": False}, "net")(x).amax() == 255
    shifted = image_processing(plain | {"rescale_factor": 1 / 127.5, "rescale_offset": True}, "net")(x)
    assert shifted.amax() == pytest.approx(1)
    assert image_processing(plain | {"do_flip_channel_order": True}, "net").flips_channels


def test_gradients_pass() -> None:
    x = torch.rand(1, 3, 9, 9, requires_grad=True)
    image_processing(USUAL, "net")(x).sum().backward()
    assert x.grad is not None
    assert bool((x.grad != 0).any())


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"do_pad": True}, "net: its image processor does what is not known here: do_pad"),
        ({"size": {"longest_edge": 4}}, "has a size that is not known here"),
    ],
)
def test_what_is_not_known_is_refused(said: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidModel, match=words):
        image_processing(USUAL | said, "net")


def test_too_small_to_crop() -> None:
    with pytest.raises(InvalidModel, match="images of 2 x 2 cannot be cropped to 3 x 3"):
        ImageProcessing(crop=(3, 3))(torch.rand(1, 1, 2, 2))
