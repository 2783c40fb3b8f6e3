"""Image files: opened with one clear line when they cannot be, and turned into arrays."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from unnerve.core.errors import InvalidData, UserError
from unnerve.core.storage.limits import PIXELS

__all__ = ["SUFFIXES", "is_grey", "is_readable", "opened", "pixels"]

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff"})
"""What names of image files end with."""

_GREY = frozenset({"1", "L", "LA"})
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Markers of JPEG's frame headers; the three between them are of tables and extensions."""

_HEADERS = 2**20
"""Bytes within which the frame header of a JPEG stands, behind whatever cameras write before it."""

_COLOUR = frozenset({"RGB", "RGBA", "RGBX", "P", "PA", "CMYK", "YCbCr", "LAB", "HSV"})


@contextmanager
def opened(path: str | Path, stored: bytes | None = None) -> Iterator[Image.Image]:
    """Open an image of 8 bits a channel; whatever goes wrong with it names the file.

    Parameters
    ----------
    path : path
    stored : bytes, optional
        What the file would hold, if the image is kept elsewhere; then the path is only its name in messages.
    """
    if stored is None and os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113 - quicker than paths, for many files
        raise InvalidData(f"{path}: must be a file")  # to open a pipe would be to wait for whoever writes to it
    try:
        with Image.open(path if stored is None else BytesIO(stored)) as image:
            # Pillow only warns up to twice its own limit.
            if image.width * image.height > PIXELS:
                raise Image.DecompressionBombError
            if image.mode not in _GREY | _COLOUR:
                raise InvalidData(f"{path}: must be an image of 8 bits a channel, got mode {image.mode}")
            if _has_16_bits(image):
                raise InvalidData(f"{path}: must be an image of 8 bits a channel, got 16 of mode {image.mode}")
            yield image
    except UserError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise InvalidData(f"{path}: an image must have <= {PIXELS:,} pixels") from error
    except FileNotFoundError as error:
        raise InvalidData(f"{path}: must be an image, found no such file") from error
    # The decoders of damaged images fail in many ways, OSError being only the commonest.
    except Exception as error:
        bits = _jpeg_bits(path, stored)
        if bits not in (None, 8):
            raise InvalidData(f"{path}: must be an image of 8 bits a channel, got a JPEG of {bits}") from error
        raise InvalidData(f"{path}: must be an image, whole and undamaged: {error}") from error


def _has_16_bits(image: Image.Image) -> bool:
    """Say whether a PNG or TIFF stores 16 bits a channel: Pillow has no mode for colours of so many, and drops half."""
    # Those of a BMP are written without a letter, and are 16 bits of all channels together.
    return any(re.search(r";16[BLN]", str(tile[3])) for tile in getattr(image, "tile", ()))


def _jpeg_bits(path: str | Path, stored: bytes | None) -> int | None:
    """Return the bits a channel that a JPEG states in its frame header; None if it states none, or is no JPEG."""
    try:
        with BytesIO(stored) if stored is not None else Path(path).open("rb") as file:
            data = file.read(_HEADERS)
    except OSError:
        return None
    at = 2 if data[:2] == b"\xff\xd8" else len(data)
    # Segments follow one another, each with its length after its marker, up to the frame header.
    while data[at : at + 1] == b"\xff" and at + 4 < len(data):
        if data[at + 1] in _FRAMES:
            return data[at + 4]
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


def is_readable(path: str | Path) -> bool:
    """Say whether an image can be decoded to its end."""
    try:
        with opened(path) as image:
            # JPEG is then decoded at an eighth of its size: every byte is still read, in a third of the time.
            image.draft(None, (1, 1))
            image.load()
    except InvalidData:
        return False
    return True


def is_grey(image: Image.Image) -> bool:
    """Say whether an image has no colours."""
    return image.mode in _GREY


def pixels(image: Image.Image, grey: bool | None = None) -> np.ndarray:
    """Return an image as uint8 of shape (C, H, W), where C is 1 (grey) or 3; transparency is dropped."""
    mode = "L" if (is_grey(image) if grey is None else grey) else "RGB"
    if "transparency" in image.info:
        # Pillow warns of palettes with transparency that are turned into RGB directly.
        image = image.convert("RGBA")
    values = np.asarray(image.convert(mode))
    return values[None] if mode == "L" else values.transpose(2, 0, 1)
