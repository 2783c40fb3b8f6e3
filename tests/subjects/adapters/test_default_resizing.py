"""How an image processor that names no filter resizes: bilinear, and every pixel of a larger image counts."""

import pytest
import torch
from torch import Tensor

from unnerve.subjects.adapters.image_processing import ImageProcessing, image_processing


def resized(image: Tensor, **said: object) -> list[float]:
    """Return the middle row of an image of eight rows, resized by a processor that says so much."""
    made = image_processing({"do_resize": True, "do_rescale": True, "rescale_factor": 1 / 255, **said}, "net")(image)
    row: list[float] = made[0, 0, made.shape[2] // 2].tolist()
    return row


def test_an_enlarged_edge_never_leaves_its_two_sides() -> None:
    edge = torch.tensor([0.2] * 4 + [0.8] * 4).expand(1, 1, 8, 8)
    row = [0.2] * 7 + [0.35, 0.65] + [0.8] * 7
    assert resized(edge, size={"height": 16, "width": 16}) == pytest.approx(row, abs=1e-5)
    assert ImageProcessing(size=(16, 16))(edge)[0, 0, 8].tolist() == pytest.approx(row, abs=1e-5)
    cubic = resized(edge, size={"height": 16, "width": 16}, resample=3)
    assert min(cubic) < 0.17, "a cubic filter swings"
    assert max(cubic) > 0.83


@pytest.mark.parametrize("column", range(12, 16))
@pytest.mark.parametrize("said", [{}, {"resample": 2}, {"resample": 3}], ids=str)
def test_a_thin_line_of_a_shrunken_image_is_never_lost(said: dict[str, object], column: int) -> None:
    line = torch.zeros(1, 1, 32, 32)
    line[..., column] = 0.8
    # A quarter of it is left, wherever it lies between the four columns that become one.
    assert sum(resized(line, size={"height": 8, "width": 8}, **said)) == pytest.approx(0.2, abs=0.03)
