"""Small pictures of inputs."""

import base64
import io
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from unnerve.reports.parts.thumbnails import SIDE, Thumbnail, input_noun, no_pictures, thumbnails

if TYPE_CHECKING:
    from tests.reports.conftest import Recipe


def _decoded(thumbnail: Thumbnail) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(thumbnail.uri.partition(",")[2])))


@pytest.mark.parametrize("shape", [(1, 8, 8), (3, 32, 32), (1, 1, 64), (3, 5, 2)])
def test_small_images_keep_every_pixel(recipe: "Recipe", shape: tuple[int, ...]) -> None:
    data = recipe.but(count=3, shape=shape).proof().candidates
    found = thumbnails(data, [2])[2]
    pixels = np.asarray(_decoded(found)).reshape(*shape[1:], shape[0]).transpose(2, 0, 1)
    assert found.exact
    assert (pixels == data.source.read([2])[0]).all()


@pytest.mark.parametrize("shape", [(1, 300, 100), (3, 65, 640)])
def test_large_images_are_reduced_and_keep_their_proportions(recipe: "Recipe", shape: tuple[int, ...]) -> None:
    found = thumbnails(recipe.but(count=1, shape=shape).proof().candidates, [0])[0]
    width, height = _decoded(found).size
    assert not found.exact
    assert max(width, height) == SIDE
    assert width / height == pytest.approx(shape[2] / shape[1], rel=0.1)
    assert len(found.uri) < 8000


@pytest.mark.parametrize("shape", [(40,), (8, 8), (2, 8, 8), (1, 4, 4, 4)])
def test_other_inputs_have_no_pictures(recipe: "Recipe", shape: tuple[int, ...]) -> None:
    assert thumbnails(recipe.but(count=3, shape=shape).proof().candidates, [0, 1]) == {}


def test_what_is_no_image_is_said() -> None:
    assert [input_noun(shape) for shape in ((1, 8, 8), (3, 8, 8), (2, 8, 8), (9,))] == ["images"] * 2 + ["inputs"] * 2
    assert "(shape: 2 x 8 x 8)" in no_pictures((2, 8, 8))
    assert "(shape: one number)" in no_pictures(())
    assert "(shape: unknown)" in no_pictures((), "unknown")
