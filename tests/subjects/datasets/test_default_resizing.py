"""What images become whose resizing nobody described: Pillow's bicubic filter, in which every pixel counts."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

from tests.subjects.datasets.saved import saved
from unnerve.core.data.examples import Examples
from unnerve.subjects.data import examples_with
from unnerve.subjects.datasets.hf import hf
from unnerve.subjects.datasets.imagefolder import imagefolder
from unnerve.subjects.input_facts import InputFacts
from unnerve.subjects.opening import DataOptions

EDGE = np.array([[50] * 4 + [200] * 4] * 8, np.uint8)
"""Dark on the left, light on the right."""


def from_a_folder(folder: Path, image: np.ndarray, size: int, **settings: object) -> Examples:
    (folder / "images").mkdir()
    Image.fromarray(image).save(folder / "images" / "one.png")
    return imagefolder(folder / "images", size=size, **settings)  # type: ignore[arg-type]


def from_hugging_face(folder: Path, image: np.ndarray, size: int, **settings: object) -> Examples:
    kept = io.BytesIO()
    Image.fromarray(image).save(kept, "png")
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    cell = pa.array([{"bytes": kept.getvalue(), "path": None}], kind)
    features = {"image": {"_type": "Image"}, "label": {"names": ["cat"], "_type": "ClassLabel"}}
    table = saved(folder / "saved", {"image": cell, "label": [0]}, features)
    return hf(table, size=size, **settings)  # type: ignore[arg-type]


def as_a_network_states(folder: Path, image: np.ndarray, size: int, **settings: object) -> Examples:
    """Return what a network is given that states its size, and the settings."""
    (folder / "images").mkdir()
    Image.fromarray(image).save(folder / "images" / "one.png")
    stated = InputFacts(size=size, grey=True, **settings)  # type: ignore[arg-type]
    return examples_with(f"imagefolder:{folder / 'images'}", DataOptions(), stated.settings_of_data())


READ: list[Callable[..., Examples]] = [from_a_folder, from_hugging_face, as_a_network_states]


def row_of(read: Examples) -> list[float]:
    """Return the middle row of the only image, in grey levels."""
    row: list[float] = (read.batch([0]).inputs[0, 0, read.shape[1] // 2] * 255).tolist()
    return row


@pytest.mark.parametrize("read", READ)
def test_an_enlarged_edge_swings_as_far_as_the_cubic_filter_does(tmp_path: Path, read: Callable[..., Examples]) -> None:
    # Keys' filter of slope -1/2 weighs pixels at distances 1/4, 3/4, 5/4 and 7/4 with 0.867, 0.227, -0.070 and -0.023.
    # Nearest and bilinear never leave 50 to 200; torch's bicubic has slope -3/4; Lanczos swings farther and longer.
    row = row_of(read(tmp_path, EDGE, 16, crop=1.0))
    assert row == pytest.approx([50] * 5 + [46.5, 39.5, 80.5, 169.5, 210.5, 203.5] + [200] * 5, abs=0.75)


@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("column", range(12, 16))
def test_a_thin_line_of_a_shrunken_image_is_never_lost(
    tmp_path: Path, read: Callable[..., Examples], column: int
) -> None:
    line = np.zeros((32, 32), np.uint8)
    line[:, column] = 200
    # A quarter of it is left, wherever it lies between the four columns that become one.
    assert sum(row_of(read(tmp_path, line, 8, crop=1.0))) == pytest.approx(50, abs=6)


@pytest.mark.parametrize("read", READ)
def test_an_eighth_is_cropped(tmp_path: Path, read: Callable[..., Examples]) -> None:
    # 14 / 0.875 are 16 columns, of which the middle 14 stay: nothing is resized.
    ramp = np.arange(16, dtype=np.uint8)[None].repeat(16, axis=0)
    assert row_of(read(tmp_path, ramp, 14)) == pytest.approx(list(range(1, 15)), abs=0.01)
