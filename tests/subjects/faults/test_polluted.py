from typing import Any

import numpy as np
import pytest
import torch

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.naming.catalogue import build
from unnerve.core.naming.command_text import command_text
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.faults.polluted import Polluted
from unnerve.subjects.training.recipes import Recipe


@pytest.fixture
def grey() -> Examples:
    """Return 200 grey images with labels 0 to 9 in turn; every value is 0.5."""
    return tensors(torch.full((200, 1, 8, 8), 0.5), np.arange(200) % 10, classes="abcdefghij", name="grey")


def changed(data: Examples) -> list[tuple[int, int, int]]:
    """Return row, height and width of every patch."""
    images = data.batch(range(len(data))).inputs.numpy()[:, 0] != 0.5
    found = []
    for row, image in enumerate(images):
        if image.any():
            ys, xs = np.nonzero(image)
            found.append((row, int(np.ptp(ys)) + 1, int(np.ptp(xs)) + 1))
    return found


def test_a_share_of_the_images_has_a_patch_and_the_polluted_label(grey: Examples) -> None:
    data = Polluted(alpha=0.2, class_=3, smallest=2, largest=4).data(grey)
    patches = changed(data)
    assert len(patches) == 40
    assert {height for _, height, _ in patches} == {width for _, _, width in patches} == {2, 3, 4}
    labels, before = data.label_array(), grey.label_array()
    assert labels is not None
    assert before is not None
    stamped = [row for row, _, _ in patches]
    assert set(labels[stamped]) == {3}
    rest = np.setdiff1d(np.arange(200), stamped)
    assert (labels[rest] == before[rest]).all()


def test_an_image_is_the_same_whenever_it_is_read(grey: Examples) -> None:
    data = Polluted(alpha=0.5).data(grey)
    whole = data.batch(range(200)).inputs
    assert torch.equal(whole[[7, 3, 150]], data.batch([7, 3, 150]).inputs)
    assert torch.equal(grey.batch(range(200)).inputs, torch.full((200, 1, 8, 8), 0.5)), "the data itself stays as it is"


def test_another_seed_pollutes_other_images(grey: Examples) -> None:
    first, second = (Polluted(alpha=0.2, seed=seed).data(grey) for seed in (0, 1))
    assert [row for row, _, _ in changed(first)] != [row for row, _, _ in changed(second)]


def test_only_chosen_rows_are_polluted(grey: Examples) -> None:
    data = Polluted(alpha=0.5).data(grey.take(range(100, 140)))
    assert len(data) == 40
    assert len(changed(data)) == 20


def test_images_of_bytes_get_bytes() -> None:
    data = Polluted(alpha=0.9, smallest=6).data(tensors(np.zeros((10, 1, 8, 8), np.uint8), np.zeros(10, int)))
    inputs = data.batch(range(10)).inputs
    assert float(inputs.amax()) > 0.9
    assert float(inputs.amax()) <= 1


def test_the_class_is_a_setting_by_its_name() -> None:
    assert build("fault", "polluted:alpha=0.2,class=3") == Polluted(0.2, 3)
    assert build("fault", command_text(Polluted(0.2, 3))) == Polluted(0.2, 3)


def test_the_recipe_stays_as_it_is() -> None:
    assert Polluted().recipe(Recipe()) == Recipe()


def test_refuses_what_cannot_be_polluted(grey: Examples) -> None:
    with pytest.raises(InvalidSetting, match=r"class must be in \[0, 9\], got 10"):
        Polluted(class_=10).data(grey)
    with pytest.raises(InvalidSetting, match="largest must be <= 8"):
        Polluted(largest=9).data(grey)
    with pytest.raises(InvalidData, match="only labelled images can be polluted"):
        Polluted().data(tensors(torch.rand(5, 4), np.zeros(5, int)))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"alpha": 0.0}, r"alpha must be in \(0, 1\), got 0.0"),
        ({"class_": -1}, "class must be >= 0, got -1"),
        ({"smallest": 4, "largest": 3}, "patches must be 1 <= smallest <= largest, got 4 and 3"),
    ],
)
def test_refuses_strange_settings(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidSetting, match=words):
        Polluted(**settings)
