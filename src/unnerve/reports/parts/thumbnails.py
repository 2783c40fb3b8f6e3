"""Small pictures of inputs, as text that an HTML page can hold."""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from unnerve.core.data.examples import Examples

__all__ = ["LIMIT", "SIDE", "Thumbnail", "input_noun", "no_pictures", "pictured", "thumbnail", "thumbnails"]

LIMIT = 300
SIDE = 64
_BYTES = 4096
# Photographs of full size are large: a few at a time.
_BLOCK = 16


@dataclass(frozen=True)
class Thumbnail:
    """A picture of one input.

    Parameters
    ----------
    uri : str
        ``data:image/...``.
    exact : bool
        It has as many pixels as the input, so it may be shown enlarged without smoothing; as PNG, they are the input's.
    sound : str
        ``data:audio/...``, if it can be heard.
    caption : str
        What it shows, where that is not said elsewhere.
    """

    uri: str
    exact: bool
    sound: str = ""
    caption: str = ""


def pictured(shape: Sequence[int]) -> bool:
    """Return whether inputs of this shape are images: (C, H, W) with one channel (grey) or three (RGB)."""
    return len(shape) == 3 and shape[0] in (1, 3) and min(shape[1:]) > 0


def input_noun(shape: Sequence[int]) -> str:
    """Return what inputs of this shape are."""
    return "images" if pictured(shape) else "inputs"


def no_pictures(shape: Sequence[int], nothing: str = "one number") -> str:
    """Say why inputs of this shape are not pictured; ``nothing`` is what the empty shape stands for."""
    form = " x ".join(map(str, shape)) or nothing
    return f"These inputs are not grey or RGB images (shape: {form}), so there are no pictures."


def thumbnails(data: Examples, rows: Sequence[int]) -> dict[int, Thumbnail]:
    """Return pictures of some examples, none if they are not images; images with sides over 64 pixels are reduced."""
    if not pictured(data.shape):
        return {}
    found: dict[int, Thumbnail] = {}
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        inputs = data.batch(block).inputs.numpy()
        found.update((row, thumbnail(one, data.value_range)) for row, one in zip(block, inputs, strict=True))
    return found


def thumbnail(values: np.ndarray, value_range: tuple[float, float]) -> Thumbnail:
    """Return a picture of one image, shape (C, H, W); values outside the range are cut off."""
    low, high = value_range
    pixels = np.rint(np.clip((values - low) / (high - low), 0, 1) * 255).astype(np.uint8)
    image = Image.fromarray(pixels[0] if len(pixels) == 1 else np.moveaxis(pixels, 0, -1))
    exact = max(image.size) <= SIDE
    if not exact:
        image.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    kind, data = "png", _encoded(image, "PNG")
    # Small drawings are smaller, and exact, as PNG; photographs are not.
    if len(data) > _BYTES:
        kind, data = "jpeg", _encoded(image, "JPEG")
    return Thumbnail(f"data:image/{kind};base64,{base64.b64encode(data).decode()}", exact)


def _encoded(image: Image.Image, kind: str) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, optimize=True, quality=90)
    return buffer.getvalue()
