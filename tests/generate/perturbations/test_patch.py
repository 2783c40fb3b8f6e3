import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.streams import Streams
from unnerve.generate.perturbations.patch import Patch

LAST = 1 - 2**-24  # the largest float32 number below one


def one_by_one(patch: Patch, inputs: Tensor, parameters: Tensor) -> Tensor:
    """Do the same in the plainest way."""
    copies = []
    for image, changes in zip(inputs, parameters, strict=True):
        for down, right, *colour in changes.tolist():
            copy = image.clone()
            row = int(down * (image.shape[1] - patch.size + 1))
            column = int(right * (image.shape[2] - patch.size + 1))
            block = copy[:, row : row + patch.size, column : column + patch.size]
            block[:] = 1 - block if patch.colour == "invert" else torch.tensor(colour).view(-1, 1, 1)
            copies.append(copy)
    return torch.stack(copies).view(*parameters.shape[:2], *inputs.shape[1:])


@pytest.fixture
def images() -> Tensor:
    return Streams(1, map(str, range(6))).uniform(0, 0, (3, 7, 9))


@pytest.mark.parametrize(
    ("down", "right", "row", "column"),
    [
        (0.0, 0.0, 0, 0),
        (LAST, LAST, 2, 4),
        (0.0, LAST, 0, 4),
        (LAST, 0.0, 2, 0),
        (0.34, 0.61, 1, 3),
        (0.32, 0.59, 0, 2),
    ],
)
def test_the_place_by_hand(down: float, right: float, row: int, column: int) -> None:
    # Four by six pixels: a 2x2 block has three rows and five columns to begin at.
    changed = Patch().apply(torch.zeros(1, 1, 4, 6), torch.tensor([[[down, right, 0.75]]]))
    expected = torch.zeros(4, 6)
    expected[row : row + 2, column : column + 2] = 0.75
    assert torch.equal(changed[0, 0, 0], expected)


def test_one_colour_for_the_whole_block_and_every_channel_its_own() -> None:
    changed = Patch(3).apply(torch.full((1, 3, 3, 3), 0.5), torch.tensor([[[0.0, 0.0, 0.1, 0.2, 0.3]]]))
    expected = torch.tensor([0.1, 0.2, 0.3]).view(3, 1, 1).expand(3, 3, 3)
    assert torch.equal(changed[0, 0], expected)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("colour", ["random", "invert"])
@pytest.mark.parametrize("tries", [1, 5])
def test_bulk_equals_one_by_one(images: Tensor, size: int, colour: str, tries: int) -> None:
    patch = Patch(size, colour)
    parameters = patch.draw(Streams(0, map(str, range(6))), 0, tries, (3, 7, 9))
    assert torch.equal(patch.apply(images, parameters), one_by_one(patch, images, parameters))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_exactly_a_block_of_pixels_changes(images: Tensor, size: int) -> None:
    patch = Patch(size)
    changed = patch.apply(images, patch.draw(Streams(0, map(str, range(6))), 0, 50, (3, 7, 9)))
    different = (changed != images.unsqueeze(1)).any(dim=2).sum(dim=(2, 3))
    assert bool((different == size * size).all())


def test_inverting_twice_is_nothing(images: Tensor) -> None:
    patch = Patch(2, "invert")
    parameters = patch.draw(Streams(0, map(str, range(6))), 0, 1, (3, 7, 9))
    once = patch.apply(images, parameters)
    assert not torch.equal(once[:, 0], images)
    assert torch.allclose(patch.apply(once[:, 0], parameters)[:, 0], images, atol=1e-7)


def test_inverting_is_one_minus_the_value() -> None:
    changed = Patch(1, "invert").apply(torch.full((1, 1, 1, 1), 0.25), torch.zeros(1, 1, 3))
    assert changed.flatten().tolist() == [0.75]


@pytest.mark.parametrize("tries", [1, 3])
def test_inputs_are_left_alone(images: Tensor, tries: int) -> None:
    before = images.clone()
    patch = Patch()
    patch.apply(images, patch.draw(Streams(0, map(str, range(6))), 0, tries, (3, 7, 9)))
    assert torch.equal(images, before)


def test_every_place_is_equally_likely() -> None:
    parameters = Patch().draw(Streams(0, ["x"]), 0, 12_000, (1, 4, 5))
    changed = Patch().apply(torch.full((1, 1, 4, 5), 2.0), parameters)[0, :, 0] != 2
    corners = [int(one.flatten().int().argmax()) for one in changed]
    shares = torch.tensor(corners).bincount(minlength=20) / 12_000
    assert sorted(set(corners)) == [0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13]
    assert shares[shares > 0].tolist() == pytest.approx([1 / 12] * 12, abs=0.012)


def test_draws_depend_on_the_input_not_on_its_company() -> None:
    patch, shape = Patch(), (1, 8, 8)
    together = patch.draw(Streams(4, "abc"), 2, 7, shape)
    assert together.shape == (3, 7, 3)
    assert torch.equal(patch.draw(Streams(4, "b"), 2, 7, shape)[0], together[1])
    assert not torch.equal(patch.draw(Streams(4, "b"), 3, 7, shape)[0], together[1])


@pytest.mark.parametrize("shape", [(1, 1, 5), (1, 5, 1), (8, 8), (16,)])
def test_refuses_what_is_too_small_or_no_image(shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidData, match=r"patch needs images \(C, H, W\) with sides >= 2, got inputs of shape"):
        Patch().draw(Streams(0, "a"), 0, 1, shape)
    with pytest.raises(InvalidData, match=r"patch needs images \(C, H, W\) with sides >= 2, got inputs of shape"):
        Patch().apply(torch.zeros(1, *shape), torch.zeros(1, 1, 3))


def test_refuses_strange_settings() -> None:
    with pytest.raises(InvalidSetting, match=r"^size must be >= 1, got 0$"):
        Patch(0)
    with pytest.raises(InvalidSetting, match=r"^colour must be random or invert, got 'red'$"):
        Patch(colour="red")
